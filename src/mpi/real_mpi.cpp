#include "mpi/real_mpi.hpp"

#include <dlfcn.h>
#include <link.h>

#include <string>
#include <string_view>
#include <vector>

namespace tutti {

namespace {

// A function of every MPI library that neither Tutti nor a profiling tool exports under this name.
constexpr const char* kLandmark = "PMPI_Get_library_version";

std::vector<std::string> loaded_objects() {
  std::vector<std::string> paths;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* out) {
        if (object->dlpi_name != nullptr && *object->dlpi_name != '\0')
          static_cast<std::vector<std::string>*>(out)->emplace_back(object->dlpi_name);
        return 0;
      },
      &paths);
  return paths;
}

// dlsym on a handle also searches what the object depends on; dladdr tells whose symbol it found.
void* own_symbol(void* handle, std::string_view path, const char* name) {
  void* const address = dlsym(handle, name);
  Dl_info where{};
  if (address == nullptr || dladdr(address, &where) == 0 || where.dli_fname == nullptr)
    return nullptr;
  return path == where.dli_fname ? address : nullptr;
}

struct HostLibrary {
  void* handle = nullptr;
  std::string path;
};

HostLibrary find_host_library() {
  for (const std::string& path : loaded_objects()) {
    void* const handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) continue;
    if (own_symbol(handle, path, kLandmark) != nullptr) return {handle, path};
    dlclose(handle);
  }
  return {};
}

}  // namespace

void* host_symbol(const char* name) {
  static const HostLibrary library = find_host_library();
  return library.handle == nullptr ? nullptr : own_symbol(library.handle, library.path, name);
}

}  // namespace tutti
