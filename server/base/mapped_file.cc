// SPDX-License-Identifier: Apache-2.0
#include "server/base/mapped_file.h"

#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "server/base/failure.h"
#include "server/base/file_descriptor.h"

namespace causeway {
namespace {

std::string ErrorText(int error) { return std::generic_category().message(error); }

}  // namespace

MappedFile::MappedFile(const std::string& path) {
  // O_NONBLOCK: opening a named pipe would otherwise wait for its writer.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) {
    if (errno == ENOENT) throw FileError(path, "no such file");
    throw FileError(path, "cannot be opened: " + ErrorText(errno));
  }
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) {
    throw FileError(path, "cannot be read: " + ErrorText(errno));
  }
  if (S_ISDIR(status.st_mode)) throw FileError(path, "is a folder, a file is needed");
  if (!S_ISREG(status.st_mode)) throw FileError(path, "is not a regular file");
  if (status.st_size == 0) throw FileError(path, "is empty");
  const auto size = static_cast<std::size_t>(status.st_size);
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (address == MAP_FAILED) throw FileError(path, "cannot be mapped: " + ErrorText(errno));
  bytes_ = {static_cast<const std::byte*>(address), size};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

}  // namespace causeway
