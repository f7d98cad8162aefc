#include "convert/element_map.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "support/seed.hpp"

namespace tutti {
namespace {

constexpr ElementKind kInt{Encoding::swap, 4, 4};
constexpr ElementKind kDouble{Encoding::swap, 8, 8};
constexpr ElementKind kCharacter{Encoding::wide_character, 4, 2};
constexpr ElementKind kText{Encoding::by_function, 8, 24};

// A map beside the plain list of its elements.
struct Listed {
  ElementMap map;
  std::vector<ElementKind> list;
};

Listed random_map(std::mt19937_64& random, int depth) {
  const auto draw = [&](std::uint64_t below) {
    return static_cast<std::int64_t>(random() % below);
  };
  constexpr ElementKind kinds[] = {kInt, kDouble, kCharacter, kText};
  Listed made;
  if (depth == 0) {
    const ElementKind kind = kinds[draw(4)];
    const std::int64_t count = draw(4);
    made.map = ElementMap::run(kind, count);
    made.list.assign(static_cast<std::size_t>(count), kind);
  } else if (draw(2) == 0) {
    const Listed child = random_map(random, depth - 1);
    const std::int64_t count = draw(4);
    made.map = *ElementMap::repeat(count, child.map);
    for (std::int64_t i = 0; i < count; ++i)
      made.list.insert(made.list.end(), child.list.begin(), child.list.end());
  } else {
    std::vector<ElementMap> children;
    for (std::int64_t i = draw(4); i >= 0; --i) {
      Listed child = random_map(random, depth - 1);
      children.push_back(child.map);
      made.list.insert(made.list.end(), child.list.begin(), child.list.end());
    }
    made.map = *ElementMap::sequence(children);
  }
  return made;
}

ElementSpan span_of(const std::vector<ElementKind>& list, std::size_t elements) {
  ElementSpan span;
  for (std::size_t i = 0; i < elements; ++i)
    span = span + ElementSpan{1, list[i].memory_bytes, list[i].file_bytes};
  return span;
}

void expect_boundaries(const Listed& made) {
  std::size_t element = 0;
  for (std::int64_t file = 0; file <= made.map.total().file_bytes; ++file) {
    while (element < made.list.size() && span_of(made.list, element + 1).file_bytes <= file)
      ++element;
    ASSERT_EQ(made.map.boundary_before(file), span_of(made.list, element)) << "file byte " << file;
  }
}

void expect_runs(const Listed& made, std::mt19937_64& random) {
  const std::size_t begin = random() % (made.list.size() + 1);
  const std::size_t end = begin + random() % (made.list.size() - begin + 1);
  std::vector<ElementKind> visited;
  const auto outcome =
      made.map.for_each_run(static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end),
                            [&](ElementKind kind, std::int64_t count) -> Status {
                              EXPECT_GT(count, 0);
                              visited.insert(visited.end(), static_cast<std::size_t>(count), kind);
                              return {};
                            });
  EXPECT_TRUE(outcome);
  const auto first = made.list.begin();
  ASSERT_EQ(visited, std::vector<ElementKind>(first + static_cast<std::ptrdiff_t>(begin),
                                              first + static_cast<std::ptrdiff_t>(end)));
}

TEST(ElementMap, BehavesLikeThePlainList) {
  std::mt19937_64 random(test::test_seed("element map", 7));
  std::size_t longest = 0;
  for (int i = 0; i < 400; ++i) {
    const Listed made = random_map(random, 4);
    if (made.list.size() > 120) continue;
    longest = std::max(longest, made.list.size());
    ASSERT_EQ(made.map.total(), span_of(made.list, made.list.size()));
    std::int64_t largest = 0;
    for (const ElementKind& kind : made.list)
      largest = std::max<std::int64_t>(largest, kind.file_bytes);
    EXPECT_EQ(made.map.largest_file_bytes(), largest);
    expect_boundaries(made);
    for (int walk = 0; walk < 4; ++walk) expect_runs(made, random);
  }
  EXPECT_GT(longest, 20U);
}

TEST(ElementMap, EqualNeighboursAreOneRun) {
  const ElementMap parts[] = {ElementMap::run(kInt, 2), ElementMap::run(kDouble, 0),
                              ElementMap::run(kInt, 3)};
  const auto map = ElementMap::sequence(parts);
  ASSERT_TRUE(map);
  const auto many = ElementMap::repeat(1'000'000'000'000, *map);
  ASSERT_TRUE(many);
  int runs = 0;
  const auto walked =
      many->for_each_run(7, many->total().elements, [&](ElementKind kind, std::int64_t count) {
        ++runs;
        EXPECT_EQ(kind, kInt);
        EXPECT_EQ(count, 5'000'000'000'000 - 7);
        return Status();
      });
  EXPECT_TRUE(walked);
  EXPECT_EQ(runs, 1);
}

TEST(ElementMap, WalkingEndsWithTheFirstFailure) {
  const ElementMap parts[] = {ElementMap::run(kInt, 1), ElementMap::run(kDouble, 1)};
  const auto map = ElementMap::repeat(10, *ElementMap::sequence(parts));
  int visits = 0;
  const auto outcome = map->for_each_run(0, 20, [&](ElementKind, std::int64_t) -> Status {
    if (++visits == 5) return fail(ErrorKind::conversion, "no");
    return {};
  });
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message, "no");
  EXPECT_EQ(visits, 5);
}

TEST(ElementMap, TooLargeInTheFileIsRefused) {
  constexpr std::int64_t kMany = std::int64_t{1} << 57;
  EXPECT_TRUE(ElementMap::repeat(kMany, ElementMap::run(kInt, 1)));
  const auto text = ElementMap::repeat(kMany, ElementMap::run(kText, 1));
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().kind, ErrorKind::invalid_type);
  const ElementMap half[] = {*ElementMap::repeat(kMany / 2, ElementMap::run(kText, 1)),
                             ElementMap::run(kInt, 1),
                             *ElementMap::repeat(kMany / 2, ElementMap::run(kText, 1))};
  EXPECT_FALSE(ElementMap::sequence(half));
}

}  // namespace
}  // namespace tutti
