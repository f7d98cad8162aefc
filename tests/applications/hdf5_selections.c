// Contiguous datasets written and read through hyperslabs, unions of them and points, collectively
// and independently. Usage: hdf5_selections FILE
#include "hdf5_file.h"

enum { kWidth = 37, kDepth = 5, kFill = -9 };

// The selected places of `space`, in the order in which HDF5 moves them.
static int* values_of(hid_t space, hsize_t width) {
  const hssize_t count = H5Sget_select_npoints(space);
  int* const values = memory((size_t)count * sizeof(int));
  if (count == 0) return values;
  if (H5Sget_select_type(space) == H5S_SEL_POINTS) {
    hsize_t* const points = memory((size_t)count * 2 * sizeof(hsize_t));
    CHECK(H5Sget_select_elem_pointlist(space, 0, (hsize_t)count, points) >= 0);
    for (hssize_t i = 0; i < count; ++i)
      values[i] = value_at((long)(points[2 * i] * width + points[2 * i + 1]));
    free(points);
    return values;
  }
  // A dataset in memory that holds its own places, gathered through the same selection.
  hsize_t shape[2];
  CHECK(H5Sget_simple_extent_dims(space, shape, NULL) == 2);
  int* const whole = memory(shape[0] * shape[1] * sizeof(int));
  for (hsize_t i = 0; i < shape[0] * shape[1]; ++i) whole[i] = value_at((long)i);
  CHECK(H5Dgather(space, whole, H5T_NATIVE_INT, (size_t)count * sizeof(int), values, NULL, NULL) >=
        0);
  free(whole);
  return values;
}

static void write_selection(hid_t file, const char* name, hid_t space, H5FD_mpio_xfer_t mode) {
  hsize_t shape[2];
  CHECK(H5Sget_simple_extent_dims(space, shape, NULL) == 2);
  const hid_t creation = timeless_dataset();
  const int fill = kFill;
  CHECK(H5Pset_fill_value(creation, H5T_NATIVE_INT, &fill) >= 0);
  CHECK(H5Pset_fill_time(creation, H5D_FILL_TIME_ALLOC) >= 0);
  const hid_t set = make_dataset(file, name, 2, shape, NULL, creation);
  const hid_t transfer = transfer_mode(mode);
  const hsize_t count = (hsize_t)H5Sget_select_npoints(space);
  int* const values = values_of(space, shape[1]);
  const hsize_t room = count > 0 ? count : 1;
  const hid_t line = H5Screate_simple(1, &room, NULL);
  if (count == 0) CHECK(H5Sselect_none(line) >= 0);
  CHECK(H5Dwrite(set, H5T_NATIVE_INT, line, space, transfer, values) >= 0);

  // Every second int of a wider buffer, read the other way.
  const hsize_t wide = 2 * room;
  const hsize_t zero = 0;
  const hsize_t two = 2;
  const hid_t spread = H5Screate_simple(1, &wide, NULL);
  CHECK(H5Sselect_hyperslab(spread, H5S_SELECT_SET, &zero, &two, &room, NULL) >= 0);
  if (count == 0) CHECK(H5Sselect_none(spread) >= 0);
  const hid_t other =
      transfer_mode(mode == H5FD_MPIO_COLLECTIVE ? H5FD_MPIO_INDEPENDENT : H5FD_MPIO_COLLECTIVE);
  int* const got = memory(wide * sizeof(int));
  for (hsize_t i = 0; i < wide; ++i) got[i] = -1;
  CHECK(H5Dread(set, H5T_NATIVE_INT, spread, space, other, got) >= 0);
  for (hsize_t i = 0; i < count; ++i) CHECK(got[2 * i] == values[i] && got[2 * i + 1] == -1);

  free(got);
  free(values);
  CHECK(H5Sclose(line) >= 0 && H5Sclose(spread) >= 0 && H5Pclose(transfer) >= 0);
  CHECK(H5Pclose(other) >= 0 && H5Pclose(creation) >= 0 && H5Dclose(set) >= 0);
}

static hid_t table(hsize_t rows) {
  const hsize_t shape[2] = {rows, kWidth};
  return H5Screate_simple(2, shape, NULL);
}

static void select_slab(hid_t space, H5S_seloper_t how, const hsize_t slab[8]) {
  CHECK(H5Sselect_hyperslab(space, how, slab, slab + 2, slab + 4, slab + 6) >= 0);
}

// start, stride, count, block: two numbers each
static hid_t rows_of_rank(hsize_t per_rank) {
  const hid_t space = table(per_rank * (hsize_t)ranks);
  const hsize_t slab[8] = {(hsize_t)rank * per_rank, 0, 1, 1, 1, 1, per_rank, kWidth};
  select_slab(space, H5S_SELECT_SET, slab);
  return space;
}

static hid_t cyclic_columns(hsize_t rows) {
  const hid_t space = table(rows);
  const hsize_t count = (kWidth - (hsize_t)rank + (hsize_t)ranks - 1) / (hsize_t)ranks;
  const hsize_t slab[8] = {0, (hsize_t)rank, 1, (hsize_t)ranks, rows, count, 1, 1};
  select_slab(space, H5S_SELECT_SET, slab);
  return space;
}

// A staircase of blocks of different sizes, without any regularity; places no rank selects stay.
static hid_t staircase(hsize_t rows) {
  const hid_t space = table(rows);
  CHECK(H5Sselect_none(space) >= 0);
  for (hsize_t row = (hsize_t)rank; row < rows; row += (hsize_t)ranks) {
    const hsize_t slab[8] = {row, (row * 5) % 11, 1, 1, 1, 1, 1, 3 + (row * 7) % 20};
    select_slab(space, H5S_SELECT_OR, slab);
  }
  return space;
}

// The points of this rank, in an order that jumps back and forth.
static hid_t points_of_rank(hsize_t rows) {
  const hid_t space = table(rows);
  const hsize_t places = rows * kWidth;
  hsize_t* const points = memory(places * 2 * sizeof(hsize_t));
  size_t count = 0;
  for (hsize_t i = 0; i < places; ++i) {
    const hsize_t place = i * 101 % places;  // 101 has no factor in common with rows and kWidth
    if (place % (hsize_t)ranks != (hsize_t)rank) continue;
    points[2 * count] = place / kWidth;
    points[2 * count + 1] = place % kWidth;
    ++count;
  }
  CHECK(H5Sselect_elements(space, H5S_SELECT_SET, count, points) >= 0);
  free(points);
  return space;
}

static hid_t last_rank_only(hsize_t rows) {
  const hid_t space = table(rows);
  if (rank != ranks - 1) CHECK(H5Sselect_none(space) >= 0);
  return space;
}

static void write_both_ways(hid_t file, const char* name, hid_t space) {
  char full[64];
  snprintf(full, sizeof full, "%s collective", name);
  write_selection(file, full, space, H5FD_MPIO_COLLECTIVE);
  snprintf(full, sizeof full, "%s independent", name);
  write_selection(file, full, space, H5FD_MPIO_INDEPENDENT);
  CHECK(H5Sclose(space) >= 0);
}

// Blocks of a volume along its last dimension, through big-endian doubles: HDF5 converts.
static void write_volume(hid_t file) {
  const hsize_t shape[3] = {kDepth, 6, 4 * (hsize_t)ranks};
  const hsize_t first[3] = {0, 0, 4 * (hsize_t)rank};
  const hsize_t block[3] = {kDepth, 6, 4};
  const hid_t space = H5Screate_simple(3, shape, NULL);
  const hid_t mine = H5Screate_simple(3, block, NULL);
  const hid_t creation = timeless_dataset();
  const hid_t set =
      H5Dcreate2(file, "volume", H5T_IEEE_F64BE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  CHECK(H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, block, NULL) >= 0);
  float values[kDepth * 6 * 4];
  for (int i = 0; i < kDepth * 6 * 4; ++i) values[i] = (float)(rank * 1000 + i);
  const hid_t transfer = transfer_mode(H5FD_MPIO_COLLECTIVE);
  CHECK(H5Dwrite(set, H5T_NATIVE_FLOAT, mine, space, transfer, values) >= 0);
  float got[kDepth * 6 * 4] = {0};
  CHECK(H5Dread(set, H5T_NATIVE_FLOAT, mine, space, transfer, got) >= 0);
  for (int i = 0; i < kDepth * 6 * 4; ++i) CHECK(got[i] == values[i]);
  CHECK(H5Sclose(space) >= 0 && H5Sclose(mine) >= 0 && H5Pclose(creation) >= 0);
  CHECK(H5Pclose(transfer) >= 0 && H5Dclose(set) >= 0);
}

// Places of no rank's staircase keep the fill value.
static void check_staircase(hid_t file, const char* name, hsize_t rows) {
  const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  int* const got = memory(rows * kWidth * sizeof(int));
  CHECK(set >= 0);
  CHECK(H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, got) >= 0);
  for (hsize_t i = 0; i < rows * kWidth; ++i) {
    const hsize_t row = i / kWidth;
    const hsize_t column = i % kWidth;
    const hsize_t first = (row * 5) % 11;
    const int inside = column >= first && column < first + 3 + (row * 7) % 20;
    CHECK(got[i] == (inside ? value_at((long)i) : kFill));
  }
  free(got);
  CHECK(H5Dclose(set) >= 0);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  const hid_t file = create_file(argv[1], METADATA_INDEPENDENT);
  write_both_ways(file, "rows", rows_of_rank(7));
  write_both_ways(file, "columns", cyclic_columns(40));
  write_both_ways(file, "staircase", staircase(30));
  write_both_ways(file, "points", points_of_rank(10));
  write_both_ways(file, "one rank", last_rank_only(9));
  write_volume(file);
  CHECK(H5Fclose(file) >= 0);

  const hid_t again = open_file(argv[1], H5F_ACC_RDONLY, METADATA_COLLECTIVE);
  check_whole(again, "rows collective", 7 * kWidth * (hsize_t)ranks, H5FD_MPIO_COLLECTIVE);
  check_whole(again, "rows independent", 7 * kWidth * (hsize_t)ranks, H5FD_MPIO_INDEPENDENT);
  check_whole(again, "columns collective", 40 * kWidth, H5FD_MPIO_COLLECTIVE);
  check_whole(again, "columns independent", 40 * kWidth, H5FD_MPIO_INDEPENDENT);
  check_staircase(again, "staircase collective", 30);
  check_staircase(again, "staircase independent", 30);
  check_whole(again, "points collective", 10 * kWidth, H5FD_MPIO_COLLECTIVE);
  check_whole(again, "points independent", 10 * kWidth, H5FD_MPIO_INDEPENDENT);
  check_whole(again, "one rank collective", 9 * kWidth, H5FD_MPIO_COLLECTIVE);
  CHECK(H5Fclose(again) >= 0);
  return finish("hdf5_selections");
}
