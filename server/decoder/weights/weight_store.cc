// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/weights/weight_store.h"

#include <cstring>
#include <utility>

#include "server/base/failure.h"
#include "server/base/half.h"
#include "server/base/utf8.h"

namespace causeway::decoder {
namespace {

// Through memcpy, because the format does not promise that a tensor is aligned.
template <typename Element, typename Widen>
std::vector<float> WidenEach(std::span<const std::byte> bytes, Widen widen) {
  std::vector<float> values(bytes.size() / sizeof(Element));
  for (std::size_t i = 0; i < values.size(); ++i) {
    Element element;
    std::memcpy(&element, bytes.data() + i * sizeof(Element), sizeof(Element));
    values[i] = widen(element);
  }
  return values;
}

}  // namespace

WeightStore::WeightStore(TensorFile file, const MapKey& map_key) : file_(std::move(file)) {
  for (const auto& [key, view] : file_.tensors()) {
    KeyMeaning meaning = map_key(key);
    switch (meaning.kind) {
      case KeyMeaning::Kind::kWeight:
        if (!tensors_.emplace(meaning.name, view).second) {
          throw FileError(path(), "two tensors mean the weight " + meaning.name + ", one of them " +
                                      Quote(key));
        }
        break;
      case KeyMeaning::Kind::kIgnored:
        break;
      case KeyMeaning::Kind::kUnknown:
        unknown_names_.push_back(key);
        break;
    }
  }
}

const TensorView& WeightStore::Get(std::string_view name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) throw FileError(path(), "no weight " + Quote(name));
  return found->second;
}

std::vector<float> WeightStore::ReadFloats(std::string_view name) const {
  const TensorView& view = Get(name);
  if (!IsWeightDtype(view.dtype)) {
    throw FileError(path(), "weight " + Quote(name) + " dtype: got " +
                                std::string(TensorDtypeName(view.dtype)) +
                                ", allowed: " + std::string(kWeightDtypes));
  }
  return WidenToFloats(view);
}

std::int64_t WeightStore::parameter_count() const {
  std::int64_t sum = 0;
  for (const auto& [name, view] : tensors_) sum += view.element_count();
  return sum;
}

std::int64_t WeightStore::total_bytes() const {
  std::int64_t sum = 0;
  for (const auto& [name, view] : tensors_) sum += static_cast<std::int64_t>(view.bytes.size());
  return sum;
}

bool IsWeightDtype(TensorDtype dtype) {
  return dtype == TensorDtype::kF32 || dtype == TensorDtype::kF16 || dtype == TensorDtype::kBF16;
}

std::vector<float> WidenToFloats(const TensorView& view) {
  if (view.dtype == TensorDtype::kF16) return WidenEach<std::uint16_t>(view.bytes, HalfToFloat);
  if (view.dtype == TensorDtype::kBF16) {
    return WidenEach<std::uint16_t>(view.bytes, Bfloat16ToFloat);
  }
  return WidenEach<float>(view.bytes, [](float value) { return value; });
}

}  // namespace causeway::decoder
