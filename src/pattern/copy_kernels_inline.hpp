// Loops that every instruction level shares; they are inlined into functions compiled for a level,
// which is why nothing here may be an ordinary function.
#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "pattern/copy_kernels.hpp"

#define TUTTI_INLINE [[gnu::always_inline]] inline

namespace tutti::pattern_detail {

template <class T>
TUTTI_INLINE T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
TUTTI_INLINE void store(std::byte* to, const T& value) {
  std::memcpy(to, &value, sizeof value);
}

// Integer arithmetic, since a base may be null or far outside its object: offsets can be absolute.
template <class Byte>
TUTTI_INLINE Byte* address(Byte* base, std::int64_t offset) {
  return reinterpret_cast<Byte*>(reinterpret_cast<std::uintptr_t>(base) +
                                 static_cast<std::uintptr_t>(offset));
}

// Moves a run of exactly kBytes bytes.
template <std::size_t kBytes>
struct FixedMove {
  TUTTI_INLINE void operator()(std::byte* to, const std::byte* from) const {
    std::memcpy(to, from, kBytes);
  }
};

template <std::size_t kBytes>
struct VectorOf {
  typedef std::uint8_t Type __attribute__((vector_size(kBytes)));
};

// Moves a run of kHalf to 2 · kHalf bytes as two halves that may overlap.
template <std::size_t kHalf>
struct HalvesMove {
  std::int64_t second = 0;  // where the second half starts
  TUTTI_INLINE void operator()(std::byte* to, const std::byte* from) const {
    typename VectorOf<kHalf>::Type head;
    typename VectorOf<kHalf>::Type tail;
    std::memcpy(&head, from, kHalf);
    std::memcpy(&tail, from + second, kHalf);
    std::memcpy(to, &head, kHalf);
    std::memcpy(to + second, &tail, kHalf);
  }
};

struct LongMove {
  std::size_t bytes = 0;
  TUTTI_INLINE void operator()(std::byte* to, const std::byte* from) const {
    std::memcpy(to, from, bytes);
  }
};

// Calls use(move) with the fastest way to move runs of `bytes` bytes.
template <class Use>
TUTTI_INLINE void with_move(std::int64_t bytes, const Use& use) {
  switch (bytes) {
    case 1:
      return use(FixedMove<1>{});
    case 2:
      return use(FixedMove<2>{});
    case 4:
      return use(FixedMove<4>{});
    case 8:
      return use(FixedMove<8>{});
    case 16:
      return use(FixedMove<16>{});
    case 32:
      return use(FixedMove<32>{});
    case 64:
      return use(FixedMove<64>{});
    default:
      break;
  }
  if (bytes < 4) return use(HalvesMove<2>{bytes - 2});
  if (bytes < 8) return use(HalvesMove<4>{bytes - 4});
  if (bytes < 16) return use(HalvesMove<8>{bytes - 8});
  if (bytes < 32) return use(HalvesMove<16>{bytes - 16});
  if (bytes < 64) return use(HalvesMove<32>{bytes - 32});
  if (bytes <= 128) return use(HalvesMove<64>{bytes - 64});
  use(LongMove{static_cast<std::size_t>(bytes)});
}

template <bool kGather>
using MemoryByte = std::conditional_t<kGather, const std::byte, std::byte>;
template <bool kGather>
using PackedByte = std::conditional_t<kGather, std::byte, const std::byte>;

// One run at a time, any strides.
template <bool kGather>
TUTTI_INLINE void copy_runs(const Plane& plane, MemoryByte<kGather>* memory,
                            PackedByte<kGather>* packed) {
  const auto copy_with = [&](const auto& move) __attribute__((always_inline)) {
    const std::int64_t bytes = plane.bytes;
    const std::int64_t stride = plane.stride;
    const auto one = [&move](MemoryByte<kGather> * at, PackedByte<kGather> * stream)
        __attribute__((always_inline)) {
      if constexpr (kGather)
        move(stream, at);
      else
        move(at, stream);
    };
    for (std::int64_t i = 0; i < plane.rows; ++i) {
      auto* at = memory + i * plane.row_stride;
      std::int64_t left = plane.count;
      for (; left >= 4; left -= 4, at += 4 * stride, packed += 4 * bytes) {
        one(at, packed);
        one(at + stride, packed + bytes);
        one(at + 2 * stride, packed + 2 * bytes);
        one(at + 3 * stride, packed + 3 * bytes);
      }
      for (; left > 0; --left, at += stride, packed += bytes) one(at, packed);
    }
  };
  with_move(plane.bytes, copy_with);
}

using Words4 = std::uint32_t __attribute__((vector_size(16)));
using Words8 = std::uint64_t __attribute__((vector_size(16)));

TUTTI_INLINE Words4 load_words(const std::byte* at, std::int64_t stride, Words4) {
  using W = std::uint32_t;
  return Words4{load<W>(at), load<W>(at + stride), load<W>(at + 2 * stride),
                load<W>(at + 3 * stride)};
}
TUTTI_INLINE Words8 load_words(const std::byte* at, std::int64_t stride, Words8) {
  using W = std::uint64_t;
  return Words8{load<W>(at), load<W>(at + stride)};
}

// Collects words in registers, so that there is one store for 16 bytes. Any strides.
template <class Words>
TUTTI_INLINE void gather_words(const Plane& plane, const std::byte* memory, std::byte* packed) {
  constexpr std::int64_t kWordBytes = sizeof(Words{}[0]);
  constexpr std::int64_t kWords = 16 / kWordBytes;
  const std::int64_t stride = plane.stride;
  for (std::int64_t i = 0; i < plane.rows; ++i) {
    const std::byte* at = memory + i * plane.row_stride;
    std::int64_t left = plane.count;
    for (; left >= kWords; left -= kWords, at += kWords * stride, packed += 16)
      store(packed, load_words(at, stride, Words{}));
    for (; left > 0; --left, at += stride, packed += kWordBytes)
      std::memcpy(packed, at, kWordBytes);
  }
}

TUTTI_INLINE void gather_any(const Plane& plane, const std::byte* memory, std::byte* packed) {
  if (plane.bytes == 4) return gather_words<Words4>(plane, memory, packed);
  if (plane.bytes == 8) return gather_words<Words8>(plane, memory, packed);
  copy_runs<true>(plane, memory, packed);
}

// Runs from `first` on as long as they have the size of the first. Returns how many. The list is a
// copy because stores of bytes could change the caller's.
template <bool kGather, class Move>
TUTTI_INLINE std::int64_t copy_equal_runs(RunList list, std::int64_t first,
                                          MemoryByte<kGather>* memory, PackedByte<kGather>* packed,
                                          const Move& move) {
  constexpr std::int64_t kAhead = 32;  // enough misses in flight for DRAM
  const std::int64_t bytes = list.starts[first + 1] - list.starts[first];
  const std::int64_t last = list.count - 1;
  std::int64_t end = list.starts[first + 1];
  std::int64_t i = first;
  for (; i <= last && list.starts[i + 1] == end; ++i, end += bytes, packed += bytes) {
    __builtin_prefetch(address(memory, list.places[std::min(i + kAhead, last)]), kGather ? 0 : 1);
    auto* const at = address(memory, list.places[i]);
    if constexpr (kGather)
      move(packed, at);
    else
      move(at, packed);
  }
  return i - first;
}

template <bool kGather>
TUTTI_INLINE std::int64_t copy_equal_runs(const RunList& list, std::int64_t first,
                                          MemoryByte<kGather>* memory,
                                          PackedByte<kGather>* packed) {
  std::int64_t copied = 0;
  const auto copy_with = [&](const auto& move) __attribute__((always_inline)) {
    copied = copy_equal_runs<kGather>(list, first, memory, packed, move);
  };
  with_move(list.starts[first + 1] - list.starts[first], copy_with);
  return copied;
}

template <bool kGather>
TUTTI_INLINE void copy_list(const RunList& list, MemoryByte<kGather>* memory,
                            PackedByte<kGather>* packed) {
  for (std::int64_t i = 0; i < list.count;)
    i += copy_equal_runs<kGather>(list, i, memory, packed + list.starts[i] - list.starts[0]);
}

}  // namespace tutti::pattern_detail
