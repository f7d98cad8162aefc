#include "exec/mailbag.hpp"

#include <algorithm>
#include <utility>

namespace tutti {

namespace {

// Counts are ints; parts of this size arrive in the order in which they were sent.
constexpr std::int64_t kMaxMessageBytes = 1 << 30;
// To another node: what MPIs over sockets send at once, without asking the receiver first.
constexpr std::int64_t kSegmentBytes = 64 << 10;

// visit(offset, bytes) for each part of a message.
template <class Visit>
void for_each_part(std::int64_t bytes, std::int64_t most, const Visit& visit) {
  for (std::int64_t at = 0; at < bytes; at += most)
    visit(at, static_cast<int>(std::min(most, bytes - at)));
}

}  // namespace

Mailbag::Mailbag(MPI_Comm comm, int tag, Counters& counters, std::span<const std::int32_t> node_of,
                 MpiCaller& caller)
    : comm_(comm),
      tag_(tag),
      counters_(counters),
      caller_(caller),
      immediate_(caller.may_block()),
      node_of_(node_of) {
  if (!node_of.empty()) caller.make([&] { PMPI_Comm_rank(comm, &rank_); });
}

std::int64_t Mailbag::segment_bytes(int peer) const {
  const bool remote = !node_of_.empty() && node_of_[static_cast<std::size_t>(peer)] !=
                                               node_of_[static_cast<std::size_t>(rank_)];
  return remote ? kSegmentBytes : kMaxMessageBytes;
}

// A segment to each partner in turn; the next one when the last has left.
void Mailbag::send_letters() {
  std::stable_sort(letters_.begin(), letters_.end(), [&](const Letter& a, const Letter& b) {
    const auto turn = [&](const Letter& letter) {
      return std::pair(letter.peer < rank_, letter.peer);
    };
    return turn(a) < turn(b);
  });
  start_noted();
  for (bool more = !letters_.empty(); more;) {
    more = false;
    for (Letter& letter : letters_) {
      if (letter.sent >= letter.bytes) continue;
      const std::int64_t part = std::min(kSegmentBytes, letter.bytes - letter.sent);
      start_send(letter.peer, letter.memory + letter.sent, static_cast<int>(part));
      letter.sent += part;
      more = true;
      start_noted();
      const int code = caller_.complete({&requests_.back(), 1}, MPI_STATUSES_IGNORE);
      sound_ = sound_ && code == MPI_SUCCESS;
    }
  }
  letters_.clear();
}

void Mailbag::start(const Message& message) {
  MPI_Request& request = requests_.emplace_back(MPI_REQUEST_NULL);
  expected_.push_back(message.sent ? -1 : message.bytes);
  const int code = message.sent ? PMPI_Isend(message.memory, message.bytes, MPI_BYTE, message.peer,
                                             tag_, comm_, &request)
                                : PMPI_Irecv(message.memory, message.bytes, MPI_BYTE, message.peer,
                                             tag_, comm_, &request);
  sound_ = sound_ && code == MPI_SUCCESS;
}

void Mailbag::start_or_note(const Message& message) {
  if (immediate_)
    start(message);
  else
    noted_.push_back(message);
}

void Mailbag::start_noted() {
  if (noted_.empty()) return;
  requests_.reserve(requests_.size() + noted_.size());
  expected_.reserve(expected_.size() + noted_.size());
  caller_.make([&] {
    for (const Message& message : noted_) start(message);
  });
  noted_.clear();
}

void Mailbag::start_send(int peer, const std::byte* memory, int bytes) {
  ++counters_.messages_sent;
  counters_.bytes_sent += bytes;
  const Message message{peer, const_cast<std::byte*>(memory), bytes, true};
  start_or_note(message);
}

void Mailbag::start_receive(int peer, std::byte* memory, int bytes) {
  const Message message{peer, memory, bytes, false};
  start_or_note(message);
}

void Mailbag::receive(int peer, std::byte* memory, std::int64_t bytes) {
  for_each_part(bytes, segment_bytes(peer),
                [&](std::int64_t at, int part) { start_receive(peer, memory + at, part); });
}

void Mailbag::send(int peer, const std::byte* memory, std::int64_t bytes) {
  const std::int64_t most = segment_bytes(peer);
  if (most == kSegmentBytes && bytes > most) return letters_.push_back({peer, memory, bytes, 0});
  for_each_part(bytes, most,
                [&](std::int64_t at, int part) { start_send(peer, memory + at, part); });
}

void Mailbag::send_nothing(int peer, std::int64_t bytes) {
  for_each_part(bytes, segment_bytes(peer),
                [&](std::int64_t, int) { start_send(peer, nullptr, 0); });
  sound_ = false;
}

void Mailbag::receive_nothing(int peer, std::int64_t bytes) {
  for_each_part(bytes, segment_bytes(peer),
                [&](std::int64_t, int) { start_receive(peer, nullptr, 0); });
  sound_ = false;
}

void Mailbag::check_statuses(const std::vector<MPI_Status>& statuses) {
  for (std::size_t i = 0; i < statuses.size() && sound_; ++i) {
    int got = 0;
    if (expected_[i] < 0) continue;
    PMPI_Get_count(&statuses[i], MPI_BYTE, &got);
    sound_ = got == expected_[i];
  }
}

bool Mailbag::wait() {
  send_letters();
  start_noted();
  if (!requests_.empty()) {
    std::vector<MPI_Status> statuses(requests_.size());
    const int code = caller_.complete(requests_, statuses.data());
    sound_ = sound_ && code == MPI_SUCCESS;
    caller_.make([&] { check_statuses(statuses); });
  }
  requests_.clear();
  expected_.clear();
  return sound_;
}

}  // namespace tutti
