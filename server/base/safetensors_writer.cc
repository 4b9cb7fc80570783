// SPDX-License-Identifier: Apache-2.0
#include "server/base/safetensors_writer.h"

#include <algorithm>
#include <limits>
#include <set>
#include <stdexcept>
#include <utility>

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

}  // namespace

SafetensorsWriter::SafetensorsWriter(std::string path, const std::vector<TensorHeader>& tensors,
                                     const Metadata& metadata)
    : file_(std::move(path)) {
  const FileHead head = MakeHead(tensors, metadata);
  bytes_left_ = head.data_bytes;
  file_.Write(std::as_bytes(std::span(head.text)));
}

void SafetensorsWriter::Append(std::span<const std::byte> bytes) {
  if (bytes.size() > static_cast<std::uint64_t>(bytes_left_)) {
    throw std::invalid_argument("SafetensorsWriter: more bytes than announced");
  }
  file_.Write(bytes);
  bytes_left_ -= static_cast<std::int64_t>(bytes.size());
}

void SafetensorsWriter::Finish() {
  if (bytes_left_ != 0) {
    throw std::invalid_argument("SafetensorsWriter: fewer bytes than announced");
  }
  file_.Commit();
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
