// Writes and reads back a file through a view with holes, checks sizes, counts and error classes,
// and says whose MPI-IO served it. Usage: roundtrip FILE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kBlocks = 1000, kBlockInts = 3, kInts = kBlocks * kBlockInts, kHeaderBytes = 20 };

static int rank, ranks;

static void check(int good, const char* what) {
  if (good) return;
  fprintf(stderr, "roundtrip-c: rank %d: %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static int class_of(int code) {
  int error_class = -1;
  MPI_Error_class(code, &error_class);
  return error_class;
}

static int value_at(int owner, int k) { return owner * 1000000 + k; }

static void write_and_read(MPI_File file) {
  MPI_Datatype blocks;
  MPI_Type_vector(kBlocks, kBlockInts, kBlockInts * ranks, MPI_INT, &blocks);
  MPI_Type_commit(&blocks);
  const MPI_Offset start = kHeaderBytes + (MPI_Offset)rank * kBlockInts * (MPI_Offset)sizeof(int);
  check(MPI_File_set_view(file, start, MPI_INT, blocks, "native", MPI_INFO_NULL) == MPI_SUCCESS,
        "set_view");
  int* data = malloc(kInts * sizeof *data);
  for (int k = 0; k < kInts; ++k) data[k] = value_at(rank, k);
  MPI_Status status;
  int count = 0;
  check(MPI_File_write_all(file, data, kInts, MPI_INT, &status) == MPI_SUCCESS, "write_all");
  MPI_Get_count(&status, MPI_INT, &count);
  check(count == kInts, "count written");

  memset(data, 0, kInts * sizeof *data);
  check(MPI_File_read_at(file, 7, data, 100, MPI_INT, &status) == MPI_SUCCESS, "read_at");
  MPI_Get_count(&status, MPI_INT, &count);
  check(count == 100, "count read");
  for (int k = 0; k < 100; ++k) check(data[k] == value_at(rank, 7 + k), "bytes of read_at");

  check(MPI_File_seek(file, 0, MPI_SEEK_SET) == MPI_SUCCESS, "seek");
  check(MPI_File_read_all(file, data, kInts, MPI_INT, &status) == MPI_SUCCESS, "read_all");
  for (int k = 0; k < kInts; ++k) check(data[k] == value_at(rank, k), "bytes of read_all");
  MPI_Offset position = -1;
  MPI_File_get_position(file, &position);
  check(position == kInts, "position after read_all");
  free(data);
  MPI_Type_free(&blocks);
}

static void check_whole_file(MPI_File file) {
  MPI_Offset size = -1;
  const MPI_Offset expected = kHeaderBytes + (MPI_Offset)ranks * kInts * (MPI_Offset)sizeof(int);
  check(MPI_File_get_size(file, &size) == MPI_SUCCESS && size == expected, "get_size");
  check(MPI_File_set_view(file, kHeaderBytes, MPI_INT, MPI_INT, "native", MPI_INFO_NULL) ==
            MPI_SUCCESS,
        "set_view of the whole file");
  int* all = malloc((size_t)ranks * kInts * sizeof *all);
  MPI_Status status;
  check(MPI_File_read_at(file, 0, all, ranks * kInts, MPI_INT, &status) == MPI_SUCCESS,
        "read_at of the whole file");
  for (int i = 0; i < ranks * kInts; ++i) {
    const int block = i / kBlockInts, owner = block % ranks;
    const int k = block / ranks * kBlockInts + i % kBlockInts;
    check(all[i] == value_at(owner, k), "bytes of the whole file");
  }
  free(all);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char* path = argc > 1 ? argv[1] : "roundtrip.dat";

  MPI_File file;
  int code = MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  check(class_of(code) == MPI_ERR_NO_SUCH_FILE, "error class of opening a missing file");
  code = MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  check(code == MPI_SUCCESS, "open");
  check(MPI_File_f2c(MPI_File_c2f(file)) == file, "c2f and f2c");
  int amode = 0;
  MPI_File_get_amode(file, &amode);
  check(amode == (MPI_MODE_CREATE | MPI_MODE_RDWR), "get_amode");
  write_and_read(file);
  MPI_Barrier(MPI_COMM_WORLD);
  check_whole_file(file);

  MPI_Info info;
  char version[64] = "";
  int tutti = 0;
  MPI_File_get_info(file, &info);
  MPI_Info_get(info, "tutti_version", sizeof version - 1, version, &tutti);
  MPI_Info_free(&info);
  check(MPI_File_close(&file) == MPI_SUCCESS, "close");
  check(file == MPI_FILE_NULL, "the handle after close");
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    check(MPI_File_delete(path, MPI_INFO_NULL) == MPI_SUCCESS, "delete");
    check(class_of(MPI_File_delete(path, MPI_INFO_NULL)) == MPI_ERR_NO_SUCH_FILE,
          "error class of deleting a missing file");
    printf("roundtrip-c: ok, served by %s\n", tutti ? "tutti" : "the host");
  }
  MPI_Finalize();
  return 0;
}
