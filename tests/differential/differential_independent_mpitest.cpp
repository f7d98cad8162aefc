// ranks: 1 3
// Every rank by itself: random views, memory types, offsets and pointers on a file of its own.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>

#include "differential/guarded_run.hpp"
#include "differential/host_record.hpp"
#include "differential/script.hpp"
#include "mpi/node_block.hpp"
#include "support/seed.hpp"

namespace tutti::test {
namespace {

// A file with the script's first content, open in one implementation.
class Contestant {
 public:
  Contestant(FileApi api, const std::string& who, const Script& script)
      : api_(api), path_("/dev/shm/tutti_differential_" + who + "_" + std::to_string(getpid())) {
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(script.start().data()),
               static_cast<std::streamsize>(script.start().size()));
    api_.open(MPI_COMM_SELF, path_.c_str(), script.writable() ? MPI_MODE_RDWR : MPI_MODE_RDONLY,
              MPI_INFO_NULL, &file_);
  }
  ~Contestant() {
    if (file_ != MPI_FILE_NULL) api_.close(&file_);
    ::unlink(path_.c_str());
  }
  Contestant(const Contestant&) = delete;
  Contestant& operator=(const Contestant&) = delete;

  bool is_open() const { return file_ != MPI_FILE_NULL; }
  std::optional<Mismatch> perform_step(const Step& step) {
    if (const auto mismatch = perform(api_, file_, step)) return mismatch;
    if (step.kind == Step::Kind::data && !step.op.reads && content() != step.file_after)
      return Mismatch{"file bytes", "other bytes in the file"};
    return std::nullopt;
  }

 private:
  std::vector<unsigned char> content() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  FileApi api_;
  std::string path_;
  MPI_File file_ = MPI_FILE_NULL;
};

void check_tutti(const Script& script) {
  Contestant tutti(tutti_api(), "tutti", script);
  ASSERT_TRUE(tutti.is_open());
  for (const Step& step : script.steps()) {
    const auto mismatch = tutti.perform_step(step);
    ASSERT_FALSE(mismatch) << "case " << script.seed() << ": " << mismatch->text << "; "
                           << step.text();
  }
}

bool is_short_read(const Step& step) {
  return step.kind == Step::Kind::data && step.op.reads &&
         step.expected.bytes < step.requested_bytes;
}

// Whether the host is known never to come back from this step. It is tried a few times all the
// same.
bool hangs_host(const Step& step) {
#if defined(TUTTI_HOST_OPENMPI)
  return is_short_read(step) && step.op.flavour == Flavour::split;
#else
  return step.view->kind == "narrow tile";
#endif
}

// What is special about a step, the rarest first: the row it goes to in the table of differences.
std::string kind_of(const Step& step) {
  const std::string types = step.view->text + " " + step.memory_text;
  const auto holds = [&](const char* part) { return types.find(part) != std::string::npos; };
  const bool data = step.kind == Step::Kind::data;
  const std::string call = data ? (step.op.reads ? "read" : "write") : step.name();
#if defined(TUTTI_HOST_MPICH)
  if (holds("_c(")) return "a type made by a large-count constructor, " + call;
#endif
  if (is_short_read(step) && step.op.flavour == Flavour::split)
    return "split read that meets the end of the file";
  if (is_short_read(step)) return "read that meets the end of the file";
  if (holds("_INT")) return "a pair type such as MPI_DOUBLE_INT, " + call;
  if (data && step.memory->first_place() != 0)
    return "memory type that does not start at its origin, " + call;
  const ReferenceView& view = step.view->reference;
  const bool hole = !view.tile.empty() && view.tile.front() != 0;
  return step.view->kind + (hole ? " with a hole in front, " : ", ") + call;
}

// Says each step before it is tried, as "> kind <tab> text", and where it differs "! kind <tab>
// text".
template <class Say>
void play_host(const Script& script, bool careful, Say&& say) {
  Contestant host(host_api(), "host", script);
  if (!host.is_open()) return say("! open, refused\t\n");
  for (const Step& step : script.steps()) {
    if (careful && hangs_host(step)) return;
    say("> " + kind_of(step) + "\t" + step.text() + "\n");
    if (const auto mismatch = host.perform_step(step))
      return say("! " + kind_of(step) + ", " + mismatch->kind + "\t" + mismatch->text + "; " +
                 step.text() + "\n");
  }
}

void ask_host(const Script& script, HostRecord& record, int& hangs) {
  // Each costs some seconds.
  constexpr int kCarefulAfter = 2;
  constexpr int kEnoughHangs = 5;
  if (hangs >= kEnoughHangs)
    return record.left_out("after calls that never ended", script.steps().size());
  const bool careful = hangs >= kCarefulAfter;
  const GuardedResult result = run_guarded([&](auto say) { play_host(script, careful, say); });
  // A child that crashed has left its file.
  ::unlink(("/dev/shm/tutti_differential_host_" + std::to_string(result.child)).c_str());
  std::istringstream said(result.said);
  std::string last = "> open\t";
  std::size_t tried = 0;
  for (std::string line; std::getline(said, line); last = line)
    if (line.starts_with("> ")) ++tried;
  const bool finished = result.end == GuardedResult::End::finished;
  const bool differs = !finished || last.starts_with("! ");
  for (std::size_t i = differs ? 1 : 0; i < tried; ++i) record.agreed();
  if (!differs && tried < script.steps().size())
    record.left_out("from a call on that is known never to end", script.steps().size() - tried);
  if (!differs) return;
  const auto tab = last.find('\t');
  std::string kind = last.substr(2, tab - 2);
  if (result.end == GuardedResult::End::hung) {
    kind += ", NEVER ENDS";
    ++hangs;
  } else if (!finished) {
    kind += ", CRASHES with " + result.problem;
  }
  record.differed(kind, script.seed(), last.substr(tab + 1));
}

// How often the cases that matter occurred, so that none gets lost unnoticed.
class Coverage {
 public:
  void count(const Script& script) {
    for (const Step& step : script.steps()) {
      if (step.kind != Step::Kind::data) continue;
      ++cases_["view: " + step.view->kind];
      if (step.op.count == 0) ++cases_["nothing to move"];
      if (step.memory->first_place() < 0) ++cases_["memory before its base"];
      if (step.op.reads && step.expected.bytes < step.requested_bytes) ++cases_["end of file"];
      if (!step.op.reads && step.requested_bytes > 0 && script.start().size() > 0)
        ++cases_["writing into a file with content"];
    }
  }
  void expect(const std::string& kind, int least) const {
    const auto found = cases_.find(kind);
    EXPECT_GE(found == cases_.end() ? 0 : found->second, least) << kind;
  }
  void print() const {
    for (const auto& [kind, cases] : cases_) std::printf("  %6d calls, %s\n", cases, kind.c_str());
  }

 private:
  std::map<std::string, int> cases_;
};

// A child that tries the host's calls shares the queues of its parent's messages and may take what
// a rank already done sends there. No rank passes the end of this scope, and so none sends, before
// all have finished their children.
class QuietWhileForking {
 public:
  QuietWhileForking() : block_(NodeBlock::create(MPI_COMM_WORLD, 8).value()) {
    EXPECT_TRUE(block_.available());
  }
  ~QuietWhileForking() {
    if (block_.available()) block_.barrier();
  }
  QuietWhileForking(const QuietWhileForking&) = delete;
  QuietWhileForking& operator=(const QuietWhileForking&) = delete;

 private:
  NodeBlock block_;
};

void play_many(const char* name, std::uint64_t first_seed, Temper temper) {
  const QuietWhileForking quiet;
  HostRecord record;
  Coverage coverage;
  int hangs = 0;
  const std::uint64_t seed = test_seed(name, first_seed, world_rank() == 0);
  const char* const only = std::getenv("TUTTI_TEST_CASE");
  const std::uint64_t cases = only != nullptr ? 1 : 400;
  for (std::uint64_t i = 0; i < cases; ++i) {
    const auto rank = static_cast<std::uint64_t>(world_rank());
    const Script script(only != nullptr ? std::stoull(only) : seed + rank * 1'000'000 + i, temper);
    ASSERT_NO_FATAL_FAILURE(check_tutti(script));
    ask_host(script, record, hangs);
    coverage.count(script);
  }
  if (world_rank() == 0) coverage.print();
  if (only != nullptr) return;
  for (const char* kind : {"view: contiguous view", "view: nested filetype", "view: derived etype",
                           "writing into a file with content", "memory before its base"})
    coverage.expect(kind, 40);
  if (temper == Temper::tame) return;
  for (const char* kind : {"view: narrow tile", "view: filetype that overlaps itself",
                           "view: filetype without bytes", "nothing to move", "end of file"})
    coverage.expect(kind, 40);
}

TEST(DifferentialIndependent, TameCasesAreAsTheReference) {
  play_many("tame", 10'000, Temper::tame);
}

TEST(DifferentialIndependent, WildCasesAreAsTheReference) {
  play_many("wild", 20'000, Temper::wild);
}

}  // namespace
}  // namespace tutti::test

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
