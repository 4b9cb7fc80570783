// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/weights/weight_check.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <string>

#include "server/base/failure.h"
#include "server/base/utf8.h"

namespace causeway::decoder {
namespace {

constexpr int kMaxNamed = 12;

// Collects names under headings and turns them into one line.
class Problems {
 public:
  void BeginKind(std::string heading) { heading_ = std::move(heading); }

  void Add(const std::string& tensor) {
    if (++count_ > kMaxNamed) return;
    if (!heading_.empty()) {
      text_ += (text_.empty() ? "" : "; ") + heading_ + " ";
      heading_.clear();
    } else {
      text_ += ", ";
    }
    text_ += tensor;
  }

  void ThrowIfAny(const std::string& path) const {
    if (count_ == 0) return;
    std::string more;
    if (count_ > kMaxNamed) more = " and " + std::to_string(count_ - kMaxNamed) + " more";
    throw FileError(path, "weights refused (" + std::to_string(count_) +
                              (count_ == 1 ? " tensor): " : " tensors): ") + text_ + more);
  }

 private:
  std::string heading_;
  std::string text_;
  int count_ = 0;
};

// Exponent bits all ones: NaN or infinity. On the bit patterns, so that a file of any of the
// three types is scanned without a copy.
template <typename Bits>
bool HasExponent(std::span<const std::byte> bytes, Bits exponent_mask) {
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(Bits)) {
    Bits bits;
    std::memcpy(&bits, bytes.data() + at, sizeof(Bits));
    if ((bits & exponent_mask) == exponent_mask) return true;
  }
  return false;
}

bool HasNonFinite(const TensorView& view) {
  switch (view.dtype) {
    case TensorDtype::kF16:
      return HasExponent<std::uint16_t>(view.bytes, 0x7C00);
    case TensorDtype::kBF16:
      return HasExponent<std::uint16_t>(view.bytes, 0x7F80);
    default:
      return HasExponent<std::uint32_t>(view.bytes, 0x7F800000);
  }
}

const TensorView* Find(const WeightStore& store, const std::string& name) {
  const auto found = store.tensors().find(name);
  return found == store.tensors().end() ? nullptr : &found->second;
}

void CheckNamesShapesDtypes(const WeightStore& store, const std::vector<WeightSpec>& specs) {
  Problems problems;
  problems.BeginKind("missing");
  for (const WeightSpec& spec : specs) {
    if (Find(store, spec.name) == nullptr) problems.Add(spec.name);
  }
  problems.BeginKind("not expected");
  std::set<std::string_view> expected;
  for (const WeightSpec& spec : specs) expected.insert(spec.name);
  for (const auto& [name, view] : store.tensors()) {
    if (!expected.contains(name)) problems.Add(Quote(name));
  }
  for (const std::string& name : store.unknown_names()) problems.Add(Quote(name));
  problems.BeginKind("wrong shape");
  for (const WeightSpec& spec : specs) {
    const TensorView* view = Find(store, spec.name);
    if (view != nullptr && view->shape != spec.shape) {
      problems.Add(spec.name + " got " + ShapeText(view->shape) +
                   ", allowed: " + ShapeText(spec.shape));
    }
  }
  problems.BeginKind("wrong dtype");
  for (const WeightSpec& spec : specs) {
    const TensorView* view = Find(store, spec.name);
    if (view != nullptr && !IsWeightDtype(view->dtype)) {
      problems.Add(spec.name + " got " + std::string(TensorDtypeName(view->dtype)) +
                   ", allowed: " + std::string(kWeightDtypes));
    }
  }
  problems.ThrowIfAny(store.path());
}

}  // namespace

void CheckWeights(const WeightStore& store, const std::vector<WeightSpec>& specs) {
  CheckNamesShapesDtypes(store, specs);
  Problems problems;
  problems.BeginKind("NaN or infinity in");
  for (const WeightSpec& spec : specs) {
    if (HasNonFinite(store.Get(spec.name))) problems.Add(spec.name);
  }
  problems.ThrowIfAny(store.path());
}

}  // namespace causeway::decoder
