// SPDX-License-Identifier: Apache-2.0
// The element types of latents on the wire.
#pragma once

#include <cstdint>
#include <string>

#include "causeway/v1/decode.pb.h"

namespace causeway::cli {

/// Bytes of one element of F32, F16 or BF16.
std::int64_t DtypeBytes(v1::Dtype dtype);

/// Little-endian elements of one type as another. Narrowing rounds to nearest, ties to even.
std::string ConvertDtype(const std::string& elements, v1::Dtype from, v1::Dtype to);

}  // namespace causeway::cli
