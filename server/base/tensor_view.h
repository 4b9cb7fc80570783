// SPDX-License-Identifier: Apache-2.0
// A tensor in somebody else's memory: element type, shape and bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

/// The element types of the safetensors format that this project reads and writes, with its names.
enum class TensorDtype { kF64, kF32, kF16, kBF16, kI64, kI32, kI16, kI8, kU8, kBool };

/// "F32" and so on, as in a safetensors header.
std::string_view TensorDtypeName(TensorDtype dtype);
/// The reverse; nullopt for any other name.
std::optional<TensorDtype> ParseTensorDtype(std::string_view name);
/// Every name, separated by ", ": for messages.
std::string TensorDtypeNames();
/// Bytes of one element.
std::int64_t TensorDtypeBytes(TensorDtype dtype);

/// Elements of a tensor of that shape (1 for the empty shape of a scalar); nullopt where an
/// extent is negative or the product does not fit into 63 bits.
std::optional<std::int64_t> ElementCount(std::span<const std::int64_t> shape);

/// "[384, 16, 3, 3, 3]".
std::string ShapeText(std::span<const std::int64_t> shape);

struct TensorView {
  TensorDtype dtype = TensorDtype::kF32;
  std::vector<std::int64_t> shape;   // outermost extent first
  std::span<const std::byte> bytes;  // contiguous, little endian, not necessarily aligned

  std::int64_t element_count() const {
    return static_cast<std::int64_t>(bytes.size()) / TensorDtypeBytes(dtype);
  }
};

}  // namespace causeway
