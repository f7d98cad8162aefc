// A plain MPI program, the kind Tutti is for: the ranks own interleaved blocks of one array, write
// them with one collective call, read them back and compare every byte.
//
//   checkpoint_demo FILE [MIB_IN_TOTAL [BLOCK_BYTES [REPEATS]]]
//
// Rank 0 prints the best of REPEATS: write and read in MB/s, and whether all bytes were right.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The array's value at a byte offset; every block and every repeat differs.
static unsigned char value_at(MPI_Offset offset, int repeat) {
  const unsigned long long mixed = ((unsigned long long)offset + 1) * 0x9E3779B97F4A7C15ull;
  return (unsigned char)((mixed >> 40) + (unsigned)repeat * 41);
}

static void stop(const char* what, int code) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  fprintf(stderr, "checkpoint_demo: %s: %.*s\n", what, length, text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static double slowest_rank(double seconds) {
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const long mib = argc > 2 ? atol(argv[2]) : 64;
  const long block = argc > 3 ? atol(argv[3]) : 64;
  const int repeats = argc > 4 ? atoi(argv[4]) : 1;
  const long blocks = block > 0 ? mib * (1L << 20) / block / ranks : 0;
  if (argc < 2 || blocks < 1 || repeats < 1 || blocks * block > 0x7fffffffL) {
    if (rank == 0)
      fprintf(stderr, "usage: checkpoint_demo FILE [MIB_IN_TOTAL [BLOCK_BYTES [REPEATS]]]\n");
    MPI_Finalize();
    return 2;
  }
  const int mine = (int)(blocks * block);
  const double total_mb = (double)mine * ranks / 1e6;
  unsigned char* written = malloc((size_t)mine);
  unsigned char* read = malloc((size_t)mine);

  MPI_Datatype interleaved;
  MPI_Type_vector((int)blocks, (int)block, (int)block * ranks, MPI_BYTE, &interleaved);
  MPI_Type_commit(&interleaved);
  MPI_File file;
  int code =
      MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  if (code != MPI_SUCCESS) stop("open", code);
  code = MPI_File_set_view(file, (MPI_Offset)rank * block, MPI_BYTE, interleaved, "native",
                           MPI_INFO_NULL);
  if (code != MPI_SUCCESS) stop("set_view", code);

  double write_mbs = 0, read_mbs = 0;
  int wrong = 0;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    for (int k = 0; k < mine; ++k) {
      const MPI_Offset at = ((MPI_Offset)(k / block) * ranks + rank) * block + k % block;
      written[k] = value_at(at, repeat);
    }
    memset(read, 0, (size_t)mine);

    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    code = MPI_File_write_at_all(file, 0, written, mine, MPI_BYTE, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS) stop("write", code);
    const double write_rate = total_mb / slowest_rank(MPI_Wtime() - begin);

    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    code = MPI_File_read_at_all(file, 0, read, mine, MPI_BYTE, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS) stop("read", code);
    const double read_rate = total_mb / slowest_rank(MPI_Wtime() - begin);

    wrong |= memcmp(written, read, (size_t)mine) != 0;
    if (write_rate > write_mbs) write_mbs = write_rate;
    if (read_rate > read_mbs) read_mbs = read_rate;
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);

  MPI_Info info;
  char version[64] = "";
  int tutti = 0;
  MPI_File_get_info(file, &info);
  MPI_Info_get(info, "tutti_version", sizeof version - 1, version, &tutti);
  MPI_Info_free(&info);
  MPI_File_close(&file);
  if (rank == 0)
    printf("served_by=%s ranks=%d mb=%.1f block=%ld write_mbs=%.1f read_mbs=%.1f verified=%s\n",
           tutti ? "tutti" : "host", ranks, total_mb, block, write_mbs, read_mbs,
           wrong ? "no" : "yes");
  MPI_Type_free(&interleaved);
  free(written);
  free(read);
  MPI_Finalize();
  return wrong ? 1 : 0;
}
