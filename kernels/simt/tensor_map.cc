// SPDX-License-Identifier: Apache-2.0
#include "kernels/simt/tensor_map.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace causeway::kernels {

int64_t TensorMap::BoxBytes() const {
  int64_t bytes = element_bytes;
  for (int d = 0; d < rank; ++d) bytes *= box[d];
  return bytes;
}

namespace simt {
namespace {

void Require(bool condition, const std::string& field, int64_t got, const char* allowed) {
  if (condition) return;
  throw std::invalid_argument("tensor map: " + field + " is " + std::to_string(got) +
                              "; allowed: " + allowed);
}

std::string Numbered(const char* field, size_t index) {
  return std::string(field) + "[" + std::to_string(index) + "]";
}

}  // namespace

TensorMap MakeTensorMap(const void* base, int element_bytes, const std::vector<int64_t>& extent,
                        const std::vector<int64_t>& strides, const std::vector<int>& box,
                        Swizzle swizzle) {
  TensorMap map;
  const auto rank = static_cast<int64_t>(extent.size());
  Require(rank >= 1 && rank <= 5, "rank", rank, "1 to 5");
  Require(box.size() == extent.size(), "number of boxes", static_cast<int64_t>(box.size()),
          "the rank");
  Require(strides.size() + 1 == extent.size(), "number of strides",
          static_cast<int64_t>(strides.size()), "the rank less 1");
  Require(element_bytes == 1 || element_bytes == 2 || element_bytes == 4 || element_bytes == 8,
          "element size", element_bytes, "1, 2, 4, 8 bytes");
  const auto address = static_cast<int64_t>(reinterpret_cast<uintptr_t>(base));
  Require(base != nullptr && address % 16 == 0, "base address", address, "a multiple of 16");
  map.base = static_cast<const std::byte*>(base);
  map.rank = static_cast<int>(rank);
  map.element_bytes = element_bytes;
  map.swizzle = swizzle;
  map.stride_bytes[0] = element_bytes;
  for (size_t d = 0; d < extent.size(); ++d) {
    Require(extent[d] >= 1 && extent[d] <= (int64_t{1} << 32), Numbered("extent", d), extent[d],
            "1 to 2^32");
    Require(box[d] >= 1 && box[d] <= 256, Numbered("box", d), box[d], "1 to 256 elements");
    map.extent[d] = extent[d];
    map.box[d] = box[d];
    if (d == 0) continue;
    const int64_t stride = strides[d - 1];
    Require(stride > 0 && stride % 16 == 0 && stride < (int64_t{1} << 40), Numbered("stride", d),
            stride, "a multiple of 16 below 2^40 bytes");
    map.stride_bytes[d] = stride;
  }
  const int64_t row = int64_t{box[0]} * element_bytes;
  Require(row % 16 == 0, "bytes of the inner box", row, "a multiple of 16");
  Require(swizzle == Swizzle::kNone || row == 128, "bytes of the inner box", row,
          "128 with the 128-byte swizzle");
  return map;
}

void ForEachRun(const TensorMap& map, const int (&coordinates)[5],
                const std::function<void(int64_t, const std::byte*, int64_t)>& run) {
  int64_t rows = 1;
  for (int d = 1; d < map.rank; ++d) rows *= map.box[d];
  // The inner dimension: so many elements before the tensor, inside, and after it.
  const int64_t x = coordinates[0];
  const int64_t first = std::clamp<int64_t>(-x, 0, map.box[0]);
  const int64_t last = std::clamp<int64_t>(map.extent[0] - x, first, map.box[0]);
  const int64_t size = map.element_bytes;
  const int64_t row_bytes = map.box[0] * size;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t rest = row;
    int64_t source = x * size;
    bool inside = first < last;
    for (int d = 1; d < map.rank; ++d) {
      const int64_t at = coordinates[d] + rest % map.box[d];
      rest /= map.box[d];
      inside = inside && at >= 0 && at < map.extent[d];
      source += at * map.stride_bytes[d];
    }
    const int64_t start = row * row_bytes;
    if (!inside) {
      run(start, nullptr, row_bytes);
      continue;
    }
    if (first > 0) run(start, nullptr, first * size);
    run(start + first * size, map.base + source + first * size, (last - first) * size);
    if (last < map.box[0]) run(start + last * size, nullptr, row_bytes - last * size);
  }
}

}  // namespace simt
}  // namespace causeway::kernels
