#include "device/ceph/mount.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "base/helper_thread.hpp"
#include "device/errno_error.hpp"

namespace tutti {

namespace {

constexpr std::chrono::seconds kDefaultBound{60};
constexpr std::chrono::seconds kLongestBound{7 * 24 * 3600};
// OSD operations have the bound themselves and say more when they pass it.
constexpr std::chrono::seconds kGrace{2};

std::chrono::seconds bound_from_environment() {
  const char* const text = std::getenv("TUTTI_CEPH_TIMEOUT");
  if (text == nullptr) return kDefaultBound;
  std::int64_t seconds = 0;
  const auto [end, wrong] = std::from_chars(text, text + std::strlen(text), seconds);
  if (wrong != std::errc() || *end != '\0' || seconds <= 0) return kDefaultBound;
  return std::min(std::chrono::seconds(seconds), kLongestBound);
}

Error mount_error(std::int64_t answer, const std::string& doing) {
  const char* const named = std::getenv("CEPH_CONF");
  const std::string cluster = named == nullptr ? "/etc/ceph/ceph.conf" : named;
  Error error = errno_error(static_cast<int>(-answer), "the Ceph cluster of " + cluster, doing);
  error.kind = ErrorKind::io;
  return error;
}

// A collective call that reads in order makes the client read far ahead, and the next call throws
// that away to find what others wrote. Unless the configuration has a bound, this one.
void bound_read_ahead(ceph_mount_info* mount) {
  constexpr const char* kOption = "client_readahead_max_bytes";
  std::array<char, 32> said{};
  const bool none = ceph_conf_get(mount, kOption, said.data(), said.size()) >= 0 &&
                    std::strcmp(said.data(), "0") == 0;
  if (none) (void)ceph_conf_set(mount, kOption, "1048576");
}

Result<ceph_mount_info*> prepare(std::chrono::seconds bound) {
  ceph_mount_info* mount = nullptr;
  if (const int answer = ceph_create(&mount, std::getenv("TUTTI_CEPH_ID")); answer < 0)
    return tl::make_unexpected(mount_error(answer, "preparing a client"));
  if (const int answer = ceph_conf_read_file(mount, nullptr); answer < 0) {
    ceph_release(mount);
    return tl::make_unexpected(
        mount_error(answer, "reading its configuration; CEPH_CONF names another one"));
  }
  (void)ceph_conf_parse_env(mount, nullptr);
  bound_read_ahead(mount);
  for (const char* const quiet : {"log_to_stderr", "err_to_stderr"})
    (void)ceph_conf_set(mount, quiet, "false");
  const std::string seconds = std::to_string(bound.count());
  for (const char* const limit :
       {"client_mount_timeout", "rados_osd_op_timeout", "rados_mon_op_timeout"})
    (void)ceph_conf_set(mount, limit, seconds.c_str());
  return mount;
}

}  // namespace

struct CephMount::State {
  struct Job {
    Call call;
    std::int64_t answer = 0;
    bool done = false;
    std::condition_variable finished;
  };

  std::mutex mutex;
  std::condition_variable changed;
  ceph_mount_info* mount = nullptr;
  std::chrono::seconds bound{};
  std::deque<std::shared_ptr<Job>> jobs;
  int idle = 0;  // helpers that wait for a job
  bool lost = false;
  bool ending = false;
};

namespace {

// All files of a process share one client of the cluster, and the layers above know devices by name
// only: hence one place per process.
struct Shared {
  std::mutex mutex;
  std::weak_ptr<CephMount> mount;
};

Shared& shared_place() {
  static Shared place;
  return place;
}

template <class State>
void help(const std::shared_ptr<State>& state) {
  std::unique_lock guard(state->mutex);
  while (!state->ending || !state->jobs.empty()) {
    if (state->jobs.empty()) {
      ++state->idle;
      state->changed.wait(guard);
      --state->idle;
      continue;
    }
    const auto job = std::move(state->jobs.front());
    state->jobs.pop_front();
    guard.unlock();
    const std::int64_t answer = job->call(state->mount);
    job->call = nullptr;
    guard.lock();
    job->answer = answer;
    job->done = true;
    job->finished.notify_all();
  }
}

}  // namespace

Result<std::shared_ptr<CephMount>> CephMount::shared() {
  Shared& place = shared_place();
  const std::lock_guard guard(place.mutex);
  if (auto known = place.mount.lock(); known && !known->lost()) return known;
  const std::chrono::seconds bound = bound_from_environment();
  const auto prepared = prepare(bound);
  if (!prepared) return tl::make_unexpected(prepared.error());
  const auto state = std::make_shared<State>();
  state->mount = *prepared;
  state->bound = bound;
  std::shared_ptr<CephMount> made(new CephMount(state));
  const std::int64_t answer =
      made->bounded([](ceph_mount_info* mount) { return ceph_mount(mount, nullptr); });
  if (answer < 0) {
    if (answer == -ETIMEDOUT) made->give_up();
    return tl::make_unexpected(
        mount_error(answer, "mounting it; are its monitors and metadata servers up?"));
  }
  place.mount = made;
  return made;
}

std::int64_t CephMount::bounded(Call call) {
  const auto job = std::make_shared<State::Job>();
  job->call = std::move(call);
  std::unique_lock guard(state_->mutex);
  if (state_->lost) return -ETIMEDOUT;
  state_->jobs.push_back(job);
  if (state_->idle < std::ssize(state_->jobs)) {
    auto helper = start_helper_thread([state = state_] { help(state); });
    if (helper) {
      helper->detach();
    } else {
      std::erase(state_->jobs, job);
      return -EAGAIN;
    }
  } else {
    state_->changed.notify_one();
  }
  const bool in_time =
      job->finished.wait_for(guard, state_->bound + kGrace, [&] { return job->done; });
  if (in_time) return job->answer;
  state_->lost = true;
  return -ETIMEDOUT;
}

void CephMount::give_up() {
  const std::lock_guard guard(state_->mutex);
  state_->lost = true;
}

bool CephMount::lost() const {
  const std::lock_guard guard(state_->mutex);
  return state_->lost;
}

CephMount::~CephMount() {
  // A lost connection is left as it is: to take it down would wait for the daemons again.
  (void)bounded([](ceph_mount_info* mount) {
    (void)ceph_unmount(mount);
    return ceph_release(mount);
  });
  const std::lock_guard guard(state_->mutex);
  state_->ending = true;
  state_->changed.notify_all();
}

}  // namespace tutti
