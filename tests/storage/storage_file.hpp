// A file on the storage under test, and what its bytes should be.
#pragma once

#include <mpi.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "support/mpi_main.hpp"

namespace tutti::test {

// Collective. A name that nobody else uses, on the device of TUTTI_TEST_PREFIX.
inline std::string storage_name(const std::string& what) {
  const char* const prefix = std::getenv("TUTTI_TEST_PREFIX");
  int id = static_cast<int>(getpid());
  MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return (prefix == nullptr ? std::string("striped:/dev/shm/") : prefix) + "tutti_" + what + "_" +
         std::to_string(id);
}

using InfoPairs = std::vector<std::pair<std::string, std::string>>;

class Info {
 public:
  explicit Info(const InfoPairs& pairs) {
    MPI_Info_create(&info_);
    for (const auto& [key, value] : pairs) MPI_Info_set(info_, key.c_str(), value.c_str());
  }
  Info(const Info&) = delete;
  Info& operator=(const Info&) = delete;
  ~Info() { MPI_Info_free(&info_); }
  MPI_Info get() const { return info_; }

 private:
  MPI_Info info_ = MPI_INFO_NULL;
};

// What MPI_File_get_info says; empty: nothing.
inline std::string info_value(MPI_File file, const char* key) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_File_get_info(file, &info);
  std::vector<char> value(256);
  int found = 0;
  MPI_Info_get(info, key, 255, value.data(), &found);
  MPI_Info_free(&info);
  return found != 0 ? value.data() : "";
}

// The byte that call `call` writes to `offset`, whoever does it.
inline unsigned char byte_of(std::uint64_t call, std::int64_t offset) {
  std::uint64_t mixed = static_cast<std::uint64_t>(offset) * 0x9E3779B97F4A7C15ULL + call * 7919;
  mixed ^= mixed >> 29;
  mixed *= 0xBF58476D1CE4E5B9ULL;
  return static_cast<unsigned char>(mixed >> 56);
}

}  // namespace tutti::test
