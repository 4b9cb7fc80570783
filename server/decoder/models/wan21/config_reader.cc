// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/models/wan21/config_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string_view>

#include "server/base/failure.h"
#include "server/base/json_writer.h"
#include "server/base/utf8.h"
#include "server/decoder/models/wan21/config_limits.h"
#include "server/decoder/models/wan21/latent_stats.h"

namespace causeway::decoder::wan21 {
namespace {

constexpr std::array<std::string_view, 16> kKnownFields{"base_dim",
                                                        "decoder_base_dim",
                                                        "z_dim",
                                                        "dim_mult",
                                                        "dropout",
                                                        "num_res_blocks",
                                                        "attn_scales",
                                                        "temperal_downsample",
                                                        "latents_mean",
                                                        "latents_std",
                                                        "is_residual",
                                                        "in_channels",
                                                        "out_channels",
                                                        "patch_size",
                                                        "scale_factor_temporal",
                                                        "scale_factor_spatial"};

// Beyond these an fp32 decoder could not hold a latent.
constexpr double kMaxLatentStat = 1e6;
constexpr double kMinLatentStd = 1e-6;

constexpr char kWan22[] = " (this is a Wan 2.2 VAE, which is not supported; Wan 2.1's is)";

class Fields {
 public:
  Fields(const std::string& path, const JsonValue& json) : path_(path), json_(json) {}

  /// Null where the field is missing or null.
  const JsonValue* Find(std::string_view name) const {
    const JsonValue* value = json_.Find(name);
    return value == nullptr || value->is_null() ? nullptr : value;
  }

  [[noreturn]] void Refuse(std::string_view name, const JsonValue& got,
                           const std::string& allowed) const {
    throw FileError(path_,
                    std::string(name) + ": got " + JsonExcerpt(got) + ", allowed: " + allowed);
  }

  int Integer(std::string_view name, int fallback, int low, int high) const {
    const JsonValue* value = Find(name);
    return value == nullptr ? fallback : Integer(name, *value, *value, low, high);
  }

  void RequireInteger(std::string_view name, int only) const { Integer(name, only, only, only); }

  std::vector<int> Integers(std::string_view name, std::vector<int> fallback, std::size_t count,
                            int low, int high) const {
    const JsonValue* value = Find(name);
    if (value == nullptr) return fallback;
    std::vector<int> numbers;
    for (const JsonValue& element : Elements(name, *value, count)) {
      numbers.push_back(Integer(name, element, *value, low, high));
    }
    return numbers;
  }

  std::vector<double> Reals(std::string_view name, std::size_t count, double low,
                            double high) const {
    const JsonValue* value = Find(name);
    std::vector<double> numbers;
    for (const JsonValue& element : Elements(name, *value, count)) {
      const std::optional<double> number = element.number();
      if (!number || *number < low || *number > high) {
        Refuse(
            name, element,
            "numbers from " + JsonExcerpt(JsonValue(low)) + " to " + JsonExcerpt(JsonValue(high)));
      }
      numbers.push_back(*number);
    }
    return numbers;
  }

  const JsonValue::Array& Elements(std::string_view name, const JsonValue& value,
                                   std::size_t count) const {
    if (value.array() == nullptr || value.array()->size() != count) {
      Refuse(name, value, "an array of " + std::to_string(count));
    }
    return *value.array();
  }

  void RefuseUnknown() const {
    for (const JsonValue::Member& member : *json_.object()) {
      const bool is_known =
          std::find(kKnownFields.begin(), kKnownFields.end(), member.name) != kKnownFields.end();
      const bool is_off = member.value.is_null() || member.value.boolean() == false;
      if (!is_known && !is_off && !member.name.starts_with('_')) {
        throw FileError(path_, "unknown field " + Quote(member.name) + ": got " +
                                   JsonExcerpt(member.value) +
                                   ", allowed: the fields of diffusers' AutoencoderKLWan");
      }
    }
  }

 private:
  int Integer(std::string_view name, const JsonValue& value, const JsonValue& shown, int low,
              int high) const {
    const std::optional<std::int64_t> number = value.integer();
    if (!number || *number < low || *number > high) {
      const std::string range =
          low == high ? std::to_string(low)
                      : "integers from " + std::to_string(low) + " to " + std::to_string(high);
      Refuse(name, shown, range);
    }
    return static_cast<int>(*number);
  }

  const std::string& path_;
  const JsonValue& json_;
};

void RefuseOtherGraphs(const Fields& fields) {
  if (const JsonValue* value = fields.Find("is_residual"); value && value->boolean() != false) {
    fields.Refuse("is_residual", *value, std::string("false") + kWan22);
  }
  if (const JsonValue* value = fields.Find("patch_size")) {
    fields.Refuse("patch_size", *value, std::string("null") + kWan22);
  }
  if (const JsonValue* value = fields.Find("attn_scales")) {
    if (value->array() == nullptr || !value->array()->empty()) {
      fields.Refuse("attn_scales", *value, "[] (no attention in up stages)");
    }
  }
  // Only training uses dropout, so any valid value will do.
  if (fields.Find("dropout") != nullptr) {
    const JsonValue& value = *fields.Find("dropout");
    const std::optional<double> rate = value.number();
    if (!rate || *rate < 0 || *rate > 1) fields.Refuse("dropout", value, "a number from 0 to 1");
  }
  fields.RequireInteger("in_channels", kImageChannels);
  fields.RequireInteger("out_channels", kImageChannels);
  fields.RequireInteger("scale_factor_spatial", 1 << (kStageCount - 1));
  fields.RequireInteger("scale_factor_temporal", 1 << kTemporalUpsamplers);
}

// The encoder's flags, finest stage first; the decoder passes its stages in the reverse order.
std::vector<bool> ReadTemporalUpsample(const Fields& fields, std::vector<bool> fallback) {
  constexpr std::string_view kName = "temperal_downsample";  // spelt so in diffusers
  const JsonValue* value = fields.Find(kName);
  if (value == nullptr) return fallback;
  std::vector<bool> flags;
  for (const JsonValue& element : fields.Elements(kName, *value, kStageCount - 1)) {
    if (!element.boolean()) fields.Refuse(kName, *value, "true and false");
    flags.push_back(*element.boolean());
  }
  if (std::count(flags.begin(), flags.end(), true) != kTemporalUpsamplers) {
    fields.Refuse(kName, *value, "two times true, one time false (4 frames a latent)");
  }
  return {flags.rbegin(), flags.rend()};
}

void ReadLatentStats(const std::string& path, const Fields& fields, ModelConfig& config) {
  const auto count = static_cast<std::size_t>(config.latent_channels);
  for (const std::string_view name : {"latents_mean", "latents_std"}) {
    if (fields.Find(name) == nullptr && config.latent_channels != kLatentChannels) {
      throw FileError(
          path, std::string(name) + ": got nothing, allowed: an array of " + std::to_string(count));
    }
  }
  if (fields.Find("latents_mean") != nullptr) {
    config.latents_mean = fields.Reals("latents_mean", count, -kMaxLatentStat, kMaxLatentStat);
  }
  if (fields.Find("latents_std") != nullptr) {
    config.latents_std = fields.Reals("latents_std", count, kMinLatentStd, kMaxLatentStat);
  }
}

}  // namespace

ModelConfig ReadConfig(const std::string& path, const JsonValue& json) {
  const JsonValue* config_class = json.Find("_class_name");
  if (config_class == nullptr || config_class->string() == nullptr ||
      *config_class->string() != kConfigClass) {
    throw FileError(path, "_class_name: got " +
                              (config_class ? JsonExcerpt(*config_class) : std::string("nothing")) +
                              ", allowed: " + kConfigClass);
  }
  const Fields fields(path, json);
  RefuseOtherGraphs(fields);
  fields.RefuseUnknown();
  ModelConfig config = DefaultConfig();
  const int encoder_width = fields.Integer("base_dim", config.base_width, 1, kMaxBaseWidth);
  config.base_width = fields.Integer("decoder_base_dim", encoder_width, 1, kMaxBaseWidth);
  config.latent_channels = fields.Integer("z_dim", config.latent_channels, 1, kMaxLatentChannels);
  config.multipliers =
      fields.Integers("dim_mult", config.multipliers, kStageCount, 1, kMaxMultiplier);
  config.res_blocks =
      fields.Integer("num_res_blocks", config.res_blocks - 1, 0, kMaxResBlocks - 1) + 1;
  config.temporal_upsample = ReadTemporalUpsample(fields, config.temporal_upsample);
  ReadLatentStats(path, fields, config);
  CheckChannelsHalve(path, config);
  return config;
}

}  // namespace causeway::decoder::wan21
