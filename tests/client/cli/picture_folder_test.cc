// SPDX-License-Identifier: Apache-2.0
#include "client/cli/picture_folder.h"

#include <fstream>

#include <gtest/gtest.h>

#include "server/base/failure.h"
#include "tests/client/cli/test_files.h"

namespace causeway::cli {
namespace {

const std::vector<std::byte> kPicture(std::size_t{3} * 16 * 8, std::byte{7});

TEST(PictureFolder, AppearsWithAPngForEachPictureWrittenOnceItIsFinished) {
  const test::TestFolder folder;
  const std::string path = folder.Path("pictures");
  PictureFolder pictures(path + "/", 3, 16, 8);
  pictures.Write(0, kPicture);
  pictures.Write(2, kPicture);
  EXPECT_FALSE(std::filesystem::exists(path));
  pictures.Finish();
  EXPECT_GT(std::filesystem::file_size(path + "/000000.png"), 0u);
  EXPECT_GT(std::filesystem::file_size(path + "/000002.png"), 0u);
  EXPECT_FALSE(std::filesystem::exists(path + "/000001.png"));
  EXPECT_EQ(FileCount(folder), 1);
}

TEST(PictureFolder, LeavesNothingWhereItIsNotFinished) {
  const test::TestFolder folder;
  {
    PictureFolder pictures(folder.Path("pictures/"), 3, 16, 8);
    pictures.Write(0, kPicture);
  }
  EXPECT_EQ(FileCount(folder), 0);
}

TEST(PictureFolder, TakesAnEmptyFolderAndNothingElse) {
  const test::TestFolder folder;
  const std::string path = folder.Path("pictures");
  std::filesystem::create_directory(path);
  {
    PictureFolder pictures(path + "/", 1, 16, 8);
    pictures.Write(0, kPicture);
    pictures.Finish();
  }
  EXPECT_TRUE(std::filesystem::exists(path + "/000000.png"));
  EXPECT_THROW(PictureFolder(path + "/", 1, 16, 8), FileError) << "not empty any more";
  std::ofstream(folder.Path("file")) << "x";
  EXPECT_THROW(PictureFolder(folder.Path("file/"), 1, 16, 8), FileError);
  EXPECT_THROW(PictureFolder(folder.Path("none/pictures/"), 1, 16, 8), FileError);
  EXPECT_EQ(FileCount(folder), 2);
}

}  // namespace
}  // namespace causeway::cli
