#include "exec/mailbag.hpp"

#include <algorithm>

#include "mpi/host_completion.hpp"

namespace tutti {

namespace {

// Counts are ints; parts of this size arrive in the order in which they were sent.
constexpr std::int64_t kMaxMessageBytes = 1 << 30;

// visit(offset, bytes) for each part of a message.
template <class Visit>
void for_each_part(std::int64_t bytes, const Visit& visit) {
  for (std::int64_t at = 0; at < bytes; at += kMaxMessageBytes)
    visit(at, static_cast<int>(std::min(kMaxMessageBytes, bytes - at)));
}

}  // namespace

void Mailbag::start_send(int peer, const std::byte* memory, int bytes) {
  MPI_Request& request = requests_.emplace_back(MPI_REQUEST_NULL);
  expected_.push_back(-1);
  const int code = PMPI_Isend(memory, bytes, MPI_BYTE, peer, tag_, comm_, &request);
  sound_ = sound_ && code == MPI_SUCCESS;
  ++counters_.messages_sent;
  counters_.bytes_sent += bytes;
}

void Mailbag::start_receive(int peer, std::byte* memory, int bytes) {
  MPI_Request& request = requests_.emplace_back(MPI_REQUEST_NULL);
  expected_.push_back(bytes);
  const int code = PMPI_Irecv(memory, bytes, MPI_BYTE, peer, tag_, comm_, &request);
  sound_ = sound_ && code == MPI_SUCCESS;
}

void Mailbag::receive(int peer, std::byte* memory, std::int64_t bytes) {
  for_each_part(bytes, [&](std::int64_t at, int part) { start_receive(peer, memory + at, part); });
}

void Mailbag::send(int peer, const std::byte* memory, std::int64_t bytes) {
  for_each_part(bytes, [&](std::int64_t at, int part) { start_send(peer, memory + at, part); });
}

void Mailbag::send_nothing(int peer, std::int64_t bytes) {
  for_each_part(bytes, [&](std::int64_t, int) { start_send(peer, nullptr, 0); });
  sound_ = false;
}

void Mailbag::receive_nothing(int peer, std::int64_t bytes) {
  for_each_part(bytes, [&](std::int64_t, int) { start_receive(peer, nullptr, 0); });
  sound_ = false;
}

bool Mailbag::wait() {
  if (!requests_.empty()) {
    std::vector<MPI_Status> statuses(requests_.size());
    const int code = host_completion().wait_all(static_cast<int>(requests_.size()),
                                                requests_.data(), statuses.data());
    sound_ = sound_ && code == MPI_SUCCESS;
    for (std::size_t i = 0; i < statuses.size() && sound_; ++i) {
      int got = 0;
      if (expected_[i] < 0) continue;
      PMPI_Get_count(&statuses[i], MPI_BYTE, &got);
      sound_ = got == expected_[i];
    }
  }
  requests_.clear();
  expected_.clear();
  return sound_;
}

}  // namespace tutti
