// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/cache/causal_cache.h"

#include <ATen/ATen.h>

namespace causeway::decoder {

CausalCache::CausalCache(const Plan& plan, const at::TensorOptions& options) {
  slots_.reserve(plan.slots.size());
  for (const CacheSlot& slot : plan.slots) {
    slots_.push_back(at::zeros(
        {slot.shape.frames, slot.shape.height, slot.shape.width, slot.shape.channels}, options));
  }
}

void CausalCache::ReadHistory(int slot_index, const at::Tensor& window) const {
  window.narrow(0, 0, kHistoryFrames).copy_(slot(slot_index));
}

void CausalCache::KeepTail(int slot_index, const at::Tensor& window) {
  slot(slot_index).copy_(window.narrow(0, window.size(0) - kHistoryFrames, kHistoryFrames));
}

void CausalCache::Push(int slot_index, const at::Tensor& frame) {
  const at::Tensor history = slot(slot_index);
  history[0].copy_(history[1]);
  history[1].copy_(frame[0]);
}

void CausalCache::Reset() {
  for (const at::Tensor& history : slots_) history.zero_();
}

}  // namespace causeway::decoder
