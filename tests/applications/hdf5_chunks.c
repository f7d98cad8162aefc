// Chunked datasets: aligned or not, through HDF5's own collective forms, with filters, growing.
// Usage: hdf5_chunks FILE
#include "hdf5_file.h"

enum { kChunkRows = 8, kChunkColumns = 16, kColumns = 50, kRows = 60, kSteps = 5 };

struct Part {
  hsize_t first[2];
  hsize_t size[2];
};

// Rows in blocks that cut through chunks, or whole rows of chunks.
static struct Part rows_of_rank(hsize_t rows) {
  const hsize_t from = rows * (hsize_t)rank / (hsize_t)ranks;
  const hsize_t to = rows * ((hsize_t)rank + 1) / (hsize_t)ranks;
  const struct Part part = {{from, 0}, {to - from, kColumns}};
  return part;
}

static struct Part columns_of_rank(hsize_t rows) {
  const hsize_t from = (hsize_t)(kColumns * rank / ranks);
  const hsize_t to = (hsize_t)(kColumns * (rank + 1) / ranks);
  const struct Part part = {{0, from}, {rows, to - from}};
  return part;
}

static void move_part(hid_t set, struct Part part, hid_t transfer, int writes) {
  const hid_t space = H5Dget_space(set);
  const hid_t mine = H5Screate_simple(2, part.size, NULL);
  const hsize_t count = part.size[0] * part.size[1];
  int* const values = memory(count * sizeof(int));
  CHECK(H5Sselect_hyperslab(space, H5S_SELECT_SET, part.first, NULL, part.size, NULL) >= 0);
  for (hsize_t i = 0; i < count; ++i) {
    const hsize_t row = part.first[0] + i / part.size[1];
    const hsize_t column = part.first[1] + i % part.size[1];
    values[i] = value_at((long)(row * kColumns + column));
  }
  if (writes) {
    CHECK(H5Dwrite(set, H5T_NATIVE_INT, mine, space, transfer, values) >= 0);
  } else {
    int* const got = memory(count * sizeof(int));
    CHECK(H5Dread(set, H5T_NATIVE_INT, mine, space, transfer, got) >= 0);
    for (hsize_t i = 0; i < count; ++i) CHECK(got[i] == values[i]);
    free(got);
  }
  free(values);
  CHECK(H5Sclose(space) >= 0 && H5Sclose(mine) >= 0);
}

static hid_t chunked(H5D_alloc_time_t when) {
  const hsize_t chunk[2] = {kChunkRows, kChunkColumns};
  const int fill = -7;
  const hid_t creation = timeless_dataset();
  CHECK(H5Pset_chunk(creation, 2, chunk) >= 0);
  CHECK(H5Pset_alloc_time(creation, when) >= 0);
  CHECK(H5Pset_fill_value(creation, H5T_NATIVE_INT, &fill) >= 0);
  return creation;
}

static hid_t filtered(int level, int sums) {
  const hid_t creation = chunked(H5D_ALLOC_TIME_INCR);
  CHECK(H5Pset_shuffle(creation) >= 0);
  CHECK(H5Pset_deflate(creation, (unsigned)level) >= 0);
  if (sums) CHECK(H5Pset_fletcher32(creation) >= 0);
  return creation;
}

// What one rank wrote another may read after this.
static void meet(hid_t object) {
  CHECK(H5Fflush(object, H5F_SCOPE_GLOBAL) >= 0);
  MPI_Barrier(MPI_COMM_WORLD);
}

// Two writes over the same bytes, so that filtered chunks are read back, changed and moved.
static void write_twice(hid_t file, const char* name, hid_t creation, hid_t transfer) {
  const hsize_t shape[2] = {kRows, kColumns};
  const hid_t set = make_dataset(file, name, 2, shape, NULL, creation);
  move_part(set, columns_of_rank(kRows), transfer, 1);
  meet(file);
  move_part(set, rows_of_rank(kRows), transfer, 0);
  move_part(set, rows_of_rank(kRows), transfer, 1);
  meet(file);
  move_part(set, columns_of_rank(kRows), transfer, 0);
  CHECK(H5Dclose(set) >= 0 && H5Pclose(creation) >= 0);
}

static hid_t collective_form(H5FD_mpio_chunk_opt_t form) {
  const hid_t transfer = transfer_mode(H5FD_MPIO_COLLECTIVE);
  CHECK(H5Pset_dxpl_mpio_chunk_opt(transfer, form) >= 0);
  return transfer;
}

// Appends rows step by step, and reads all of them each time.
static void grow(hid_t set, hsize_t step_rows) {
  const hid_t transfer = transfer_mode(H5FD_MPIO_COLLECTIVE);
  hsize_t shape[2] = {0, kColumns};
  for (int step = 0; step < kSteps; ++step) {
    struct Part part = rows_of_rank(step_rows);
    part.first[0] += shape[0];
    shape[0] += step_rows;
    CHECK(H5Dset_extent(set, shape) >= 0);
    meet(set);
    move_part(set, part, transfer, 1);
    meet(set);
    move_part(set, columns_of_rank(shape[0]), transfer, 0);
  }
  CHECK(H5Pclose(transfer) >= 0);
}

static hid_t growing_set(hid_t file, const char* name, hid_t creation) {
  const hsize_t most[2] = {H5S_UNLIMITED, kColumns};
  const hsize_t shape[2] = {0, kColumns};
  const hid_t set = make_dataset(file, name, 2, shape, most, creation);
  CHECK(H5Pclose(creation) >= 0);
  return set;
}

// Grows by rows that do not end at chunk borders, and loses most of them again.
static void extend_and_cut(hid_t file) {
  const hid_t set = growing_set(file, "growing", chunked(H5D_ALLOC_TIME_EARLY));
  grow(set, 11);
  const hsize_t less[2] = {13, kColumns};
  CHECK(H5Dset_extent(set, less) >= 0);
  CHECK(H5Dclose(set) >= 0);
}

// Whole chunks only: HDF5 1.10 does not grow partly written filtered chunks in parallel.
static void extend_filtered(hid_t file) {
  const hid_t set = growing_set(file, "growing deflated", filtered(4, 0));
  grow(set, 2 * kChunkRows);
  CHECK(H5Dclose(set) >= 0);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  const hid_t together = transfer_mode(H5FD_MPIO_COLLECTIVE);
  const hid_t alone = transfer_mode(H5FD_MPIO_INDEPENDENT);
  const hid_t one_link = collective_form(H5FD_MPIO_CHUNK_ONE_IO);
  const hid_t each_chunk = collective_form(H5FD_MPIO_CHUNK_MULTI_IO);
  const hid_t file = create_file(argv[1], METADATA_INDEPENDENT);
  write_twice(file, "one transfer", chunked(H5D_ALLOC_TIME_EARLY), one_link);
  write_twice(file, "each chunk", chunked(H5D_ALLOC_TIME_EARLY), each_chunk);
  write_twice(file, "independent", chunked(H5D_ALLOC_TIME_EARLY), alone);
  write_twice(file, "deflated", filtered(6, 0), together);
  write_twice(file, "deflated, summed", filtered(1, 1), together);
  extend_and_cut(file);
  extend_filtered(file);
  CHECK(H5Fclose(file) >= 0);

  const hid_t again = open_file(argv[1], H5F_ACC_RDONLY, METADATA_INDEPENDENT);
  check_whole(again, "one transfer", kRows * kColumns, H5FD_MPIO_COLLECTIVE);
  check_whole(again, "each chunk", kRows * kColumns, H5FD_MPIO_INDEPENDENT);
  check_whole(again, "independent", kRows * kColumns, H5FD_MPIO_COLLECTIVE);
  check_whole(again, "deflated", kRows * kColumns, H5FD_MPIO_COLLECTIVE);
  check_whole(again, "deflated, summed", kRows * kColumns, H5FD_MPIO_INDEPENDENT);
  check_whole(again, "growing", 13 * kColumns, H5FD_MPIO_COLLECTIVE);
  check_whole(again, "growing deflated", 2 * kChunkRows * kSteps * kColumns, H5FD_MPIO_COLLECTIVE);
  CHECK(H5Fclose(again) >= 0);
  CHECK(H5Pclose(together) >= 0 && H5Pclose(alone) >= 0);
  CHECK(H5Pclose(one_link) >= 0 && H5Pclose(each_chunk) >= 0);
  return finish("hdf5_chunks");
}
