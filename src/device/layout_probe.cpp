#include "device/layout_probe.hpp"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include "layout/beegfs_layout.hpp"
#include "layout/ceph_layout.hpp"
#include "layout/lustre_layout.hpp"

namespace tutti {

namespace {

// What statfs calls them.
constexpr std::int64_t kLustre = 0x0BD00BD0;
constexpr std::int64_t kBeegfs = 0x19830326;
constexpr std::int64_t kCeph = 0x00C36400;
constexpr std::int64_t kFuse = 0x65735546;

constexpr unsigned long kBeegfsStripeInfo = _IOR('f', 25, BeegfsStripeInfo);

class System final : public FileSystemQueries {
 public:
  std::int64_t kind(int descriptor) const override {
    struct statfs facts {};
    return fstatfs(descriptor, &facts) == 0 ? static_cast<std::int64_t>(facts.f_type) : 0;
  }
  std::int64_t kind(const std::string& path) const override {
    struct statfs facts {};
    return statfs(path.c_str(), &facts) == 0 ? static_cast<std::int64_t>(facts.f_type) : 0;
  }
  std::optional<std::vector<std::byte>> attribute(int descriptor, const char* name) const override {
    std::vector<std::byte> value(64 * 1024);  // no attribute is larger
    const ssize_t bytes = fgetxattr(descriptor, name, value.data(), value.size());
    if (bytes < 0) return std::nullopt;
    value.resize(static_cast<std::size_t>(bytes));
    return value;
  }
  bool control(int descriptor, unsigned long request, std::span<std::byte> answer) const override {
    return ioctl(descriptor, request, answer.data()) == 0;
  }
  bool create_with(const std::string& path, int permissions, const char* name,
                   std::span<const std::byte> value) const override {
    if (mknod(path.c_str(), S_IFREG | static_cast<mode_t>(permissions), 0) != 0) return false;
    if (setxattr(path.c_str(), name, value.data(), value.size(), 0) == 0) return true;
    (void)unlink(path.c_str());
    return false;
  }
};

Result<FoundLayout> ask_lustre(int descriptor, const FileSystemQueries& system) {
  const auto value = system.attribute(descriptor, kLustreAttribute);
  return value ? decode_lustre(*value) : FoundLayout();
}

Result<FoundLayout> ask_beegfs(int descriptor, const FileSystemQueries& system) {
  BeegfsStripeInfo info{};
  if (!system.control(descriptor, kBeegfsStripeInfo, info)) return FoundLayout();
  return decode_beegfs(info);
}

Result<FoundLayout> ask_ceph(int descriptor, const FileSystemQueries& system) {
  const auto value = system.attribute(descriptor, kCephAttribute);
  if (!value) return FoundLayout();
  const auto striping = decode_ceph({reinterpret_cast<const char*>(value->data()), value->size()});
  if (!striping) return tl::make_unexpected(striping.error());
  return ceph_layout(*striping);
}

Result<FoundLayout> ask(int descriptor, const FileSystemQueries& system) {
  switch (system.kind(descriptor)) {
    case kLustre:
      return ask_lustre(descriptor, system);
    case kBeegfs:
      return ask_beegfs(descriptor, system);
    case kCeph:
    case kFuse:
      return ask_ceph(descriptor, system);
    default:
      return FoundLayout();
  }
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

const FileSystemQueries& system_queries() {
  static const System kSystem;
  return kSystem;
}

ProbedLayout probe_layout(int descriptor, const FileSystemQueries& system) {
  auto found = ask(descriptor, system);
  if (found) return {std::move(*found), {}};
  return {{}, found.error().message + "; the file is used without a layout"};
}

bool create_striped_as(const std::string& path, int permissions, const Striping& wish,
                       const FileSystemQueries& system) {
  if (wish == Striping() || system.kind(folder_of(path)) != kLustre) return false;
  return system.create_with(path, permissions, kLustreAttribute, encode_lustre(wish));
}

}  // namespace tutti
