// SPDX-License-Identifier: Apache-2.0
#include "tests/support/torch_files.h"

namespace causeway::test {

std::string LittleEndian(std::uint64_t number, std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i, number >>= 8) bytes += static_cast<char>(number & 0xFF);
  return bytes;
}

void ZipText::Set(std::size_t at, std::size_t size, std::uint64_t number) {
  bytes.replace(at, size, LittleEndian(number, size));
}

ZipText MakeZip(const std::vector<ZipItem>& items, ZipStyle style) {
  const bool is_torch = style == ZipStyle::kTorch;
  const std::uint64_t flags = is_torch ? 2056 : 0;
  const auto checksum = [](std::size_t i) { return std::uint64_t{0x11223344} + i; };
  ZipText zip;
  const auto add = [&](std::uint64_t number, std::size_t size) {
    zip.bytes += LittleEndian(number, size);
  };
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::uint64_t size = items[i].content.size();
    const std::string extra = is_torch ? "FB\x03" + std::string("\0ZZZ", 4) : "";
    zip.locals.push_back(zip.bytes.size());
    zip.bytes += "PK\x03\x04";
    add(0, 2);
    add(flags, 2);
    add(0, 2 + 4);
    add(is_torch ? 0 : checksum(i), 4);
    add(is_torch ? 0 : size, 4);
    add(is_torch ? 0 : size, 4);
    add(items[i].name.size(), 2);
    add(extra.size(), 2);
    zip.bytes += items[i].name + extra + items[i].content;
    if (!is_torch) continue;
    zip.bytes += "PK\x07\x08";
    add(checksum(i), 4);
    add(size, 4);
    add(size, 4);
  }
  const std::size_t directory = zip.bytes.size();
  for (std::size_t i = 0; i < items.size(); ++i) {
    zip.entries.push_back(zip.bytes.size());
    zip.bytes += "PK\x01\x02";
    add(0, 4);
    add(flags, 2);
    add(0, 2 + 4);
    add(checksum(i), 4);
    add(items[i].content.size(), 4);
    add(items[i].content.size(), 4);
    add(items[i].name.size(), 2);
    add(0, 2 + 2 + 2 + 2 + 4);
    add(zip.locals[i], 4);
    zip.bytes += items[i].name;
  }
  const std::size_t directory_bytes = zip.bytes.size() - directory;
  if (is_torch) {
    zip.end64 = zip.bytes.size();
    zip.bytes += "PK\x06\x06";
    add(44, 8);
    add(0, 2 + 2 + 4 + 4);
    add(items.size(), 8);
    add(items.size(), 8);
    add(directory_bytes, 8);
    add(directory, 8);
    zip.locator = zip.bytes.size();
    zip.bytes += "PK\x06\x07";
    add(0, 4);
    add(zip.end64, 8);
    add(1, 4);
  }
  zip.end = zip.bytes.size();
  zip.bytes += "PK\x05\x06";
  add(0, 4);
  add(items.size(), 2);
  add(items.size(), 2);
  add(directory_bytes, 4);
  add(directory, 4);
  add(0, 2);
  return zip;
}

namespace pickle {

std::string Start() { return "\x80\x02"; }

std::string Text(std::string_view text) {
  return "X" + LittleEndian(text.size(), 4) + std::string(text);
}

std::string Integer(std::int32_t number) {
  return "J" + LittleEndian(static_cast<std::uint64_t>(std::int64_t{number}), 4);
}

std::string Global(std::string_view module, std::string_view name) {
  return "c" + std::string(module) + "\n" + std::string(name) + "\n";
}

std::string Tuple(const std::string& items) { return "(" + items + "t"; }

std::string Dict(const std::string& items) { return "}(" + items + "u"; }

}  // namespace pickle

std::string TensorPickle::Storage() const {
  return pickle::Tuple(pickle::Text("storage") + storage_type + key + pickle::Text("cpu") +
                       storage_count) +
         "Q";
}

std::string TensorPickle::Arguments() const {
  return Storage() + offset + shape + strides + "\x89" +
         pickle::Global("collections", "OrderedDict") + ")R";
}

std::string TensorPickle::Bytes() const {
  return pickle::Global("torch._utils", "_rebuild_tensor_v2") + pickle::Tuple(Arguments()) + "R";
}

std::string Checkpoint(const std::string& pickle) {
  return MakeZip({{"archive/data.pkl", pickle::Start() + pickle + "."},
                  {"archive/byteorder", "little"},
                  {"archive/data/0", std::string(24, '\x3C')}})
      .bytes;
}

std::string Checkpoint(const TensorPickle& tensor) {
  return Checkpoint(pickle::Dict(pickle::Text("x") + tensor.Bytes()));
}

}  // namespace causeway::test
