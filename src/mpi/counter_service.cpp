#include "mpi/counter_service.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/helper_thread.hpp"

namespace tutti {

namespace {

// Caller and service run the same program on machines of one kind: structs travel as they are.
struct Question {
  std::array<std::uint64_t, 2> secret{};
  std::uint64_t number = 0;
  std::int64_t which = 0;
  std::int64_t amount = 0;
};
struct Answer {
  std::array<std::uint64_t, 2> secret{};  // shows that the right process answers
  std::int64_t before = 0;
};

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t bytes = 0;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

SocketAddress socket_address(const CounterAddress::Host& host, std::int32_t port) {
  SocketAddress made;
  if (host.family == AF_INET6) {
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(static_cast<std::uint16_t>(port));
    std::memcpy(&v6.sin6_addr, host.bytes.data(), sizeof v6.sin6_addr);
    std::memcpy(&made.storage, &v6, sizeof v6);
    made.bytes = sizeof v6;
  } else {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(static_cast<std::uint16_t>(port));
    std::memcpy(&v4.sin_addr, host.bytes.data(), sizeof v4.sin_addr);
    std::memcpy(&made.storage, &v4, sizeof v4);
    made.bytes = sizeof v4;
  }
  return made;
}

// An address that may lead here from elsewhere; loopback ones are kept for the end of the list.
std::optional<CounterAddress::Host> host_of(const ifaddrs& interface, bool loopback) {
  if (interface.ifa_addr == nullptr || (interface.ifa_flags & IFF_UP) == 0) return std::nullopt;
  if (((interface.ifa_flags & IFF_LOOPBACK) != 0) != loopback) return std::nullopt;
  CounterAddress::Host host;
  host.family = interface.ifa_addr->sa_family;
  if (host.family == AF_INET) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(interface.ifa_addr);
    std::memcpy(host.bytes.data(), &v4->sin_addr, sizeof v4->sin_addr);
    return host;
  }
  if (host.family != AF_INET6) return std::nullopt;
  const auto* v6 = reinterpret_cast<const sockaddr_in6*>(interface.ifa_addr);
  if (IN6_IS_ADDR_LINKLOCAL(&v6->sin6_addr)) return std::nullopt;
  std::memcpy(host.bytes.data(), &v6->sin6_addr, sizeof v6->sin6_addr);
  return host;
}

void list_hosts(CounterAddress& address, bool v6_works) {
  ifaddrs* interfaces = nullptr;
  if (getifaddrs(&interfaces) != 0) return;
  for (const bool loopback : {false, true})
    for (const ifaddrs* each = interfaces; each != nullptr; each = each->ifa_next) {
      const auto host = host_of(*each, loopback);
      if (!host || (host->family == AF_INET6 && !v6_works)) continue;
      if (static_cast<std::size_t>(address.host_count) == CounterAddress::kMostHosts) break;
      address.hosts[static_cast<std::size_t>(address.host_count++)] = *host;
    }
  freeifaddrs(interfaces);
}

// Listens on every address of the machine; -1 where the system refuses.
int listening_socket(int family, std::int32_t& port) {
  const int made = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made < 0) return -1;
  const int off = 0;
  if (family == AF_INET6) setsockopt(made, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  CounterAddress::Host anywhere;
  anywhere.family = family;
  const SocketAddress any = socket_address(anywhere, 0);
  sockaddr_storage bound{};
  socklen_t bytes = sizeof bound;
  if (bind(made, any.get(), any.bytes) != 0 || listen(made, SOMAXCONN) != 0 ||
      getsockname(made, reinterpret_cast<sockaddr*>(&bound), &bytes) != 0) {
    close(made);
    return -1;
  }
  // The port lies at the same place in both kinds of address.
  port = ntohs(reinterpret_cast<const sockaddr_in*>(&bound)->sin_port);
  return made;
}

// Signals may interrupt either in the middle.
bool send_all(int to, const void* data, std::size_t bytes) {
  const auto* const first = static_cast<const std::byte*>(data);
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t sent = TEMP_FAILURE_RETRY(send(to, first + done, bytes - done, MSG_NOSIGNAL));
    if (sent <= 0) return false;
    done += static_cast<std::size_t>(sent);
  }
  return true;
}

bool receive_all(int from, void* data, std::size_t bytes) {
  auto* const first = static_cast<std::byte*>(data);
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t got = TEMP_FAILURE_RETRY(recv(from, first + done, bytes - done, MSG_WAITALL));
    if (got <= 0) return false;
    done += static_cast<std::size_t>(got);
  }
  return true;
}

void answer_at_once(int connection) {
  const int on = 1;
  setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

}  // namespace

class CounterService::Loop {
 public:
  Loop(std::array<std::uint64_t, 2> secret, int listener, int stop)
      : secret_(secret), listener_(listener), stop_(stop) {}
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  ~Loop() {
    if (thread_.joinable()) {
      eventfd_write(stop_, 1);
      thread_.join();
    }
    for (const Connection& each : connections_) close(each.socket);
    close(listener_);
    close(stop_);
  }

  // Local, once. False where the system has no thread to give.
  bool start() {
    auto started = start_helper_thread([this] { run(); });
    if (started) thread_ = std::move(*started);
    return started.has_value();
  }

  std::uint64_t add(Counters2& counters) {
    const std::lock_guard guard(lock_);
    served_.emplace(++last_number_, &counters);
    return last_number_;
  }
  void remove(std::uint64_t number) {
    const std::lock_guard guard(lock_);
    served_.erase(number);
  }

 private:
  struct Connection {
    int socket = -1;
    Question question;
    std::size_t filled = 0;
  };

  void run() {
    std::vector<pollfd> watched;
    for (;;) {
      watched.assign({{stop_, POLLIN, 0}, {listener_, POLLIN, 0}});
      for (const Connection& each : connections_) watched.push_back({each.socket, POLLIN, 0});
      if (TEMP_FAILURE_RETRY(poll(watched.data(), watched.size(), -1)) < 0) return;
      if (watched[0].revents != 0) return;
      for (std::size_t i = connections_.size(); i-- > 0;)
        if (watched[i + 2].revents != 0 && !serve(connections_[i])) {
          close(connections_[i].socket);
          connections_.erase(connections_.begin() + static_cast<std::ptrdiff_t>(i));
        }
      if (watched[1].revents != 0) accept_one();
    }
  }

  void accept_one() {
    const int connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (connection < 0) return;
    answer_at_once(connection);
    connections_.push_back({connection, {}, 0});
  }

  // False where the connection is over or its owner does not know the secret.
  bool serve(Connection& from) {
    auto* const bytes = reinterpret_cast<std::byte*>(&from.question);
    const ssize_t got = TEMP_FAILURE_RETRY(
        recv(from.socket, bytes + from.filled, sizeof(Question) - from.filled, 0));
    if (got <= 0) return false;
    from.filled += static_cast<std::size_t>(got);
    if (from.filled < sizeof(Question)) return true;
    from.filled = 0;
    const Question& asked = from.question;
    if (asked.secret != secret_ || asked.which < 0 || asked.which > 1) return false;
    const std::optional<std::int64_t> before = advance(asked);
    const Answer answer{secret_, before.value_or(0)};
    return before && send_all(from.socket, &answer, sizeof answer);
  }

  std::optional<std::int64_t> advance(const Question& asked) {
    const std::lock_guard guard(lock_);
    const auto found = served_.find(asked.number);
    if (found == served_.end()) return std::nullopt;
    return (*found->second)[static_cast<std::size_t>(asked.which)].fetch_add(asked.amount);
  }

  std::mutex lock_;  // guards the next two
  std::uint64_t last_number_ = 0;
  std::map<std::uint64_t, Counters2*> served_;
  std::array<std::uint64_t, 2> secret_;
  int listener_;
  int stop_;
  std::vector<Connection> connections_;
  std::thread thread_;
};

CounterService::CounterService() = default;
CounterService::~CounterService() = default;

Result<std::shared_ptr<CounterService>> CounterService::of_process() {
  // Files may be opened in exit handlers.
  static std::mutex& lock = *new std::mutex;
  static std::weak_ptr<CounterService>& known = *new std::weak_ptr<CounterService>;
  const std::lock_guard guard(lock);
  if (auto running = known.lock()) return running;
  auto started = start();
  if (started) known = *started;
  return started;
}

CounterAddress CounterService::add(Counters2& counters) {
  CounterAddress address = address_;
  address.number = loop_->add(counters);
  return address;
}

void CounterService::remove(const CounterAddress& address) { loop_->remove(address.number); }

Result<std::shared_ptr<CounterService>> CounterService::start() {
  std::shared_ptr<CounterService> service(new CounterService);
  CounterAddress& address = service->address_;
  if (getrandom(address.secret.data(), sizeof address.secret, 0) != sizeof address.secret)
    return fail(ErrorKind::io, "no random bytes");
  bool v6_works = true;
  int listener = listening_socket(AF_INET6, address.port);
  if (listener < 0) {
    v6_works = false;
    listener = listening_socket(AF_INET, address.port);
  }
  const int stop = listener < 0 ? -1 : eventfd(0, EFD_CLOEXEC);
  if (stop < 0) {
    if (listener >= 0) close(listener);
    return fail(ErrorKind::io, "no socket to listen on");
  }
  list_hosts(address, v6_works);
  service->loop_ = std::make_unique<Loop>(address.secret, listener, stop);
  if (!service->loop_->start()) return fail(ErrorKind::io, "no thread to answer on");
  return service;
}

namespace {

bool ask(int socket, const Question& question, Answer& answer) {
  return send_all(socket, &question, sizeof question) &&
         receive_all(socket, &answer, sizeof answer) && answer.secret == question.secret;
}

// Connected, and answered with the secret; -1 otherwise.
int connect_to(const CounterAddress::Host& host, const CounterAddress& address) {
  const int made = socket(host.family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made < 0) return -1;
  const timeval patience{3, 0};  // a wrong address among several must not hold up a call for long
  setsockopt(made, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  setsockopt(made, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  const SocketAddress place = socket_address(host, address.port);
  Answer hello;
  // On Linux a second call waits for the connection that an interrupted one has begun.
  if (TEMP_FAILURE_RETRY(connect(made, place.get(), place.bytes)) != 0 ||
      !ask(made, {address.secret, address.number, 0, 0}, hello)) {
    close(made);
    return -1;
  }
  answer_at_once(made);
  const timeval forever{0, 0};
  setsockopt(made, SOL_SOCKET, SO_RCVTIMEO, &forever, sizeof forever);
  return made;
}

}  // namespace

CounterCaller::~CounterCaller() {
  if (socket_ >= 0) close(socket_);
}

Result<std::int64_t> CounterCaller::fetch_add(const CounterAddress& address, int which,
                                              std::int64_t amount) {
  const std::lock_guard guard(lock_);
  for (std::int32_t i = 0; i < address.host_count && socket_ < 0; ++i)
    socket_ = connect_to(address.hosts[static_cast<std::size_t>(i)], address);
  Answer answer;
  if (socket_ < 0 || !ask(socket_, {address.secret, address.number, which, amount}, answer))
    return fail(ErrorKind::io, "the process that keeps the shared file pointer cannot be reached");
  return answer.before;
}

}  // namespace tutti
