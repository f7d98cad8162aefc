#include "device/ceph.hpp"

#include <dlfcn.h>

#include <array>

#include "device/ceph/plugin.hpp"

namespace tutti {

namespace {

// The folder of the library or program that this code is in.
std::string own_folder() {
  Dl_info self{};
  static const char kHere = 0;
  if (dladdr(&kHere, &self) == 0 || self.dli_fname == nullptr) return "";
  const std::string name = self.dli_fname;
  const std::size_t slash = name.rfind('/');
  return slash == std::string::npos ? "" : name.substr(0, slash + 1);
}

Result<const CephPlugin*> load() {
  std::string reason;
  const std::string folder = own_folder();
  for (const std::string& place : {folder, folder + "../lib/", std::string()}) {
    // Never closed: the linker counts, and libcephfs does not survive being unloaded.
    void* const library = dlopen((place + kCephPluginFile).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      const char* const said = dlerror();
      // A library that is there and does not load says more than one that is not there.
      if (reason.empty() ||
          reason.find(kCephPluginFile + std::string(": cannot open")) != std::string::npos)
        reason = said == nullptr ? "unknown reason" : said;
      continue;
    }
    using Entry = const CephPlugin* (*)();
    const auto entry = reinterpret_cast<Entry>(dlsym(library, kCephPluginEntry));
    const CephPlugin* const plugin = entry == nullptr ? nullptr : entry();
    if (plugin != nullptr && plugin->version == kCephPluginVersion) return plugin;
    reason = place + kCephPluginFile + " belongs to another version of Tutti";
  }
  return fail(ErrorKind::unsupported_operation, "the ceph device is not available: " + reason);
}

tl::unexpected<Error> named(const std::string& path, Error error) {
  error.message = path + ": " + error.message;
  return tl::make_unexpected(std::move(error));
}

}  // namespace

Result<Device> open_ceph(const std::string& path, const OpenOptions& options) {
  const auto plugin = load();
  if (!plugin) return named(path, plugin.error());
  return (*plugin)->open(path, options);
}

Status remove_ceph(const std::string& path) {
  const auto plugin = load();
  if (!plugin) return named(path, plugin.error());
  return (*plugin)->remove(path);
}

}  // namespace tutti
