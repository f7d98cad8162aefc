// A directory of its own for each test, removed with everything in it.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <span>
#include <string>
#include <system_error>
#include <vector>

namespace tutti {

class Scratch {
 public:
  explicit Scratch(const char* under = "/dev/shm") {
    std::string pattern = std::string(under) + "/tutti_device_XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) {
      ADD_FAILURE() << "no scratch directory under " << under;
      std::abort();
    }
    directory_ = pattern;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }

  const std::string& directory() const { return directory_; }
  std::string file(const std::string& name = "file") const { return directory_ + "/" + name; }

 private:
  std::string directory_;
};

inline std::vector<std::byte> random_bytes(std::mt19937_64& random, std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

inline std::vector<std::byte> bytes_of(std::string_view text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

}  // namespace tutti
