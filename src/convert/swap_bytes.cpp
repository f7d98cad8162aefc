#include "convert/swap_bytes.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tutti {

namespace {

std::uint16_t swapped(std::uint16_t value) { return __builtin_bswap16(value); }
std::uint32_t swapped(std::uint32_t value) { return __builtin_bswap32(value); }
std::uint64_t swapped(std::uint64_t value) { return __builtin_bswap64(value); }

template <class Word>
void swap_words(std::int64_t bytes, const std::byte* from, std::byte* to) {
  for (std::int64_t at = 0; at < bytes; at += static_cast<std::int64_t>(sizeof(Word))) {
    Word word;
    std::memcpy(&word, from + at, sizeof word);
    word = swapped(word);
    std::memcpy(to + at, &word, sizeof word);
  }
}

void swap_pairs_of_words(std::int64_t bytes, const std::byte* from, std::byte* to) {
  for (std::int64_t at = 0; at < bytes; at += 16) {
    std::array<std::uint64_t, 2> words;
    std::memcpy(words.data(), from + at, 16);
    words = {swapped(words[1]), swapped(words[0])};
    std::memcpy(to + at, words.data(), 16);
  }
}

void swap_portable(std::int64_t width, std::int64_t bytes, const std::byte* from, std::byte* to) {
  switch (width) {
    case 2:
      return swap_words<std::uint16_t>(bytes, from, to);
    case 4:
      return swap_words<std::uint32_t>(bytes, from, to);
    case 8:
      return swap_words<std::uint64_t>(bytes, from, to);
    case 16:
      return swap_pairs_of_words(bytes, from, to);
    default:
      if (from != to) std::memcpy(to, from, static_cast<std::size_t>(bytes));
  }
}

#if defined(__x86_64__)

// Where each of 16 bytes comes from; every width divides 16.
std::array<std::int8_t, 16> shuffle_of(std::int64_t width) {
  std::array<std::int8_t, 16> order{};
  for (std::int64_t i = 0; i < 16; ++i)
    order[static_cast<std::size_t>(i)] =
        static_cast<std::int8_t>(i / width * width + width - 1 - i % width);
  return order;
}

// Both return how many bytes they have done: the rest is less than a register.
__attribute__((target("ssse3"))) std::int64_t swap_ssse3(std::int64_t width, std::int64_t bytes,
                                                         const std::byte* from, std::byte* to) {
  const auto order = shuffle_of(width);
  const __m128i shuffle = _mm_loadu_si128(reinterpret_cast<const __m128i*>(order.data()));
  std::int64_t at = 0;
  for (; at + 16 <= bytes; at += 16) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + at), _mm_shuffle_epi8(block, shuffle));
  }
  return at;
}

__attribute__((target("avx2"))) std::int64_t swap_avx2(std::int64_t width, std::int64_t bytes,
                                                       const std::byte* from, std::byte* to) {
  const auto order = shuffle_of(width);
  const __m256i shuffle =
      _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(order.data())));
  std::int64_t at = 0;
  for (; at + 64 <= bytes; at += 64) {
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + at));
    const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + at + 32));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + at), _mm256_shuffle_epi8(low, shuffle));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + at + 32),
                        _mm256_shuffle_epi8(high, shuffle));
  }
  return at;
}

#endif

}  // namespace

SwapLevel best_swap_level() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) return SwapLevel::avx2;
  if (__builtin_cpu_supports("ssse3")) return SwapLevel::ssse3;
#endif
  return SwapLevel::portable;
}

void swap_bytes(SwapLevel level, std::int64_t width, std::int64_t count, const std::byte* from,
                std::byte* to) {
  const std::int64_t bytes = width * count;
  std::int64_t done = 0;
#if defined(__x86_64__)
  if (level == SwapLevel::avx2) done = swap_avx2(width, bytes, from, to);
  if (level == SwapLevel::ssse3) done = swap_ssse3(width, bytes, from, to);
#else
  static_cast<void>(level);
#endif
  if (done < bytes) swap_portable(width, bytes - done, from + done, to + done);
}

void swap_bytes(std::int64_t width, std::int64_t count, const std::byte* from, std::byte* to) {
  static const SwapLevel best = best_swap_level();
  // Too short to fill a register, as the members of a structure are.
  constexpr std::int64_t kShort = 16;
  swap_bytes(width * count < kShort ? SwapLevel::portable : best, width, count, from, to);
}

}  // namespace tutti
