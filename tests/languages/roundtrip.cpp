// The same journey in C++: a struct with a hole in memory and in the file.
// Usage: roundtrip FILE
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Particle {
  double position[3];
  std::int32_t id;
  std::int32_t unused;
};

void require(bool good, const std::string& what) {
  if (!good) throw std::runtime_error(what);
}

int class_of(int code) {
  int error_class = -1;
  MPI_Error_class(code, &error_class);
  return error_class;
}

// The members that go to the file, without the hole at the end.
MPI_Datatype particle_type() {
  const int lengths[] = {3, 1};
  const MPI_Aint places[] = {offsetof(Particle, position), offsetof(Particle, id)};
  const MPI_Datatype members[] = {MPI_DOUBLE, MPI_INT32_T};
  MPI_Datatype packed, type;
  MPI_Type_create_struct(2, lengths, places, members, &packed);
  MPI_Type_create_resized(packed, 0, sizeof(Particle), &type);
  MPI_Type_commit(&type);
  MPI_Type_free(&packed);
  return type;
}

std::vector<Particle> particles_of(int rank, int count) {
  std::vector<Particle> made(count);
  for (int i = 0; i < count; ++i) made[i] = {{rank + 0.5, i + 0.25, i * 1.0}, rank * 10000 + i, -1};
  return made;
}

bool same(const Particle& a, const Particle& b) {
  return std::equal(a.position, a.position + 3, b.position) && a.id == b.id;
}

std::string served_by(MPI_File file) {
  MPI_Info info;
  MPI_File_get_info(file, &info);
  char version[64];
  int found = 0;
  MPI_Info_get(info, "tutti_version", sizeof version - 1, version, &found);
  MPI_Info_free(&info);
  return found ? "tutti" : "the host";
}

std::string run(const std::string& path, int rank, int ranks) {
  constexpr int kCount = 700;
  MPI_File file;
  require(class_of(MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL,
                                 &file)) == MPI_ERR_NO_SUCH_FILE,
          "error class of opening a missing file");
  require(
      MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_EXCL,
                    MPI_INFO_NULL, &file) == MPI_SUCCESS,
      "open");

  // Rank r owns every ranks-th particle of the file; in the file too the hole stays a hole.
  MPI_Datatype particle = particle_type(), mine;
  MPI_Type_create_resized(particle, 0, static_cast<MPI_Aint>(sizeof(Particle)) * ranks, &mine);
  MPI_Type_commit(&mine);
  require(MPI_File_set_view(file, static_cast<MPI_Offset>(sizeof(Particle)) * rank, particle, mine,
                            "native", MPI_INFO_NULL) == MPI_SUCCESS,
          "set_view");
  const auto written = particles_of(rank, kCount);
  MPI_Status status;
  require(MPI_File_write_at_all(file, 0, written.data(), kCount, particle, &status) == MPI_SUCCESS,
          "write_at_all");
  int count = 0;
  MPI_Get_count(&status, particle, &count);
  require(count == kCount, "count written");

  std::vector<Particle> read(kCount, Particle{{0, 0, 0}, 0, 77});
  require(MPI_File_read_at_all(file, 0, read.data(), kCount, particle, &status) == MPI_SUCCESS,
          "read_at_all");
  for (int i = 0; i < kCount; ++i) {
    require(same(read[i], written[i]), "bytes of read_at_all");
    require(read[i].unused == 77, "memory between the members");
  }
  MPI_Offset size = 0;
  MPI_File_get_size(file, &size);
  require(size == static_cast<MPI_Offset>(sizeof(Particle)) * kCount * ranks - 4, "get_size");

  const std::string who = served_by(file);
  MPI_Type_free(&mine);
  MPI_Type_free(&particle);
  require(MPI_File_close(&file) == MPI_SUCCESS, "close");
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) require(MPI_File_delete(path.c_str(), MPI_INFO_NULL) == MPI_SUCCESS, "delete");
  return who;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  try {
    const std::string who = run(argc > 1 ? argv[1] : "roundtrip.dat", rank, ranks);
    if (rank == 0) std::cout << "roundtrip-cpp: ok, served by " << who << std::endl;
  } catch (const std::exception& error) {
    std::cerr << "roundtrip-cpp: rank " << rank << ": " << error.what() << std::endl;
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
