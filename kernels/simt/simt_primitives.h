// SPDX-License-Identifier: Apache-2.0
// The host body of the primitives that every architecture from sm_80 has. Contracts:
// kernels/primitives/README.md. The last parameter of most is where in the kernel the call stands,
// for reports; kernels leave it out.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/primitives/elements.h"
#include "kernels/simt/convergence.h"
#include "kernels/simt/matrix.h"
#include "kernels/simt/memory_operations.h"
#include "kernels/simt/numeric.h"
#include "kernels/simt/thread_context.h"

namespace causeway::kernels {

// ---- Where a thread stands

inline int ThreadIndex() { return simt::current_thread->index; }
inline int BlockIndex() { return simt::current_thread->block_index; }
inline int GridBlocks() { return simt::current_thread->grid_blocks; }
inline int BlockThreads() { return simt::current_thread->block_threads; }
inline int LaneIndex() { return simt::current_thread->index % 32; }
inline std::byte* DynamicShared() { return simt::DynamicSharedBase(); }
inline uint32_t SharedAddress(const void* pointer, simt::Site site = simt::Site::Current()) {
  return simt::AddressOfShared(pointer, site);
}

// ---- Barriers and votes

inline void SyncThreads(simt::Site site = simt::Site::Current()) { simt::SyncBlock(site); }
inline void SyncWarp(simt::Site site = simt::Site::Current()) { simt::SyncLanes(site); }
inline void NamedBarrierSync(int id, int threads, simt::Site site = simt::Site::Current()) {
  simt::SyncNamedBarrier(id, threads, true, site);
}
inline void NamedBarrierArrive(int id, int threads, simt::Site site = simt::Site::Current()) {
  simt::SyncNamedBarrier(id, threads, false, site);
}
template <typename T>
T ShuffleIndex(T value, int lane, simt::Site site = simt::Site::Current()) {
  static_assert(sizeof(T) == 4);
  return std::bit_cast<T>(simt::ShuffleWord(std::bit_cast<uint32_t>(value), lane, site));
}
template <typename T>
T ShuffleXor(T value, int lane_mask, simt::Site site = simt::Site::Current()) {
  return ShuffleIndex(value, LaneIndex() ^ lane_mask, site);
}
inline uint32_t Ballot(bool vote, simt::Site site = simt::Site::Current()) {
  return simt::BallotLanes(vote, site);
}
inline bool AnySync(bool vote, simt::Site site = simt::Site::Current()) {
  return simt::BallotLanes(vote, site) != 0;
}

// ---- Memory

template <typename T>
T LoadGlobal(const T* source, simt::Site site = simt::Site::Current()) {
  simt::CheckGlobal(source, sizeof(T), false, site);
  return *source;
}
template <typename T>
void StoreGlobal(T* destination, std::type_identity_t<T> value,
                 simt::Site site = simt::Site::Current()) {
  simt::CheckGlobal(destination, sizeof(T), true, site);
  *destination = value;
}
inline Words4 LoadGlobal16(const void* source, simt::Site site = simt::Site::Current()) {
  return LoadGlobal(static_cast<const Words4*>(source), site);
}
inline Words2 LoadGlobal8(const void* source, simt::Site site = simt::Site::Current()) {
  return LoadGlobal(static_cast<const Words2*>(source), site);
}
inline uint32_t LoadGlobal4(const void* source, simt::Site site = simt::Site::Current()) {
  return LoadGlobal(static_cast<const uint32_t*>(source), site);
}
inline void StoreGlobal16(void* destination, Words4 value,
                          simt::Site site = simt::Site::Current()) {
  StoreGlobal(static_cast<Words4*>(destination), value, site);
}
inline void StoreGlobal8(void* destination, Words2 value, simt::Site site = simt::Site::Current()) {
  StoreGlobal(static_cast<Words2*>(destination), value, site);
}
inline void StoreGlobal4(void* destination, uint32_t value,
                         simt::Site site = simt::Site::Current()) {
  StoreGlobal(static_cast<uint32_t*>(destination), value, site);
}
inline int AtomicAddGlobal(int* destination, int value, simt::Site site = simt::Site::Current()) {
  simt::CheckGlobal(destination, sizeof(int), true, site);
  const int before = *destination;
  *destination = before + value;
  return before;
}

template <typename T>
T LoadShared(uint32_t address, simt::Site site = simt::Site::Current()) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);
  T value;
  simt::LoadSharedBytes(address, sizeof(T), &value, site);
  return value;
}
template <typename T>
void StoreShared(uint32_t address, T value, simt::Site site = simt::Site::Current()) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);
  simt::StoreSharedBytes(address, sizeof(T), &value, site);
}
inline int AtomicAddShared(uint32_t address, int value, simt::Site site = simt::Site::Current()) {
  return simt::AddToShared(address, value, site);
}

// ---- Asynchronous copies by thread

inline void CopyAsync16(uint32_t shared_destination, const void* global_source, bool valid,
                        simt::Site site = simt::Site::Current()) {
  simt::IssueCopy(shared_destination, valid ? global_source : nullptr, site);
}
inline void CommitCopies() { simt::CommitIssuedCopies(); }
template <int kPending>
void WaitCopies() {
  static_assert(kPending >= 0);
  simt::WaitForCopies(kPending);
}

// ---- Matrix fragments

inline void LoadMatrix4(uint32_t (&r)[4], uint32_t row_address,
                        simt::Site site = simt::Site::Current()) {
  simt::LoadMatrices(row_address, r, 4, false, site);
}
inline void LoadMatrix2(uint32_t (&r)[2], uint32_t row_address,
                        simt::Site site = simt::Site::Current()) {
  simt::LoadMatrices(row_address, r, 2, false, site);
}
inline void LoadMatrix1(uint32_t (&r)[1], uint32_t row_address,
                        simt::Site site = simt::Site::Current()) {
  simt::LoadMatrices(row_address, r, 1, false, site);
}
inline void LoadMatrixTransposed4(uint32_t (&r)[4], uint32_t row_address,
                                  simt::Site site = simt::Site::Current()) {
  simt::LoadMatrices(row_address, r, 4, true, site);
}
inline void LoadMatrixTransposed2(uint32_t (&r)[2], uint32_t row_address,
                                  simt::Site site = simt::Site::Current()) {
  simt::LoadMatrices(row_address, r, 2, true, site);
}
inline void LoadMatrixTransposed1(uint32_t (&r)[1], uint32_t row_address,
                                  simt::Site site = simt::Site::Current()) {
  simt::LoadMatrices(row_address, r, 1, true, site);
}
template <typename Element>
void Mma16816(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2],
              simt::Site site = simt::Site::Current()) {
  static_assert(std::is_same_v<Element, Half> || std::is_same_v<Element, Bfloat16>);
  simt::MultiplyFragments(
      std::is_same_v<Element, Half> ? simt::MmaElement::kHalf : simt::MmaElement::kBfloat16, d, a,
      b, site);
}
inline void Mma1688(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2],
                    simt::Site site = simt::Site::Current()) {
  simt::MultiplyFragments(simt::MmaElement::kTf32, d, a, b, site);
}

// ---- Conversions and approximations

inline uint32_t PackHalf2(float low, float high) {
  return ToHalf(low).bits | static_cast<uint32_t>(ToHalf(high).bits) << 16;
}
inline uint32_t PackBfloat162(float low, float high) {
  return ToBfloat16(low).bits | static_cast<uint32_t>(ToBfloat16(high).bits) << 16;
}
inline void UnpackHalf2(uint32_t bits, float& low, float& high) {
  low = ToFloat(Half{static_cast<uint16_t>(bits)});
  high = ToFloat(Half{static_cast<uint16_t>(bits >> 16)});
}
inline void UnpackBfloat162(uint32_t bits, float& low, float& high) {
  low = std::bit_cast<float>(bits << 16);
  high = std::bit_cast<float>(bits & 0xffff0000u);
}
inline float RoundToTf32(float value) { return ToTf32(value).value; }
inline uint32_t FloatBits(float value) { return std::bit_cast<uint32_t>(value); }
inline float BitsFloat(uint32_t bits) { return std::bit_cast<float>(bits); }
inline float ApproxExp2(float x) { return simt::WorstExp2(x); }
inline float ApproxReciprocal(float x) { return simt::WorstReciprocal(x); }
inline float ApproxRsqrt(float x) { return simt::WorstRsqrt(x); }
inline float ApproxTanh(float x) { return simt::WorstTanh(x); }

}  // namespace causeway::kernels
