// SPDX-License-Identifier: Apache-2.0
#include "server/base/tensor_view.h"

#include <array>
#include <limits>

namespace causeway {
namespace {

struct DtypeRow {
  std::string_view name;
  std::int64_t bytes;
};

// In the order of TensorDtype.
constexpr std::array<DtypeRow, 10> kDtypes{{{"F64", 8},
                                            {"F32", 4},
                                            {"F16", 2},
                                            {"BF16", 2},
                                            {"I64", 8},
                                            {"I32", 4},
                                            {"I16", 2},
                                            {"I8", 1},
                                            {"U8", 1},
                                            {"BOOL", 1}}};

}  // namespace

std::string_view TensorDtypeName(TensorDtype dtype) {
  return kDtypes[static_cast<std::size_t>(dtype)].name;
}

std::optional<TensorDtype> ParseTensorDtype(std::string_view name) {
  for (std::size_t i = 0; i < kDtypes.size(); ++i) {
    if (kDtypes[i].name == name) return static_cast<TensorDtype>(i);
  }
  return std::nullopt;
}

std::string TensorDtypeNames() {
  std::string names;
  for (const DtypeRow& row : kDtypes) {
    if (!names.empty()) names += ", ";
    names += row.name;
  }
  return names;
}

std::int64_t TensorDtypeBytes(TensorDtype dtype) {
  return kDtypes[static_cast<std::size_t>(dtype)].bytes;
}

std::optional<std::int64_t> ElementCount(std::span<const std::int64_t> shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0) return std::nullopt;
    if (extent != 0 && count > std::numeric_limits<std::int64_t>::max() / extent) {
      return std::nullopt;
    }
    count *= extent;
  }
  return count;
}

std::string ShapeText(std::span<const std::int64_t> shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + "]";
}

}  // namespace causeway
