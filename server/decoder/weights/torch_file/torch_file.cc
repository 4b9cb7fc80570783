// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/weights/torch_file/torch_file.h"

#include <utility>

#include "server/base/failure.h"

namespace causeway::decoder {
namespace {

constexpr std::string_view kZipMagic = "PK\x03\x04";
// The pickled 0x1950a86a20f9469cfc6c, MAGIC_NUMBER in torch/serialization.py.
constexpr std::string_view kOldMagic = "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";

bool StartsWith(std::span<const std::byte> file, std::string_view magic) {
  return std::string_view(reinterpret_cast<const char*>(file.data()), file.size())
      .starts_with(magic);
}

}  // namespace

bool TorchFile::LooksLike(std::span<const std::byte> file) {
  return StartsWith(file, kZipMagic) || StartsWith(file, kOldMagic);
}

TorchFile TorchFile::Open(const std::string& path) { return TorchFile(path, MappedFile(path)); }

TorchFile::TorchFile(std::string path, MappedFile file)
    : path_(std::move(path)), file_(std::move(file)) {
  if (StartsWith(file_.bytes(), kOldMagic)) {
    throw FileError(path_,
                    "is a PyTorch checkpoint of the format before PyTorch 1.6, which is not "
                    "supported: load it and save it again with torch.save, or convert to "
                    "safetensors");
  }
  if (!StartsWith(file_.bytes(), kZipMagic)) {
    throw FileError(path_, "is not a PyTorch checkpoint: it does not start as a zip file");
  }
  tensors_ = ReadCheckpoint(path_, file_.bytes());
}

}  // namespace causeway::decoder
