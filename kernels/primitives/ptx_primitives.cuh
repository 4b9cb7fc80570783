// SPDX-License-Identifier: Apache-2.0
// The PTX body of the primitives that every architecture from sm_80 has. Contracts: README.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "kernels/primitives/elements.h"
#include "kernels/primitives/macros.h"

namespace causeway::kernels {

// ---- Where a thread stands

CAUSEWAY_DEVICE int ThreadIndex() { return static_cast<int>(threadIdx.x); }
CAUSEWAY_DEVICE int BlockIndex() { return static_cast<int>(blockIdx.x); }
CAUSEWAY_DEVICE int GridBlocks() { return static_cast<int>(gridDim.x); }
CAUSEWAY_DEVICE int BlockThreads() { return static_cast<int>(blockDim.x); }
CAUSEWAY_DEVICE int LaneIndex() { return static_cast<int>(threadIdx.x & 31u); }

extern __shared__ __align__(1024) unsigned char causeway_dynamic_shared[];
CAUSEWAY_DEVICE std::byte* DynamicShared() {
  return reinterpret_cast<std::byte*>(causeway_dynamic_shared);
}
CAUSEWAY_DEVICE uint32_t SharedAddress(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

// ---- Barriers and votes

CAUSEWAY_DEVICE void SyncThreads() { __syncthreads(); }
CAUSEWAY_DEVICE void SyncWarp() { __syncwarp(); }
CAUSEWAY_DEVICE void NamedBarrierSync(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
CAUSEWAY_DEVICE void NamedBarrierArrive(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
template <typename T>
CAUSEWAY_DEVICE T ShuffleXor(T value, int lane_mask) {
  return __shfl_xor_sync(0xffffffffu, value, lane_mask);
}
template <typename T>
CAUSEWAY_DEVICE T ShuffleIndex(T value, int lane) {
  return __shfl_sync(0xffffffffu, value, lane);
}
CAUSEWAY_DEVICE uint32_t Ballot(bool vote) { return __ballot_sync(0xffffffffu, vote); }
CAUSEWAY_DEVICE bool AnySync(bool vote) { return __any_sync(0xffffffffu, vote) != 0; }

// ---- Memory

template <typename T>
CAUSEWAY_DEVICE T LoadGlobal(const T* source) {
  return *source;
}
template <typename T>
CAUSEWAY_DEVICE void StoreGlobal(T* destination, T value) {
  *destination = value;
}
CAUSEWAY_DEVICE Words4 LoadGlobal16(const void* source) {
  const uint4 v = *static_cast<const uint4*>(source);
  return {{v.x, v.y, v.z, v.w}};
}
CAUSEWAY_DEVICE Words2 LoadGlobal8(const void* source) {
  const uint2 v = *static_cast<const uint2*>(source);
  return {{v.x, v.y}};
}
CAUSEWAY_DEVICE uint32_t LoadGlobal4(const void* source) {
  return *static_cast<const uint32_t*>(source);
}
CAUSEWAY_DEVICE void StoreGlobal16(void* destination, Words4 v) {
  *static_cast<uint4*>(destination) = make_uint4(v.word[0], v.word[1], v.word[2], v.word[3]);
}
CAUSEWAY_DEVICE void StoreGlobal8(void* destination, Words2 v) {
  *static_cast<uint2*>(destination) = make_uint2(v.word[0], v.word[1]);
}
CAUSEWAY_DEVICE void StoreGlobal4(void* destination, uint32_t v) {
  *static_cast<uint32_t*>(destination) = v;
}
CAUSEWAY_DEVICE int AtomicAddGlobal(int* destination, int value) {
  return atomicAdd(destination, value);
}

template <typename T>
CAUSEWAY_DEVICE T LoadShared(uint32_t address) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);
  union Bits {
    __device__ Bits() {}
    T value;
    uint16_t half;
    uint32_t word[sizeof(T) < 4 ? 1 : sizeof(T) / 4];
  } bits;
  if constexpr (sizeof(T) == 2) {
    asm volatile("ld.shared.u16 %0, [%1];" : "=h"(bits.half) : "r"(address) : "memory");
  } else if constexpr (sizeof(T) == 4) {
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(bits.word[0]) : "r"(address) : "memory");
  } else if constexpr (sizeof(T) == 8) {
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];"
                 : "=r"(bits.word[0]), "=r"(bits.word[1])
                 : "r"(address)
                 : "memory");
  } else {
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(bits.word[0]), "=r"(bits.word[1]), "=r"(bits.word[2]), "=r"(bits.word[3])
                 : "r"(address)
                 : "memory");
  }
  return bits.value;
}
template <typename T>
CAUSEWAY_DEVICE void StoreShared(uint32_t address, T value) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);
  union Bits {
    __device__ Bits() {}
    T value;
    uint16_t half;
    uint32_t word[sizeof(T) < 4 ? 1 : sizeof(T) / 4];
  } bits;
  bits.value = value;
  if constexpr (sizeof(T) == 2) {
    asm volatile("st.shared.u16 [%0], %1;" ::"r"(address), "h"(bits.half) : "memory");
  } else if constexpr (sizeof(T) == 4) {
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(address), "r"(bits.word[0]) : "memory");
  } else if constexpr (sizeof(T) == 8) {
    asm volatile("st.shared.v2.u32 [%0], {%1, %2};" ::"r"(address), "r"(bits.word[0]),
                 "r"(bits.word[1])
                 : "memory");
  } else {
    asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(bits.word[0]),
                 "r"(bits.word[1]), "r"(bits.word[2]), "r"(bits.word[3])
                 : "memory");
  }
}
CAUSEWAY_DEVICE int AtomicAddShared(uint32_t address, int value) {
  int before;
  asm volatile("atom.shared.add.s32 %0, [%1], %2;"
               : "=r"(before)
               : "r"(address), "r"(value)
               : "memory");
  return before;
}

// ---- Asynchronous copies by thread

CAUSEWAY_DEVICE void CopyAsync16(uint32_t shared_destination, const void* global_source,
                                 bool valid) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_destination),
               "l"(__cvta_generic_to_global(global_source)), "r"(valid ? 16 : 0)
               : "memory");
}
CAUSEWAY_DEVICE void CommitCopies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int kPending>
CAUSEWAY_DEVICE void WaitCopies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

// ---- Matrix fragments

CAUSEWAY_DEVICE void LoadMatrix4(uint32_t (&r)[4], uint32_t row_address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(row_address)
               : "memory");
}
CAUSEWAY_DEVICE void LoadMatrix2(uint32_t (&r)[2], uint32_t row_address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
               : "=r"(r[0]), "=r"(r[1])
               : "r"(row_address)
               : "memory");
}
CAUSEWAY_DEVICE void LoadMatrix1(uint32_t (&r)[1], uint32_t row_address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
               : "=r"(r[0])
               : "r"(row_address)
               : "memory");
}
CAUSEWAY_DEVICE void LoadMatrixTransposed4(uint32_t (&r)[4], uint32_t row_address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(row_address)
               : "memory");
}
CAUSEWAY_DEVICE void LoadMatrixTransposed2(uint32_t (&r)[2], uint32_t row_address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(r[0]), "=r"(r[1])
               : "r"(row_address)
               : "memory");
}
CAUSEWAY_DEVICE void LoadMatrixTransposed1(uint32_t (&r)[1], uint32_t row_address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
               : "=r"(r[0])
               : "r"(row_address)
               : "memory");
}

template <typename Element>
CAUSEWAY_DEVICE void Mma16816(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  static_assert(std::is_same_v<Element, Half> || std::is_same_v<Element, Bfloat16>);
  if constexpr (std::is_same_v<Element, Half>) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  } else {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
}
CAUSEWAY_DEVICE void Mma1688(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// ---- Conversions and approximations

CAUSEWAY_DEVICE uint32_t PackHalf2(float low, float high) {
  uint32_t bits;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(high), "f"(low));
  return bits;
}
CAUSEWAY_DEVICE uint32_t PackBfloat162(float low, float high) {
  uint32_t bits;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(high), "f"(low));
  return bits;
}
CAUSEWAY_DEVICE void UnpackHalf2(uint32_t bits, float& low, float& high) {
  const float2 v = __half22float2(*reinterpret_cast<const __half2*>(&bits));
  low = v.x;
  high = v.y;
}
CAUSEWAY_DEVICE void UnpackBfloat162(uint32_t bits, float& low, float& high) {
  low = __uint_as_float(bits << 16);
  high = __uint_as_float(bits & 0xffff0000u);
}
CAUSEWAY_DEVICE float RoundToTf32(float value) {
  uint32_t bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
  return __uint_as_float(bits);
}
CAUSEWAY_DEVICE uint32_t FloatBits(float value) { return __float_as_uint(value); }
CAUSEWAY_DEVICE float BitsFloat(uint32_t bits) { return __uint_as_float(bits); }

CAUSEWAY_DEVICE float ApproxExp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
CAUSEWAY_DEVICE float ApproxReciprocal(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
CAUSEWAY_DEVICE float ApproxRsqrt(float x) {
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
CAUSEWAY_DEVICE float ApproxTanh(float x) {
  float y;
  asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

}  // namespace causeway::kernels
