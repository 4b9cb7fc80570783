// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/models/wan21/key_map.h"

#include <charconv>
#include <optional>
#include <span>
#include <string>

namespace causeway::decoder::wan21 {
namespace {

struct Renaming {
  std::string_view original;
  std::string_view canonical;
};

constexpr Renaming kModules[] = {
    {"conv2.", "post_quant_conv."},
    {"decoder.conv1.", "decoder.conv_in."},
    {"decoder.middle.1.", "decoder.mid_block.attentions.0."},
    {"decoder.head.0.", "decoder.norm_out."},
    {"decoder.head.2.", "decoder.conv_out."},
};

constexpr Renaming kMiddleBlocks[] = {
    {"decoder.middle.0.", "decoder.mid_block.resnets.0."},
    {"decoder.middle.2.", "decoder.mid_block.resnets.1."},
};

// Inside a residual block.
constexpr Renaming kBlockParts[] = {
    {"residual.0.", "norm1."}, {"residual.2.", "conv1."},       {"residual.3.", "norm2."},
    {"residual.6.", "conv2."}, {"shortcut.", "conv_shortcut."},
};

/// `key` with the first matching original beginning exchanged.
std::optional<std::string> Rename(std::string_view key, std::span<const Renaming> renamings) {
  for (const Renaming& renaming : renamings) {
    if (key.starts_with(renaming.original)) {
      return std::string(renaming.canonical) + std::string(key.substr(renaming.original.size()));
    }
  }
  return std::nullopt;
}

KeyMeaning Meaning(const std::string& prefix, const std::optional<std::string>& name) {
  if (!name) return {};
  return {KeyMeaning::Kind::kWeight, prefix + *name};
}

/// What follows "decoder.upsamples.": "<index>.<part>".
KeyMeaning MapUpsample(const ModelConfig& config, std::string_view rest) {
  unsigned index = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), index);
  if (error != std::errc() || end == rest.data() + rest.size() || *end != '.') return {};
  const std::string_view digits = rest.substr(0, static_cast<std::size_t>(end - rest.data()));
  if (digits != std::to_string(index)) return {};  // "03" would be a second name for 3
  const std::string_view part = rest.substr(digits.size() + 1);
  const auto blocks = static_cast<unsigned>(config.res_blocks);
  const std::string stage = "decoder.up_blocks." + std::to_string(index / (blocks + 1)) + ".";
  const unsigned position = index % (blocks + 1);
  if (position < blocks) {
    return Meaning(stage + "resnets." + std::to_string(position) + ".", Rename(part, kBlockParts));
  }
  return Meaning(stage + "upsamplers.0.", std::string(part));
}

bool HasAnyPrefix(const TensorFile& file, std::span<const std::string_view> prefixes) {
  for (const std::string_view prefix : prefixes) {
    const auto found = file.tensors().lower_bound(prefix);
    if (found != file.tensors().end() && found->first.starts_with(prefix)) return true;
  }
  return false;
}

}  // namespace

bool HasDiffusersNames(const TensorFile& file) {
  constexpr std::string_view kPrefixes[] = {"decoder.mid_block.", "decoder.up_blocks."};
  return HasAnyPrefix(file, kPrefixes);
}

bool HasOriginalNames(const TensorFile& file) {
  constexpr std::string_view kPrefixes[] = {"decoder.middle.", "decoder.upsamples."};
  return HasAnyPrefix(file, kPrefixes);
}

KeyMeaning MapDiffusersKey(std::string_view key) {
  if (key.starts_with("encoder.") || key.starts_with("quant_conv.")) {
    return {KeyMeaning::Kind::kIgnored, ""};
  }
  return {KeyMeaning::Kind::kWeight, std::string(key)};
}

KeyMeaning MapOriginalKey(const ModelConfig& config, std::string_view key) {
  if (key.starts_with("encoder.") || key.starts_with("conv1.")) {
    return {KeyMeaning::Kind::kIgnored, ""};
  }
  if (const auto name = Rename(key, kModules)) return Meaning("", name);
  for (const Renaming& block : kMiddleBlocks) {
    if (key.starts_with(block.original)) {
      return Meaning(std::string(block.canonical),
                     Rename(key.substr(block.original.size()), kBlockParts));
    }
  }
  constexpr std::string_view kUpsamples = "decoder.upsamples.";
  if (key.starts_with(kUpsamples)) return MapUpsample(config, key.substr(kUpsamples.size()));
  return {};
}

}  // namespace causeway::decoder::wan21
