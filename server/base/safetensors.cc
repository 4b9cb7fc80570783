// SPDX-License-Identifier: Apache-2.0
#include "server/base/safetensors.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "server/base/failure.h"
#include "server/base/json.h"
#include "server/base/json_writer.h"
#include "server/base/utf8.h"

namespace causeway {
namespace {

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::string_view kMetadataName = "__metadata__";

std::string_view Text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// What a file that is no safetensors file looks like by its first bytes; empty: unknown. Only
// asked once the header has turned out wrong, because a header length may look like any of these.
std::string_view LooksLike(std::string_view file) {
  struct Magic {
    std::string_view bytes;
    std::string_view problem;
  };
  constexpr Magic kMagics[] = {
      {"PK\x03\x04", kPytorchCheckpointProblem},
      {"PK\x05\x06", kPytorchCheckpointProblem},
      {"\x80\x02", kPytorchCheckpointProblem},
      {"\x80\x03", kPytorchCheckpointProblem},
      {"\x80\x04", kPytorchCheckpointProblem},
      {"\x80\x05", kPytorchCheckpointProblem},
      {"version https://git-lfs", "is a Git LFS pointer, not the file itself: run git lfs pull"},
      {"GGUF", "is a GGUF file: convert to safetensors"},
      {"\x89HDF", "is an HDF5 file: convert to safetensors"},
      {"\x93NUMPY", "is a NumPy array: convert to safetensors"},
      {"<", "looks like a web page, not like a safetensors file"},
      {"{", "looks like JSON text, not like a safetensors file"},
  };
  for (const Magic& magic : kMagics) {
    if (file.starts_with(magic.bytes)) return magic.problem;
  }
  return {};
}

// The JSON header as a tree, and the data behind it.
struct Parts {
  JsonValue header;
  std::span<const std::byte> data;
};

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {}

  Parts Split(std::span<const std::byte> file) const {
    const std::string_view looks_like = LooksLike(Text(file));
    const auto refuse = [&](const std::string& problem) {
      Refuse(looks_like.empty() ? problem : std::string(looks_like));
    };
    const std::uint64_t file_bytes = file.size();
    if (file_bytes < kLengthBytes) {
      refuse("has " + std::to_string(file_bytes) +
             " bytes, too short for a safetensors file (is it truncated?)");
    }
    std::uint64_t header_bytes = 0;
    for (std::uint64_t i = 0; i < kLengthBytes; ++i) {
      header_bytes |= std::to_integer<std::uint64_t>(file[i]) << (8 * i);
    }
    if (header_bytes > kMaxSafetensorsHeaderBytes) {
      refuse("is not a safetensors file: header length got " + std::to_string(header_bytes) +
             " bytes, allowed: at most " + std::to_string(kMaxSafetensorsHeaderBytes));
    }
    if (header_bytes > file_bytes - kLengthBytes) {
      refuse("header length got " + std::to_string(header_bytes) + " bytes, but the file has " +
             std::to_string(file_bytes) + " (is it truncated?)");
    }
    const std::string_view header = Text(file.subspan(kLengthBytes, header_bytes));
    if (!header.starts_with('{')) {
      refuse("is not a safetensors file: its header does not start with '{'");
    }
    try {
      return {ParseJson(header), file.subspan(kLengthBytes + header_bytes)};
    } catch (const JsonError& error) {
      Refuse(std::string("header, ") + error.what());
    }
  }

  TensorView ReadTensor(const std::string& name, const JsonValue& entry,
                        std::span<const std::byte> data) const {
    if (entry.object() == nullptr) RefuseTensor(name, "", entry, "an object");
    const JsonValue* dtype = nullptr;
    const JsonValue* shape = nullptr;
    const JsonValue* offsets = nullptr;
    for (const JsonValue::Member& member : *entry.object()) {
      if (member.name == "dtype") {
        dtype = &member.value;
      } else if (member.name == "shape") {
        shape = &member.value;
      } else if (member.name == "data_offsets") {
        offsets = &member.value;
      } else {
        Refuse("tensor " + Quote(name) + ": unknown field " + Quote(member.name));
      }
    }
    const JsonValue missing;
    TensorView view;
    view.dtype = ReadDtype(name, dtype ? *dtype : missing);
    view.shape = ReadShape(name, shape ? *shape : missing);
    view.bytes = ReadBytes(name, offsets ? *offsets : missing, data);
    CheckSize(name, view);
    return view;
  }

  // Safetensors promises that the tensors lie one behind the other and fill the data: nothing
  // shared between two of them, nothing hidden between or behind.
  void CheckLayout(const std::map<std::string, TensorView, std::less<>>& tensors,
                   std::span<const std::byte> data) const {
    std::vector<std::pair<const std::string*, std::span<const std::byte>>> ranges;
    ranges.reserve(tensors.size());
    for (const auto& [name, view] : tensors) ranges.emplace_back(&name, view.bytes);
    std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) {
      return std::pair(a.second.data(), a.second.size()) <
             std::pair(b.second.data(), b.second.size());
    });
    const std::byte* end = data.data();
    for (const auto& [name, bytes] : ranges) {
      if (bytes.data() < end) Refuse("tensor " + Quote(*name) + " overlaps another tensor");
      if (bytes.data() > end) {
        Refuse(std::to_string(bytes.data() - end) + " unused bytes before tensor " + Quote(*name));
      }
      end = bytes.data() + bytes.size();
    }
    const std::size_t used = static_cast<std::size_t>(end - data.data());
    if (used != data.size()) {
      Refuse(std::to_string(data.size() - used) + " unused bytes after the last tensor");
    }
  }

  std::map<std::string, std::string, std::less<>> ReadMetadata(const JsonValue& value) const {
    if (value.object() == nullptr) {
      Refuse("metadata: got " + JsonExcerpt(value) + ", allowed: an object");
    }
    std::map<std::string, std::string, std::less<>> metadata;
    for (const JsonValue::Member& member : *value.object()) {
      if (member.value.string() == nullptr) {
        Refuse("metadata " + Quote(member.name) + ": got " + JsonExcerpt(member.value) +
               ", allowed: a string");
      }
      metadata.emplace(member.name, *member.value.string());
    }
    return metadata;
  }

 private:
  [[noreturn]] void Refuse(const std::string& problem) const { throw FileError(path_, problem); }

  // The header has no null anywhere, so null stands for a field that is missing.
  [[noreturn]] void RefuseTensor(const std::string& name, const std::string& field,
                                 const JsonValue& got, const std::string& allowed) const {
    Refuse("tensor " + Quote(name) + (field.empty() ? "" : " " + field) + ": got " +
           (got.is_null() ? "nothing" : JsonExcerpt(got)) + ", allowed: " + allowed);
  }

  TensorDtype ReadDtype(const std::string& name, const JsonValue& value) const {
    const std::string* text = value.string();
    const std::optional<TensorDtype> dtype = text ? ParseTensorDtype(*text) : std::nullopt;
    if (!dtype) RefuseTensor(name, "dtype", value, TensorDtypeNames());
    return *dtype;
  }

  std::vector<std::int64_t> ReadShape(const std::string& name, const JsonValue& value) const {
    if (value.array() == nullptr) RefuseTensor(name, "shape", value, "an array");
    std::vector<std::int64_t> shape;
    for (const JsonValue& extent : *value.array()) {
      const std::optional<std::int64_t> number = extent.integer();
      if (!number || *number < 0) {
        RefuseTensor(name, "shape", value, "integers from 0 to 2^63 - 1");
      }
      shape.push_back(*number);
    }
    return shape;
  }

  std::span<const std::byte> ReadBytes(const std::string& name, const JsonValue& value,
                                       std::span<const std::byte> data) const {
    const JsonValue::Array* pair = value.array();
    const bool is_pair = pair != nullptr && pair->size() == 2;
    const auto begin = is_pair ? (*pair)[0].unsigned_integer() : std::nullopt;
    const auto end = is_pair ? (*pair)[1].unsigned_integer() : std::nullopt;
    if (!begin || !end || *begin > *end) {
      RefuseTensor(name, "data_offsets", value, "[begin, end] with begin <= end");
    }
    if (*end > data.size()) {
      RefuseTensor(name, "data_offsets", value,
                   "up to the " + std::to_string(data.size()) +
                       " bytes of data in the file (is it truncated?)");
    }
    return data.subspan(*begin, *end - *begin);
  }

  void CheckSize(const std::string& name, const TensorView& view) const {
    const std::optional<std::int64_t> count = ElementCount(view.shape);
    const std::int64_t item_bytes = TensorDtypeBytes(view.dtype);
    const auto bytes = static_cast<std::int64_t>(view.bytes.size());
    // Division instead of multiplication: count * item_bytes may not fit into 63 bits.
    if (!count || bytes % item_bytes != 0 || bytes / item_bytes != *count) {
      Refuse("tensor " + Quote(name) + ": shape " + Excerpt(ShapeText(view.shape)) + " of " +
             std::string(TensorDtypeName(view.dtype)) + " does not fit its " +
             std::to_string(bytes) + " bytes");
    }
  }

  static std::string Excerpt(const std::string& text) {
    constexpr std::size_t kMaxBytes = 80;
    return text.size() <= kMaxBytes ? text : text.substr(0, kMaxBytes) + "...";
  }

  const std::string& path_;
};

}  // namespace

SafetensorsFile SafetensorsFile::Open(const std::string& path) {
  return SafetensorsFile(path, MappedFile(path));
}

SafetensorsFile::SafetensorsFile(std::string path, MappedFile file)
    : path_(std::move(path)), file_(std::move(file)) {
  const Reader reader(path_);
  const Parts parts = reader.Split(file_.bytes());
  for (const JsonValue::Member& member : *parts.header.object()) {
    if (member.name == kMetadataName) {
      metadata_ = reader.ReadMetadata(member.value);
    } else {
      tensors_.emplace(member.name, reader.ReadTensor(member.name, member.value, parts.data));
    }
  }
  reader.CheckLayout(tensors_, parts.data);
}

const TensorView* SafetensorsFile::Find(std::string_view name) const& {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : &found->second;
}

}  // namespace causeway
