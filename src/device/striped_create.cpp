#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>

#include "device/errno_error.hpp"
#include "device/posix_file.hpp"
#include "device/striped.hpp"

namespace tutti {

namespace {

constexpr int kAttempts = 16;
constexpr OpenOptions kCreateNew{.read = false, .write = true, .create = true, .exclusive = true};

Result<std::string> fresh_name(const std::string& path) {
  unsigned long long draw = 0;
  if (getrandom(&draw, sizeof draw, 0) != sizeof draw) {
    return tl::make_unexpected(errno_error(errno, path, "drawing a name for its components"));
  }
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", draw);
  return std::string(text);
}

// A new file with this content; the caller deletes it where that matters.
Status write_new(const std::string& path, std::string text, int permissions) {
  OpenOptions options = kCreateNew;
  options.permissions = permissions;
  Result<PosixFile> file = PosixFile::open(path, options);
  if (!file) return tl::make_unexpected(file.error());
  Transfer whole{.kind = TransferKind::write,
                 .memory = reinterpret_cast<std::byte*>(text.data()),
                 .bytes = static_cast<std::int64_t>(text.size())};
  if (Status moved = file->transfer({&whole, 1}); !moved) return moved;
  return file->close();
}

// Gives `from` the name `to` unless that name is taken.
Status publish(const std::string& from, const std::string& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return {};
  if (errno == EINVAL || errno == ENOSYS) {
    if (link(from.c_str(), to.c_str()) == 0) return PosixFile::remove(from);
  }
  return tl::make_unexpected(errno_error(errno, to, "creating it"));
}

Status create_components(const std::string& path, const StripedMetadata& metadata,
                         int permissions) {
  for (const std::string& component : striped_components(path, metadata)) {
    std::error_code wrong;
    const std::filesystem::path directory = std::filesystem::path(component).parent_path();
    std::filesystem::create_directories(directory, wrong);
    if (wrong) {
      return tl::make_unexpected(
          errno_error(wrong.value(), directory.string(), "creating it for a striped file"));
    }
    if (Status made = write_new(component, "", permissions); !made) return made;
  }
  return {};
}

// One try. Leaves nothing behind where it fails.
Status try_create(const std::string& path, const StripedMetadata& metadata, int permissions) {
  // First, so that a missing parent directory is an error and is not created on the way.
  const std::string draft = path + "." + metadata.name + ".tmp";
  Status made = write_new(draft, format_striped_metadata(metadata), permissions);
  if (!made) return made;
  made = create_components(path, metadata, permissions);
  if (made) made = publish(draft, path);
  if (!made) {
    (void)PosixFile::remove(draft);
    for (const std::string& component : striped_components(path, metadata)) {
      (void)PosixFile::remove(component);
    }
  }
  return made;
}

}  // namespace

Status create_striped(const std::string& path, StripedMetadata metadata, int permissions) {
  Status made;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const Result<std::string> name = fresh_name(path);
    if (!name) return tl::make_unexpected(name.error());
    metadata.name = *name;
    // What could not be read back must not be written.
    const Result<StripedMetadata> sound =
        parse_striped_metadata(format_striped_metadata(metadata), path);
    if (!sound) return fail(ErrorKind::invalid_argument, sound.error().message);
    made = try_create(path, metadata, permissions);
    // Somebody who deletes the previous file may take the directories away under our feet.
    const bool passing = !made && made.error().kind == ErrorKind::no_such_file;
    std::error_code ignored;
    const std::filesystem::path parent = std::filesystem::path(path).parent_path();
    if (!passing || (!parent.empty() && !std::filesystem::is_directory(parent, ignored))) break;
  }
  return made;
}

}  // namespace tutti
