// SPDX-License-Identifier: Apache-2.0
// The tensors of a weight file under their canonical names, still in the mapped file. Whether
// they are what a model needs is weight_check.h.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "server/base/tensor_view.h"
#include "server/decoder/weights/tensor_file.h"

namespace causeway::decoder {

/// What a name in a file means to a model family.
struct KeyMeaning {
  enum class Kind {
    kWeight,   // a tensor of the decoder; `name` is its canonical name
    kIgnored,  // known and not needed, such as the encoder
    kUnknown,  // nothing that this family has
  };
  Kind kind = Kind::kUnknown;
  std::string name;
};

/// Move-only. Immutable, so any number of threads may read it.
class WeightStore {
 public:
  using MapKey = std::function<KeyMeaning(std::string_view)>;

  /// Takes the file over. Throws FileError where two of its tensors mean the same weight.
  WeightStore(TensorFile file, const MapKey& map_key);

  const std::string& path() const { return file_.path(); }

  /// Canonical name -> tensor. Views are valid as long as this store, also when it is moved.
  const std::map<std::string, TensorView, std::less<>>& tensors() const { return tensors_; }

  /// Names in the file that mean nothing to the family, in order.
  const std::vector<std::string>& unknown_names() const { return unknown_names_; }

  /// The tensor of that canonical name. Throws FileError where there is none.
  const TensorView& Get(std::string_view name) const;

  /// The tensor as fp32, in the order of the file; F32, F16 and BF16 widen exactly. Throws
  /// FileError where there is none of that name or it has another element type.
  std::vector<float> ReadFloats(std::string_view name) const;

  /// Sums over tensors(); the ignored ones do not count.
  std::int64_t parameter_count() const;
  std::int64_t total_bytes() const;

 private:
  TensorFile file_;
  std::map<std::string, TensorView, std::less<>> tensors_;
  std::vector<std::string> unknown_names_;
};

/// The element types that weights may have.
bool IsWeightDtype(TensorDtype dtype);
inline constexpr std::string_view kWeightDtypes = "F32, F16, BF16";

/// The elements as fp32. The dtype must be a weight dtype.
std::vector<float> WidenToFloats(const TensorView& view);

}  // namespace causeway::decoder
