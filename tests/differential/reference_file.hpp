// What MPI says a file is: bytes, seen through a view, moved one after the other. Slow and obvious
// on purpose; shares nothing with src/.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <vector>

namespace tutti::test {

struct ReferenceView {
  std::int64_t displacement = 0;
  std::int64_t etype_bytes = 1;
  std::vector<std::int64_t> tile{0};  // offsets of one filetype's bytes in typemap order
  std::int64_t extent = 1;

  std::int64_t offset_of(std::int64_t stream_byte) const {
    const auto bytes = static_cast<std::int64_t>(tile.size());
    return displacement + stream_byte / bytes * extent +
           tile[static_cast<std::size_t>(stream_byte % bytes)];
  }
};

struct ReferenceFile {
  std::vector<unsigned char> content;

  void store(std::int64_t offset, unsigned char value) {
    if (static_cast<std::int64_t>(content.size()) <= offset)
      content.resize(static_cast<std::size_t>(offset) + 1, 0);
    content[static_cast<std::size_t>(offset)] = value;
  }

  // `places` are addresses of single bytes of memory, in stream order.
  std::int64_t write(const ReferenceView& view, std::int64_t first,
                     const std::vector<unsigned char*>& places) {
    std::int64_t moved = 0;
    for (const unsigned char* place : places) store(view.offset_of(first + moved++), *place);
    return moved;
  }

  // Ends before the first byte that the file does not have.
  std::int64_t read(const ReferenceView& view, std::int64_t first,
                    const std::vector<unsigned char*>& places) const {
    std::int64_t moved = 0;
    if (view.tile.empty()) return 0;
    for (unsigned char* place : places) {
      const std::int64_t offset = view.offset_of(first + moved);
      if (offset >= static_cast<std::int64_t>(content.size())) break;
      *place = content[static_cast<std::size_t>(offset)];
      ++moved;
    }
    return moved;
  }
};

}  // namespace tutti::test
