// SPDX-License-Identifier: Apache-2.0
#include "client/cli/decode_options.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

#include <CLI/CLI.hpp>

namespace causeway::cli {
namespace {

std::vector<std::string> PixelFormatNames() {
  std::vector<std::string> names;
  for (const PixelLayout& layout : PixelLayouts()) names.emplace_back(layout.name);
  return names;
}

// CLI::Range lets a NaN through.
CLI::Validator Between(double low, double high) {
  const auto text = [](double value) {
    std::ostringstream out;
    out << std::setprecision(10) << value;
    return out.str();
  };
  const std::string allowed = text(low) + " to " + text(high);
  return CLI::Validator(
      [low, high, allowed](std::string& word) {
        double value = 0;
        const bool is_number = CLI::detail::lexical_cast(word, value);
        return is_number && value >= low && value <= high ? std::string()
                                                          : "got " + word + ", allowed: " + allowed;
      },
      allowed);
}

CLI::Validator OneOf(const std::vector<std::string>& words) {
  std::string allowed;
  for (const std::string& word : words) allowed += (allowed.empty() ? "" : ", ") + word;
  return CLI::Validator(
      [words, allowed](std::string& word) {
        return std::find(words.begin(), words.end(), word) != words.end()
                   ? std::string()
                   : "got " + word + ", allowed: " + allowed;
      },
      allowed);
}

// How messages go to and fro; what is decoded does not depend on it.
void AddFlowFlags(CLI::App& command, DecodeOptions& options) {
  command.add_option("--chunk", options.chunk, "Latents in a chunk, as far as the server allows")
      ->check(Between(1, 1 << 20))
      ->capture_default_str();
  command
      .add_option("--pending", options.pending,
                  "Chunks on their way at a time, as far as the server allows: 2 keep it busy, "
                  "more only wait")
      ->check(Between(1, 1 << 20))
      ->capture_default_str();
  command
      .add_option("--pace", options.pace,
                  "Send each chunk when its first frame is due at so many frames a second, as a "
                  "realtime generator does")
      ->check(Between(0.1, 1000));
  command
      .add_option("--play", options.play,
                  "Consume so many frames a second, as a player does, not as fast as they come")
      ->check(Between(0.1, 1000));
  command
      .add_option("--delivery", options.delivery,
                  "block: the server waits for a slow consumer; drop-oldest: it drops frames, and "
                  "says which")
      ->check(OneOf({"block", "drop-oldest"}))
      ->capture_default_str();
  command
      .add_option("--credits", options.credits,
                  "Frames that may be on their way to a consumer; default: the server's")
      ->check(Between(1, 64));
  command
      .add_option("--fragment-bytes", options.fragment_bytes,
                  "The largest part of a frame in one message; default: the server's")
      ->check(Between(65536, 3145728));
  command
      .add_option("--message-bytes", options.message_bytes,
                  "Send larger chunks in several messages; default: the server's limit")
      ->check(Between(1024, 64 << 20));
  command.add_flag("--checksum", options.checksum, "Check every payload by CRC-32C, both ways");
}

}  // namespace

void AddServerFlags(CLI::App& command, std::string& server, double& connect_timeout_s) {
  command.add_option("--server", server, "HOST:PORT or unix:PATH")->capture_default_str();
  command.add_option("--connect-timeout", connect_timeout_s, "Seconds to connect in")
      ->check(Between(0.001, 3600))
      ->capture_default_str();
}

CLI::App* AddDecodeCommand(CLI::App& app, DecodeOptions& options) {
  CLI::App* command = app.add_subcommand("decode", "Decode a file of latents on a server");
  AddServerFlags(*command, options.server, options.connect_timeout_s);
  command->add_option("--model", options.model, "A model that the server holds")->required();
  command->add_option("--latents", options.latents_path, "A safetensors file of latents")
      ->required();
  command->add_option("--key", options.key, "The tensor in that file")->capture_default_str();
  command->add_option("--axes", options.axes, "The order of its axes")
      ->check(OneOf({"cthw", "tchw"}))
      ->capture_default_str();
  command
      ->add_option("--domain", options.domain,
                   "normalised: as a diffusion model emits latents; raw: the model's mean and "
                   "standard deviation are already applied")
      ->check(OneOf({"normalised", "raw"}))
      ->capture_default_str();
  command->add_option("--dtype", options.dtype, "Their type on the wire; auto: as in the file")
      ->check(OneOf({"auto", "f32", "f16", "bf16"}))
      ->capture_default_str();
  command
      ->add_option("--out", options.outputs,
                   "Where frames go, by the ending: .mp4, .y4m, .png (contact sheet), "
                   ".safetensors (tensor frames), or / (a new folder of .png files); may be "
                   "repeated")
      ->allow_extra_args(false);
  AddFlowFlags(*command, options);
  command->add_option("--fps", options.fps, "Frames a second of the video file")
      ->check(Between(0.1, 1000))
      ->capture_default_str();
  command->add_option("--pixel-format", options.pixel_format, "In which frames are sent")
      ->check(OneOf(PixelFormatNames()))
      ->capture_default_str();
  command->add_option("--source", options.source_path,
                      "The video that the latents were made from: PSNR, and upper rows of the "
                      "contact sheet");
  command->add_option("--reference", options.reference_path,
                      "A video of the frames that are expected: PSNR");
  command->add_flag("--json", options.json, "Print the report as JSON");
  return command;
}

LatentAxes AxesOf(const DecodeOptions& options) {
  return options.axes == "cthw" ? LatentAxes::kCthw : LatentAxes::kTchw;
}

const PixelLayout& LayoutOf(const DecodeOptions& options) {
  const auto layouts = PixelLayouts();
  return *std::find_if(layouts.begin(), layouts.end(), [&options](const PixelLayout& layout) {
    return layout.name == options.pixel_format;
  });
}

v1::DeliveryMode DeliveryOf(const DecodeOptions& options) {
  return options.delivery == "block" ? v1::DELIVERY_MODE_BLOCK : v1::DELIVERY_MODE_DROP_OLDEST;
}

v1::Domain DomainOf(const DecodeOptions& options) {
  return options.domain == "normalised" ? v1::DOMAIN_NORMALISED : v1::DOMAIN_RAW;
}

v1::Dtype DtypeOf(const DecodeOptions& options, v1::Dtype file_dtype) {
  if (options.dtype == "f32") return v1::DTYPE_F32;
  if (options.dtype == "f16") return v1::DTYPE_F16;
  if (options.dtype == "bf16") return v1::DTYPE_BF16;
  return file_dtype;
}

}  // namespace causeway::cli
