// SPDX-License-Identifier: Apache-2.0
// Files that the tests of the causeway program make and count.
#pragma once

#include <cstddef>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "server/base/safetensors_writer.h"
#include "tests/support/test_folder.h"

namespace causeway::cli {

/// Files in the folder, of any name.
inline int FileCount(const test::TestFolder& folder) {
  return static_cast<int>(std::distance(std::filesystem::directory_iterator(folder.path()), {}));
}

/// Writes latents of that shape and type whose elements are zero.
inline void WriteZeroLatents(const std::string& path, TensorDtype dtype,
                             std::vector<std::int64_t> shape, const std::string& key = "latents") {
  const std::vector<std::byte> zeros(
      static_cast<std::size_t>(ElementCount(shape).value() * TensorDtypeBytes(dtype)));
  WriteSafetensors(path, {{key, {dtype, std::move(shape), zeros}}});
}

}  // namespace causeway::cli
