#include "plan/node_bytes.hpp"

#include <numeric>

#include "pattern/regions.hpp"
#include "plan/plan.hpp"

namespace tutti {

namespace {

// More stretches than this are counted as one without a period.
constexpr std::size_t kRegions = 4096;

class NodeCounter {
 public:
  NodeCounter(const FileRange& range, const StripeLayout& layout)
      : range_(range), layout_(layout), bytes_(static_cast<std::size_t>(layout.io_nodes), 0) {}

  void add(const Region& region) {
    const std::int64_t length = region.end - region.begin;
    const std::int64_t common = layout_.round_robin() ? common_period(region.period, length) : 0;
    if (common == 0) return add_stripes({region.begin, length}, 1);
    const std::int64_t periods = length / common;
    add_stripes({region.begin, common}, periods);
    const std::int64_t rest = region.begin + periods * common;
    add_stripes({rest, region.end - rest}, 1);
  }

  std::vector<std::int64_t> result() && {
    const std::int64_t placed = std::accumulate(bytes_.begin(), bytes_.end(), std::int64_t{0});
    bytes_[0] += range_.bytes - placed;
    return std::move(bytes_);
  }

 private:
  // After which stream and stripes repeat together, where that happens at least twice in `length`;
  // otherwise 0.
  std::int64_t common_period(std::int64_t period, std::int64_t length) const {
    const std::int64_t row = layout_.period_bytes();
    if (period == 0 || row == 0) return 0;
    const std::int64_t factor = row / std::gcd(period, row);
    return period > length / 2 / factor ? 0 : period * factor;
  }

  void add_stripes(Extent part, std::int64_t times) {
    for_each_node_run(layout_, part, [&](Extent run, std::int32_t node) {
      bytes_[static_cast<std::size_t>(node)] += times * stream_in(range_, run).bytes();
    });
  }

  const FileRange& range_;
  const StripeLayout& layout_;
  std::vector<std::int64_t> bytes_;
};

}  // namespace

std::vector<std::int64_t> bytes_on_nodes(const FileRange& range, const StripeLayout& layout) {
  if (range.bytes <= 0 || !layout.striped() || !range.stream.is_monotone()) return {};
  const std::int64_t lower = range.stream.offset_of(range.first);
  const std::int64_t upper = range.stream.offset_of(range.first + range.bytes - 1) + 1;
  std::vector<Region> regions;
  append_regions(range.stream, {lower, upper - lower}, kRegions, regions);
  NodeCounter counter(range, layout);
  for (const Region& region : regions) counter.add(region);
  return std::move(counter).result();
}

}  // namespace tutti
