// Defines an MPI function under both of its names: PMPI_X strong, MPI_X weak, as tools expect it.
#pragma once

#include <mpi.h>

//   TUTTI_MPI(File_sync, (MPI_File file)) { … }
#define TUTTI_MPI(name, parameters) TUTTI_MPI_RETURNING(int, name, parameters)

#define TUTTI_MPI_RETURNING(Return, name, parameters)                                              \
  extern "C" {                                                                                     \
  __attribute__((visibility("default"))) Return PMPI_##name parameters;                            \
  __attribute__((visibility("default"), weak, alias("PMPI_" #name))) Return MPI_##name parameters; \
  }                                                                                                \
  Return PMPI_##name parameters

// The versions with MPI_Count that MPI 4 adds.
#if MPI_VERSION >= 4
#define TUTTI_HAS_LARGE_COUNT_CALLS 1
#endif
