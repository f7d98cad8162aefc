// Blocking access of PnetCDF: whole, strided, mapped and scattered parts of fixed and record
// variables, independent access, a header that grows, all three classic formats.
// Usage: pnetcdf_blocking FILE
#include "pnetcdf_file.h"

enum { kRows = 12, kColumns = 24, kRecords = 6, kNotes = 30 };

static void fill_rows(int file, int id, MPI_Offset per_rank) {
  const MPI_Offset from[2] = {rank * per_rank, 0};
  const MPI_Offset size[2] = {per_rank, kColumns};
  int* const values = memory((size_t)(per_rank * kColumns) * sizeof(int));
  for (MPI_Offset i = 0; i < per_rank * kColumns; ++i)
    values[i] = value_at((long)(from[0] * kColumns + i));
  NC(ncmpi_put_vara_int_all(file, id, from, size, values));
  free(values);
}

// Columns rank, rank + ranks, … of every row.
static void fill_columns(int file, int id) {
  const MPI_Offset columns = (kColumns - rank + ranks - 1) / ranks;
  const MPI_Offset from[2] = {0, rank};
  const MPI_Offset size[2] = {kRows, columns};
  const MPI_Offset stride[2] = {1, ranks};
  int* const values = memory((size_t)(kRows * columns) * sizeof(int));
  for (MPI_Offset i = 0; i < kRows * columns; ++i)
    values[i] = value_at((long)((i / columns) * kColumns + rank + (i % columns) * ranks));
  NC(ncmpi_put_vars_int_all(file, id, from, size, stride, values));
  int* const got = memory((size_t)(kRows * columns) * sizeof(int));
  NC(ncmpi_get_vars_int_all(file, id, from, size, stride, got));
  CHECK(memcmp(got, values, (size_t)(kRows * columns) * sizeof(int)) == 0);
  free(got);
  free(values);
}

// The whole variable from memory that lies column by column; only the last rank has anything.
static void fill_transposed(int file, int id) {
  const int active = rank == ranks - 1;
  const MPI_Offset from[2] = {0, 0};
  const MPI_Offset size[2] = {active ? kRows : 0, active ? kColumns : 0};
  const MPI_Offset map[2] = {1, kRows};
  int values[kRows * kColumns];
  for (int row = 0; row < kRows; ++row)
    for (int column = 0; column < kColumns; ++column)
      values[column * kRows + row] = value_at(row * kColumns + column);
  NC(ncmpi_put_varm_int_all(file, id, from, size, NULL, map, values));
}

// Pieces of different sizes in one call.
static void fill_scattered(int file, int id) {
  enum { kPieces = 2 * kRows };
  MPI_Offset places[kPieces][2];
  MPI_Offset sizes[kPieces][2];
  MPI_Offset* starts[kPieces];
  MPI_Offset* counts[kPieces];
  int values[kRows * kColumns];
  int pieces = 0;
  int filled = 0;
  for (int row = kRows - 1; row >= 0; --row) {
    if (row % ranks != rank) continue;
    const int cut = 1 + row * 5 % (kColumns - 1);
    for (int half = 0; half < 2; ++half) {
      places[pieces][0] = row;
      places[pieces][1] = half == 0 ? 0 : cut;
      sizes[pieces][0] = 1;
      sizes[pieces][1] = half == 0 ? cut : kColumns - cut;
      starts[pieces] = places[pieces];
      counts[pieces] = sizes[pieces];
      for (MPI_Offset i = 0; i < sizes[pieces][1]; ++i)
        values[filled++] = value_at((long)(row * kColumns + places[pieces][1] + i));
      ++pieces;
    }
  }
  NC(ncmpi_put_varn_int_all(file, id, pieces, starts, counts, values));
}

static void fill_alone(int file, int id) {
  NC(ncmpi_begin_indep_data(file));
  for (MPI_Offset place = rank; place < kRows * kColumns; place += ranks) {
    const MPI_Offset index[2] = {place / kColumns, place % kColumns};
    const int value = value_at((long)place);
    NC(ncmpi_put_var1_int(file, id, index, &value));
  }
  NC(ncmpi_end_indep_data(file));
}

static void fill_records(int file, int id, int first, int last) {
  for (int record = first; record < last; ++record) {
    const MPI_Offset from[2] = {record, kColumns * rank / ranks};
    const MPI_Offset size[2] = {1, kColumns * (rank + 1) / ranks - from[1]};
    int values[kColumns];
    for (MPI_Offset i = 0; i < size[1]; ++i)
      values[i] = value_at((long)(record * kColumns + from[1] + i));
    NC(ncmpi_put_vara_int_all(file, id, from, size, values));
  }
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  const int formats[] = {0, NC_64BIT_OFFSET, NC_64BIT_DATA};
  for (int f = 0; f < 3; ++f) {
    char name[4096];
    snprintf(name, sizeof name, f == 0 ? "%s" : "%s.cdf%d", argv[1], f == 1 ? 2 : 5);
    int file = create_file(name, formats[f]);
    const MPI_Offset per_rank = 5;
    const int long_dimensions[2] = {dimension(file, "long", per_rank * ranks),
                                    dimension(file, "columns", kColumns)};
    const int table[2] = {dimension(file, "rows", kRows), long_dimensions[1]};
    const int series[2] = {dimension(file, "time", NC_UNLIMITED), long_dimensions[1]};
    const int rows = variable(file, "rows", NC_INT, 2, long_dimensions);
    const int columns = variable(file, "columns", NC_DOUBLE, 2, table);
    const int transposed = variable(file, "transposed", NC_INT, 2, table);
    const int scattered = variable(file, "scattered", NC_INT, 2, table);
    const int alone = variable(file, "alone", NC_INT, 2, table);
    const int record = variable(file, "record", NC_INT, 2, series);
    const int other = variable(file, "other record", NC_DOUBLE, 2, series);
    NC(ncmpi_enddef(file));
    fill_rows(file, rows, per_rank);
    fill_columns(file, columns);
    fill_transposed(file, transposed);
    fill_scattered(file, scattered);
    fill_alone(file, alone);
    fill_records(file, record, 0, kRecords / 2);
    fill_records(file, other, 0, kRecords / 2);

    // A larger header moves every variable.
    NC(ncmpi_redef(file));
    for (int note = 0; note < kNotes; ++note) {
      char key[32];
      snprintf(key, sizeof key, "note_%d", note);
      NC(ncmpi_put_att_text(file, NC_GLOBAL, key, 40, "a note of forty characters, all of them."));
    }
    const int late = variable(file, "late", NC_INT, 2, table);
    NC(ncmpi_enddef(file));
    fill_scattered(file, late);
    fill_records(file, record, kRecords / 2, kRecords);
    fill_records(file, other, kRecords / 2, kRecords);
    NC(ncmpi_close(file));

    NC(ncmpi_open(MPI_COMM_WORLD, name, NC_NOWRITE, MPI_INFO_NULL, &file));
    check_variable(file, "rows", per_rank * ranks * kColumns);
    check_variable(file, "columns", kRows * kColumns);
    check_variable(file, "transposed", kRows * kColumns);
    check_variable(file, "scattered", kRows * kColumns);
    check_variable(file, "alone", kRows * kColumns);
    check_variable(file, "late", kRows * kColumns);
    check_variable(file, "record", kRecords * kColumns);
    check_variable(file, "other record", kRecords * kColumns);
    NC(ncmpi_close(file));
  }
  return finish("pnetcdf_blocking");
}
