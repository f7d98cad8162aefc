// A bitmap of a short range of the file.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/extent.hpp"

namespace tutti {

class FileMarks {
 public:
  // All bytes of `range` unmarked.
  void reset(Extent range) {
    range_ = range;
    words_.assign(static_cast<std::size_t>((range.bytes + 63) / 64), 0);
  }

  // REQUIRES: inside the range.
  void mark(std::int64_t offset, std::int64_t bytes) {
    const std::int64_t begin = offset - range_.offset;
    const std::int64_t last = begin + bytes - 1;
    const auto first_word = static_cast<std::size_t>(begin / 64);
    const auto last_word = static_cast<std::size_t>(last / 64);
    const std::uint64_t head = ~std::uint64_t{0} << (begin % 64);
    const std::uint64_t tail = ~std::uint64_t{0} >> (63 - last % 64);
    if (first_word == last_word) {
      words_[first_word] |= head & tail;
      return;
    }
    words_[first_word] |= head;
    std::fill(words_.begin() + static_cast<std::ptrdiff_t>(first_word) + 1,
              words_.begin() + static_cast<std::ptrdiff_t>(last_word), ~std::uint64_t{0});
    words_[last_word] |= tail;
  }

  bool all_marked() const {
    if (words_.empty()) return true;
    const std::uint64_t tail = ~std::uint64_t{0} >> (63 - (range_.bytes - 1) % 64);
    return words_.back() == tail &&
           std::all_of(words_.begin(), words_.end() - 1,
                       [](std::uint64_t word) { return word == ~std::uint64_t{0}; });
  }

 private:
  Extent range_;
  std::vector<std::uint64_t> words_;
};

}  // namespace tutti
