// SPDX-License-Identifier: Apache-2.0
// CRC-32C, the checksum of payloads on the wire.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace causeway {

/// CRC-32C (Castagnoli, reflected polynomial 0x82F63B78) as RFC 3720 appendix B.4 defines it: of
/// "123456789" it is 0xE3069283, of nothing 0. By the processor's instruction where it has one.
std::uint32_t Crc32c(std::span<const std::byte> bytes);

/// The same without that instruction. For tests.
std::uint32_t Crc32cByTable(std::span<const std::byte> bytes);

}  // namespace causeway
