// SPDX-License-Identifier: Apache-2.0
// Reads a pickle as data. Nothing is ever imported, called or constructed: what Python would call
// stays a PickleCall, and only functions that the caller lists may appear at all.
// It reads the opcodes of protocols 2 and 3 that torch.save emits (pickle_opcode.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace causeway::decoder {

/// Bounds on what a hostile pickle can make the reader do. A tensor takes about 200 bytes and 40
/// operations. An operation adds at most one value and moves each value at most once, so memory
/// and time are proportional to the bytes.
inline constexpr std::size_t kMaxPickleBytes = std::size_t{8} << 20;
inline constexpr std::size_t kMaxPickleOperations = std::size_t{1} << 20;
inline constexpr std::size_t kMaxPickleMarks = 64;           // open at one time
inline constexpr std::size_t kMaxPickleStringBytes = 65536;  // of one string
inline constexpr std::size_t kMaxPickleNameBytes = 256;      // of a module or a name in it

/// What makes a pickle unreadable; what() is one line with the byte where its operation begins.
class PickleError : public std::runtime_error {
 public:
  PickleError(std::size_t offset, const std::string& problem)
      : std::runtime_error("byte " + std::to_string(offset) + ": " + problem) {}
};

/// A value's index in Pickle::values. Containers hold these; a hostile one may hold itself, so a
/// walk has to be bounded.
using PickleId = std::uint32_t;

struct PickleNone {};
struct PickleGlobal {
  std::string_view name;  // "torch._utils._rebuild_tensor_v2", in the caller's list
};
struct PickleTuple {
  std::vector<PickleId> items;
};
struct PickleList {
  std::vector<PickleId> items;
};
struct PickleDict {
  std::vector<std::pair<PickleId, PickleId>> items;  // in order; keys may repeat
};
struct PickleCall {
  std::string_view function;  // as PickleGlobal::name
  std::vector<PickleId> arguments;
};
/// An object that is stored outside of the pickle.
struct PicklePersistent {
  PickleId id;
};

/// Strings are UTF-8 and lie in the memory of the pickle.
using PickleValue =
    std::variant<PickleNone, bool, std::int64_t, double, std::string_view, PickleGlobal,
                 PickleTuple, PickleList, PickleDict, PickleCall, PicklePersistent>;

/// "a dict" and so on: for messages.
std::string_view PickleKindName(const PickleValue& value);

struct Pickle {
  std::vector<PickleValue> values;
  PickleId root = 0;

  const PickleValue& at(PickleId id) const { return values[id]; }
  /// Null where the value is of another kind.
  template <typename Kind>
  const Kind* Get(PickleId id) const {
    return std::get_if<Kind>(&values[id]);
  }
};

/// `globals` are the names that may appear, module and name joined by a dot; both they and
/// `bytes` must outlive the result. collections.OrderedDict needs no entry: one made without
/// arguments is a PickleDict, and attributes that BUILD sets on it are dropped.
/// Throws PickleError: another opcode or global, a bound exceeded, anything malformed.
Pickle ReadPickle(std::span<const std::byte> bytes, std::span<const std::string_view> globals);

}  // namespace causeway::decoder
