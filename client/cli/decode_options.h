// SPDX-License-Identifier: Apache-2.0
// The flags of `causeway decode`.
#pragma once

#include <string>
#include <vector>

#include "client/cli/frame_rgb.h"
#include "client/cli/latents_file.h"

namespace CLI {
class App;
}

namespace causeway::cli {

struct DecodeOptions {
  std::string server = "127.0.0.1:50051";
  double connect_timeout_s = 5;
  std::string model;
  std::string latents_path;
  std::string key = "latents";
  std::string axes = "cthw";
  std::string domain = "normalised";
  std::string dtype = "auto";
  std::string pixel_format = "rgb24";
  std::vector<std::string> outputs;
  int chunk = 3;
  int pending = 2;
  double fps = 25;
  double pace = 0;  // frames a second at which latents are made; 0: as fast as they are taken
  double play = 0;  // frames a second at which frames are consumed; 0: as fast as they come
  std::string delivery = "block";
  int credits = 0;         // frame credits at the start; 0: the server's default
  int fragment_bytes = 0;  // of a frame's messages; 0: the server's default
  int message_bytes = 0;   // of a chunk's messages; 0: the server's limit
  bool checksum = false;
  std::string source_path;
  std::string reference_path;
  bool json = false;
};

/// The flags --server and --connect-timeout of every command.
void AddServerFlags(CLI::App& command, std::string& server, double& connect_timeout_s);

/// Adds the subcommand; its flags are stored in `options`, which must outlive the parsing.
CLI::App* AddDecodeCommand(CLI::App& app, DecodeOptions& options);

/// What the words of the flags mean. The flags were checked when they were parsed.
LatentAxes AxesOf(const DecodeOptions& options);
const PixelLayout& LayoutOf(const DecodeOptions& options);
v1::DeliveryMode DeliveryOf(const DecodeOptions& options);
v1::Domain DomainOf(const DecodeOptions& options);
/// `file_dtype` where --dtype is auto.
v1::Dtype DtypeOf(const DecodeOptions& options, v1::Dtype file_dtype);

}  // namespace causeway::cli
