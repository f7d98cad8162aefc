// Thousands of small objects: groups, attributes, tiny datasets, made, found again, deleted, with
// independent and with collective metadata access. Usage: hdf5_metadata FILE
#include <string.h>

#include "hdf5_file.h"

enum { kGroups = 12, kAttributes = 40, kTinySets = 6 };

static hid_t timeless_group(hid_t parent, const char* name) {
  const hid_t creation = H5Pcreate(H5P_GROUP_CREATE);
  CHECK(H5Pset_obj_track_times(creation, 0) >= 0);
  const hid_t group = H5Gcreate2(parent, name, H5P_DEFAULT, creation, H5P_DEFAULT);
  CHECK(group >= 0 && H5Pclose(creation) >= 0);
  return group;
}

static void put_attribute(hid_t object, const char* name, hsize_t count, long seed) {
  int values[16];
  for (hsize_t i = 0; i < count; ++i) values[i] = value_at(seed + (long)i);
  const hid_t space = H5Screate_simple(1, &count, NULL);
  const hid_t attribute = H5Acreate2(object, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
  CHECK(attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_INT, values) >= 0);
  CHECK(H5Aclose(attribute) >= 0 && H5Sclose(space) >= 0);
}

static void check_attribute(hid_t object, const char* name, hsize_t count, long seed) {
  int got[16] = {0};
  const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
  CHECK(attribute >= 0 && H5Aread(attribute, H5T_NATIVE_INT, got) >= 0);
  for (hsize_t i = 0; i < count; ++i) CHECK(got[i] == value_at(seed + (long)i));
  CHECK(H5Aclose(attribute) >= 0);
}

static hsize_t attribute_size(int which) { return 1 + (hsize_t)which % 16; }

// A dataset of one int per rank; compact ones live in the object header.
static void put_tiny_set(hid_t group, int which) {
  char name[32];
  snprintf(name, sizeof name, "tiny %d", which);
  const hid_t creation = timeless_dataset();
  const int compact = which % 2 == 0;
  if (compact) CHECK(H5Pset_layout(creation, H5D_COMPACT) >= 0);
  const hsize_t count = (hsize_t)ranks;
  const hid_t set = make_dataset(group, name, 1, &count, NULL, creation);
  const hid_t transfer = transfer_mode(compact ? H5FD_MPIO_COLLECTIVE : H5FD_MPIO_INDEPENDENT);
  int* const all = memory(count * sizeof(int));
  for (hsize_t i = 0; i < count; ++i) all[i] = value_at((long)i);
  if (compact) {
    CHECK(H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, transfer, all) >= 0);
  } else {
    const hsize_t first = (hsize_t)rank;
    const hsize_t one = 1;
    const hid_t space = H5Dget_space(set);
    const hid_t mine = H5Screate_simple(1, &one, NULL);
    CHECK(H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, NULL, &one, NULL) >= 0);
    CHECK(H5Dwrite(set, H5T_NATIVE_INT, mine, space, transfer, &all[rank]) >= 0);
    CHECK(H5Sclose(space) >= 0 && H5Sclose(mine) >= 0);
  }
  free(all);
  CHECK(H5Pclose(creation) >= 0 && H5Pclose(transfer) >= 0 && H5Dclose(set) >= 0);
}

static void fill_file(hid_t file, const char* top) {
  const hid_t root = timeless_group(file, top);
  for (int g = 0; g < kGroups; ++g) {
    char name[32];
    snprintf(name, sizeof name, "group %d", g);
    const hid_t group = timeless_group(root, name);
    for (int a = 0; a < kAttributes; ++a) {
      snprintf(name, sizeof name, "attribute %d", a);
      put_attribute(group, name, attribute_size(a), g * 1000 + a);
    }
    for (int s = 0; s < kTinySets; ++s) put_tiny_set(group, s);
    if (g % 4 == 3) CHECK(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0);
    CHECK(H5Gclose(group) >= 0);
  }
  CHECK(H5Gclose(root) >= 0);
}

static herr_t count_link(hid_t group, const char* name, const H5L_info_t* info, void* count) {
  (void)group, (void)name, (void)info;
  ++*(int*)count;
  return 0;
}

static void check_file(hid_t file, const char* top, int groups) {
  const hid_t root = H5Gopen2(file, top, H5P_DEFAULT);
  int found = 0;
  CHECK(root >= 0);
  CHECK(H5Literate(root, H5_INDEX_NAME, H5_ITER_INC, NULL, count_link, &found) >= 0);
  CHECK(found == groups);
  for (int g = 0; g < groups; ++g) {
    char name[32];
    snprintf(name, sizeof name, "group %d", g);
    const hid_t group = H5Gopen2(root, name, H5P_DEFAULT);
    CHECK(group >= 0);
    for (int a = 0; a < kAttributes; ++a) {
      snprintf(name, sizeof name, "attribute %d", a);
      check_attribute(group, name, attribute_size(a), g * 1000 + a);
    }
    for (int s = 0; s < kTinySets; ++s) {
      snprintf(name, sizeof name, "tiny %d", s);
      check_whole(group, name, (hsize_t)ranks, H5FD_MPIO_INDEPENDENT);
    }
    CHECK(H5Gclose(group) >= 0);
  }
  CHECK(H5Gclose(root) >= 0);
}

// The last third of the groups goes; attributes of another change in place.
static void change_file(hid_t file, const char* top) {
  const hid_t root = H5Gopen2(file, top, H5P_DEFAULT);
  for (int g = kGroups * 2 / 3; g < kGroups; ++g) {
    char name[32];
    snprintf(name, sizeof name, "group %d", g);
    CHECK(H5Ldelete(root, name, H5P_DEFAULT) >= 0);
  }
  const hid_t group = H5Gopen2(root, "group 0", H5P_DEFAULT);
  for (int a = 0; a < kAttributes; a += 3) {
    char name[32];
    snprintf(name, sizeof name, "attribute %d", a);
    CHECK(H5Adelete(group, name) >= 0);
    put_attribute(group, name, attribute_size(a), a);
  }
  CHECK(H5Gclose(group) >= 0 && H5Gclose(root) >= 0);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  hid_t file = create_file(argv[1], METADATA_INDEPENDENT);
  fill_file(file, "independent");
  CHECK(H5Fclose(file) >= 0);
  file = open_file(argv[1], H5F_ACC_RDWR, METADATA_COLLECTIVE);
  fill_file(file, "collective");
  check_file(file, "independent", kGroups);
  CHECK(H5Fclose(file) >= 0);
  file = open_file(argv[1], H5F_ACC_RDWR, METADATA_COLLECTIVE);
  change_file(file, "independent");
  CHECK(H5Fclose(file) >= 0);
  file = open_file(argv[1], H5F_ACC_RDWR, METADATA_INDEPENDENT);
  change_file(file, "collective");
  CHECK(H5Fclose(file) >= 0);
  file = open_file(argv[1], H5F_ACC_RDONLY, METADATA_INDEPENDENT);
  check_file(file, "independent", kGroups * 2 / 3);
  check_file(file, "collective", kGroups * 2 / 3);
  CHECK(H5Fclose(file) >= 0);
  return finish("hdf5_metadata");
}
