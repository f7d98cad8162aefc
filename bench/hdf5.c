// Times parallel HDF5: a 3-D dataset decomposed over all ranks, written and read collectively, and
// many small attributes. Everything read is checked. Rank 0 prints one line of JSON.
// Usage: bench_hdf5 FILE volume SIDE blocks|columns | attributes GROUPS PER_GROUP
// blocks: every dimension is divided; columns: the last one only, so that pieces are small.
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;

static void check(int good, const char* what) {
  if (good) return;
  fprintf(stderr, "bench_hdf5: rank %d: %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static double now(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Wtime();
}

static hid_t access_list(void) {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  check(H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL) >= 0, "no MPI-IO in HDF5");
  return access;
}

static hid_t make_file(const char* name) {
  const hid_t access = access_list();
  const hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  check(file >= 0, "H5Fcreate");
  H5Pclose(access);
  return file;
}

static hid_t open_file(const char* name) {
  const hid_t access = access_list();
  const hid_t file = H5Fopen(name, H5F_ACC_RDONLY, access);
  check(file >= 0, "H5Fopen");
  H5Pclose(access);
  return file;
}

struct Block {
  hsize_t shape[3], first[3], size[3];
};

static struct Block block_of_rank(int side, int columns) {
  struct Block block;
  int grid[3] = {columns, columns, 0};  // 0: as MPI likes
  MPI_Dims_create(ranks, 3, grid);
  const int place[3] = {rank / (grid[1] * grid[2]), rank / grid[2] % grid[1], rank % grid[2]};
  for (int d = 0; d < 3; ++d) {
    block.shape[d] = (hsize_t)side;
    block.first[d] = (hsize_t)(side * place[d] / grid[d]);
    block.size[d] = (hsize_t)(side * (place[d] + 1) / grid[d]) - block.first[d];
  }
  return block;
}

static double value_at(const struct Block* block, hsize_t i) {
  const hsize_t x = block->first[2] + i % block->size[2];
  const hsize_t y = block->first[1] + i / block->size[2] % block->size[1];
  const hsize_t z = block->first[0] + i / (block->size[2] * block->size[1]);
  return (double)((z * block->shape[1] + y) * block->shape[2] + x);
}

static void volume(const char* name, int side, int columns) {
  const struct Block block = block_of_rank(side, columns);
  const hsize_t count = block.size[0] * block.size[1] * block.size[2];
  double* const data = malloc(count * sizeof(double) + 1);
  check(data != NULL, "no memory");
  for (hsize_t i = 0; i < count; ++i) data[i] = value_at(&block, i);
  const hid_t file = make_file(name);
  const hid_t space = H5Screate_simple(3, block.shape, NULL);
  const hid_t mine = H5Screate_simple(3, block.size, NULL);
  const hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
  H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE);
  const hid_t set =
      H5Dcreate2(file, "volume", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  check(H5Sselect_hyperslab(space, H5S_SELECT_SET, block.first, NULL, block.size, NULL) >= 0,
        "slab");
  double write_s = 1e9;
  double read_s = 1e9;
  for (int repetition = 0; repetition < 4; ++repetition) {  // the first one makes the file's pages
    const double begin = now();
    check(H5Dwrite(set, H5T_NATIVE_DOUBLE, mine, space, transfer, data) >= 0, "H5Dwrite");
    const double written = now();
    memset(data, 0, count * sizeof(double));
    const double before = now();
    check(H5Dread(set, H5T_NATIVE_DOUBLE, mine, space, transfer, data) >= 0, "H5Dread");
    const double end = now();
    for (hsize_t i = 0; i < count; ++i) check(data[i] == value_at(&block, i), "a wrong number");
    if (repetition > 0 && written - begin < write_s) write_s = written - begin;
    if (repetition > 0 && end - before < read_s) read_s = end - before;
  }
  H5Dclose(set), H5Sclose(space), H5Sclose(mine), H5Pclose(transfer), H5Fclose(file);
  free(data);
  if (rank == 0) printf("{\"write\": %.6f, \"read\": %.6f}\n", write_s, read_s);
}

static void attributes(const char* name, int groups, int per_group) {
  const hid_t scalar = H5Screate(H5S_SCALAR);
  char word[32];
  const double begin = now();
  hid_t file = make_file(name);
  for (int g = 0; g < groups; ++g) {
    snprintf(word, sizeof word, "group %d", g);
    const hid_t group = H5Gcreate2(file, word, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    for (int a = 0; a < per_group; ++a) {
      const int value = g * per_group + a;
      snprintf(word, sizeof word, "attribute %d", a);
      const hid_t attribute =
          H5Acreate2(group, word, H5T_NATIVE_INT, scalar, H5P_DEFAULT, H5P_DEFAULT);
      check(H5Awrite(attribute, H5T_NATIVE_INT, &value) >= 0, "H5Awrite");
      H5Aclose(attribute);
    }
    H5Gclose(group);
  }
  check(H5Fclose(file) >= 0, "H5Fclose");
  const double written = now();
  file = open_file(name);
  for (int g = 0; g < groups; ++g)
    for (int a = 0; a < per_group; ++a) {
      char path[32];
      int value = -1;
      snprintf(path, sizeof path, "group %d", g);
      snprintf(word, sizeof word, "attribute %d", a);
      const hid_t attribute = H5Aopen_by_name(file, path, word, H5P_DEFAULT, H5P_DEFAULT);
      check(H5Aread(attribute, H5T_NATIVE_INT, &value) >= 0, "H5Aread");
      check(value == g * per_group + a, "a wrong attribute");
      H5Aclose(attribute);
    }
  check(H5Fclose(file) >= 0, "H5Fclose");
  const double end = now();
  H5Sclose(scalar);
  if (rank == 0) printf("{\"write\": %.6f, \"read\": %.6f}\n", written - begin, end - written);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc == 5 && strcmp(argv[2], "volume") == 0)
    volume(argv[1], atoi(argv[3]), strcmp(argv[4], "columns") == 0 ? 1 : 0);
  else if (argc == 5 && strcmp(argv[2], "attributes") == 0)
    attributes(argv[1], atoi(argv[3]), atoi(argv[4]));
  else
    check(0, "usage: bench_hdf5 FILE volume SIDE blocks|columns | attributes GROUPS PER_GROUP");
  MPI_Finalize();
  return 0;
}
