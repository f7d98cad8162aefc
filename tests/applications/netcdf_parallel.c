// Parallel netCDF-4: fixed variables, an unlimited dimension and compressed variables, with
// collective and independent access, groups and attributes. Usage: netcdf_parallel FILE
#include <netcdf.h>
#include <netcdf_par.h>
#include <string.h>

#include "application.h"

#define NC(call)                                                                 \
  do {                                                                           \
    const int code = (call);                                                     \
    if (code != NC_NOERR) fprintf(stderr, "%s: %s\n", #call, nc_strerror(code)); \
    CHECK(code == NC_NOERR);                                                     \
  } while (0)

enum { kRows = 20, kColumns = 24, kSteps = 6, kAttributes = 50 };

static int variable(int file, const char* name, int access, const int* dimensions) {
  int id;
  NC(nc_def_var(file, name, NC_INT, 2, dimensions, &id));
  NC(nc_var_par_access(file, id, access));
  return id;
}

// Rows of this rank among `rows` ones that begin at row `first`.
static void put_rows(int file, int id, size_t first, size_t rows) {
  const size_t from[2] = {first + rows * (size_t)rank / (size_t)ranks, 0};
  const size_t to = first + rows * ((size_t)rank + 1) / (size_t)ranks;
  const size_t size[2] = {to - from[0], kColumns};
  int* const values = memory(size[0] * kColumns * sizeof(int));
  for (size_t i = 0; i < size[0] * kColumns; ++i)
    values[i] = value_at((long)(from[0] * kColumns + i));
  NC(nc_put_vara_int(file, id, from, size, values));
  free(values);
}

static void put_columns(int file, int id) {
  const size_t from[2] = {0, (size_t)rank};
  const size_t size[2] = {kRows, (size_t)((kColumns - rank + ranks - 1) / ranks)};
  const ptrdiff_t stride[2] = {1, ranks};
  int* const values = memory(size[0] * size[1] * sizeof(int));
  for (size_t i = 0; i < size[0] * size[1]; ++i)
    values[i] =
        value_at((long)(i / size[1] * kColumns + (size_t)rank + i % size[1] * (size_t)ranks));
  NC(nc_put_vars_int(file, id, from, size, stride, values));
  free(values);
}

static void check_variable(int file, const char* name, int access, size_t count) {
  int id;
  int* const got = memory(count * sizeof(int));
  NC(nc_inq_varid(file, name, &id));
  NC(nc_var_par_access(file, id, access));
  NC(nc_get_var_int(file, id, got));
  for (size_t i = 0; i < count; ++i) CHECK(got[i] == value_at((long)i));
  free(got);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  int file;
  int group;
  int rows, columns, time;
  NC(nc_create_par(argv[1], NC_NETCDF4 | NC_CLOBBER, MPI_COMM_WORLD, MPI_INFO_NULL, &file));
  NC(nc_def_dim(file, "rows", kRows, &rows));
  NC(nc_def_dim(file, "columns", kColumns, &columns));
  NC(nc_def_dim(file, "time", NC_UNLIMITED, &time));
  const int table[2] = {rows, columns};
  const int series[2] = {time, columns};
  const int together = variable(file, "together", NC_COLLECTIVE, table);
  const int alone = variable(file, "alone", NC_INDEPENDENT, table);
  const int strided = variable(file, "strided", NC_COLLECTIVE, table);
  const int growing = variable(file, "growing", NC_COLLECTIVE, series);
  const int packed = variable(file, "packed", NC_COLLECTIVE, table);
  const size_t chunk[2] = {7, 10};
  NC(nc_def_var_chunking(file, packed, NC_CHUNKED, chunk));
  NC(nc_def_var_deflate(file, packed, 1, 1, 4));
  NC(nc_def_grp(file, "group", &group));
  const int inside = variable(group, "inside", NC_COLLECTIVE, table);
  for (int i = 0; i < kAttributes; ++i) {
    char name[32];
    const int value = value_at(i);
    snprintf(name, sizeof name, "attribute_%d", i);
    NC(nc_put_att_int(i % 2 == 0 ? file : group, NC_GLOBAL, name, NC_INT, 1, &value));
  }
  NC(nc_put_att_text(file, together, "units", 7, "furlong"));
  NC(nc_enddef(file));

  put_rows(file, together, 0, kRows);
  put_rows(file, alone, 0, kRows);
  put_columns(file, strided);
  put_rows(file, packed, 0, kRows);
  put_rows(group, inside, 0, kRows);
  for (int step = 0; step < kSteps; ++step) put_rows(file, growing, (size_t)step * 8, 8);
  NC(nc_sync(file));
  NC(nc_close(file));

  NC(nc_open_par(argv[1], NC_NOWRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &file));
  NC(nc_inq_ncid(file, "group", &group));
  check_variable(file, "together", NC_INDEPENDENT, kRows * kColumns);
  check_variable(file, "alone", NC_COLLECTIVE, kRows * kColumns);
  check_variable(file, "strided", NC_COLLECTIVE, kRows * kColumns);
  check_variable(file, "packed", NC_COLLECTIVE, kRows * kColumns);
  check_variable(file, "growing", NC_COLLECTIVE, 8 * kSteps * kColumns);
  check_variable(group, "inside", NC_INDEPENDENT, kRows * kColumns);
  for (int i = 0; i < kAttributes; ++i) {
    char name[32];
    int value = 0;
    snprintf(name, sizeof name, "attribute_%d", i);
    NC(nc_get_att_int(i % 2 == 0 ? file : group, NC_GLOBAL, name, &value));
    CHECK(value == value_at(i));
  }
  NC(nc_close(file));
  return finish("netcdf_parallel");
}
