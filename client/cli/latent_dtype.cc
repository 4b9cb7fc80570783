// SPDX-License-Identifier: Apache-2.0
#include "client/cli/latent_dtype.h"

#include <cstring>

#include "server/base/half.h"

namespace causeway::cli {
namespace {

float Load(const char* element, v1::Dtype dtype) {
  if (dtype == v1::DTYPE_F32) {
    float value = 0;
    std::memcpy(&value, element, sizeof value);
    return value;
  }
  std::uint16_t bits = 0;
  std::memcpy(&bits, element, sizeof bits);
  return dtype == v1::DTYPE_F16 ? HalfToFloat(bits) : Bfloat16ToFloat(bits);
}

void Store(float value, v1::Dtype dtype, char* element) {
  if (dtype == v1::DTYPE_F32) {
    std::memcpy(element, &value, sizeof value);
    return;
  }
  const std::uint16_t bits = dtype == v1::DTYPE_F16 ? FloatToHalf(value) : FloatToBfloat16(value);
  std::memcpy(element, &bits, sizeof bits);
}

}  // namespace

std::int64_t DtypeBytes(v1::Dtype dtype) { return dtype == v1::DTYPE_F32 ? 4 : 2; }

std::string ConvertDtype(const std::string& elements, v1::Dtype from, v1::Dtype to) {
  const auto from_bytes = static_cast<std::size_t>(DtypeBytes(from));
  const auto to_bytes = static_cast<std::size_t>(DtypeBytes(to));
  const std::size_t count = elements.size() / from_bytes;
  std::string result(count * to_bytes, '\0');
  for (std::size_t i = 0; i < count; ++i) {
    Store(Load(elements.data() + i * from_bytes, from), to, result.data() + i * to_bytes);
  }
  return result;
}

}  // namespace causeway::cli
