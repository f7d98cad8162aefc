#include "layout/lustre_layout.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "layout/byte_reader.hpp"
#include "layout/layout_blobs.hpp"
#include "support/seed.hpp"

namespace tutti {
namespace {

using testing_blobs::Blob;
using testing_blobs::lustre_composite;
using testing_blobs::lustre_plain;
using testing_blobs::LustreStripes;
using testing_blobs::mutated;
using testing_blobs::sound;

constexpr std::uint64_t kEof = std::numeric_limits<std::uint64_t>::max();
constexpr std::int64_t kMega = 1 << 20;

TEST(LustreLayout, VersionsOneAndThree) {
  for (const std::uint32_t magic : {0x0BD10BD0U, 0x0BD30BD0U, 0x0BD50BD0U}) {
    const auto found = decode_lustre(lustre_plain({magic, 1, kMega, {7, 2, 40}}));
    ASSERT_TRUE(found.has_value()) << found.error().message;
    EXPECT_EQ(found->layout, (StripeLayout{kMega, 3, 0}));
    EXPECT_TRUE(found->layout.round_robin());
    EXPECT_EQ(found->striping, (Striping{kMega, 3, 7}));
  }
}

TEST(LustreLayout, OverstripingRepeatsNodes) {
  const auto found = decode_lustre(lustre_plain({0x0BD30BD0, 0x201, 65536, {5, 9, 5, 9, 3}}));
  ASSERT_TRUE(found.has_value());
  EXPECT_FALSE(found->layout.round_robin());
  EXPECT_TRUE(found->layout.complete());
  EXPECT_EQ(found->layout.io_nodes, 3);
  EXPECT_EQ(found->striping, (Striping{65536, 5, 5}));
  const std::int32_t expected[] = {0, 1, 0, 1, 2};
  for (int stripe = 0; stripe < 23; ++stripe)
    EXPECT_EQ(found->layout.node_of(stripe * 65536LL + 77), expected[stripe % 5]);
  EXPECT_EQ(found->layout.period_bytes(), 5 * 65536);
}

TEST(LustreLayout, FilesWithoutObjectsHaveNoLayout) {
  const auto found = decode_lustre(lustre_plain({0x0BD10BD0, 1, kMega, {}}));
  ASSERT_TRUE(found.has_value());
  EXPECT_FALSE(found->layout.striped());
}

TEST(LustreLayout, ProgressiveLayouts) {
  const LustreStripes one{0x0BD10BD0, 1, kMega, {4}};
  const LustreStripes four{0x0BD10BD0, 1, kMega, {6, 4, 8, 2}};
  const LustreStripes rest{0x0BD30BD0, 1, 4 * kMega, {2, 3}};
  const auto found =
      decode_lustre(lustre_composite({{.end = kMega, .stripes = one},
                                      {.start = kMega, .end = 64 * kMega, .stripes = four},
                                      {.start = 64 * kMega, .end = kEof, .stripes = rest}}));
  ASSERT_TRUE(found.has_value()) << found.error().message;
  const StripeLayout& layout = found->layout;
  EXPECT_TRUE(layout.complete());
  EXPECT_EQ(layout.unit_bytes, kMega);
  EXPECT_EQ(layout.io_nodes, 5);
  EXPECT_EQ(layout.node_of(0), 0);
  // Stripes are counted from the start of the file, not of the component.
  EXPECT_EQ(layout.node_of(kMega), 0) << "OST 4, the second of 6 4 8 2";
  EXPECT_EQ(layout.node_of(2 * kMega), 2) << "OST 8";
  EXPECT_EQ(layout.node_of(3 * kMega), 3) << "OST 2";
  EXPECT_EQ(layout.node_of(4 * kMega), 1) << "OST 6";
  EXPECT_EQ(layout.node_of(64 * kMega), 3) << "OST 2";
  EXPECT_EQ(layout.node_of(68 * kMega), 4) << "OST 3";
  EXPECT_EQ(found->striping, (Striping{4 * kMega, 2, 2}));
  EXPECT_EQ(layout.period_bytes(), 0);
}

TEST(LustreLayout, ComponentsNotUsedYetAreNotCovered) {
  const LustreStripes one{0x0BD10BD0, 1, kMega, {4, 5}};
  const LustreStripes none{0x0BD10BD0, 1, kMega, {}};
  const auto found =
      decode_lustre(lustre_composite({{.end = kMega, .stripes = one},
                                      {.start = kMega, .end = kEof, .flags = 0, .stripes = none}}));
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(found->layout.covers({0, kMega}));
  EXPECT_FALSE(found->layout.covers({0, kMega + 1}));
  EXPECT_FALSE(found->layout.complete());
}

TEST(LustreLayout, OneComponentForAllIsRoundRobin) {
  const auto found = decode_lustre(
      lustre_composite({{.end = kEof, .stripes = {0x0BD10BD0, 1, kMega, {4, 5, 6}}}}));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->layout, (StripeLayout{kMega, 3, 0}));
}

TEST(LustreLayout, DataOnTheMetadataServerIsANodeOfItsOwn) {
  const auto found = decode_lustre(
      lustre_composite({{.end = kMega, .stripes = {0x0BD10BD0, 0x100, kMega, {}}},
                        {.start = kMega, .end = kEof, .stripes = {0x0BD10BD0, 1, kMega, {0, 1}}}}));
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(found->layout.complete());
  EXPECT_EQ(found->layout.io_nodes, 3);
  EXPECT_EQ(found->layout.node_of(5), 0);
  EXPECT_EQ(found->layout.node_of(kMega), 2);
  EXPECT_EQ(found->layout.node_of(2 * kMega), 1);
}

TEST(LustreLayout, TheFirstMirrorThatIsUpToDateCounts) {
  const LustreStripes first{0x0BD10BD0, 1, kMega, {1, 2}};
  const LustreStripes second{0x0BD10BD0, 1, 2 * kMega, {3, 4}};
  for (const bool stale : {false, true}) {
    const auto found = decode_lustre(lustre_composite(
        {{.id = 0x10001, .end = kEof, .flags = stale ? 0x11U : 0x10U, .stripes = first},
         {.id = 0x20001, .end = kEof, .stripes = second}}));
    ASSERT_TRUE(found.has_value()) << found.error().message;
    EXPECT_EQ(found->layout.unit_bytes, stale ? 2 * kMega : kMega);
  }
}

TEST(LustreLayout, WhatLiesNowhereInParticularIsRefused) {
  for (const std::uint32_t pattern : {0x80000001U, 0x801U, 0x400U, 0x2U, 0x0U}) {
    const auto found = decode_lustre(lustre_plain({0x0BD10BD0, pattern, kMega, {1}}));
    ASSERT_FALSE(found.has_value()) << pattern;
    EXPECT_EQ(found.error().kind, ErrorKind::unsupported_operation);
  }
  EXPECT_FALSE(decode_lustre(lustre_plain({0x0BD70BD0, 1, kMega, {1}})).has_value());
}

TEST(LustreLayout, LyingBytesAreRefused) {
  EXPECT_FALSE(decode_lustre({}).has_value());
  EXPECT_FALSE(decode_lustre(lustre_plain({0x0BD10BD0, 1, 0, {1}})).has_value()) << "unit 0";
  EXPECT_FALSE(decode_lustre(lustre_plain({0x12345678, 1, kMega, {1}})).has_value());
  const Blob whole = lustre_plain({0x0BD30BD0, 1, kMega, {1, 2, 3}});
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes)
    EXPECT_FALSE(decode_lustre(std::span(whole).first(bytes)).has_value()) << bytes;
  Blob lying = whole;
  lying[28] = std::byte{200};  // the number of stripes
  EXPECT_FALSE(decode_lustre(lying).has_value());
  const LustreStripes stripes{0x0BD10BD0, 1, kMega, {1}};
  const Blob composite = lustre_composite({{.end = kMega, .stripes = stripes}});
  for (std::size_t bytes = 0; bytes < composite.size(); ++bytes)
    EXPECT_FALSE(decode_lustre(std::span(composite).first(bytes)).has_value()) << bytes;
  EXPECT_FALSE(decode_lustre(lustre_composite({{.end = 2 * kMega, .stripes = stripes},
                                               {.start = kMega, .end = kEof, .stripes = stripes}}))
                   .has_value())
      << "overlap";
  EXPECT_FALSE(decode_lustre(lustre_composite({{.start = kMega, .end = kMega, .stripes = stripes}}))
                   .has_value());
}

TEST(LustreLayout, MutatedAndRandomBytesNeverGiveAWrongOwner) {
  const LustreStripes stripes{0x0BD30BD0, 1, 65536, {1, 2, 3, 4}};
  const std::vector<Blob> good = {
      lustre_plain(stripes), lustre_plain({0x0BD10BD0, 0x201, 65536, {1, 1, 2}}),
      lustre_composite(
          {{.end = kMega, .stripes = stripes}, {.start = kMega, .end = kEof, .stripes = stripes}})};
  std::mt19937_64 random(test::test_seed("LustreLayout", 11));
  int accepted = 0;
  for (int i = 0; i < 60'000; ++i) {
    SCOPED_TRACE(i);
    const Blob blob = mutated(good[random() % good.size()], random);
    const auto found = decode_lustre(blob);
    if (!found) {
      ASSERT_FALSE(found.error().message.empty());
      continue;
    }
    ++accepted;
    ASSERT_TRUE(sound(found->layout, random));
  }
  EXPECT_GT(accepted, 1000);
}

TEST(LustreLayout, WishesAreWholeGranules) {
  const auto bytes = encode_lustre({100'000, 4, 7});
  ASSERT_EQ(bytes.size(), 32U);
  EXPECT_EQ(number_at<std::uint32_t>(bytes, 0), 0x0BD10BD0U);
  EXPECT_EQ(number_at<std::uint32_t>(bytes, 24), 131'072U);
  EXPECT_EQ(number_at<std::uint16_t>(bytes, 28), 4);
  EXPECT_EQ(number_at<std::uint16_t>(bytes, 30), 7);
  const auto nothing = encode_lustre({});
  EXPECT_EQ(number_at<std::uint32_t>(nothing, 24), 0U) << "the default";
  EXPECT_EQ(number_at<std::uint16_t>(nothing, 30), 0xffff) << "anywhere";
  const auto huge = encode_lustre({std::int64_t{1} << 40, 1 << 30, 1 << 30});
  EXPECT_EQ(number_at<std::uint32_t>(huge, 24), 0xffff0000U);
  EXPECT_EQ(number_at<std::uint16_t>(huge, 30), 0xffff);
}

}  // namespace
}  // namespace tutti
