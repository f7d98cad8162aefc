#include "device/ceph/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include "device/ceph/plugin.hpp"
#include "device/errno_error.hpp"

namespace tutti {

namespace {

constexpr int kThreads = 4;
constexpr std::int64_t kGranule = 64 << 10;      // stripe units are multiples of it
constexpr std::int64_t kLargestUnit = 64 << 20;  // OSDs refuse much larger objects
constexpr std::int64_t kUsualObject = 4 << 20;
constexpr std::int32_t kMostColumns = 1024;
constexpr std::chrono::microseconds kLongestPause{10'000};

int open_flags(const OpenOptions& options) {
  int flags = options.read && options.write ? O_RDWR : options.write ? O_WRONLY : O_RDONLY;
  if (options.create) flags |= O_CREAT;
  if (options.create && options.exclusive) flags |= O_EXCL;
  return flags;
}

// What is not wished for is 0, and then the file system's default.
CephStriping wished(const OpenOptions& options) {
  CephStriping wish;
  if (options.striping_unit > 0) {
    const std::int64_t unit = std::min(options.striping_unit, kLargestUnit);
    wish.unit_bytes = (unit + kGranule - 1) / kGranule * kGranule;
    wish.object_bytes = (std::max(kUsualObject, wish.unit_bytes) + wish.unit_bytes - 1) /
                        wish.unit_bytes * wish.unit_bytes;
  }
  if (options.striping_factor > 0) wish.columns = std::min(options.striping_factor, kMostColumns);
  return wish;
}

int open_file(ceph_mount_info* mount, const std::string& path, const OpenOptions& options) {
  const CephStriping wish = wished(options);
  return ceph_open_layout(mount, path.c_str(), open_flags(options),
                          static_cast<mode_t>(options.permissions),
                          static_cast<int>(wish.unit_bytes), static_cast<int>(wish.columns),
                          static_cast<int>(wish.object_bytes), nullptr);
}

struct About {
  struct ceph_statx facts {};
  int unit = 0;
  int columns = 0;
  int object = 0;
  int pool = 0;
};

// Makes the file lazy, too.
int ask(ceph_mount_info* mount, int file, About& about) {
  if (const int found = ceph_fstatx(mount, file, &about.facts, CEPH_STATX_MODE, 0); found < 0)
    return found;
  if (const int lazy = ceph_lazyio(mount, file, 1); lazy < 0) return lazy;
  return ceph_get_file_layout(mount, file, &about.unit, &about.columns, &about.object, &about.pool);
}

// The primary OSD of a byte, computed here from the cluster map; negative: not known.
int osd_of(ceph_mount_info* mount, int file, std::int64_t offset) {
  constexpr int kMostReplicas = 64;  // with room for fewer than there are nothing is told
  std::int64_t length = 0;
  std::array<int, kMostReplicas> osds{};
  const int known =
      ceph_get_file_extent_osds(mount, file, offset, &length, osds.data(), kMostReplicas);
  return known > 0 ? osds[0] : -1;
}

}  // namespace

CephBackend::CephBackend(std::string path, AccessRights rights, std::shared_ptr<CephMount> mount,
                         int file)
    : path_(std::move(path)),
      rights_(rights),
      mount_(std::move(mount)),
      file_(file),
      workers_(kThreads, [this](Workers::Job job) { return move(job); }) {}

tl::unexpected<Error> CephBackend::failed(std::int64_t answer, std::string_view doing) const {
  return tl::make_unexpected(errno_error(static_cast<int>(-answer), path_, doing));
}

Result<Device> CephBackend::open(const std::string& path, const OpenOptions& options) {
  auto mount = CephMount::shared();
  if (!mount) return fail(mount.error().kind, path + ": " + mount.error().message);
  const auto file = static_cast<int>((*mount)->bounded(
      [path, options](ceph_mount_info* handle) { return open_file(handle, path, options); }));
  if (file < 0)
    return tl::make_unexpected(
        errno_error(-file, path, options.create ? "creating it" : "opening it"));
  const AccessRights rights{options.read, options.write};
  std::unique_ptr<CephBackend> backend(new CephBackend(path, rights, std::move(*mount), file));
  const auto about = std::make_shared<About>();
  const std::int64_t answer = backend->mount_->bounded(
      [about, file](ceph_mount_info* handle) { return ask(handle, file, *about); });
  if (answer < 0) return backend->failed(answer, "asking for its layout");
  if (S_ISDIR(about->facts.stx_mode)) return backend->failed(-EISDIR, "opening it");
  backend->striping_ = {about->unit, about->columns, about->object};
  if (Status sound = check_ceph(backend->striping_); !sound)
    return fail(ErrorKind::io, path + ": " + sound.error().message);
  return Device(std::move(backend));
}

Status CephBackend::remove(const std::string& path) {
  const auto mount = CephMount::shared();
  if (!mount) return fail(mount.error().kind, path + ": " + mount.error().message);
  const auto answer = static_cast<int>((*mount)->bounded(
      [path](ceph_mount_info* handle) { return ceph_unlink(handle, path.c_str()); }));
  if (answer < 0) return tl::make_unexpected(errno_error(-answer, path, "deleting it"));
  return {};
}

DeviceFacts CephBackend::facts() const {
  return {.asynchronous = true,
          .has_locks = true,
          .single_reads = true,
          .any_order = true,
          .lazy = !coherent_,
          .best_bytes = striping_.object_bytes};
}

StripeLayout CephBackend::layout_for(Extent range) const {
  if (!is_open()) return layout();
  const auto found = std::make_shared<StripeLayout>(layout());
  const std::int64_t answer = mount_->bounded([found, range, file = file_](ceph_mount_info* mount) {
    // Somebody may have given the file another striping while it was empty.
    About now;
    const int asked =
        ceph_get_file_layout(mount, file, &now.unit, &now.columns, &now.object, &now.pool);
    const CephStriping striping{now.unit, now.columns, now.object};
    if (asked < 0 || !check_ceph(striping)) return -EIO;
    *found = ceph_layout_for(striping, range,
                             [&](std::int64_t offset) { return osd_of(mount, file, offset); });
    return 0;
  });
  return answer < 0 ? layout() : *found;
}

Result<std::int64_t> CephBackend::size() {
  if (!is_open()) return tl::make_unexpected(closed_error(path_));
  const std::int64_t answer = mount_->bounded([file = file_](ceph_mount_info* mount) {
    struct ceph_statx facts {};
    const int asked = ceph_fstatx(mount, file, &facts, CEPH_STATX_SIZE, 0);
    return asked < 0 ? asked : static_cast<std::int64_t>(facts.stx_size);
  });
  if (answer < 0) return failed(answer, "asking for its size");
  return answer;
}

Status CephBackend::resize(std::int64_t bytes) {
  if (!is_open()) return tl::make_unexpected(closed_error(path_));
  if (Status sound = check_resize(path_, rights_, bytes); !sound) return sound;
  const std::int64_t answer = mount_->bounded(
      [file = file_, bytes](ceph_mount_info* mount) { return ceph_ftruncate(mount, file, bytes); });
  if (answer < 0) return failed(answer, "resizing it to " + std::to_string(bytes) + " bytes");
  distrust();
  return {};
}

Status CephBackend::preallocate(std::int64_t bytes) {
  if (!is_open()) return tl::make_unexpected(closed_error(path_));
  if (Status sound = check_resize(path_, rights_, bytes); !sound || bytes == 0) return sound;
  // Objects take room when they are written: all there is to reserve is the size.
  const Result<std::int64_t> present = size();
  if (!present) return tl::make_unexpected(present.error());
  return *present >= bytes ? Status() : resize(bytes);
}

Status CephBackend::flush() {
  if (!rights_.write) return {};
  // Whoever returns knows that what it wrote has left, also where another thread's call sent it.
  const std::lock_guard guard(flushing_);
  if (!dirty_.exchange(false)) return {};
  const std::int64_t answer = mount_->bounded([file = file_](ceph_mount_info* mount) {
    const int sent = ceph_lazyio_propagate(mount, file, 0, 0);
    return sent < 0 ? sent : ceph_fsync(mount, file, 0);
  });
  if (answer >= 0) return {};
  // The client would try the same bytes again, now and when it is closed.
  if (answer == -ETIMEDOUT)
    mount_->give_up();
  else
    dirty_ = true;
  return failed(answer, "flushing it");
}

Status CephBackend::refresh() {
  if (coherent_ || settled_ == doubts_) return {};
  const std::lock_guard guard(refreshing_);
  const std::uint64_t doubts = doubts_;
  if (settled_ == doubts) return {};
  const std::int64_t answer = mount_->bounded([file = file_](ceph_mount_info* mount) {
    return ceph_lazyio_synchronize(mount, file, 0, 0);
  });
  if (answer < 0) return failed(answer, "looking for what others have written");
  settled_ = doubts;
  return {};
}

Status CephBackend::publish() {
  if (!is_open()) return tl::make_unexpected(closed_error(path_));
  return coherent_ ? Status() : flush();
}

Status CephBackend::sync() {
  if (!is_open()) return tl::make_unexpected(closed_error(path_));
  distrust();
  return flush();
}

Status CephBackend::set_coherent(bool coherent) {
  if (!is_open()) return tl::make_unexpected(closed_error(path_));
  if (coherent == coherent_) return {};
  Status done = flush();
  distrust();
  if (done) done = refresh();
  if (!done) return done;
  const std::int64_t answer = mount_->bounded([file = file_, coherent](ceph_mount_info* mount) {
    return ceph_lazyio(mount, file, coherent ? 0 : 1);
  });
  if (answer < 0) return failed(answer, "changing its consistency");
  coherent_ = coherent;
  distrust();
  return {};
}

// Opens the file once more, by the interface that knows byte-range locks.
Result<Fh*> CephBackend::lock_file() {
  const std::lock_guard guard(lock_opening_);
  if (lock_file_ != nullptr) return lock_file_;
  const auto opened = std::make_shared<Fh*>(nullptr);
  const int flags = rights_.write ? (rights_.read ? O_RDWR : O_WRONLY) : O_RDONLY;
  const std::int64_t answer =
      mount_->bounded([opened, path = path_, flags](ceph_mount_info* mount) {
        Inode* inode = nullptr;
        struct ceph_statx facts {};
        UserPerm* const permissions = ceph_mount_perms(mount);
        const int found =
            ceph_ll_walk(mount, path.c_str(), &inode, &facts, CEPH_STATX_INO, 0, permissions);
        if (found < 0) return found;
        const int answered = ceph_ll_open(mount, inode, flags, opened.get(), permissions);
        (void)ceph_ll_put(mount, inode);
        return answered;
      });
  if (answer < 0) return failed(answer, "preparing to lock it");
  lock_file_ = *opened;
  return lock_file_;
}

Status CephBackend::cluster_lock(Extent range, short type) {
  const auto file = lock_file();
  if (!file) return tl::make_unexpected(file.error());
  struct flock request {};
  request.l_type = type;
  request.l_whence = SEEK_SET;
  request.l_start = range.offset;
  request.l_len = range.bytes;
  const auto owner = reinterpret_cast<std::uintptr_t>(this);
  // Another holder may keep it for as long as it likes, a dead server may not: asked for again and
  // again, within the bound each time.
  for (std::chrono::microseconds pause{200};; pause = std::min(pause * 2, kLongestPause)) {
    const std::int64_t answer =
        mount_->bounded([handle = *file, request, owner](ceph_mount_info* mount) {
          struct flock asked = request;
          return ceph_ll_setlk(mount, handle, &asked, owner, 0);
        });
    if (answer >= 0) return {};
    if (answer != -EAGAIN && answer != -EACCES)
      return failed(answer, "locking " + std::to_string(range.bytes) + " bytes at offset " +
                                std::to_string(range.offset));
    std::this_thread::sleep_for(pause);
  }
}

Status CephBackend::lock(Extent range, LockMode mode) {
  if (!is_open()) return tl::make_unexpected(closed_error(path_));
  if (Status sound = check_lock(path_, range); !sound || range.bytes == 0) return sound;
  if (mode == LockMode::exclusive && !rights_.write)
    return fail(ErrorKind::read_only, path_ + ": opened for reading only (an exclusive lock)");
  if (mode == LockMode::shared && !rights_.read)
    return fail(ErrorKind::access_denied, path_ + ": opened for writing only (a shared lock)");
  if (Status granted = locks_.acquire(path_, this, range, mode); !granted) return granted;
  Status granted = cluster_lock(range, mode == LockMode::shared ? F_RDLCK : F_WRLCK);
  // What another holder of the lock has written is behind it.
  if (granted) distrust();
  if (!granted) (void)unlock(range);
  return granted;
}

Status CephBackend::unlock(Extent range) {
  if (!is_open()) return tl::make_unexpected(closed_error(path_));
  // What was written under the lock is there for the next holder.
  Status outcome = publish();
  locks_.release(this, range, [&](Extent part) {
    if (Status done = cluster_lock(part, F_UNLCK); !done) outcome = done;
  });
  return outcome;
}

Status CephBackend::close() {
  if (!is_open()) return {};
  Status outcome = flush();
  const std::int64_t answer = mount_->bounded(
      [file = file_, lock_file = std::exchange(lock_file_, nullptr)](ceph_mount_info* mount) {
        if (lock_file != nullptr) (void)ceph_ll_close(mount, lock_file);
        return ceph_close(mount, file);
      });
  if (answer < 0 && outcome) outcome = failed(answer, "closing it");
  mount_.reset();
  return outcome;
}

}  // namespace tutti

extern "C" __attribute__((visibility("default"))) const tutti::CephPlugin* tutti_ceph_plugin() {
  static const tutti::CephPlugin kPlugin{tutti::kCephPluginVersion, tutti::CephBackend::open,
                                         tutti::CephBackend::remove};
  return &kPlugin;
}
