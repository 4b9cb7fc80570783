// SPDX-License-Identifier: Apache-2.0
#include "server/base/output_file.h"

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/base/failure.h"

namespace causeway {
namespace {

void RefuseSpecialTarget(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return;
  if (S_ISDIR(status.st_mode)) throw FileError(path, "cannot be written: it is a folder");
  if (!S_ISREG(status.st_mode)) {
    throw FileError(path, "cannot be written: it is not a regular file");
  }
}

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  RefuseSpecialTarget(path_);
  // The name is free unless another writer of this process, or a process that was killed and had
  // the same number, left one; then the next number is tried.
  constexpr int kMaxTries = 100;
  for (int i = 0; i < kMaxTries && !file_.is_open(); ++i) {
    temporary_path_ = path_ + ".part-" + std::to_string(::getpid()) + "-" + std::to_string(i);
    file_ = FileDescriptor(
        ::open(temporary_path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!file_.is_open() && errno != EEXIST) break;
  }
  if (!file_.is_open()) Refuse(errno);
}

OutputFile::~OutputFile() {
  if (!temporary_path_.empty()) ::unlink(temporary_path_.c_str());
}

void OutputFile::Write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) Refuse(errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void OutputFile::Commit() {
  // A full disk may only show when the data leaves the page cache.
  if (::fsync(file_.get()) != 0) Refuse(errno);
  if (!file_.Close()) Refuse(errno);
  if (::rename(temporary_path_.c_str(), path_.c_str()) != 0) Refuse(errno);
  temporary_path_.clear();
}

void OutputFile::Refuse(int error) const {
  throw FileError(path_, "cannot be written: " + std::generic_category().message(error));
}

}  // namespace causeway
