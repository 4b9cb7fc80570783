// SPDX-License-Identifier: Apache-2.0
// Zip files and pickles made byte by byte, so that a test can spoil any of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace causeway::test {

/// `size` bytes, little endian.
std::string LittleEndian(std::uint64_t number, std::size_t size);

struct ZipText {
  std::string bytes;
  std::vector<std::size_t> locals;   // where each local header begins
  std::vector<std::size_t> entries;  // where each entry of the directory begins
  std::size_t end64 = 0;             // the zip64 end record and its locator, where there are any
  std::size_t locator = 0;
  std::size_t end = 0;  // the end record

  /// Overwrites `size` bytes at `at`.
  void Set(std::size_t at, std::size_t size, std::uint64_t number);
};

struct ZipItem {
  std::string name;
  std::string content;
};

/// How the file is laid out: as torch does (flags 2056, sizes behind the data, a zip64 end record)
/// or as plain zip programs do (sizes before the data, an end record only).
enum class ZipStyle { kTorch, kPlain };

ZipText MakeZip(const std::vector<ZipItem>& items, ZipStyle style = ZipStyle::kTorch);

/// Operations of a pickle. Each returns its bytes; a pickle is their concatenation.
namespace pickle {
std::string Start();  // PROTO 2
std::string Text(std::string_view text);
std::string Integer(std::int32_t number);
std::string Global(std::string_view module, std::string_view name);
/// MARK, the items, TUPLE.
std::string Tuple(const std::string& items);
/// EMPTY_DICT, MARK, the items, SETITEMS.
std::string Dict(const std::string& items);
}  // namespace pickle

/// What torch.save pickles for a tensor, part by part.
struct TensorPickle {
  std::string storage_type = pickle::Global("torch", "FloatStorage");
  std::string key = pickle::Text("0");
  std::string storage_count = pickle::Integer(6);
  std::string offset = pickle::Integer(0);
  std::string shape = pickle::Tuple(pickle::Integer(2) + pickle::Integer(3));
  std::string strides = pickle::Tuple(pickle::Integer(3) + pickle::Integer(1));

  std::string Storage() const;
  std::string Arguments() const;
  /// The whole tensor.
  std::string Bytes() const;
};

/// A checkpoint with that pickle (without its Start and STOP) and a storage "0" of 24 bytes.
std::string Checkpoint(const std::string& pickle);

/// A checkpoint of a dict with one tensor "x".
std::string Checkpoint(const TensorPickle& tensor);

}  // namespace causeway::test
