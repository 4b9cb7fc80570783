// SPDX-License-Identifier: Apache-2.0
// Writes safetensors files (the format: safetensors.h), whole or piece by piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "server/base/output_file.h"
#include "server/base/tensor_view.h"

namespace causeway {

/// A tensor that is going to be written.
struct TensorHeader {
  std::string name;
  TensorDtype dtype = TensorDtype::kF32;
  std::vector<std::int64_t> shape;
};

/// Writes a file whose tensors are announced first and whose data then comes in pieces of any
/// size, so that it never has to be in memory at once. The file appears with Finish, whole; without
/// it nothing appears (OutputFile).
class SafetensorsWriter {
 public:
  using Metadata = std::map<std::string, std::string>;

  /// Tensors are written in the order given; an order that would leave one unaligned to its
  /// element (which other readers refuse) throws std::invalid_argument, as does a name twice or a
  /// shape that cannot be. Largest element type first is always right.
  /// Throws FileError where the file cannot be created.
  SafetensorsWriter(std::string path, const std::vector<TensorHeader>& tensors,
                    const Metadata& metadata = {});

  /// The next bytes of the data, little endian: the tensors one after the other.
  /// Throws FileError where they cannot be written (a full disk), std::invalid_argument where
  /// they are more than was announced.
  void Append(std::span<const std::byte> bytes);

  /// Throws FileError where the data could not be brought to the disk, std::invalid_argument
  /// where bytes are missing.
  void Finish();

 private:
  OutputFile file_;
  std::int64_t bytes_left_ = 0;
};

/// A tensor with its data at hand.
struct NamedTensor {
  std::string name;
  TensorView view;
};

/// Writes all of them, largest element type first, else in the order given. Throws as
/// SafetensorsWriter does; std::invalid_argument where bytes do not fit a shape.
void WriteSafetensors(const std::string& path, std::vector<NamedTensor> tensors,
                      const SafetensorsWriter::Metadata& metadata = {});

}  // namespace causeway
