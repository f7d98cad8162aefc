#include "request/file_view.hpp"

namespace tutti {

FileView make_view(std::int64_t displacement, std::int64_t etype_bytes, const Pattern& tile,
                   std::int64_t tile_extent) {
  return FileView{displacement, etype_bytes, tile, tile_extent,
                  Pattern::tiled(tile, tile_extent).shifted(displacement)};
}

}  // namespace tutti
