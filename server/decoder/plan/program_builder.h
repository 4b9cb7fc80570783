// SPDX-License-Identifier: Apache-2.0
// Builds a program step by step and keeps the books: shapes, costs, value numbers, cache slots.
// A model family calls it in the order of its graph.
#pragma once

#include <string>
#include <vector>

#include "server/decoder/plan/plan.h"

namespace causeway::decoder {

/// A value under construction.
struct Value {
  ValueId id = kNoValue;
  ActivationShape shape;
};

/// The RMS norm that the next reader wants.
struct NormRequest {
  NormKind kind = NormKind::kNone;
  std::string weight;
};

/// What of a step's result is stored.
struct Results {
  Value raw;     // id kNoValue unless `keep_raw`
  Value normed;  // id kNoValue without a norm
};

class ProgramBuilder {
 public:
  /// `latent`: the shape of the program's input, one frame.
  ProgramBuilder(Phase phase, ActivationShape latent);

  Value latent() const { return latent_; }
  Phase phase() const { return program_.phase; }
  void SetBlock(Block block) { block_ = block; }

  Results Unnormalise(const std::string& name, const Value& source, int out_channels,
                      const std::string& weights);
  /// A causal convolution with its own cache slot. `residual` may be absent (id kNoValue).
  Results CausalConv(const std::string& name, const Value& source, int out_channels,
                     const std::string& weights, const Value& residual, bool keep_raw,
                     const NormRequest& norm);
  /// `is_3d`: the weights are [out, in, 1, 1, 1] rather than [out, in, 1, 1].
  Results Pointwise(const std::string& name, const Value& source, int out_channels,
                    const std::string& weights, bool is_3d, const Value& residual,
                    const NormRequest& norm);
  /// `qkv`: channels [0, C) are q, [C, 2C) k, [2C, 3C) v.
  Results Attention(const std::string& name, const Value& qkv);
  /// In the first latent: nothing but the cache slot; the source is returned.
  Value TimeConv(const std::string& name, const Value& source, const std::string& weights);
  Results UpConv(const std::string& name, const Value& source, int out_channels,
                 const std::string& weights, const NormRequest& norm);
  /// Ends the program: its result is the frames.
  void Head(const std::string& name, const Value& source, int out_channels,
            const std::string& weights);

  Program TakeProgram();
  std::vector<CacheSlot> TakeSlots();

 private:
  int AddSlot(const std::string& name, const ActivationShape& input);
  /// Numbers the results, fills the costs and appends the step.
  Results Append(Step step, const Value& source, const ActivationShape& output,
                 const std::string& weights, const Value& residual, bool keep_raw,
                 const NormRequest& norm);

  Program program_;
  std::vector<CacheSlot> slots_;
  Value latent_;
  Block block_ = Block::kMid;
};

}  // namespace causeway::decoder
