// Several accesses outstanding at once, on random views and memory: collective ones, which take
// effect in the order of the calls, and each rank's own. The reference does them one by one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <list>
#include <string>

#include "differential/dealt_cells.hpp"
#include "support/completion.hpp"
#include "support/seed.hpp"
#include "support/shared_file.hpp"

namespace tutti::test {
namespace {

// Collective. Whether it holds on every rank.
bool everywhere(bool here) {
  int all = here ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all != 0;
}

struct Started {
  DataOperation op;
  RandomAccess::Memory memory;
  MemoryArea area;  // what the access works on
  std::vector<unsigned char> expected_memory;
  std::int64_t expected_bytes = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  std::string text;
};

class Batch {
 public:
  Batch(std::uint64_t seed, MPI_File file, const SharedFile& path, ReferenceFile& model)
      : seed_(seed),
        shared_(seed, Temper::wild),
        own_(seed * 1000 + static_cast<std::uint64_t>(world_rank()) + 1, Temper::wild),
        file_(file),
        path_(path),
        model_(model) {}

  void play() {
    const Deal dealt = deal(shared_, world_size());
    together_ = shared_.chance(60);
    // Where ranks write the same bytes together, the higher rank's land last.
    view_ = view_of_cells(dealt, world_rank(), together_ && shared_.chance(20));
    TUTTI_OK(MPI_File_set_view(file_, view_.reference.displacement, MPI_BYTE, view_.filetype,
                               "native", MPI_INFO_NULL));
    // Ranks on their own see each other's bytes after they have met only.
    const bool all_read = shared_.chance(50);
    const std::int64_t count = shared_.draw(1, 5);
    for (std::int64_t i = 0; i < count; ++i)
      start(together_ ? shared_.chance(50) : all_read, !together_);
    ASSERT_NO_FATAL_FAILURE(settle());
  }

 private:
  void start(bool reads, bool alone) {
    const bool plain = shared_.chance(50);
    RandomAccess::Memory memory = plain ? own_.plain_memory(1) : own_.memory(reads, 1);
    const int times = view_.reference.tile.empty() || own_.chance(10) ? 0 : memory.count;
    MemoryArea area(memory.type.bytes, memory.type.extent, times, own_.seed());
    started_.push_back({{}, std::move(memory), std::move(area), {}, 0, MPI_REQUEST_NULL, {}});
    Started& now = started_.back();
    now.op.reads = reads;
    now.op.flavour = alone ? Flavour::independent : Flavour::collective;
    now.op.by_pointer = shared_.chance(50);
    now.op.offset = own_.draw(0, 60);
    now.op.type = now.memory.type.type.get();
    now.op.count = times;
    now.text = "batch " + std::to_string(seed_) + ", rank " + std::to_string(world_rank()) + ": i" +
               now.op.name() + " of " + std::to_string(times) + " times " + now.memory.type.text +
               "; view of " + view_.text;
    reference(now);
    EXPECT_EQ(run(now, alone), MPI_SUCCESS) << now.text;
    MPI_Offset position = -1;
    MPI_File_get_position(file_, &position);
    EXPECT_EQ(position, position_) << now.text;
  }

  // The pointer moves by all that is asked for.
  void reference(Started& now) {
    MemoryArea moved = now.area;
    const auto places = moved.places();
    const std::int64_t first = now.op.by_pointer ? position_ : now.op.offset;
    const auto requested = static_cast<std::int64_t>(places.size());
    if (now.op.reads) {
      now.expected_bytes = model_.read(view_.reference, first, places);
    } else {
      std::vector<std::int64_t> stores;
      for (std::int64_t i = 0; i < requested; ++i) {
        stores.push_back(view_.reference.offset_of(first + i));
        stores.push_back(*places[static_cast<std::size_t>(i)]);
      }
      apply_all(stores, model_);
      now.expected_bytes = requested;
    }
    if (now.op.by_pointer) position_ += requested;
    now.expected_memory = moved.bytes();
  }

  int run(Started& now, bool alone) const {
    const DataOperation& op = now.op;
    void* const memory = now.area.base();
    MPI_Request* const request = &now.request;
    if (op.reads && op.by_pointer)
      return (alone ? MPI_File_iread : MPI_File_iread_all)(file_, memory, op.count, op.type,
                                                           request);
    if (op.reads)
      return (alone ? MPI_File_iread_at : MPI_File_iread_at_all)(file_, op.offset, memory, op.count,
                                                                 op.type, request);
    if (op.by_pointer)
      return (alone ? MPI_File_iwrite : MPI_File_iwrite_all)(file_, memory, op.count, op.type,
                                                             request);
    return (alone ? MPI_File_iwrite_at : MPI_File_iwrite_at_all)(file_, op.offset, memory, op.count,
                                                                 op.type, request);
  }

  // Completes them in a way and an order of this rank's own.
  void settle() {
    std::vector<MPI_Request> requests;
    std::vector<int> order;
    for (Started& each : started_) {
      order.push_back(static_cast<int>(requests.size()));
      requests.push_back(each.request);
    }
    std::mt19937_64 random(own_.seed());
    std::shuffle(order.begin(), order.end(), random);
    const Completion way = kCompletions[random() % std::size(kCompletions)];
    const auto done = complete_all(requests, way, order);
    MPI_Barrier(MPI_COMM_WORLD);
    bool good = true;
    std::size_t i = 0;
    for (Started& each : started_) {
      const Completed& seen = done[i++];
      const bool right = seen.code == MPI_SUCCESS && bytes_in(seen.status) == each.expected_bytes &&
                         each.area.bytes() == each.expected_memory;
      EXPECT_EQ(seen.code, MPI_SUCCESS) << each.text;
      EXPECT_EQ(bytes_in(seen.status), each.expected_bytes) << each.text << " by " << name_of(way);
      EXPECT_TRUE(each.area.bytes() == each.expected_memory) << each.text << ": memory";
      good = good && right;
    }
    const std::string content = path_.content();
    const bool same = content.size() == model_.content.size() &&
                      std::memcmp(content.data(), model_.content.data(), content.size()) == 0;
    EXPECT_TRUE(same) << "the file after batch " << seed_;
    ASSERT_TRUE(everywhere(good && same)) << "on some rank, batch " << seed_;
  }

  std::uint64_t seed_;
  RandomAccess shared_;  // draws the same on all ranks
  RandomAccess own_;
  MPI_File file_;
  const SharedFile& path_;
  ReferenceFile& model_;
  RandomView view_;
  bool together_ = true;
  std::list<Started> started_;
  std::int64_t position_ = 0;
};

struct Setting {
  const char* name;
  const char* transport;
};

class DifferentialNonblocking : public testing::TestWithParam<Setting> {};

TEST_P(DifferentialNonblocking, OutstandingAccessesAreAsTheReference) {
  const std::uint64_t seed = test_seed("nonblocking", 70'000, world_rank() == 0);
  const char* const only = std::getenv("TUTTI_TEST_CASE");
  const SharedFile path("nonblocking_differential");
  OwnedInfo info;
  MPI_Info_create(info.fill());
  MPI_Info_set(info.get(), "tutti_transport", GetParam().transport);
  MPI_File file = MPI_FILE_NULL;
  TUTTI_OK(MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, info.get(),
                         &file));
  ReferenceFile model;
  const double began = MPI_Wtime();
  constexpr double kSeconds = 8;
  std::uint64_t batches = 0;
  for (; batches < (only != nullptr ? 1 : 300) && !HasFatalFailure(); ++batches) {
    if (!everywhere(MPI_Wtime() - began < kSeconds)) break;
    Batch batch(only != nullptr ? std::stoull(only) : seed + batches, file, path, model);
    batch.play();
  }
  if (world_rank() == 0) std::printf("%llu batches\n", static_cast<unsigned long long>(batches));
  MPI_File_close(&file);
}

INSTANTIATE_TEST_SUITE_P(Engines, DifferentialNonblocking,
                         testing::Values(Setting{"shared", "auto"},
                                         Setting{"messages", "messages"}),
                         [](const auto& chosen) { return std::string(chosen.param.name); });

}  // namespace
}  // namespace tutti::test

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
