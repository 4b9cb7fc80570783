// SPDX-License-Identifier: Apache-2.0
// The directory of a zip file as torch.save writes it: every entry stored, none compressed.
// Format: PKWARE's APPNOTE.TXT 6.3.10, sections 4.3 and 4.5.3 (zip64).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace causeway::decoder {

/// Most entries of a zip file: a checkpoint has one a storage and a few more.
inline constexpr std::uint64_t kMaxZipEntries = 100'000;

/// Name -> content, both in the file's memory.
using ZipDirectory = std::map<std::string_view, std::span<const std::byte>>;

/// Reads the directory at the end of `file`, whose path is for messages. An entry's content lies
/// inside the file, its local header says the same as the directory, no two entries overlap and
/// no two have one name. CRC-32 sums are not compared: torch can be told to write none.
/// Throws FileError for anything else, also for what zip allows and torch never writes:
/// compression, encryption, a comment at the end, several parts.
ZipDirectory ReadZipDirectory(const std::string& path, std::span<const std::byte> file);

}  // namespace causeway::decoder
