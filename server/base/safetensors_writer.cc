// SPDX-License-Identifier: Apache-2.0
#include "server/base/safetensors_writer.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <limits>
#include <set>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/base/failure.h"
#include "server/base/json_writer.h"

namespace causeway {
namespace {

constexpr std::size_t kHeaderAlignment = 8;

std::int64_t TensorBytes(const TensorHeader& tensor) {
  const std::optional<std::int64_t> count = ElementCount(tensor.shape);
  const std::int64_t item_bytes = TensorDtypeBytes(tensor.dtype);
  if (!count || *count > std::numeric_limits<std::int64_t>::max() / item_bytes) {
    throw std::invalid_argument("SafetensorsWriter: tensor " + tensor.name + " has shape " +
                                ShapeText(tensor.shape));
  }
  return *count * item_bytes;
}

// The length and the JSON header, padded with blanks so that the data starts aligned.
struct FileHead {
  std::string text;
  std::int64_t data_bytes = 0;
};

FileHead MakeHead(const std::vector<TensorHeader>& tensors,
                  const SafetensorsWriter::Metadata& metadata) {
  JsonWriter json;
  json.BeginObject();
  if (!metadata.empty()) {
    json.Name("__metadata__").BeginObject();
    for (const auto& [name, value] : metadata) json.Name(name).String(value);
    json.EndObject();
  }
  std::int64_t offset = 0;
  std::set<std::string> names{"__metadata__"};
  for (const TensorHeader& tensor : tensors) {
    if (!names.insert(tensor.name).second) {
      throw std::invalid_argument("SafetensorsWriter: the name " + tensor.name + " twice");
    }
    const std::int64_t bytes = TensorBytes(tensor);
    if (offset % TensorDtypeBytes(tensor.dtype) != 0) {
      throw std::invalid_argument("SafetensorsWriter: tensor " + tensor.name + " is not aligned");
    }
    if (bytes > std::numeric_limits<std::int64_t>::max() - offset) {
      throw std::invalid_argument("SafetensorsWriter: more than 2^63 bytes");
    }
    json.Name(tensor.name).BeginObject();
    json.Name("dtype").String(TensorDtypeName(tensor.dtype));
    json.Name("shape").BeginArray();
    for (const std::int64_t extent : tensor.shape) json.Integer(extent);
    json.EndArray().Name("data_offsets").BeginArray();
    json.Integer(offset).Integer(offset + bytes).EndArray().EndObject();
    offset += bytes;
  }
  std::string header = json.EndObject().text();
  header.resize((header.size() + kHeaderAlignment - 1) / kHeaderAlignment * kHeaderAlignment, ' ');
  std::string length;
  for (int shift = 0; shift < 64; shift += 8) {
    length += static_cast<char>((header.size() >> shift) & 0xFF);
  }
  return {length + header, offset};
}

void RefuseSpecialTarget(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return;
  if (S_ISDIR(status.st_mode)) throw FileError(path, "cannot be written: it is a folder");
  if (!S_ISREG(status.st_mode)) {
    throw FileError(path, "cannot be written: it is not a regular file");
  }
}

}  // namespace

SafetensorsWriter::SafetensorsWriter(std::string path, std::vector<TensorHeader> tensors,
                                     const Metadata& metadata)
    : path_(std::move(path)) {
  const FileHead head = MakeHead(tensors, metadata);
  bytes_left_ = head.data_bytes;
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
  if (!file_.is_open()) {
    const int error = errno;
    temporary_path_.clear();
    RefuseWrite(error);
  }
  try {
    Write(std::as_bytes(std::span(head.text)));
  } catch (...) {
    // The destructor does not run for an object whose constructor throws.
    ::unlink(temporary_path_.c_str());
    throw;
  }
}

SafetensorsWriter::~SafetensorsWriter() {
  if (!temporary_path_.empty()) ::unlink(temporary_path_.c_str());
}

void SafetensorsWriter::Append(std::span<const std::byte> bytes) {
  if (bytes.size() > static_cast<std::uint64_t>(bytes_left_)) {
    throw std::invalid_argument("SafetensorsWriter: more bytes than announced");
  }
  Write(bytes);
  bytes_left_ -= static_cast<std::int64_t>(bytes.size());
}

void SafetensorsWriter::Finish() {
  if (bytes_left_ != 0)
    throw std::invalid_argument("SafetensorsWriter: fewer bytes than announced");
  // A full disk may only show when the data leaves the page cache.
  if (::fsync(file_.get()) != 0) RefuseWrite(errno);
  if (!file_.Close()) RefuseWrite(errno);
  if (::rename(temporary_path_.c_str(), path_.c_str()) != 0) RefuseWrite(errno);
  temporary_path_.clear();
}

void SafetensorsWriter::Write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) RefuseWrite(errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void SafetensorsWriter::RefuseWrite(int error) const {
  throw FileError(path_, "cannot be written: " + std::generic_category().message(error));
}

void WriteSafetensors(const std::string& path, std::vector<NamedTensor> tensors,
                      const SafetensorsWriter::Metadata& metadata) {
  std::stable_sort(tensors.begin(), tensors.end(), [](const NamedTensor& a, const NamedTensor& b) {
    return TensorDtypeBytes(a.view.dtype) > TensorDtypeBytes(b.view.dtype);
  });
  std::vector<TensorHeader> headers;
  for (const NamedTensor& tensor : tensors) {
    headers.push_back({tensor.name, tensor.view.dtype, tensor.view.shape});
    if (TensorBytes(headers.back()) != static_cast<std::int64_t>(tensor.view.bytes.size())) {
      throw std::invalid_argument("WriteSafetensors: bytes of " + tensor.name +
                                  " do not fit its shape");
    }
  }
  SafetensorsWriter writer(path, std::move(headers), metadata);
  for (const NamedTensor& tensor : tensors) writer.Append(tensor.view.bytes);
  writer.Finish();
}

}  // namespace causeway
