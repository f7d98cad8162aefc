#include "pattern/stream_copy.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "pattern/copy.hpp"

namespace tutti {
namespace {

std::vector<std::byte> numbered(std::int64_t bytes) {
  std::vector<std::byte> memory(static_cast<std::size_t>(bytes));
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i * 31 + 7);
  return memory;
}

RC_GTEST_PROP(StreamCopy, IsACopyAtAnyAlignment, ()) {
  const auto bytes = *rc::gen::inRange<std::int64_t>(0, 2000);
  const auto from_at = *rc::gen::inRange<std::int64_t>(0, 130);
  const auto to_at = *rc::gen::inRange<std::int64_t>(0, 130);
  const auto from = numbered(from_at + bytes);
  std::vector<std::byte> to(static_cast<std::size_t>(to_at + bytes + 70), std::byte{0xee});
  auto expected = to;
  std::copy(from.begin() + from_at, from.end(), expected.begin() + to_at);
  copy_streaming(to.data() + to_at, from.data() + from_at, bytes);
  RC_ASSERT(to == expected);
}

// Runs with gaps, a range of their bytes, and where it begins in a buffer.
struct Copied {
  Pattern pattern;
  std::int64_t extent = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t shift = 0;
};

Copied some_runs() {
  const auto run = *rc::gen::element<std::int64_t>(1, 4, 16, 100, 1000, 1024, 1500, 5000);
  const auto gap = *rc::gen::inRange<std::int64_t>(0, 300);
  const auto count = *rc::gen::inRange<std::int64_t>(1, 40);
  Copied copied{.pattern = Pattern::repeat(count, run + gap, Pattern::run(run)),
                .extent = count * (run + gap)};
  copied.begin = *rc::gen::inRange<std::int64_t>(0, copied.pattern.size());
  copied.end = *rc::gen::inRange<std::int64_t>(copied.begin, copied.pattern.size() + 1);
  copied.shift = *rc::gen::inRange<std::int64_t>(0, 64);
  return copied;
}

RC_GTEST_PROP(StreamCopy, PacksAsPackDoes, ()) {
  const auto [pattern, extent, begin, end, shift] = some_runs();
  const auto window = numbered(extent);
  std::vector<std::byte> packed(static_cast<std::size_t>(end - begin + shift + 1), std::byte{9});
  auto expected = packed;
  pack(pattern, window.data(), begin, end, expected.data() + shift);
  pack_streaming(pattern, window.data(), begin, end, packed.data() + shift);
  RC_ASSERT(packed == expected);
}

RC_GTEST_PROP(StreamCopy, UnpacksAsUnpackDoes, ()) {
  const auto [pattern, extent, begin, end, shift] = some_runs();
  const auto packed = numbered(end - begin + shift);
  std::vector<std::byte> window(static_cast<std::size_t>(extent), std::byte{9});
  auto expected = window;
  unpack(pattern, expected.data(), begin, end, packed.data() + shift);
  unpack_streaming(pattern, window.data(), begin, end, packed.data() + shift);
  RC_ASSERT(window == expected);
}

}  // namespace
}  // namespace tutti
