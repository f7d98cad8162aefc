// How bytes get to the cluster's client and back.
#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "device/ceph/file.hpp"
#include "device/errno_error.hpp"

namespace tutti {

namespace {

constexpr std::int64_t kCallBytes = 8 << 20;

// Reads are under way together. What is written only passes into the client's cache: as many pieces
// as fit into one call.
std::vector<Workers::Job> jobs_of(std::span<Transfer> batch) {
  std::vector<Workers::Job> jobs;
  std::size_t begin = 0;
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const bool joins = i > begin && batch[begin].kind == TransferKind::write &&
                       batch[i].kind == TransferKind::write && batch[i].bytes <= kCallBytes - bytes;
    if (!joins) {
      if (i > begin) jobs.push_back(batch.subspan(begin, i - begin));
      begin = i;
      bytes = 0;
    }
    bytes += batch[i].bytes;
  }
  if (!batch.empty()) jobs.push_back(batch.subspan(begin));
  return jobs;
}

// A piece of a call that writes several, which lie end to end in its memory.
struct Place {
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
};

// Bytes written up to the first piece that is not whole; an errno where there are none.
std::int64_t write_places(ceph_mount_info* mount, int file, const char* memory,
                          std::span<const Place> places) {
  std::int64_t done = 0;
  for (const Place place : places) {
    const std::int64_t answer = ceph_write(mount, file, memory + done, place.bytes, place.offset);
    if (answer < 0) return done > 0 ? done : answer;
    done += answer;
    if (answer < place.bytes) break;
  }
  return done;
}

}  // namespace

// A call that is left behind must not touch the caller's memory: through memory of its own.
std::int64_t CephBackend::read_some(const Transfer& what) {
  const std::shared_ptr<char[]> copy(new char[static_cast<std::size_t>(what.bytes)]);
  const std::int64_t answer = mount_->bounded(
      [copy, file = file_, bytes = what.bytes, offset = what.offset](ceph_mount_info* mount) {
        return ceph_read(mount, file, copy.get(), bytes, offset);
      });
  if (answer > 0) std::memcpy(what.memory, copy.get(), static_cast<std::size_t>(answer));
  return answer;
}

// REQUIRES: nothing of the pieces is written yet.
std::int64_t CephBackend::write_some(std::span<const Transfer> pieces) {
  std::vector<Place> places;
  std::int64_t bytes = 0;
  for (const Transfer& piece : pieces) {
    if (piece.bytes > 0) places.push_back({piece.offset, piece.bytes});
    bytes += piece.bytes;
  }
  const std::shared_ptr<char[]> copy(new char[static_cast<std::size_t>(bytes)]);
  char* next = copy.get();
  for (const Transfer& piece : pieces) {
    if (piece.bytes > 0) std::memcpy(next, piece.memory, static_cast<std::size_t>(piece.bytes));
    next += piece.bytes;
  }
  return mount_->bounded([copy, file = file_, places = std::move(places)](ceph_mount_info* mount) {
    return write_places(mount, file, copy.get(), places);
  });
}

Status CephBackend::move_one(Transfer& transfer) {
  return move_all(transfer, kCallBytes, path_, [&](const Transfer& rest) {
    const std::int64_t answer =
        rest.kind == TransferKind::read ? read_some(rest) : write_some({&rest, 1});
    if (answer >= 0) return Result<std::int64_t>(answer);
    return Result<std::int64_t>(
        tl::make_unexpected(transfer_error(static_cast<int>(-answer), path_, rest)));
  });
}

// Pieces behind one that came out short are left as they are.
Status CephBackend::write_together(Workers::Job job) {
  std::int64_t left = write_some(job);
  if (left < 0) {
    const auto first =
        std::find_if(job.begin(), job.end(), [](const Transfer& each) { return each.bytes > 0; });
    return tl::make_unexpected(transfer_error(static_cast<int>(-left), path_, *first));
  }
  for (Transfer& transfer : job) {
    transfer.done = std::min(left, transfer.bytes);
    left -= transfer.done;
  }
  return {};
}

Status CephBackend::move(Workers::Job job) {
  bool writes = false;
  bool reads = false;
  for (const Transfer& transfer : job) {
    reads = reads || transfer.kind == TransferKind::read;
    writes = writes || (transfer.kind == TransferKind::write && transfer.bytes > 0);
  }
  if (reads)
    if (Status fresh = refresh(); !fresh) return fresh;
  if (writes) dirty_ = true;
  Status moved = writes && job.size() > 1 ? write_together(job) : Status();
  for (Transfer& transfer : job)
    if (moved) moved = move_one(transfer);
  // Once more, for a publish() that went on meanwhile.
  if (writes) dirty_ = true;
  return moved;
}

Result<std::uint64_t> CephBackend::submit(std::span<Transfer> batch) {
  if (!is_open()) return tl::make_unexpected(closed_error(path_));
  if (Status sound = check_batch(path_, rights_, batch); !sound)
    return tl::make_unexpected(sound.error());
  return workers_.submit(jobs_of(batch));
}

Status CephBackend::wait(std::uint64_t ticket) { return workers_.wait(ticket); }

Result<bool> CephBackend::test(std::uint64_t ticket) { return workers_.test(ticket); }

Status CephBackend::run(std::span<Transfer> batch) {
  if (!is_open()) return tl::make_unexpected(closed_error(path_));
  if (Status sound = check_batch(path_, rights_, batch); !sound) return sound;
  const std::vector<Workers::Job> jobs = jobs_of(batch);
  if (jobs.size() > 1) return workers_.wait(workers_.submit(jobs));
  return jobs.empty() ? Status() : workers_.run_here(jobs[0]);
}

}  // namespace tutti
