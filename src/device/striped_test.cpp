#include "device/striped.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <map>
#include <numeric>

#include "device/test_scratch.hpp"
#include "layout/stripe_components.hpp"

namespace tutti {
namespace {

OpenOptions create(std::int64_t unit, std::int32_t factor, std::int32_t start = 0) {
  return {.read = true,
          .write = true,
          .create = true,
          .striping_unit = unit,
          .striping_factor = factor,
          .start_iodevice = start};
}
constexpr OpenOptions kReadWrite{.read = true, .write = true};

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}
void write_text(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}
std::vector<std::string> components(const std::string& path) {
  return striped_components(path, read_striped_metadata(path).value());
}

TEST(Striped, BytesLandInTheirComponent) {
  std::mt19937_64 random(4);
  for (std::int32_t factor = 1; factor <= 16; factor += factor < 4 ? 1 : 6) {
    for (const std::int64_t unit : {std::int64_t{65536}, std::int64_t{10}, std::int64_t{200'000}}) {
      const Scratch scratch;
      auto device = open_striped(scratch.file(), create(unit, factor, factor / 2));
      ASSERT_TRUE(device.has_value()) << device.error().message;
      const StripeLayout layout = (*device)->layout();
      EXPECT_EQ(layout, (StripeLayout{unit, factor, factor / 2}));
      const auto total = static_cast<std::size_t>(unit * factor * 2 + unit / 2 + 3);
      const auto bytes = random_bytes(random, total);
      ASSERT_EQ(device->write(0, bytes), static_cast<std::int64_t>(total));
      EXPECT_EQ((*device)->size(), static_cast<std::int64_t>(total));
      std::vector<std::string> expected(static_cast<std::size_t>(factor));
      for (std::size_t i = 0; i < total; ++i) {
        const auto node = static_cast<std::size_t>(layout.node_of(static_cast<std::int64_t>(i)));
        expected[node] += static_cast<char>(bytes[i]);
      }
      const auto paths = components(scratch.file());
      ASSERT_EQ(paths.size(), expected.size());
      for (std::size_t node = 0; node < paths.size(); ++node) {
        EXPECT_EQ(std::filesystem::path(paths[node]).parent_path(),
                  scratch.file() + ".stripes/" + std::to_string(node));
        EXPECT_TRUE(content(paths[node]) == expected[node]) << factor << " " << unit << " " << node;
      }
    }
  }
}

TEST(Striped, SizesFollowEveryResize) {
  EXPECT_TRUE(rc::check("size and component sizes", [] {
    const Scratch scratch;
    const auto unit = *rc::gen::inRange<std::int64_t>(1, 50);
    const auto factor = *rc::gen::inRange<std::int32_t>(1, 6);
    auto device = open_striped(scratch.file(), create(unit, factor, *rc::gen::inRange(0, 6)));
    const auto sizes =
        *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(0, 1000));
    for (const std::int64_t bytes : sizes) {
      RC_ASSERT((*device)->resize(bytes).has_value());
      RC_ASSERT((*device)->size() == bytes);
      std::int64_t sum = 0;
      for (const std::string& path : components(scratch.file())) {
        sum += static_cast<std::int64_t>(std::filesystem::file_size(path));
      }
      RC_ASSERT(sum == bytes);
    }
  }));
}

TEST(Striped, DefaultsAndWishes) {
  const Scratch scratch;
  EXPECT_EQ((*open_striped(scratch.file("a"), create(0, 0)))->layout(),
            (StripeLayout{65536, 4, 0}));
  EXPECT_EQ((*open_striped(scratch.file("b"), create(-5, -5, -5)))->layout(),
            (StripeLayout{65536, 4, 0}));
  EXPECT_EQ((*open_striped(scratch.file("c"), create(1 << 20, 3, 7)))->layout(),
            (StripeLayout{1 << 20, 3, 1}));
  EXPECT_EQ((*open_striped(scratch.file("c"), create(4096, 8, 2)))->layout(),
            (StripeLayout{1 << 20, 3, 1}))
      << "an existing file keeps its layout";
  EXPECT_EQ((*open_striped(scratch.file("a"), {}))->facts().best_bytes, 65536);
}

TEST(Striped, TheMetadataIsReadable) {
  const Scratch scratch;
  ASSERT_TRUE(open_striped(scratch.file("data"), create(4096, 2, 1)).has_value());
  const std::string name = read_striped_metadata(scratch.file("data"))->name;
  EXPECT_EQ(content(scratch.file("data")), "tutti-striped 1\nunit 4096\nfactor 2\nstart 1\nname " +
                                               name +
                                               "\ndirectory data.stripes/0\ndirectory "
                                               "data.stripes/1\n");
}

TEST(Striped, AStripedFileCanBeMoved) {
  const Scratch scratch;
  {
    auto device = open_striped(scratch.file("f"), create(10, 3));
    ASSERT_EQ(device->write(0, bytes_of("a text longer than one stripe")), 29);
  }
  std::filesystem::create_directory(scratch.file("deeper"));
  std::filesystem::rename(scratch.file("f"), scratch.file("deeper/f"));
  std::filesystem::rename(scratch.file("f.stripes"), scratch.file("deeper/f.stripes"));
  auto device = open_striped(scratch.file("deeper/f"), {});
  ASSERT_TRUE(device.has_value()) << device.error().message;
  EXPECT_EQ((*device)->size(), 29);
}

TEST(Striped, DirectoriesOfTheCallersChoice) {
  const Scratch scratch;
  const Scratch other("/tmp");
  const StripeLayout layout{.unit_bytes = 100, .io_nodes = 2, .first_node = 0};
  const StripedMetadata wish{
      .layout = layout, .name = {}, .directories = {other.file("node a"), "near"}};
  ASSERT_TRUE(create_striped(scratch.file(), wish).has_value());
  EXPECT_EQ(create_striped(scratch.file(), wish).error().kind, ErrorKind::file_exists);
  auto device = open_striped(scratch.file(), kReadWrite);
  ASSERT_TRUE(device.has_value()) << device.error().message;
  std::vector<std::byte> bytes(250, std::byte{'x'});
  ASSERT_EQ(device->write(0, bytes), 250);
  const auto paths = components(scratch.file());
  EXPECT_EQ(std::filesystem::path(paths[0]).parent_path(), other.file("node a"));
  EXPECT_EQ(std::filesystem::path(paths[1]).parent_path(), scratch.file("near"));
  EXPECT_EQ(content(paths[0]).size(), 150u);
  EXPECT_EQ(content(paths[1]).size(), 100u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(other.file("node a")), {}), 1)
      << "the try that lost left something behind";
  ASSERT_TRUE(remove_striped(scratch.file()).has_value());
  EXPECT_TRUE(std::filesystem::is_empty(other.file("node a")));

  for (const std::vector<std::string>& directories :
       {std::vector<std::string>{"one"}, {"a", "a"}, {"a", "b\nc"}, {"a", ""}, {"a", "./a"}}) {
    const StripedMetadata wrong{.layout = wish.layout, .name = {}, .directories = directories};
    EXPECT_EQ(create_striped(scratch.file("w"), wrong).error().kind, ErrorKind::invalid_argument);
  }
}

TEST(Striped, ErrorsOfOpening) {
  const Scratch scratch;
  EXPECT_EQ(open_striped(scratch.file("no/where"), create(0, 0)).error().kind,
            ErrorKind::no_such_file);
  EXPECT_FALSE(std::filesystem::exists(scratch.file("no")));
  EXPECT_EQ(open_striped(scratch.directory(), create(0, 0)).error().kind, ErrorKind::bad_file_name);
  ASSERT_TRUE(open_striped(scratch.file(), create(0, 3)).has_value());
  const std::string lost = components(scratch.file())[1];
  std::filesystem::remove(lost);
  const auto damaged = open_striped(scratch.file(), create(0, 3));
  ASSERT_FALSE(damaged.has_value());
  EXPECT_EQ(damaged.error().kind, ErrorKind::io);
  EXPECT_EQ(damaged.error().message, scratch.file() + ": component 1 of 3: " + lost +
                                         ": no such file or directory (opening it)");
  EXPECT_TRUE(remove_striped(scratch.file()).has_value()) << "a damaged file can be deleted";
  EXPECT_TRUE(std::filesystem::is_empty(scratch.directory()));
}

TEST(Striped, ComponentsTooLongForAnyFile) {
  const Scratch scratch;
  ASSERT_TRUE(open_striped(scratch.file(), create(1, 1000)).has_value());
  const auto far = std::int64_t{1} << 60;
  std::filesystem::resize_file(components(scratch.file())[3], far);
  const auto size = (*open_striped(scratch.file(), {}))->size();
  ASSERT_FALSE(size.has_value());
  EXPECT_EQ(size.error().kind, ErrorKind::io);
}

TEST(StripedMetadata, MalformedTextsAreRefused) {
  const std::string good =
      "tutti-striped 1\nunit 65536\nfactor 2\nstart 1\nname n\ndirectory a\ndirectory b c\n";
  const auto parsed = parse_striped_metadata(good, "f");
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
  EXPECT_EQ(format_striped_metadata(*parsed), good);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  const std::map<std::string, std::string> wrong = {
      {"", "line 1"},
      {"just text\n", "line 1"},
      {with("striped 1", "striped 2"), "line 1"},
      {with("unit 65536", "unit 0"), "unit '0'"},
      {with("unit 65536", "unit -1"), "unit '-1'"},
      {with("unit 65536", "unit 65536k"), "unit '65536k'"},
      {with("unit 65536", "unit 99999999999999999999"), "unit '9999"},
      {with("unit 65536", "unit"), "line 2"},
      {with("unit 65536\n", ""), "line 2"},
      {with("factor 2", "factor 0"), "factor '0'"},
      {with("factor 2", "factor 1000000000"), "factor '1000000000'"},
      {with("factor 2", "factor 3"), "line 8"},
      {with("factor 2", "factor 1"), "start '1'"},
      {with("start 1", "start 2"), "start '2'"},
      {with("start 1", "start -1"), "start '-1'"},
      {with("name n", "name ../../etc/x"), "cannot name a component"},
      {with("name n", "name .."), "cannot name a component"},
      {with("directory b c", "directory a"), "listed twice"},
      {with("directory b c", "directory "), "line 7"},
      {good + "more\n", "goes on"},
      {good.substr(0, good.size() - 1), "line 7"},
  };
  for (const auto& [text, reason] : wrong) {
    const auto refused = parse_striped_metadata(text, "f");
    ASSERT_FALSE(refused.has_value()) << text;
    EXPECT_EQ(refused.error().kind, ErrorKind::bad_file_name);
    EXPECT_EQ(refused.error().message.find("f: not a striped file: "), 0u);
    EXPECT_NE(refused.error().message.find(reason), std::string::npos) << refused.error().message;
  }
}

// Whatever bytes lie where the metadata should be, opening answers; nothing is divided by zero.
TEST(StripedMetadata, DamagedTextsNeverCrash) {
  const Scratch scratch;
  ASSERT_TRUE(open_striped(scratch.file(), create(7, 3)).has_value());
  const std::string good = content(scratch.file());
  const std::uint64_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  std::vector<std::byte> buffer(100);
  int opened = 0;
  for (int turn = 0; turn < 3000; ++turn) {
    std::string text = good;
    for (auto edits = random() % 4 + 1; edits > 0 && !text.empty(); --edits) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text[at] = static_cast<char>(random());
          break;
        case 1:
          text.erase(at, random() % 20);
          break;
        case 2:
          text.insert(at, 1, "0123456789 \n/."[random() % 14]);
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), random() % 30));
      }
    }
    write_text(scratch.file(), text);
    auto device = open_striped(scratch.file(), kReadWrite);
    if (!device) {
      EXPECT_NE(device.error().message.find(scratch.file()), std::string::npos);
      continue;
    }
    ++opened;
    EXPECT_TRUE((*device)->size().has_value());
    EXPECT_TRUE(device->read(5, buffer).has_value());
    EXPECT_TRUE((*device)->resize(50).has_value());
  }
  EXPECT_GT(opened, 0) << "no edit left the file usable: the test has become too coarse";
}

TEST(Striped, PlainFilesAreNotTouched) {
  const Scratch scratch;
  write_text(scratch.file(), "somebody's data\n");
  EXPECT_EQ(open_striped(scratch.file(), create(0, 0)).error().kind, ErrorKind::bad_file_name);
  EXPECT_EQ(remove_striped(scratch.file()).error().kind, ErrorKind::bad_file_name);
  EXPECT_EQ(content(scratch.file()), "somebody's data\n");
}

TEST(Striped, ProcessesThatCreateAtOnceGetOneFile) {
  constexpr int kProcesses = 6;
  for (const bool exclusive : {false, true}) {
    const Scratch scratch;
    std::vector<pid_t> children;
    int gate[2];
    ASSERT_EQ(pipe(gate), 0);
    for (int rank = 0; rank < kProcesses; ++rank) {
      const pid_t child = fork();
      if (child == 0) {
        char letter = 0;
        close(gate[1]);
        (void)!read(gate[0], &letter, 1);
        OpenOptions options = create(100, 3 + rank % 2);
        options.exclusive = exclusive;
        auto device = open_striped(scratch.file(), options);
        if (!device) _exit(exclusive && device.error().kind == ErrorKind::file_exists ? 7 : 1);
        std::vector<std::byte> bytes(1000, static_cast<std::byte>('a' + rank));
        _exit(device->write(rank * 1000, bytes) == 1000 ? 0 : 2);
      }
      children.push_back(child);
    }
    close(gate[0]);
    close(gate[1]);
    std::map<int, int> answers;
    for (const pid_t child : children) {
      int state = 0;
      waitpid(child, &state, 0);
      ++answers[state == 0 ? 0 : WEXITSTATUS(state)];
    }
    if (exclusive) {
      EXPECT_EQ(answers, (std::map<int, int>{{0, 1}, {7, kProcesses - 1}}));
    } else {
      EXPECT_EQ(answers, (std::map<int, int>{{0, kProcesses}}));
      auto device = open_striped(scratch.file(), {});
      std::vector<std::byte> found(kProcesses * 1000);
      ASSERT_EQ(device->read(0, found), kProcesses * 1000);
      for (std::size_t i = 0; i < found.size(); ++i) {
        ASSERT_EQ(found[i], static_cast<std::byte>('a' + i / 1000));
      }
    }
    ASSERT_TRUE(remove_striped(scratch.file()).has_value());
    EXPECT_EQ(std::filesystem::exists(scratch.file() + ".stripes/0"), false)
        << "the processes that lost left components behind";
  }
}

TEST(Striped, RequestsAreLoggedOnDemand) {
  const Scratch scratch;
  ASSERT_TRUE(start_request_log(scratch.file()).has_value());
  {
    auto device = open_striped(scratch.file(), create(100, 2));
    ASSERT_TRUE(device.has_value()) << device.error().message;
    std::vector<std::byte> bytes(450);
    ASSERT_EQ(device->write(0, bytes), 450);
    Transfer scattered[4] = {{.offset = 310, .memory = bytes.data(), .bytes = 20},
                             {.offset = 10, .memory = bytes.data() + 20, .bytes = 20},
                             {.offset = 120, .memory = bytes.data() + 40, .bytes = 20},
                             {.offset = 30, .memory = bytes.data() + 60, .bytes = 5}};
    ASSERT_TRUE(device->transfer(scattered).has_value());
  }
  const auto log = read_request_log(scratch.file());
  ASSERT_TRUE(log.has_value()) << log.error().message;
  const std::int64_t self = getpid();
  const std::vector<RequestLogEntry> expected = {
      {self, 0, TransferKind::write, {0, 250}}, {self, 1, TransferKind::write, {0, 200}},
      {self, 0, TransferKind::read, {10, 25}},  {self, 1, TransferKind::read, {20, 20}},
      {self, 1, TransferKind::read, {110, 20}},
  };
  EXPECT_TRUE(*log == expected);
  ASSERT_TRUE(remove_striped(scratch.file()).has_value());
  EXPECT_TRUE(std::filesystem::is_empty(scratch.directory()));
}

}  // namespace
}  // namespace tutti
