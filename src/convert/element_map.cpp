#include "convert/element_map.hpp"

#include <algorithm>
#include <vector>

namespace tutti {

namespace {

constexpr std::int64_t kLimit = std::int64_t{1} << 61;

tl::unexpected<Error> too_large() {
  return fail(ErrorKind::invalid_type, "datatype has 2^61 bytes or more in the file");
}

bool fits(std::int64_t unit, std::int64_t count) {
  std::int64_t product = 0;
  return !__builtin_mul_overflow(unit, count, &product) && product < kLimit;
}

}  // namespace

ElementMap ElementMap::run(ElementKind kind, std::int64_t count) {
  ElementMap map;
  if (count <= 0) return map;
  map.count_ = count;
  map.kind_ = kind;
  map.once_ = {1, kind.memory_bytes, kind.file_bytes};
  map.total_ = map.once_ * count;
  map.largest_ = kind.file_bytes;
  return map;
}

Result<ElementMap> ElementMap::repeat(std::int64_t count, const ElementMap& child) {
  if (count <= 0 || child.count_ == 0) return ElementMap();
  if (!fits(child.total_.memory_bytes, count) || !fits(child.total_.file_bytes, count))
    return too_large();
  // A sequence of one part, or a run, is repeated in place.
  ElementMap map = child;
  map.count_ = child.count_ * count;
  map.total_ = child.total_ * count;
  return map;
}

Result<ElementMap> ElementMap::sequence(std::span<const ElementMap> children) {
  std::vector<ElementMap> joined;
  for (const ElementMap& child : children) {
    if (child.count_ == 0) continue;
    const bool continues = !joined.empty() && !child.parts_ && !joined.back().parts_ &&
                           joined.back().kind_ == child.kind_;
    if (continues)
      joined.back() = run(child.kind_, joined.back().count_ + child.count_);
    else
      joined.push_back(child);
    if (joined.back().total_.file_bytes >= kLimit) return too_large();
  }
  if (joined.empty()) return ElementMap();
  if (joined.size() == 1) return joined.front();
  ElementMap map;
  map.count_ = 1;
  map.part_count_ = static_cast<std::int64_t>(joined.size());
  const std::shared_ptr<Part[]> parts = std::make_shared<Part[]>(joined.size());
  for (std::size_t i = 0; i < joined.size(); ++i) {
    map.largest_ = std::max(map.largest_, joined[i].largest_);
    parts[i] = {map.once_, std::move(joined[i])};
    map.once_ = map.once_ + parts[i].map.total_;
    if (map.once_.file_bytes >= kLimit || map.once_.memory_bytes >= kLimit) return too_large();
  }
  map.parts_ = parts;
  map.total_ = map.once_;
  return map;
}

ElementSpan ElementMap::boundary_before(std::int64_t file_bytes) const {
  if (count_ == 0) return {};
  const std::int64_t whole = std::min(count_, file_bytes / once_.file_bytes);
  const ElementSpan passed = once_ * whole;
  if (!parts_ || whole == count_) return passed;
  const std::int64_t rest = file_bytes - passed.file_bytes;
  const Part* const end = parts_.get() + part_count_;
  const Part* const after = std::upper_bound(
      parts_.get(), end, rest,
      [](std::int64_t bytes, const Part& part) { return bytes < part.before.file_bytes; });
  const Part& part = *(after - 1);
  return passed + part.before + part.map.boundary_before(rest - part.before.file_bytes);
}

Status ElementMap::for_each_run(std::int64_t begin, std::int64_t end, const Visit& visit) const {
  if (begin >= end) return {};
  if (!parts_) return visit(kind_, end - begin);
  const Part* const last = parts_.get() + part_count_;
  std::int64_t copy = begin / once_.elements * once_.elements;
  for (; copy < end; copy += once_.elements) {
    const std::int64_t from = std::max<std::int64_t>(begin - copy, 0);
    const std::int64_t to = std::min(end - copy, once_.elements);
    const Part* part =
        std::upper_bound(parts_.get(), last, from, [](std::int64_t element, const Part& candidate) {
          return element < candidate.before.elements;
        });
    for (--part; part != last && part->before.elements < to; ++part) {
      const std::int64_t at = part->before.elements;
      if (auto visited =
              part->map.for_each_run(std::max<std::int64_t>(from - at, 0),
                                     std::min(to - at, part->map.total_.elements), visit);
          !visited)
        return visited;
    }
  }
  return {};
}

}  // namespace tutti
