// HDF5 files over MPI-IO.
#pragma once

#include <hdf5.h>

#include "application.h"

enum Metadata { METADATA_INDEPENDENT, METADATA_COLLECTIVE };

static hid_t mpio_access(enum Metadata metadata) {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  CHECK(H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL) >= 0);
  CHECK(H5Pset_coll_metadata_write(access, metadata == METADATA_COLLECTIVE) >= 0);
  CHECK(H5Pset_all_coll_metadata_ops(access, metadata == METADATA_COLLECTIVE) >= 0);
  return access;
}

static hid_t create_file(const char* name, enum Metadata metadata) {
  const hid_t access = mpio_access(metadata);
  const hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  CHECK(file >= 0 && H5Pclose(access) >= 0);
  return file;
}

static hid_t open_file(const char* name, unsigned mode, enum Metadata metadata) {
  const hid_t access = mpio_access(metadata);
  const hid_t file = H5Fopen(name, mode, access);
  CHECK(file >= 0 && H5Pclose(access) >= 0);
  return file;
}

static hid_t transfer_mode(H5FD_mpio_xfer_t mode) {
  const hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
  CHECK(H5Pset_dxpl_mpio(transfer, mode) >= 0);
  return transfer;
}

// A dataset creation list without time stamps, so that equal programs make equal files.
static inline hid_t timeless_dataset(void) {
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  CHECK(H5Pset_obj_track_times(creation, 0) >= 0);
  return creation;
}

static inline hid_t make_dataset(hid_t file, const char* name, int dimensions, const hsize_t* shape,
                                 const hsize_t* most, hid_t creation) {
  const hid_t space = H5Screate_simple(dimensions, shape, most);
  const hid_t set =
      H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  CHECK(space >= 0 && set >= 0 && H5Sclose(space) >= 0);
  return set;
}

// Every rank reads the whole dataset of `count` ints and compares it with value_at.
static inline void check_whole(hid_t file, const char* name, hsize_t count, H5FD_mpio_xfer_t mode) {
  const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  const hid_t transfer = transfer_mode(mode);
  int* const got = memory(count * sizeof(int));
  CHECK(set >= 0);
  CHECK(H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, transfer, got) >= 0);
  for (hsize_t i = 0; i < count; ++i) CHECK(got[i] == value_at((long)i));
  free(got);
  CHECK(H5Pclose(transfer) >= 0 && H5Dclose(set) >= 0);
}
