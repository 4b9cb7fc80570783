// SPDX-License-Identifier: Apache-2.0
// A whole file as read-only memory.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace causeway {

/// Maps a regular file that is not empty. Move-only; a moved-from object has no bytes.
/// The bytes stay where they are when the object is moved, and go with it when it is destroyed.
/// If another process shortens the file meanwhile, reading the lost part raises SIGBUS: replace
/// model files by renaming, as SafetensorsWriter does.
class MappedFile {
 public:
  /// Throws FileError: no such file, a folder or another special file, empty, not readable.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace causeway
