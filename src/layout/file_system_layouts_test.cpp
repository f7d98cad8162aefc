// Layouts that come in a few words: BeeGFS and CephFS.
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>

#include "layout/beegfs_layout.hpp"
#include "layout/ceph_layout.hpp"
#include "layout/layout_blobs.hpp"
#include "support/seed.hpp"

namespace tutti {
namespace {

using testing_blobs::Blob;
using testing_blobs::mutated;
using testing_blobs::sound;

Blob beegfs(std::uint32_t pattern, std::uint32_t chunk, std::uint16_t targets) {
  Blob blob;
  append_number(blob, pattern);
  append_number(blob, chunk);
  append_number(blob, targets);
  append_number(blob, std::uint16_t{0xabcd});
  return blob;
}

TEST(BeegfsLayout, RoundRobinOverTargets) {
  for (const std::uint32_t pattern : {1U, 3U}) {
    const auto found = decode_beegfs(beegfs(pattern, 524'288, 6));
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->layout, (StripeLayout{524'288, 6, 0}));
    EXPECT_EQ(found->striping, (Striping{524'288, 6, 0}));
  }
}

TEST(BeegfsLayout, RefusesWhatIsNone) {
  EXPECT_EQ(decode_beegfs(beegfs(1, 0, 6)).error().kind, ErrorKind::invalid_argument);
  EXPECT_EQ(decode_beegfs(beegfs(1, 65536, 0)).error().kind, ErrorKind::invalid_argument);
  EXPECT_EQ(decode_beegfs(beegfs(2, 65536, 6)).error().kind, ErrorKind::unsupported_operation);
  EXPECT_EQ(decode_beegfs(beegfs(0, 65536, 6)).error().kind, ErrorKind::unsupported_operation);
  const Blob whole = beegfs(1, 65536, 6);
  for (std::size_t bytes = 0; bytes < 10; ++bytes)
    EXPECT_FALSE(decode_beegfs(std::span(whole).first(bytes)).has_value());
  std::mt19937_64 random(test::test_seed("BeegfsLayout", 3));
  for (int i = 0; i < 20'000; ++i) {
    const auto found = decode_beegfs(mutated(whole, random));
    if (found) {
      ASSERT_TRUE(sound(found->layout, random)) << i;
    }
  }
}

TEST(CephLayout, TextOfTheAttribute) {
  EXPECT_EQ(*decode_ceph("stripe_unit=65536 stripe_count=4 object_size=4194304 pool=data"),
            (CephStriping{65536, 4, 4194304}));
  EXPECT_EQ(*decode_ceph("stripe_unit=1 stripe_count=1 object_size=1 pool=a pool_namespace=b"),
            (CephStriping{1, 1, 1}));
  const FoundLayout found = ceph_layout({65536, 4, 4194304});
  EXPECT_EQ(found.striping, (Striping{65536, 4, 0}));
  EXPECT_EQ(found.layout.unit_bytes, 65536);
  EXPECT_FALSE(found.layout.complete()) << "nobody said which server has which object";
  EXPECT_FALSE(found.layout.covers({0, 1}));
}

TEST(CephLayout, OtherTextsAreRefused) {
  for (const std::string text :
       {"", "pool=data", "stripe_unit=65536 stripe_count=4",
        "stripe_unit=0 stripe_count=4 object_size=8", "stripe_unit=8 stripe_count=0 object_size=8",
        "stripe_unit=8 stripe_count=1 object_size=0", "stripe_unit=8 stripe_count=1 object_size=12",
        "stripe_unit=16 stripe_count=1 object_size=8",
        "stripe_unit=-8 stripe_count=1 object_size=8",
        "stripe_unit=8x stripe_count=1 object_size=8", "stripe_unit= stripe_count=1 object_size=8",
        "stripe_unit=8,stripe_count=1,object_size=8",
        "stripe_unit=99999999999999999999 stripe_count=1 object_size=8", "hello"}) {
    EXPECT_FALSE(decode_ceph(text).has_value()) << text;
  }
  const std::string good = "stripe_unit=65536 stripe_count=4 object_size=4194304 pool=data";
  const Blob blob(reinterpret_cast<const std::byte*>(good.data()),
                  reinterpret_cast<const std::byte*>(good.data() + good.size()));
  std::mt19937_64 random(test::test_seed("CephLayout texts", 4));
  for (int i = 0; i < 20'000; ++i) {
    const Blob spoilt = mutated(blob, random);
    const auto found = decode_ceph({reinterpret_cast<const char*>(spoilt.data()), spoilt.size()});
    if (found) {
      ASSERT_TRUE(check_ceph(*found).has_value()) << i;
    }
  }
}

// Where the byte at `offset` is, as Ceph's own documentation of file striping counts it.
std::int64_t object_of(const CephStriping& striping, std::int64_t offset) {
  const std::int64_t block = offset / striping.unit_bytes;
  const std::int64_t row = block / striping.columns;
  const std::int64_t set = row / (striping.object_bytes / striping.unit_bytes);
  return set * striping.columns + block % striping.columns;
}

TEST(CephLayout, EveryByteIsOnTheNodeOfItsObject) {
  std::mt19937_64 random(test::test_seed("CephLayout nodes", 9));
  for (int i = 0; i < 300; ++i) {
    SCOPED_TRACE(i);
    const std::int64_t unit = 1 + static_cast<std::int64_t>(random() % 5);
    const CephStriping striping{unit, 1 + static_cast<std::int64_t>(random() % 4),
                                unit * (1 + static_cast<std::int64_t>(random() % 4))};
    const auto node_of_object = [](std::int64_t object) {
      return static_cast<std::int32_t>((object * 2654435761) % 7);
    };
    const auto node_at = [&](std::int64_t offset) {
      return node_of_object(object_of(striping, offset));
    };
    const Extent range{static_cast<std::int64_t>(random() % 300),
                       1 + static_cast<std::int64_t>(random() % 300)};
    const StripeLayout layout = ceph_layout_for(striping, range, node_at);
    ASSERT_TRUE(layout.covers(range));
    for (std::int64_t at = range.offset; at < range.end(); ++at)
      ASSERT_EQ(layout.node_of(at), node_at(at)) << at;
  }
}

TEST(CephLayout, UnknownNodesAndEndlessRangesCoverNothing) {
  const CephStriping striping{65536, 2, 4 << 20};
  const auto zero = [](std::int64_t) { return 0; };
  EXPECT_FALSE(ceph_layout_for(striping, {0, 100}, [](std::int64_t) { return -1; }).covers({0, 1}));
  EXPECT_FALSE(ceph_layout_for(striping, {0, std::numeric_limits<std::int64_t>::max()}, zero)
                   .covers({0, 1}));
  EXPECT_FALSE(ceph_layout_for(striping, {0, 0}, zero).covers({0, 1}));
  const std::int64_t last = std::numeric_limits<std::int64_t>::max() - 10;
  EXPECT_TRUE(ceph_layout_for(striping, {last, 10}, zero).covers({last, 10}));
}

}  // namespace
}  // namespace tutti
