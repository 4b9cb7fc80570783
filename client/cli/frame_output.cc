// SPDX-License-Identifier: Apache-2.0
#include "client/cli/frame_output.h"

#include <filesystem>

#include "client/cli/contact_sheet.h"
#include "client/cli/picture_folder.h"
#include "client/cli/png_writer.h"
#include "client/cli/video_writer.h"
#include "server/base/failure.h"
#include "server/base/safetensors_writer.h"

namespace causeway::cli {
namespace {

class VideoOutput final : public FrameOutput {
 public:
  VideoOutput(const std::string& path, const OutputSpec& spec)
      : takes_rgb_(spec.layout.ffmpeg == AV_PIX_FMT_NONE),
        writer_(path, {spec.height, spec.width, spec.fps,
                       takes_rgb_ ? AV_PIX_FMT_RGB24 : spec.layout.ffmpeg}) {}

  void Write(const Picture& picture) override {
    writer_.Write(takes_rgb_ ? picture.rgb : picture.pixels);
  }
  void Finish() override { writer_.Finish(); }

 private:
  bool takes_rgb_;
  VideoWriter writer_;
};

class ContactSheetOutput final : public FrameOutput {
 public:
  ContactSheetOutput(const std::string& path, const OutputSpec& spec)
      : file_(path), sheet_(spec.frames, spec.height, spec.width, spec.has_source) {}

  void Write(const Picture& picture) override {
    if (sheet_.Shows(picture.index)) sheet_.Place(picture.index, picture.rgb, picture.source_rgb);
  }
  void Finish() override { WritePng(file_, sheet_.height(), sheet_.width(), sheet_.rgb()); }

 private:
  OutputFile file_;
  ContactSheet sheet_;
};

class TensorOutput final : public FrameOutput {
 public:
  TensorOutput(const std::string& path, const OutputSpec& spec)
      : writer_(path, {{"frames", spec.layout.dtype,
                        FramesShape(spec.layout, spec.frames, spec.height, spec.width)}}) {}

  void Write(const Picture& picture) override { writer_.Append(picture.pixels); }
  void Finish() override { writer_.Finish(); }

 private:
  SafetensorsWriter writer_;
};

class FolderOutput final : public FrameOutput {
 public:
  FolderOutput(const std::string& path, const OutputSpec& spec)
      : folder_(path, spec.frames, spec.height, spec.width) {}

  void Write(const Picture& picture) override {
    if (!picture.is_dropped) folder_.Write(picture.index, picture.rgb);
  }
  void Finish() override { folder_.Finish(); }

 private:
  PictureFolder folder_;
};

std::string Ending(const std::string& path) {
  return std::filesystem::path(path).extension().string();
}

}  // namespace

void CheckOutputEnding(const std::string& path) {
  if (path.ends_with('/')) return;
  const std::string ending = Ending(path);
  if (ending != ".mp4" && ending != ".y4m" && ending != ".png" && ending != ".safetensors") {
    throw FileError(path,
                    "--out: got " + (ending.empty() ? "no ending" : "the ending " + ending) +
                        ", allowed: .mp4, .y4m, .png (contact sheet), .safetensors, / (a folder)");
  }
}

std::unique_ptr<FrameOutput> OpenOutput(const std::string& path, const OutputSpec& spec) {
  CheckOutputEnding(path);
  if (path.ends_with('/')) return std::make_unique<FolderOutput>(path, spec);
  const std::string ending = Ending(path);
  if (ending == ".png") return std::make_unique<ContactSheetOutput>(path, spec);
  if (ending == ".safetensors") return std::make_unique<TensorOutput>(path, spec);
  return std::make_unique<VideoOutput>(path, spec);
}

}  // namespace causeway::cli
