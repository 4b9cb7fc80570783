// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/weights/torch_file/zip_directory.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/support/test_folder.h"
#include "tests/support/torch_files.h"

namespace causeway::decoder {
namespace {

using test::LittleEndian;
using test::MakeZip;
using test::ZipStyle;
using test::ZipText;

// Offsets of fields in a local header, an entry of the directory, an end record and a zip64 one.
constexpr std::size_t kLocalMethod = 8;
constexpr std::size_t kLocalSize = 22;
constexpr std::size_t kLocalName = 30;
constexpr std::size_t kEntryFlags = 8;
constexpr std::size_t kEntryMethod = 10;
constexpr std::size_t kEntryStored = 20;
constexpr std::size_t kEntrySize = 24;
constexpr std::size_t kEntryNameBytes = 28;
constexpr std::size_t kEntryOffset = 42;
constexpr std::size_t kEndCount = 10;
constexpr std::size_t kEndBytes = 12;
constexpr std::size_t kEndOffset = 16;
constexpr std::size_t kEnd64Count = 24;
constexpr std::size_t kEnd64Offset = 48;

std::string ErrorOf(const std::string& bytes) {
  const std::string message =
      test::FileErrorOf([&] { ReadZipDirectory("x.zip", std::as_bytes(std::span(bytes))); });
  return message.empty() ? message : message.substr(std::string("x.zip: ").size());
}

ZipText Zip(ZipStyle style = ZipStyle::kTorch) {
  return MakeZip({{"a/one", "first"}, {"a/two", "second"}}, style);
}

/// What is said where these bytes of the file are overwritten.
std::string ErrorWith(ZipText zip, std::size_t at, std::size_t size, std::uint64_t number) {
  zip.Set(at, size, number);
  return ErrorOf(zip.bytes);
}

TEST(ZipDirectory, FindsTheContentInEachStyle) {
  for (const ZipStyle style : {ZipStyle::kTorch, ZipStyle::kPlain}) {
    const std::string bytes = Zip(style).bytes;
    const ZipDirectory directory = ReadZipDirectory("x.zip", std::as_bytes(std::span(bytes)));
    ASSERT_EQ(directory.size(), 2u);
    const std::span<const std::byte> two = directory.at("a/two");
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(two.data()), two.size()), "second");
    EXPECT_EQ(directory.at("a/one").size(), 5u);
  }
  EXPECT_EQ(ErrorOf(MakeZip({}).bytes), "");
}

TEST(ZipDirectory, TakesWideNumbersFromTheZip64Field) {
  ZipText zip = Zip(ZipStyle::kTorch);
  // Size, stored size and offset of the last entry move into an extra field of 28 bytes.
  const std::size_t entry = zip.entries[1];
  const std::string extra = LittleEndian(1, 2) + LittleEndian(24, 2) + LittleEndian(6, 8) +
                            LittleEndian(6, 8) + LittleEndian(zip.locals[1], 8);
  for (const std::size_t field : {kEntryStored, kEntrySize, kEntryOffset}) {
    zip.Set(entry + field, 4, 0xFFFFFFFF);
  }
  zip.Set(entry + 30, 2, extra.size());
  zip.Set(zip.locals[1] + kLocalSize, 4, 0xFFFFFFFF);
  const std::uint64_t bytes = zip.end64 - zip.entries[0] + extra.size();
  zip.Set(zip.end64 + 40, 8, bytes);
  zip.Set(zip.locator + 8, 8, zip.end64 + extra.size());
  zip.Set(zip.end + kEndCount - 2, 2, 0xFFFF);
  zip.Set(zip.end + kEndCount, 2, 0xFFFF);
  zip.Set(zip.end + kEndBytes, 4, 0xFFFFFFFF);
  zip.Set(zip.end + kEndOffset, 4, 0xFFFFFFFF);
  zip.bytes.insert(zip.end64, extra);
  const ZipDirectory directory = ReadZipDirectory("x.zip", std::as_bytes(std::span(zip.bytes)));
  EXPECT_EQ(directory.at("a/two").size(), 6u);
  // A field that is too short leaves the size at 2^32 - 1.
  zip.Set(entry + 46 + 5 + 2, 2, 0);
  EXPECT_EQ(ErrorOf(zip.bytes), "zip entry 'a/two' offset: got 4294967295, where no entry begins");
}

TEST(ZipDirectory, RefusesATruncatedFileAtEveryByte) {
  for (const ZipStyle style : {ZipStyle::kTorch, ZipStyle::kPlain}) {
    const std::string bytes = Zip(style).bytes;
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_NE(ErrorOf(bytes.substr(0, size)), "") << size;
      EXPECT_NE(ErrorOf(bytes.substr(bytes.size() - size)), "") << size;
    }
    EXPECT_EQ(ErrorOf(bytes + "x"), "has no zip directory at its end (is it truncated?)");
  }
}

TEST(ZipDirectory, RefusesWrongPlaces) {
  const ZipText zip = Zip();
  const ZipText plain = Zip(ZipStyle::kPlain);
  EXPECT_EQ(ErrorWith(plain, plain.end + kEndOffset, 4, 0xFFFFFFF0),
            "zip directory: got 102 bytes at offset 4294967280, allowed: up to its end at " +
                std::to_string(plain.end));
  EXPECT_EQ(ErrorWith(plain, plain.end + kEndBytes, 4, 0xFFFFFFFF),
            "zip directory: got 4294967295 bytes at offset " + std::to_string(plain.entries[0]) +
                ", allowed: up to its end at " + std::to_string(plain.end));
  EXPECT_EQ(ErrorWith(zip, zip.end64 + kEnd64Offset, 8, ~0ull),
            "zip64 end record: got 18446744073709551615 where the end record says " +
                std::to_string(zip.entries[0]));
  for (const std::uint64_t offset : {std::uint64_t{0}, ~std::uint64_t{0}, zip.end64 + 1}) {
    EXPECT_EQ(ErrorWith(zip, zip.locator + 8, 8, offset),
              "zip64 end record: got offset " + std::to_string(offset) +
                  ", allowed: a record directly before its locator");
  }
  const std::string no_entry = ", where no entry begins";
  EXPECT_EQ(ErrorWith(zip, zip.entries[1] + kEntryOffset, 4, zip.locals[1] + 1),
            "zip entry 'a/two' offset: got " + std::to_string(zip.locals[1] + 1) + no_entry);
  EXPECT_EQ(ErrorWith(zip, zip.entries[1] + kEntryOffset, 4, 0xFFFFFFFE),
            "zip entry 'a/two' offset: got 4294967294" + no_entry);
  EXPECT_EQ(ErrorWith(zip, zip.entries[1], 4, 0),
            "zip directory: got no entry at offset " + std::to_string(zip.entries[1]));
  EXPECT_EQ(ErrorWith(zip, zip.entries[1] + kEntryNameBytes, 2, 0xFFFF),
            "zip directory: the entry at offset " + std::to_string(zip.entries[1]) +
                " goes beyond the directory");
}

TEST(ZipDirectory, RefusesWrongCounts) {
  ZipText zip = Zip();
  const auto error = [&](std::uint64_t count) {
    zip.Set(zip.end + kEndCount - 2, 4, 0xFFFFFFFF);
    zip.Set(zip.end64 + kEnd64Count, 8, count);
    zip.Set(zip.end64 + kEnd64Count + 8, 8, count);
    return ErrorOf(zip.bytes);
  };
  EXPECT_EQ(error(2), "");
  EXPECT_EQ(error(1), "zip directory: got 51 bytes after its 1 entries, allowed: none");
  EXPECT_EQ(error(3), "zip directory: got no entry at offset " + std::to_string(zip.end64));
  EXPECT_EQ(error(~0ull),
            "zip directory: got 18446744073709551615 entries, allowed: at most 100000");
  EXPECT_EQ(ErrorWith(zip, zip.end + 4, 2, 1),
            "is one part of a zip file in several, which is not supported");
  EXPECT_EQ(ErrorWith(zip, zip.end64 + 16, 4, 1),
            "is one part of a zip file in several, which is not supported");
}

TEST(ZipDirectory, RefusesEntriesThatOverlapOrShareAName) {
  ZipText zip = Zip();
  EXPECT_EQ(ErrorOf(MakeZip({{"a", "x"}, {"b", "y"}, {"a", "z"}}).bytes),
            "two entries are named 'a'");
  // The second entry's header stands inside of the content of the first.
  const std::string inner = "PK\x03\x04" + LittleEndian(0, 2) + LittleEndian(2056, 2) +
                            LittleEndian(0, 18) + LittleEndian(1, 2) + LittleEndian(0, 2) + "b";
  zip = MakeZip({{"a", inner + "y"}, {"b", "y"}});
  zip.Set(zip.entries[1] + kEntryOffset, 4, zip.bytes.find(inner));
  EXPECT_EQ(ErrorOf(zip.bytes),
            "two zip entries overlap at offset " + std::to_string(zip.bytes.find(inner)));
}

TEST(ZipDirectory, RefusesCompressionEncryptionAndSizesThatGrow) {
  ZipText zip = Zip();
  EXPECT_EQ(ErrorWith(zip, zip.entries[0] + kEntryMethod, 2, 8),
            "zip entry 'a/one' compression: got method 8, allowed: 0 (stored)");
  EXPECT_EQ(ErrorWith(zip, zip.entries[0] + kEntryFlags, 2, 2057),
            "zip entry 'a/one' flags: got 2057, allowed: 8 and 2048 (it is encrypted or patched)");
  EXPECT_EQ(ErrorWith(zip, zip.entries[0] + kEntrySize, 4, 0x7FFFFFFF),
            "zip entry 'a/one' size: got 5 stored bytes for 2147483647");
  zip.Set(zip.entries[0] + kEntryStored, 4, 0x7FFFFFFF);
  EXPECT_EQ(ErrorWith(zip, zip.entries[0] + kEntrySize, 4, 0x7FFFFFFF),
            "zip entry 'a/one' size: got 2147483647 bytes at offset 0, allowed: up to the "
            "directory at " +
                std::to_string(zip.entries[0]));
}

TEST(ZipDirectory, RefusesALocalHeaderThatContradictsTheDirectory) {
  const std::string contradicts =
      "zip entry 'a/one' has a local header that contradicts the directory";
  for (const ZipStyle style : {ZipStyle::kTorch, ZipStyle::kPlain}) {
    const ZipText zip = Zip(style);
    EXPECT_EQ(ErrorWith(zip, zip.locals[0] + kLocalMethod, 2, 8), contradicts);
    EXPECT_EQ(ErrorWith(zip, zip.locals[0] + kLocalMethod - 2, 2, 1), contradicts);
    EXPECT_EQ(ErrorWith(zip, zip.locals[0] + kLocalSize, 4, 6), contradicts);
    EXPECT_EQ(ErrorWith(zip, zip.locals[0] + kLocalSize - 4, 4, 6), contradicts);
    EXPECT_EQ(ErrorWith(zip, zip.locals[0] + kLocalSize - 8, 4, 6), contradicts);
    EXPECT_EQ(ErrorWith(zip, zip.locals[0] + kLocalName, 1, 'b'), contradicts);
    EXPECT_EQ(ErrorWith(zip, zip.locals[0] + kLocalName - 4, 2, 4), contradicts);
  }
}

}  // namespace
}  // namespace causeway::decoder
