#include "device/posix_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "device/errno_error.hpp"

namespace tutti {

namespace {

constexpr std::int32_t kMaxPieces = 1024;
constexpr std::int64_t kOrdinaryBlock = 64 * 1024;

template <class Call>
auto uninterrupted(Call&& call) {
  auto answer = call();
  while (answer < 0 && errno == EINTR) answer = call();
  return answer;
}

tl::unexpected<Error> failed(std::string_view file, std::string_view doing) {
  return tl::make_unexpected(errno_error(errno, file, doing));
}

int open_flags(const OpenOptions& options) {
  int flags = O_CLOEXEC | O_NOCTTY;
  if (options.read && options.write) {
    flags |= O_RDWR;
  } else {
    flags |= options.write ? O_WRONLY : O_RDONLY;
  }
  if (options.create) flags |= O_CREAT;
  if (options.create && options.exclusive) flags |= O_EXCL;
  return flags;
}

ssize_t move_some(int descriptor, const Transfer& what) {
  const auto bytes = static_cast<std::size_t>(what.bytes);
  return uninterrupted([&] {
    return what.kind == TransferKind::read ? pread(descriptor, what.memory, bytes, what.offset)
                                           : pwrite(descriptor, what.memory, bytes, what.offset);
  });
}

ssize_t vectored(TransferKind kind, int descriptor, std::span<const iovec> pieces, off_t offset) {
  const int count = static_cast<int>(pieces.size());
  const bool read = kind == TransferKind::read;
  const ssize_t moved = read ? preadv2(descriptor, pieces.data(), count, offset, 0)
                             : pwritev2(descriptor, pieces.data(), count, offset, 0);
  if (moved >= 0 || (errno != ENOSYS && errno != EOPNOTSUPP)) return moved;
  return read ? preadv(descriptor, pieces.data(), count, offset)
              : pwritev(descriptor, pieces.data(), count, offset);
}

// How many leading transfers of `batch` continue each other in the file.
std::size_t run_length(std::span<const Transfer> batch, std::int32_t most) {
  std::size_t count = 1;
  while (count < batch.size() && count < static_cast<std::size_t>(most) &&
         batch[count].kind == batch[0].kind &&
         batch[count].offset == batch[count - 1].offset + batch[count - 1].bytes) {
    ++count;
  }
  return count;
}

}  // namespace

PosixFile::PosixFile(PosixFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      path_(std::move(other.path_)),
      rights_(other.rights_),
      limits_(other.limits_),
      best_bytes_(other.best_bytes_),
      regular_(other.regular_),
      locks_(std::move(other.locks_)) {}

PosixFile& PosixFile::operator=(PosixFile&& other) noexcept {
  if (this == &other) return *this;
  (void)close();
  descriptor_ = std::exchange(other.descriptor_, -1);
  path_ = std::move(other.path_);
  rights_ = other.rights_;
  limits_ = other.limits_;
  best_bytes_ = other.best_bytes_;
  regular_ = other.regular_;
  locks_ = std::move(other.locks_);
  return *this;
}

PosixFile::~PosixFile() { (void)close(); }

Result<PosixFile> PosixFile::open(std::string path, const OpenOptions& options,
                                  PosixLimits limits) {
  PosixFile file;
  const mode_t permissions = static_cast<mode_t>(options.permissions);
  file.descriptor_ =
      uninterrupted([&] { return ::open(path.c_str(), open_flags(options), permissions); });
  if (file.descriptor_ < 0) return failed(path, options.create ? "creating it" : "opening it");
  struct stat facts {};
  if (fstat(file.descriptor_, &facts) != 0) return failed(path, "asking for its kind");
  if (S_ISDIR(facts.st_mode)) return tl::make_unexpected(errno_error(EISDIR, path, "opening it"));
  if (S_ISFIFO(facts.st_mode) || S_ISSOCK(facts.st_mode)) {
    return fail(ErrorKind::bad_file_name, path + ": a pipe or socket has no offsets (opening it)");
  }
  file.path_ = std::move(path);
  file.rights_ = {options.read, options.write};
  file.limits_ = {std::max<std::int64_t>(1, limits.call_bytes),
                  std::clamp(limits.call_pieces, 1, kMaxPieces)};
  file.best_bytes_ = facts.st_blksize > kOrdinaryBlock ? facts.st_blksize : 0;
  file.regular_ = S_ISREG(facts.st_mode);
  file.locks_ = std::make_unique<RangeTable>();
  return file;
}

Status PosixFile::remove(const std::string& path) {
  if (unlink(path.c_str()) != 0) return failed(path, "deleting it");
  return {};
}

Status PosixFile::transfer(std::span<Transfer> batch) const {
  if (!is_open()) return tl::make_unexpected(closed_error(path_));
  if (batch.size() == 1 && is_sound(batch[0], rights_)) {
    batch[0].done = 0;
    return move_one(batch[0]);
  }
  if (Status sound = check_batch(path_, rights_, batch); !sound) return sound;
  while (!batch.empty()) {
    const std::size_t count = run_length(batch, limits_.call_pieces);
    Status moved = count == 1 ? move_one(batch[0]) : move_run(batch.first(count));
    if (!moved) return moved;
    batch = batch.subspan(count);
  }
  return {};
}

Status PosixFile::move_one(Transfer& transfer) const {
  if (transfer.bytes > 0 && transfer.bytes <= limits_.call_bytes) {
    // Nearly always this call is all.
    const ssize_t moved = move_some(descriptor_, transfer);
    if (moved == transfer.bytes || (moved == 0 && transfer.kind == TransferKind::read)) {
      transfer.done = moved;
      return {};
    }
    if (moved < 0) return tl::make_unexpected(transfer_error(errno, path_, transfer));
    transfer.done = moved;
  }
  return move_all(transfer, limits_.call_bytes, path_, [&](const Transfer& rest) {
    const ssize_t moved = move_some(descriptor_, rest);
    if (moved < 0) {
      return Result<std::int64_t>(tl::make_unexpected(transfer_error(errno, path_, rest)));
    }
    return Result<std::int64_t>(moved);
  });
}

Status PosixFile::move_run(std::span<Transfer> run) const {
  std::array<iovec, kMaxPieces> pieces;
  while (!run.empty()) {
    std::size_t count = 0;
    std::int64_t bytes = 0;
    for (const Transfer& transfer : run) {
      const Transfer rest = rest_of(transfer, limits_.call_bytes - bytes);
      pieces[count++] = {rest.memory, static_cast<std::size_t>(rest.bytes)};
      bytes += rest.bytes;
      if (bytes == limits_.call_bytes) break;
    }
    const Transfer whole{.kind = run[0].kind,
                         .offset = run[0].offset + run[0].done,
                         .memory = run[0].memory,
                         .bytes = bytes};
    std::int64_t moved = 0;
    if (bytes > 0) {
      moved = uninterrupted([&] {
        return vectored(whole.kind, descriptor_, {pieces.data(), count}, whole.offset);
      });
      if (moved < 0) return tl::make_unexpected(transfer_error(errno, path_, whole));
      if (moved == 0 && whole.kind == TransferKind::read) return {};
      if (moved == 0) return tl::make_unexpected(stuck_error(path_, whole));
    }
    while (!run.empty()) {
      const std::int64_t taken = std::min(moved, run[0].bytes - run[0].done);
      run[0].done += taken;
      moved -= taken;
      if (run[0].done < run[0].bytes) break;
      run = run.subspan(1);
    }
  }
  return {};
}

Result<std::int64_t> PosixFile::size() const {
  if (!is_open()) return tl::make_unexpected(closed_error(path_));
  struct stat facts {};
  if (fstat(descriptor_, &facts) != 0) return failed(path_, "asking for its size");
  if (!S_ISBLK(facts.st_mode)) return facts.st_size;
  const off_t end = lseek(descriptor_, 0, SEEK_END);
  if (end < 0) return failed(path_, "asking for its size");
  return end;
}

bool PosixFile::is_dense() const {
  constexpr std::int64_t kBlockBytes = 512;  // whatever the file system's blocks are
  struct stat facts {};
  return fstat(descriptor(), &facts) == 0 && facts.st_blocks * kBlockBytes >= facts.st_size;
}

Status PosixFile::resize(std::int64_t bytes) const {
  if (!is_open()) return tl::make_unexpected(closed_error(path_));
  if (Status sound = check_resize(path_, rights_, bytes); !sound) return sound;
  if (!regular_) {
    return fail(ErrorKind::unsupported_operation, path_ + ": not a regular file (resizing it)");
  }
  if (uninterrupted([&] { return ftruncate(descriptor_, bytes); }) != 0) {
    return failed(path_, "resizing it to " + std::to_string(bytes) + " bytes");
  }
  return {};
}

Status PosixFile::preallocate(std::int64_t bytes) const {
  if (!is_open()) return tl::make_unexpected(closed_error(path_));
  if (Status sound = check_resize(path_, rights_, bytes); !sound || bytes == 0) return sound;
  if (!regular_) {
    return fail(ErrorKind::unsupported_operation, path_ + ": not a regular file (preallocating)");
  }
  if (uninterrupted([&] { return fallocate(descriptor_, 0, 0, bytes); }) == 0) return {};
  if (errno != EOPNOTSUPP && errno != ENOSYS) {
    return failed(path_, "preallocating " + std::to_string(bytes) + " bytes");
  }
  const Result<std::int64_t> present = size();
  if (!present) return tl::make_unexpected(present.error());
  return *present >= bytes ? Status() : resize(bytes);
}

Status PosixFile::sync() const {
  if (!is_open()) return tl::make_unexpected(closed_error(path_));
  if (uninterrupted([&] { return fdatasync(descriptor_); }) == 0) return {};
  if (errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP) return {};  // nothing to flush
  return failed(path_, "flushing it");
}

Status PosixFile::system_lock(Extent range, short type) const {
  struct flock request {};
  request.l_type = type;
  request.l_whence = SEEK_SET;
  request.l_start = range.offset;
  request.l_len = range.bytes;
  if (uninterrupted([&] { return fcntl(descriptor_, F_OFD_SETLKW, &request); }) == 0) return {};
  if (errno == EINVAL &&
      uninterrupted([&] { return fcntl(descriptor_, F_SETLKW, &request); }) == 0) {
    return {};
  }
  return failed(path_, "locking " + std::to_string(range.bytes) + " bytes at offset " +
                           std::to_string(range.offset));
}

Status PosixFile::lock(Extent range, LockMode mode) const {
  if (!is_open()) return tl::make_unexpected(closed_error(path_));
  if (Status sound = check_lock(path_, range); !sound || range.bytes == 0) return sound;
  if (mode == LockMode::exclusive && !rights_.write) {
    return fail(ErrorKind::read_only, path_ + ": opened for reading only (an exclusive lock)");
  }
  if (mode == LockMode::shared && !rights_.read) {
    return fail(ErrorKind::access_denied, path_ + ": opened for writing only (a shared lock)");
  }
  if (Status granted = locks_->acquire(path_, this, range, mode); !granted) return granted;
  Status granted = system_lock(range, mode == LockMode::shared ? F_RDLCK : F_WRLCK);
  if (!granted) (void)unlock(range);
  return granted;
}

Status PosixFile::unlock(Extent range) const {
  if (!is_open()) return tl::make_unexpected(closed_error(path_));
  Status outcome;
  locks_->release(this, range, [&](Extent part) {
    if (Status done = system_lock(part, F_UNLCK); !done) outcome = done;
  });
  return outcome;
}

Status PosixFile::close() {
  if (!is_open()) return {};
  // Linux frees the descriptor even where close reports EINTR: never tried twice.
  const int answer = ::close(std::exchange(descriptor_, -1));
  if (answer != 0 && errno != EINTR) return failed(path_, "closing it");
  return {};
}

}  // namespace tutti
