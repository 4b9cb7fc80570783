// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/weights/torch_file/zip_directory.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "server/base/failure.h"
#include "server/base/utf8.h"

namespace causeway::decoder {
namespace {

constexpr std::uint64_t kLocalSignature = 0x04034b50;
constexpr std::uint64_t kEntrySignature = 0x02014b50;
constexpr std::uint64_t kEndSignature = 0x06054b50;
constexpr std::uint64_t kEnd64Signature = 0x06064b50;
constexpr std::uint64_t kLocatorSignature = 0x07064b50;
constexpr std::uint64_t kLocalBytes = 30;
constexpr std::uint64_t kEntryBytes = 46;
constexpr std::uint64_t kEndBytes = 22;
constexpr std::uint64_t kEnd64Bytes = 56;
constexpr std::uint64_t kLocatorBytes = 20;
// A number of so many bits stands for one that the zip64 record holds in 64.
constexpr std::uint64_t kIn64 = 0xFFFF'FFFF;
constexpr std::uint64_t kIn64Count = 0xFFFF;

constexpr std::uint64_t kSizesFollowFlag = 1u << 3;  // sizes stand behind the data, not before it
constexpr std::uint64_t kUtf8Flag = 1u << 11;

/// Where the directory lies: [offset, end).
struct Place {
  std::uint64_t entry_count = 0;
  std::uint64_t offset = 0;
  std::uint64_t end = 0;
};

struct Entry {
  std::string_view name;
  std::uint64_t flags = 0;
  std::uint64_t checksum = 0;
  std::uint64_t bytes = 0;
  std::uint64_t local_offset = 0;
};

class Reader {
 public:
  Reader(const std::string& path, std::span<const std::byte> file) : path_(path), file_(file) {}

  ZipDirectory Read() const {
    const Place place = FindDirectory();
    ZipDirectory directory;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
    std::uint64_t at = place.offset;
    for (std::uint64_t i = 0; i < place.entry_count; ++i) {
      const Entry entry = ReadEntry(at, place.end);
      const std::uint64_t content = FindContent(entry, place.offset);
      ranges.emplace_back(entry.local_offset, content + entry.bytes);
      if (!directory.emplace(entry.name, file_.subspan(content, entry.bytes)).second) {
        Refuse("two entries are named " + Quote(entry.name));
      }
    }
    if (at != place.end) {
      Refuse("zip directory: got " + std::to_string(place.end - at) + " bytes after its " +
             std::to_string(place.entry_count) + " entries, allowed: none");
    }
    CheckApart(std::move(ranges));
    return directory;
  }

 private:
  [[noreturn]] void Refuse(const std::string& problem) const { throw FileError(path_, problem); }

  [[noreturn]] void RefuseEntry(std::string_view name, const std::string& problem) const {
    Refuse("zip entry " + Quote(name) + " " + problem);
  }

  /// `size` bytes at `at`, little endian; the caller has checked that the file has them.
  std::uint64_t Number(std::uint64_t at, std::uint64_t size) const {
    std::uint64_t number = 0;
    for (std::uint64_t i = 0; i < size; ++i) {
      number |= std::to_integer<std::uint64_t>(file_[at + i]) << (8 * i);
    }
    return number;
  }

  std::string_view Text(std::uint64_t at, std::uint64_t size) const {
    return {reinterpret_cast<const char*>(file_.data() + at), size};
  }

  Place FindDirectory() const {
    const std::uint64_t size = file_.size();
    if (size < kEndBytes || Number(size - kEndBytes, 4) != kEndSignature) {
      Refuse("has no zip directory at its end (is it truncated?)");
    }
    const std::uint64_t end = size - kEndBytes;
    const bool has_locator =
        end >= kLocatorBytes && Number(end - kLocatorBytes, 4) == kLocatorSignature;
    if (Number(end + 4, 2) != 0 || Number(end + 6, 2) != 0 ||
        Number(end + 8, 2) != Number(end + 10, 2)) {
      Refuse("is one part of a zip file in several, which is not supported");
    }
    if (Number(end + 20, 2) != 0) Refuse("has no zip directory at its end (is it truncated?)");
    Place place{Number(end + 10, 2), Number(end + 16, 4), end};
    std::uint64_t bytes = Number(end + 12, 4);
    if (has_locator) {
      const std::uint64_t record = FindEnd64(end - kLocatorBytes);
      place.entry_count = Wide(place.entry_count, kIn64Count, Number(record + 32, 8));
      bytes = Wide(bytes, kIn64, Number(record + 40, 8));
      place.offset = Wide(place.offset, kIn64, Number(record + 48, 8));
      place.end = record;
    }
    if (place.offset > place.end || bytes != place.end - place.offset) {
      Refuse("zip directory: got " + std::to_string(bytes) + " bytes at offset " +
             std::to_string(place.offset) + ", allowed: up to its end at " +
             std::to_string(place.end));
    }
    if (place.entry_count > kMaxZipEntries) {
      Refuse("zip directory: got " + std::to_string(place.entry_count) +
             " entries, allowed: at most " + std::to_string(kMaxZipEntries));
    }
    return place;
  }

  /// Where the zip64 end record before that locator begins.
  std::uint64_t FindEnd64(std::uint64_t locator) const {
    const std::uint64_t record = Number(locator + 8, 8);
    if (record > locator || locator - record != kEnd64Bytes ||
        Number(record, 4) != kEnd64Signature || Number(record + 4, 8) != kEnd64Bytes - 12) {
      Refuse("zip64 end record: got offset " + std::to_string(record) +
             ", allowed: a record directly before its locator");
    }
    if (Number(record + 16, 4) != 0 || Number(record + 20, 4) != 0 ||
        Number(record + 24, 8) != Number(record + 32, 8)) {
      Refuse("is one part of a zip file in several, which is not supported");
    }
    return record;
  }

  std::uint64_t Wide(std::uint64_t narrow, std::uint64_t in_64, std::uint64_t wide) const {
    if (narrow != wide && narrow != in_64) {
      Refuse("zip64 end record: got " + std::to_string(wide) + " where the end record says " +
             std::to_string(narrow));
    }
    return wide;
  }

  /// The entry at `at`, which moves behind it.
  Entry ReadEntry(std::uint64_t& at, std::uint64_t end) const {
    if (end - at < kEntryBytes || Number(at, 4) != kEntrySignature) {
      Refuse("zip directory: got no entry at offset " + std::to_string(at));
    }
    const std::uint64_t name_bytes = Number(at + 28, 2);
    const std::uint64_t extra_bytes = Number(at + 30, 2);
    const std::uint64_t behind_bytes = name_bytes + extra_bytes + Number(at + 32, 2);
    if (end - at - kEntryBytes < behind_bytes) {
      Refuse("zip directory: the entry at offset " + std::to_string(at) +
             " goes beyond the directory");
    }
    Entry entry{Text(at + kEntryBytes, name_bytes), Number(at + 8, 2), Number(at + 16, 4),
                Number(at + 24, 4), Number(at + 42, 4)};
    std::uint64_t stored_bytes = Number(at + 20, 4);
    ReadZip64(entry, stored_bytes, at + kEntryBytes + name_bytes, extra_bytes);
    const std::uint64_t method = Number(at + 10, 2);
    if (method != 0) {
      RefuseEntry(entry.name,
                  "compression: got method " + std::to_string(method) + ", allowed: 0 (stored)");
    }
    if ((entry.flags & ~(kSizesFollowFlag | kUtf8Flag)) != 0) {
      RefuseEntry(entry.name, "flags: got " + std::to_string(entry.flags) +
                                  ", allowed: 8 and 2048 (it is encrypted or patched)");
    }
    if (stored_bytes != entry.bytes) {
      RefuseEntry(entry.name, "size: got " + std::to_string(stored_bytes) + " stored bytes for " +
                                  std::to_string(entry.bytes));
    }
    if (Number(at + 34, 2) != 0) RefuseEntry(entry.name, "lies in another part of the zip file");
    at += kEntryBytes + behind_bytes;
    return entry;
  }

  /// Takes from the zip64 extra field, if there is one, the numbers that did not fit into 32 bits.
  void ReadZip64(Entry& entry, std::uint64_t& stored_bytes, std::uint64_t at,
                 std::uint64_t extra_bytes) const {
    constexpr std::uint64_t kZip64Id = 1;
    const std::uint64_t end = at + extra_bytes;
    while (end - at >= 4) {
      const std::uint64_t id = Number(at, 2);
      const std::uint64_t bytes = Number(at + 2, 2);
      at += 4;
      if (bytes > end - at) break;
      if (id == kZip64Id) {
        std::uint64_t left = bytes;
        for (std::uint64_t* number : {&entry.bytes, &stored_bytes, &entry.local_offset}) {
          if (*number != kIn64 || left < 8) continue;
          *number = Number(at + bytes - left, 8);
          left -= 8;
        }
        return;
      }
      at += bytes;
    }
  }

  /// The offset of the entry's content, after a look at its local header.
  std::uint64_t FindContent(const Entry& entry, std::uint64_t limit) const {
    const std::uint64_t at = entry.local_offset;
    if (at > limit || limit - at < kLocalBytes || Number(at, 4) != kLocalSignature) {
      RefuseEntry(entry.name, "offset: got " + std::to_string(at) + ", where no entry begins");
    }
    const std::uint64_t name_bytes = Number(at + 26, 2);
    const std::uint64_t before_bytes = kLocalBytes + name_bytes + Number(at + 28, 2);
    if (limit - at < before_bytes || entry.bytes > limit - at - before_bytes) {
      RefuseEntry(entry.name, "size: got " + std::to_string(entry.bytes) + " bytes at offset " +
                                  std::to_string(at) + ", allowed: up to the directory at " +
                                  std::to_string(limit));
    }
    const bool sizes_follow = (entry.flags & kSizesFollowFlag) != 0;
    const auto agrees = [&](std::uint64_t local, std::uint64_t listed, bool may_be_wide) {
      return local == listed || (may_be_wide && local == kIn64) || (sizes_follow && local == 0);
    };
    if (Number(at + 6, 2) != entry.flags || Number(at + 8, 2) != 0 ||
        Text(at + kLocalBytes, name_bytes) != entry.name ||
        !agrees(Number(at + 14, 4), entry.checksum, false) ||
        !agrees(Number(at + 18, 4), entry.bytes, true) ||
        !agrees(Number(at + 22, 4), entry.bytes, true)) {
      RefuseEntry(entry.name, "has a local header that contradicts the directory");
    }
    return at + before_bytes;
  }

  void CheckApart(std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges) const {
    std::sort(ranges.begin(), ranges.end());
    for (std::size_t i = 1; i < ranges.size(); ++i) {
      if (ranges[i].first < ranges[i - 1].second) {
        Refuse("two zip entries overlap at offset " + std::to_string(ranges[i].first));
      }
    }
  }

  const std::string& path_;
  std::span<const std::byte> file_;
};

}  // namespace

ZipDirectory ReadZipDirectory(const std::string& path, std::span<const std::byte> file) {
  return Reader(path, file).Read();
}

}  // namespace causeway::decoder
