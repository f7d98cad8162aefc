// What an MPI file view means, without MPI: which file bytes a rank's stream consists of.
#pragma once

#include <cstdint>

#include "pattern/pattern.hpp"

namespace tutti {

struct FileView {
  std::int64_t displacement = 0;
  std::int64_t etype_bytes = 1;
  Pattern tile = Pattern::run(1);  // one filetype, relative to its own origin
  std::int64_t tile_extent = 1;
  Pattern stream = Pattern::tiled(Pattern::run(1), 1);  // all tiles, at absolute file offsets
};

// REQUIRES: displacement >= 0, etype_bytes >= 1.
FileView make_view(std::int64_t displacement, std::int64_t etype_bytes, const Pattern& tile,
                   std::int64_t tile_extent);

}  // namespace tutti
