// All ranks together on one file: interleaved views of random cells, random memory on every rank,
// individual and explicit offsets, blocking and split calls.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <list>
#include <numeric>
#include <string>

#include "differential/dealt_cells.hpp"
#include "differential/host_record.hpp"
#include "differential/random_access.hpp"
#include "support/seed.hpp"
#include "support/shared_file.hpp"

namespace tutti::test {
namespace {

struct Contestant {
  FileApi api;
  SharedFile path;
  MPI_File file = MPI_FILE_NULL;

  Contestant(FileApi given, const std::string& who) : api(given), path("collective_" + who) {
    api.open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  }
  ~Contestant() {
    if (file != MPI_FILE_NULL) api.close(&file);
  }
  Contestant(const Contestant&) = delete;
  Contestant& operator=(const Contestant&) = delete;
};

struct Seen {
  bool succeeded = false;
  std::int64_t bytes = -1;
  std::int64_t position = -1;
  std::vector<unsigned char> memory;
  friend bool operator==(const Seen&, const Seen&) = default;
};

Seen perform(const Contestant& who, const DataOperation& op, MemoryArea memory) {
  Seen seen;
  MPI_Status status;
  seen.succeeded = run(who.api, who.file, op, memory.base(), &status) == MPI_SUCCESS;
  if (seen.succeeded) seen.bytes = bytes_in(status);
  MPI_Offset position = -1;
  who.api.get_position(who.file, &position);
  seen.position = position;
  seen.memory = memory.bytes();
  return seen;
}

// Collective. Whether it holds on every rank.
bool everywhere(bool here) {
  const int mine = here ? 1 : 0;
  int all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all != 0;
}

// Collective. The text of the lowest rank that has one.
std::string first_of_all(const std::string& mine) {
  const int me = mine.empty() ? world_size() : world_rank();
  int first = 0;
  MPI_Allreduce(&me, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (first == world_size()) return {};
  int length = static_cast<int>(mine.size());
  MPI_Bcast(&length, 1, MPI_INT, first, MPI_COMM_WORLD);
  std::string text = mine;
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), length, MPI_CHAR, first, MPI_COMM_WORLD);
  return text;
}

class Round {
 public:
  Round(std::uint64_t seed, Contestant& tutti, Contestant* host, HostRecord& record)
      : seed_(seed),
        shared_(seed, Temper::wild),
        own_(seed * 1000 + static_cast<std::uint64_t>(world_rank()) + 1, Temper::wild),
        tutti_(tutti),
        host_(host),
        record_(record) {}

  // `model` is what the file holds before and after.
  void play(ReferenceFile& model) {
    const Deal dealt = deal(shared_, world_size());
    // Overlapping writes: the higher rank's bytes land last. That is Tutti's word, not MPI's.
    overlap_ = shared_.chance(15);
    view_ = view_of_cells(dealt, world_rank(), overlap_);
    set_view();
    for (int i = 0; i < 3; ++i) ASSERT_NO_FATAL_FAILURE(operation(model, false)) << text_;
    // Everybody reads everything, or its own.
    if (shared_.chance(50)) {
      view_ = view_of_cells(dealt, world_rank(), true);
      set_view();
    }
    for (int i = 0; i < 3; ++i) ASSERT_NO_FATAL_FAILURE(operation(model, true)) << text_;
  }

 private:
  void set_view() {
    const auto set = [&](const Contestant& who) {
      return who.api.set_view(who.file, view_.reference.displacement, MPI_BYTE, view_.filetype,
                              "native", MPI_INFO_NULL);
    };
    ASSERT_EQ(set(tutti_), MPI_SUCCESS);
    if (host_ != nullptr) set(*host_);
    position_ = 0;
  }

  void operation(ReferenceFile& model, bool reads) {
    DataOperation op;
    op.reads = reads;
    op.by_pointer = shared_.chance(50);
    op.flavour = shared_.chance(75) ? Flavour::collective : Flavour::split;
    op.offset = own_.draw(0, 60);
    const bool plain = shared_.chance(60);
    memories_.push_back(plain ? own_.plain_memory(1) : own_.memory(reads, 1));
    const auto& memory = memories_.back();
    op.type = memory.type.type.get();
    op.count = view_.reference.tile.empty() || own_.chance(10) ? 0 : memory.count;
    const MemoryArea area(memory.type.bytes, memory.type.extent, op.count, own_.seed());
    text_ = "round " + std::to_string(seed_) + ", rank " + std::to_string(world_rank()) + ": " +
            op.name() + " at " + std::to_string(op.by_pointer ? position_ : op.offset) + " of " +
            std::to_string(op.count) + " times " + memory.type.text + "; view of " + view_.text;

    const Seen expected = reference(op, area, model);
    const Seen seen = perform(tutti_, op, area);
    MPI_Barrier(MPI_COMM_WORLD);
    const bool good = seen == expected && content_is(tutti_, model);
    EXPECT_TRUE(seen.succeeded);
    EXPECT_EQ(seen.bytes, expected.bytes);
    EXPECT_EQ(seen.position, expected.position);
    EXPECT_TRUE(seen.memory == expected.memory) << "memory";
    EXPECT_TRUE(content_is(tutti_, model)) << "file";
    ASSERT_TRUE(everywhere(good)) << "on some rank";
    check_host(op, area, expected, model, plain);
  }

  void check_host(const DataOperation& op, const MemoryArea& area, const Seen& expected,
                  const ReferenceFile& model, bool plain) {
    if (host_ == nullptr) return;
    const std::string reason =
        why_not(op, expected, static_cast<std::int64_t>(MemoryArea(area).places().size()), plain);
    if (!reason.empty()) {
      record_.left_out(reason, 1);
      return reset_host(op, model, expected);
    }
    const Seen seen = perform(*host_, op, area);
    MPI_Barrier(MPI_COMM_WORLD);
    const std::string what = !seen.succeeded                      ? "refused"
                             : seen.bytes != expected.bytes       ? "status"
                             : seen.memory != expected.memory     ? "memory"
                             : seen.position != expected.position ? "pointer"
                             : content_is(*host_, model)          ? ""
                                                                  : "file bytes";
    const std::string told =
        first_of_all(what.empty() ? "" : what + "\t" + text_ + first_difference(*host_, model));
    if (told.empty()) return record_.agreed();
    const auto tab = told.find('\t');
    record_.differed(std::string(op.reads ? "read" : "write") + ", " + told.substr(0, tab), seed_,
                     told.substr(tab + 1));
    reset_host(op, model, expected);
  }

  // Collective. Why the host is not asked for this call; empty where it is. A host that never comes
  // back cannot be ended here, as it can be where a rank works alone.
  std::string why_not(const DataOperation& op, const Seen& expected, std::int64_t requested,
                      bool plain) const {
    if (overlap_ && !op.reads) return "ranks write the same bytes";
    if (!plain) return "memory types it may not master";
#if defined(TUTTI_HOST_OPENMPI)
    if (op.flavour == Flavour::split && !everywhere(expected.bytes == requested))
      return "Open MPI's split reads never end at the end of the file";
#endif
    static_cast<void>(op);
    static_cast<void>(expected);
    static_cast<void>(requested);
    return {};
  }

  // Collective. The host's file has to stay like the model.
  void reset_host(const DataOperation& op, const ReferenceFile& model, const Seen& expected) {
    MPI_Barrier(MPI_COMM_WORLD);
    host_->path.fill({model.content.begin(), model.content.end()});
    if (op.by_pointer) host_->api.seek(host_->file, expected.position, MPI_SEEK_SET);
  }

  bool content_is(const Contestant& who, const ReferenceFile& model) const {
    const std::string content = who.path.content();
    return content.size() == model.content.size() &&
           std::memcmp(content.data(), model.content.data(), content.size()) == 0;
  }

  std::string first_difference(const Contestant& who, const ReferenceFile& model) const {
    const std::string content = who.path.content();
    for (std::size_t i = 0; i < std::min(content.size(), model.content.size()); ++i)
      if (static_cast<unsigned char>(content[i]) != model.content[i])
        return "; file differs from byte " + std::to_string(i) + " on, it had " +
               std::to_string(bytes_before_) + " bytes before";
    return content.size() == model.content.size()
               ? std::string()
               : "; file of " + std::to_string(content.size()) + " bytes instead of " +
                     std::to_string(model.content.size());
  }

  // Collective: every rank applies what all of them write, in the order of ranks.
  Seen reference(const DataOperation& op, MemoryArea area, ReferenceFile& model) {
    Seen expected;
    expected.succeeded = true;
    bytes_before_ = model.content.size();
    const std::int64_t first = op.by_pointer ? position_ : op.offset;
    const auto places = area.places();
    if (op.reads) {
      expected.bytes = model.read(view_.reference, first, places);
    } else {
      std::vector<std::int64_t> stores;  // offset, value, offset, value, …
      std::int64_t at = first;
      for (const unsigned char* place : places) {
        stores.push_back(view_.reference.offset_of(at++));
        stores.push_back(*place);
      }
      apply_all(stores, model);
      expected.bytes = static_cast<std::int64_t>(places.size());
    }
    if (op.by_pointer) position_ += expected.bytes;
    expected.position = position_;
    expected.memory = area.bytes();
    return expected;
  }

  std::uint64_t seed_;
  RandomAccess shared_;  // draws the same on all ranks
  RandomAccess own_;
  Contestant& tutti_;
  Contestant* host_;
  HostRecord& record_;
  RandomView view_;
  bool overlap_ = false;
  std::size_t bytes_before_ = 0;  // of the file
  std::list<RandomAccess::Memory> memories_;
  std::int64_t position_ = 0;
  std::string text_;
};

TEST(DifferentialCollective, RanksTogetherAreAsTheReference) {
  HostRecord record;
  const std::uint64_t seed = test_seed("collective", 30'000, world_rank() == 0);
  const char* const only = std::getenv("TUTTI_TEST_CASE");
  Contestant tutti(tutti_api(), "tutti");
  Contestant host(host_api(), "host");
  ASSERT_NE(tutti.file, MPI_FILE_NULL);
  ASSERT_NE(host.file, MPI_FILE_NULL);
  ReferenceFile model;
  double began = MPI_Wtime();
  MPI_Bcast(&began, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  // On a busy machine MPICH needs tens of milliseconds for a barrier: bounded by time, too.
  constexpr double kSeconds = 12;
  std::uint64_t rounds = 0;
  for (; rounds < (only != nullptr ? 1 : 400) && !HasFatalFailure(); ++rounds) {
    if (!everywhere(MPI_Wtime() - began < kSeconds)) break;
    Round round(only != nullptr ? std::stoull(only) : seed + rounds, tutti, &host, record);
    round.play(model);
  }
  if (world_rank() == 0)
    std::printf("%llu rounds of six calls\n", static_cast<unsigned long long>(rounds));
}

}  // namespace
}  // namespace tutti::test

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
