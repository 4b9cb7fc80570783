// SPDX-License-Identifier: Apache-2.0
#include "server/base/safetensors_writer.h"

#include <csignal>
#include <cstring>
#include <stdexcept>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "server/base/safetensors.h"
#include "tests/support/test_folder.h"

namespace causeway {
namespace {

using test::FileErrorOf;
using test::TestFolder;

int FilesIn(const TestFolder& folder) {
  return static_cast<int>(std::distance(std::filesystem::directory_iterator(folder.path()), {}));
}

template <typename Element>
NamedTensor Named(const std::string& name, TensorDtype dtype, std::vector<std::int64_t> shape,
                  const std::vector<Element>& values) {
  return {name, {dtype, std::move(shape), std::as_bytes(std::span(values))}};
}

TEST(SafetensorsWriter, WhatIsWrittenReadsBackBitForBit) {
  const TestFolder folder;
  const std::vector<float> floats{1.5f, -0.0f, 3e38f, 1e-45f};
  const std::vector<std::uint8_t> bytes{1, 2, 255};
  const std::vector<std::int64_t> longs{-1};
  const std::vector<std::uint16_t> halves;
  const std::string name = "a \"quoted\" n\xC3\xA4me\n";
  WriteSafetensors(
      folder.Path("x"),
      {Named(name, TensorDtype::kU8, {3}, bytes), Named("f", TensorDtype::kF32, {2, 1, 2}, floats),
       Named("l", TensorDtype::kI64, {}, longs), Named("h", TensorDtype::kF16, {0, 5}, halves)},
      {{"format", "pt"}, {"fps", "16"}});
  const SafetensorsFile file = SafetensorsFile::Open(folder.Path("x"));
  EXPECT_EQ(file.tensors().size(), 4u);
  EXPECT_EQ(file.metadata().at("fps"), "16");
  const TensorView& view = *file.Find("f");
  EXPECT_EQ(view.dtype, TensorDtype::kF32);
  EXPECT_EQ(view.shape, (std::vector<std::int64_t>{2, 1, 2}));
  EXPECT_EQ(std::memcmp(view.bytes.data(), floats.data(), 16), 0);
  ASSERT_NE(file.Find(name), nullptr);
  EXPECT_EQ(std::memcmp(file.Find(name)->bytes.data(), bytes.data(), 3), 0);
  EXPECT_EQ(file.Find("l")->element_count(), 1);
  EXPECT_EQ(file.Find("h")->shape, (std::vector<std::int64_t>{0, 5}));
  EXPECT_EQ(FilesIn(folder), 1);
}

TEST(SafetensorsWriter, AlignsEveryTensorToItsElement) {
  const TestFolder folder;
  const std::vector<std::uint8_t> byte{1};
  const std::vector<double> real{2};
  const std::vector<std::uint16_t> half{3};
  WriteSafetensors(folder.Path("x"), {Named("a", TensorDtype::kU8, {1}, byte),
                                      Named("b", TensorDtype::kF16, {1}, half),
                                      Named("c", TensorDtype::kF64, {1}, real)});
  const SafetensorsFile file = SafetensorsFile::Open(folder.Path("x"));
  for (const auto& [name, view] : file.tensors()) {
    // The mapping starts at a page, so the address tells the offset in the file.
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(view.bytes.data()) %
                  static_cast<std::uintptr_t>(TensorDtypeBytes(view.dtype)),
              0u)
        << name;
  }
}

TEST(SafetensorsWriter, TakesDataInPiecesAcrossTensors) {
  const TestFolder folder;
  const std::string data = "abcdefgh";
  SafetensorsWriter writer(folder.Path("x"),
                           {{"a", TensorDtype::kU8, {5}}, {"b", TensorDtype::kU8, {3}}});
  std::span<const std::byte> rest = std::as_bytes(std::span(data));
  for (const std::size_t count : {1, 6, 0, 1}) {
    writer.Append(rest.first(count));
    rest = rest.subspan(count);
  }
  EXPECT_FALSE(std::filesystem::exists(folder.Path("x")));
  writer.Finish();
  const SafetensorsFile file = SafetensorsFile::Open(folder.Path("x"));
  EXPECT_EQ(std::memcmp(file.Find("b")->bytes.data(), "fgh", 3), 0);
}

TEST(SafetensorsWriter, LeavesTheOldFileAndNothingElseWithoutFinish) {
  const TestFolder folder;
  folder.Write("x", "old");
  {
    SafetensorsWriter writer(folder.Path("x"), {{"a", TensorDtype::kU8, {2}}});
    EXPECT_EQ(FilesIn(folder), 2);
    EXPECT_THROW(writer.Finish(), std::invalid_argument);
  }
  EXPECT_EQ(FilesIn(folder), 1);
  EXPECT_EQ(std::filesystem::file_size(folder.Path("x")), 3u);
}

TEST(SafetensorsWriter, ReplacesTheOldFileWhenFinished) {
  const TestFolder folder;
  folder.Write("x", "old");
  WriteSafetensors(folder.Path("x"), {});
  const SafetensorsFile file = SafetensorsFile::Open(folder.Path("x"));
  EXPECT_TRUE(file.tensors().empty());
}

TEST(SafetensorsWriter, RefusesMoreDataThanAnnounced) {
  const TestFolder folder;
  SafetensorsWriter writer(folder.Path("x"), {{"a", TensorDtype::kU8, {2}}});
  const std::string data = "abc";
  EXPECT_THROW(writer.Append(std::as_bytes(std::span(data))), std::invalid_argument);
}

TEST(SafetensorsWriter, RefusesTensorsThatCannotBe) {
  const TestFolder folder;
  const auto write = [&](std::vector<TensorHeader> tensors) {
    SafetensorsWriter writer(folder.Path("x"), std::move(tensors));
  };
  EXPECT_THROW(write({{"a", TensorDtype::kU8, {-1}}}), std::invalid_argument);
  EXPECT_THROW(write({{"a", TensorDtype::kF32, {std::int64_t{1} << 62}}}), std::invalid_argument);
  EXPECT_THROW(write({{"a", TensorDtype::kU8, {(std::int64_t{1} << 62)}},
                      {"b", TensorDtype::kU8, {(std::int64_t{1} << 62)}}}),
               std::invalid_argument);
  EXPECT_THROW(write({{"a", TensorDtype::kU8, {1}}, {"a", TensorDtype::kU8, {1}}}),
               std::invalid_argument);
  EXPECT_THROW(write({{"__metadata__", TensorDtype::kU8, {1}}}), std::invalid_argument);
  EXPECT_THROW(write({{"a", TensorDtype::kU8, {1}}, {"b", TensorDtype::kF32, {1}}}),
               std::invalid_argument);
  const std::vector<float> one{1};
  EXPECT_THROW(WriteSafetensors(folder.Path("x"), {Named("a", TensorDtype::kF32, {2}, one)}),
               std::invalid_argument);
  EXPECT_EQ(FilesIn(folder), 0);
}

TEST(SafetensorsWriter, SaysWhyAFileCannotBeWritten) {
  const TestFolder folder;
  const auto error = [](const std::string& path) {
    return FileErrorOf([&] { WriteSafetensors(path, {}); });
  };
  EXPECT_EQ(error(folder.Path("no/x")),
            folder.Path("no/x") + ": cannot be written: No such file or directory");
  EXPECT_EQ(error(folder.path()), folder.path().string() + ": cannot be written: it is a folder");
  EXPECT_EQ(error("/dev/null"), "/dev/null: cannot be written: it is not a regular file");
}

// A file size limit stands in for a full disk: write fails in the same way, with another number.
TEST(SafetensorsWriter, ReportsAWriteThatFailsAndRemovesWhatItWrote) {
  const TestFolder folder;
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  const rlimit limit{4096, old_limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  const std::vector<float> values(10000);
  const std::string message = FileErrorOf([&] {
    WriteSafetensors(folder.Path("x"), {Named("a", TensorDtype::kF32, {10000}, values)});
  });
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old_limit), 0);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_EQ(message, folder.Path("x") + ": cannot be written: File too large");
  EXPECT_EQ(FilesIn(folder), 0);
}

}  // namespace
}  // namespace causeway
