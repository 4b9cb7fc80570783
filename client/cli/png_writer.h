// SPDX-License-Identifier: Apache-2.0
// Writes one picture as a PNG file.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "server/base/output_file.h"

namespace causeway::cli {

/// `rgb`: [height, width, 3] u8. Commits the file. Throws FileError where it cannot be written.
void WritePng(OutputFile& file, int height, int width, std::span<const std::byte> rgb);

}  // namespace causeway::cli
