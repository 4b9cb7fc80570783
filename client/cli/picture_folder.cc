// SPDX-License-Identifier: Apache-2.0
#include "client/cli/picture_folder.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include <stdlib.h>

#include "client/cli/png_writer.h"
#include "server/base/failure.h"

namespace causeway::cli {
namespace {

constexpr std::size_t kLeastDigits = 6;

std::string WithoutSlashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

[[noreturn]] void Refuse(const std::string& path, const std::error_code& error) {
  throw FileError(path, "cannot be written: " + error.message());
}

}  // namespace

PictureFolder::PictureFolder(const std::string& path, std::int64_t pictures, int height, int width)
    : path_(WithoutSlashes(path)),
      digits_(std::max(kLeastDigits, std::to_string(pictures).size())),
      height_(height),
      width_(width) {
  std::error_code error;
  const auto status = std::filesystem::status(path_, error);
  if (std::filesystem::exists(status) &&
      (!std::filesystem::is_directory(status) || !std::filesystem::is_empty(path_, error))) {
    throw FileError(path, "is there already: allowed is a new folder, or an empty one");
  }
  temporary_path_ = path_ + ".XXXXXX";
  if (mkdtemp(temporary_path_.data()) == nullptr) {
    const std::error_code problem(errno, std::generic_category());
    temporary_path_.clear();
    Refuse(path, problem);
  }
  // mkdtemp makes it for its owner alone; a folder of pictures is no secret.
  const auto everyone_reads = static_cast<std::filesystem::perms>(0755);
  std::filesystem::permissions(temporary_path_, everyone_reads, error);
}

PictureFolder::~PictureFolder() {
  std::error_code ignored;
  if (!temporary_path_.empty()) std::filesystem::remove_all(temporary_path_, ignored);
}

void PictureFolder::Write(std::int64_t index, std::span<const std::byte> rgb) {
  std::string name = std::to_string(index);
  name.insert(0, digits_ - std::min(digits_, name.size()), '0');
  OutputFile file(temporary_path_ + "/" + name + ".png");
  WritePng(file, height_, width_, rgb);
}

void PictureFolder::Finish() {
  std::error_code error;
  std::filesystem::rename(temporary_path_, path_, error);
  if (error) Refuse(path_, error);
  temporary_path_.clear();
}

}  // namespace causeway::cli
