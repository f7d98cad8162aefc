// How packed bytes change hands in one round of the message executor: between real partners by
// messages, between neighbours on a node by reaching into the other's memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "base/scratch.hpp"
#include "exec/holdings.hpp"
#include "exec/mailbag.hpp"
#include "exec/round_access.hpp"
#include "exec/window_access.hpp"

namespace tutti {

// A piece in one round: which packed bytes of its origin it stands for.
struct Parcel {
  int peer = 0;
  int origin = 0;
  PackedRange range;
};

// Buffers that live until the round is over.
class RoundMemory {
 public:
  // Null when memory is short.
  std::byte* take(std::int64_t bytes) {
    Buffer& buffer = buffers_.emplace_back(allocate_buffer(std::max<std::int64_t>(bytes, 1)));
    return buffer.get();
  }
  void clear() { buffers_.clear(); }

 private:
  std::vector<Buffer> buffers_;
};

class ParcelExchange {
 public:
  // What goes wrong is left in `failure`; a rank that failed still ships and lands.
  ParcelExchange(RunningCall& call, std::optional<Error>& failure)
      : call_(call), failure_(failure) {}

  // Among partners. Ships the bytes of `out` and lands those of `in`; what is this rank's own to
  // read goes to the user's memory, the rest is held until end_round().
  void exchange(std::int64_t round, const std::vector<Piece>& out, const std::vector<Piece>& in);

  // Local. A write's share in one piece, valid until end_round(); null when memory is short.
  const std::byte* packed_share(const Share& share);

  // Local. Cuts a window that was read (window[0] is the span's first byte) into what each origin
  // gets; where it is sparse the pieces come straight from storage.
  void distribute(const Shares& shares, const std::byte* window);

  void end_round() {
    holdings_.clear();
    memory_.clear();
  }

 private:
  struct Arrival {
    Parcel parcel;
    std::byte* data;
  };

  void note(const Status& done) {
    if (!done && !failure_) failure_ = done.error();
  }
  void fail_memory() { note(fail(ErrorKind::no_memory, "no memory for an exchange buffer")); }

  std::vector<Parcel> parcels(const std::vector<Piece>& pieces, std::int64_t round) const;
  const std::byte* in_place(const Parcel& parcel) const;
  void copy_out(const Parcel& parcel, std::byte* to) const;
  bool without_message(const Parcel& parcel) const;
  std::uint64_t address_of(const Parcel& parcel) const;
  std::vector<Parcel> take_near(std::vector<Parcel>& list) const;
  void pull(const Parcel& parcel);
  void push(const Parcel& parcel);
  void start_sends(const std::vector<Parcel>& list, Mailbag& bag);
  void start_receives(const std::vector<Parcel>& list, Mailbag& bag,
                      std::vector<Arrival>& arrivals);
  std::byte* landing_place(std::span<const Parcel> some, std::int64_t bytes);
  void deliver(PackedRange range, const std::byte* packed);

  RunningCall& call_;
  std::optional<Error>& failure_;
  Holdings holdings_;
  RoundMemory memory_;
};

}  // namespace tutti
