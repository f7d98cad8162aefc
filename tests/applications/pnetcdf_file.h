// Files of PnetCDF.
#pragma once

#include <pnetcdf.h>
#include <string.h>

#include "application.h"

#define NC(call)                                                                    \
  do {                                                                              \
    const int code = (call);                                                        \
    if (code != NC_NOERR) fprintf(stderr, "%s: %s\n", #call, ncmpi_strerrno(code)); \
    CHECK(code == NC_NOERR);                                                        \
  } while (0)

static int create_file(const char* name, int format) {
  int file;
  NC(ncmpi_create(MPI_COMM_WORLD, name, NC_CLOBBER | format, MPI_INFO_NULL, &file));
  return file;
}

static int dimension(int file, const char* name, MPI_Offset length) {
  int id;
  NC(ncmpi_def_dim(file, name, length, &id));
  return id;
}

static int variable(int file, const char* name, nc_type type, int count, const int* dimensions) {
  int id;
  NC(ncmpi_def_var(file, name, type, count, dimensions, &id));
  return id;
}

// Every rank reads a whole variable of `count` values and compares it with value_at.
static void check_variable(int file, const char* name, MPI_Offset count) {
  int id;
  int* const got = memory((size_t)count * sizeof(int));
  NC(ncmpi_inq_varid(file, name, &id));
  NC(ncmpi_get_var_int_all(file, id, got));
  for (MPI_Offset i = 0; i < count; ++i) CHECK(got[i] == value_at((long)i));
  free(got);
}
