// SPDX-License-Identifier: Apache-2.0
// A file that appears whole or not at all.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "server/base/file_descriptor.h"

namespace causeway {

/// The bytes go to a temporary file beside the target; Commit gives it the target's name,
/// replacing a regular file of that name. Without Commit nothing appears: the destructor removes
/// the temporary file. Not thread-safe.
class OutputFile {
 public:
  /// Creates the temporary file. Throws FileError where that is not possible, or where the target
  /// is a folder or another special file.
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  const std::string& path() const { return path_; }
  /// For libraries that write to a file by its name, in place of Write.
  const std::string& temporary_path() const { return temporary_path_; }

  /// Throws FileError where the bytes cannot be written (a full disk).
  void Write(std::span<const std::byte> bytes);

  /// Brings everything to the disk and gives the file its name. Throws FileError where it cannot.
  void Commit();

 private:
  [[noreturn]] void Refuse(int error) const;

  std::string path_;
  std::string temporary_path_;
  FileDescriptor file_;
};

}  // namespace causeway
