// storage_rewriter NAME SECONDS: collective writes of one file, again and again, while somebody
// disturbs the storage; then everything is read back. Rank 0 prints "osd N holds M bytes" for every
// I/O node of the file and "begun" after the first write, "longest call S s" and every rank one
// line at the end:
//   rank R: wrote N times, right bytes       all calls succeeded and the last bytes are there
//   rank R: one error after N times: TEXT    some call failed, here as on every other rank
// Exit code 0 for either, 1 for wrong bytes or ranks that disagree.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "device/registry.hpp"
#include "storage/storage_file.hpp"

namespace {

constexpr int kBlock = 100'000;
constexpr int kBlocks = 12;

int report(int calls, int code) {
  char text[MPI_MAX_ERROR_STRING + 1] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  std::printf("rank %d: one error after %d times: %s\n", tutti::test::world_rank(), calls, text);
  std::fflush(stdout);
  int error_class = 0;
  MPI_Error_class(code, &error_class);
  return error_class;
}

// Local. Asks the storage where the file lies.
void print_holders(const char* name, std::int64_t bytes) {
  const auto device = tutti::open_device(name, {.read = true});
  if (!device) return;
  std::map<std::int32_t, std::int64_t> held;
  const tutti::StripeLayout layout = (*device)->layout_for({0, bytes});
  if (!layout.covers({0, bytes})) return;
  tutti::for_each_node_run(layout, {0, bytes},
                           [&](tutti::Extent run, std::int32_t node) { held[node] += run.bytes; });
  for (const auto& [node, some] : held)
    std::printf("osd %d holds %lld bytes\n", node, static_cast<long long>(some));
}

// Collective. 0: right bytes everywhere, or one error everywhere.
int rewrite(const char* name, double seconds) {
  const int rank = tutti::test::world_rank();
  const int ranks = tutti::test::world_size();
  const tutti::test::Info info({{"striping_unit", "65536"}, {"striping_factor", "16"}});
  MPI_File file = MPI_FILE_NULL;
  int code =
      MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, info.get(), &file);
  MPI_Datatype blocks = MPI_DATATYPE_NULL;
  MPI_Type_vector(kBlocks, kBlock, kBlock * ranks, MPI_BYTE, &blocks);
  MPI_Type_commit(&blocks);
  if (code == MPI_SUCCESS)
    code = MPI_File_set_view(file, std::int64_t{rank} * kBlock, MPI_BYTE, blocks, "native",
                             MPI_INFO_NULL);
  std::vector<unsigned char> bytes(std::size_t{kBlock} * kBlocks);
  const double began = MPI_Wtime();
  int calls = 0;
  double longest = 0;
  for (int more = 1; code == MPI_SUCCESS && more != 0;) {
    const auto fill = static_cast<unsigned char>(calls * 16 + rank);
    std::fill(bytes.begin(), bytes.end(), fill);
    const double called = MPI_Wtime();
    code = MPI_File_write_at_all(file, 0, bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE,
                                 MPI_STATUS_IGNORE);
    longest = std::max(longest, MPI_Wtime() - called);
    if (code == MPI_SUCCESS && ++calls == 1 && rank == 0) {
      print_holders(name, std::int64_t{kBlock} * kBlocks * ranks);
      std::puts("begun");
    }
    std::fflush(stdout);
    more = MPI_Wtime() - began < seconds ? 1 : 0;
    MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  bool right = true;
  if (code == MPI_SUCCESS) {
    const std::vector<unsigned char> expected = bytes;
    std::fill(bytes.begin(), bytes.end(), static_cast<unsigned char>(0));
    code = MPI_File_read_at_all(file, 0, bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE,
                                MPI_STATUS_IGNORE);
    right = code != MPI_SUCCESS || bytes == expected;
  }
  if (rank == 0) std::printf("longest call %.3f s\n", longest);
  int answer = 0;
  if (code != MPI_SUCCESS) {
    answer = report(calls, code);
  } else {
    std::printf("rank %d: wrote %d times, %s bytes\n", rank, calls, right ? "right" : "WRONG");
    std::fflush(stdout);
  }
  if (file != MPI_FILE_NULL) MPI_File_close(&file);
  int least = 0;
  int most = 0;
  MPI_Allreduce(&answer, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(&answer, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  const int good = right && least == most ? 1 : 0;
  int all = 0;
  MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  MPI_Type_free(&blocks);
  return all != 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int answer = argc == 3 ? rewrite(argv[1], std::atof(argv[2])) : 2;
  MPI_Finalize();
  return answer;
}
