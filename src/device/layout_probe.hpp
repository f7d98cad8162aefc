// Finds out how a file of a mounted file system is striped: Lustre, BeeGFS and CephFS say so, each
// in its own way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "layout/found_layout.hpp"

namespace tutti {

// What the probe asks the system; tests answer in its place.
class FileSystemQueries {
 public:
  virtual ~FileSystemQueries() = default;
  virtual std::int64_t kind(int descriptor) const = 0;  // statfs' f_type; 0: unknown
  virtual std::int64_t kind(const std::string& path) const = 0;
  // Nothing where the file has no such attribute.
  virtual std::optional<std::vector<std::byte>> attribute(int descriptor,
                                                          const char* name) const = 0;
  // Fills `answer` by an ioctl; false: it failed.
  virtual bool control(int descriptor, unsigned long request,
                       std::span<std::byte> answer) const = 0;
  // Makes an empty regular file and sets the attribute on it; false: not possible.
  virtual bool create_with(const std::string& path, int permissions, const char* name,
                           std::span<const std::byte> value) const = 0;
};

const FileSystemQueries& system_queries();

struct ProbedLayout {
  FoundLayout found;    // without striping where nothing is known
  std::string problem;  // one sentence where the file system's answer was not understood
};

// Local. One statfs, and one question more where the file system is one of those.
ProbedLayout probe_layout(int descriptor, const FileSystemQueries& system = system_queries());

// Local. Makes the file with the striping that is wished for, where the file system takes such
// wishes (Lustre) and the file does not exist yet. True: the file exists now with that striping.
bool create_striped_as(const std::string& path, int permissions, const Striping& wish,
                       const FileSystemQueries& system = system_queries());

}  // namespace tutti
