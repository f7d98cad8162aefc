#include "exec/inplace_run.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/wall_clock.hpp"
#include "exec/collective.hpp"
#include "exec/mailbag.hpp"
#include "mpi/agree.hpp"
#include "mpi/meeting.hpp"
#include "pattern/copy.hpp"
#include "transfer/independent.hpp"

namespace tutti::inplace {

namespace {

constexpr int kPhaseTag = 14;
constexpr std::int64_t kLimit = std::int64_t{1} << 61;
constexpr std::int64_t kMaxChunkBytes = std::int64_t{1} << 30;

Pattern bytes_of(std::span<const Tuple> tuples, std::int64_t element_bytes) {
  std::vector<Extent> runs;
  runs.reserve(tuples.size());
  for (const Tuple& tuple : tuples)
    runs.push_back({tuple.offset * element_bytes, tuple.length * element_bytes});
  return Pattern::tuples(runs);
}

Pattern bytes_of(std::span<const Repeat> repeats, std::int64_t element_bytes) {
  std::vector<Pattern::Placed> parts;
  for (const Repeat& repeat : repeats)
    parts.push_back({0, Pattern::repeat(repeat.count, repeat.stride * element_bytes,
                                        bytes_of(repeat.tuples, element_bytes))});
  return Pattern::sequence(parts);
}

// A running call. Its messages and its packing go through two halves of bounded memory.
class InplaceRun {
 public:
  InplaceRun(const InplaceCall& call, StageTimes& times)
      : call_(call),
        times_(times),
        chunk_(std::clamp<std::int64_t>(call.file.hints.cb_buffer_size, 1, kMaxChunkBytes)),
        half_(std::min(chunk_, largest_step(call.schedule))),
        halves_(call.file.scratch.borrow(std::max<std::int64_t>(2 * half_, 1))) {
    times_.phases_s.assign(call.schedule.phases.size(), 0);
    times_.pack_s = times_.access_s = times_.agree_s = 0;
  }

  // Collective. All ranks go on, or none does.
  Status begin(std::optional<Error> failure) {
    const double began = wall_seconds();
    ++call_.file.counters.collective_calls;
    if (!failure) failure = find_failure();
    std::array<std::int64_t, 3> least{failure ? 0 : 1, call_.position, -call_.position};
    if (auto done = least_of_all(call_.file.comm.get(), least); !done) return done;
    spent(times_.agree_s, began);
    if (least[0] == 0) return agree(call_.file.comm.get(), failure);
    if (least[1] != -least[2])
      return fail(ErrorKind::not_same, call_.file.name +
                                           ": the position of a vector is not the same on all "
                                           "processes");
    return {};
  }

  void write_phase(std::size_t phase) {
    const double began = wall_seconds();
    Mailbag in = bag();
    for (const auto& step : call_.schedule.phases[phase])
      for_each_chunk(step.receive.bytes, [&](std::int64_t at, std::int64_t bytes) {
        in.receive(step.peer, call_.region + step.receive.offset + at, bytes);
      });
    std::array<Mailbag, 2> out{bag(), bag()};
    for (const auto& step : call_.schedule.phases[phase])
      for_each_chunk(step.send.size(), [&](std::int64_t at, std::int64_t bytes) {
        Mailbag& free = out[index_of(at)];
        if (step.send.is_contiguous())
          return free.send(step.peer, call_.region + step.send.first() + at, bytes);
        note(free.wait());
        pack(step.send, call_.region, at, at + bytes, half(at));
        free.send(step.peer, half(at), bytes);
      });
    for (Mailbag& some : out) note(some.wait());
    note(in.wait());
    spent(times_.phases_s[phase], began);
  }

  void read_phase(std::size_t phase) {
    const double began = wall_seconds();
    Mailbag out = bag();
    for (const auto& step : call_.schedule.phases[phase])
      for_each_chunk(step.receive.bytes, [&](std::int64_t at, std::int64_t bytes) {
        out.send(step.peer, call_.region + step.receive.offset + at, bytes);
      });
    for (const auto& step : call_.schedule.phases[phase]) {
      if (step.send.is_contiguous()) {
        Mailbag in = bag();
        for_each_chunk(step.send.size(), [&](std::int64_t at, std::int64_t bytes) {
          in.receive(step.peer, call_.region + step.send.first() + at, bytes);
        });
        note(in.wait());
      } else {
        land(step);
      }
    }
    note(out.wait());
    spent(times_.phases_s[phase], began);
  }

  // Local. Packs and writes, part by part.
  void write_file() {
    const auto& schedule = call_.schedule;
    const bool direct = schedule.pack.is_contiguous();
    for_each_chunk(schedule.pack.size(), [&](std::int64_t at, std::int64_t bytes) {
      if (failure_) return;
      std::byte* packed = direct ? call_.region + schedule.pack.first() + at : half(at);
      if (!direct) {
        const double began = wall_seconds();
        pack(schedule.pack, call_.region, at, at + bytes, packed);
        spent(times_.pack_s, began);
      }
      access(Direction::write, at, bytes, packed);
    });
  }

  // Local. Reads and unpacks, part by part.
  void read_file() {
    const auto& schedule = call_.schedule;
    const bool direct = schedule.pack.is_contiguous();
    for_each_chunk(schedule.pack.size(), [&](std::int64_t at, std::int64_t bytes) {
      if (failure_) return;
      std::byte* packed = direct ? call_.region + schedule.pack.first() + at : half(at);
      access(Direction::read, at, bytes, packed);
      if (direct || failure_) return;
      const double began = wall_seconds();
      unpack(schedule.pack, call_.region, at, at + bytes, packed);
      spent(times_.pack_s, began);
    });
  }

  // Local. Other ranks find next what this one has written for them.
  void publish() {
    if (auto published = call_.file.device->publish(); !published && !failure_)
      failure_ = published.error();
    call_.file.device->distrust();
  }

  // Collective.
  Status end() {
    const double began = wall_seconds();
    const Status agreed = agree(call_.file.comm.get(), failure_);
    spent(times_.agree_s, began);
    Counters& counters = call_.file.counters;
    for (const double phase_s : times_.phases_s) counters.exchange_s += phase_s;
    counters.exchange_s += times_.pack_s;
    counters.access_s += times_.access_s;
    counters.agree_s += times_.agree_s;
    counters.call_s += wall_seconds() - began_;
    return agreed;
  }

 private:
  // The most that goes through a half at once: a message that is not contiguous, or the file part.
  static std::int64_t largest_step(const ByteSchedule& schedule) {
    std::int64_t largest = schedule.pack.is_contiguous() ? 0 : schedule.pack.size();
    for (const auto& phase : schedule.phases)
      for (const auto& step : phase)
        if (!step.send.is_contiguous()) largest = std::max(largest, step.send.size());
    return largest;
  }

  std::optional<Error> find_failure() const {
    if (call_.schedule.rank != call_.file.rank || call_.schedule.ranks != call_.file.ranks)
      return Error{ErrorKind::invalid_comm,
                   call_.file.name + ": the vector belongs to other processes than the file"};
    if (call_.position < 0 || call_.position > kLimit)
      return Error{ErrorKind::invalid_argument,
                   call_.file.name + ": the position of a vector is negative or too large"};
    if (!halves_.granted())
      return Error{ErrorKind::no_memory, call_.file.name + ": no memory for packing a vector"};
    return std::nullopt;
  }

  // Parts of a message or of the file access; both ends of a message cut it alike.
  template <class Visit>
  void for_each_chunk(std::int64_t bytes, const Visit& visit) const {
    for (std::int64_t at = 0; at < bytes; at += chunk_) visit(at, std::min(chunk_, bytes - at));
  }
  std::size_t index_of(std::int64_t at) const { return static_cast<std::size_t>(at / chunk_ % 2); }
  std::byte* half(std::int64_t at) const {
    return halves_.data() + (index_of(at) == 0 ? 0 : half_);
  }
  Mailbag bag() const { return {call_.file.comm.get(), kPhaseTag, call_.file.counters}; }

  // Receives what goes to scattered places of the region: one half fills while the other is placed.
  void land(const ByteSchedule::Step& step) {
    std::array<Mailbag, 2> in{bag(), bag()};
    const auto place = [&](std::int64_t at) {
      note(in[index_of(at)].wait());
      unpack(step.send, call_.region, at, std::min(at + chunk_, step.send.size()), half(at));
    };
    for_each_chunk(step.send.size(), [&](std::int64_t at, std::int64_t bytes) {
      if (at >= 2 * chunk_) place(at - 2 * chunk_);
      in[index_of(at)].receive(step.peer, half(at), bytes);
    });
    const std::int64_t chunks = (step.send.size() + chunk_ - 1) / chunk_;
    for (std::int64_t i = std::max<std::int64_t>(chunks - 2, 0); i < chunks; ++i) place(i * chunk_);
  }

  void access(Direction direction, std::int64_t at, std::int64_t bytes, std::byte* packed) {
    const double began = wall_seconds();
    OpenFile& file = call_.file;
    const Access part{direction,
                      {call_.schedule.file.shifted(call_.position), at, bytes},
                      {Pattern::run(bytes), packed}};
    const auto moved = transfer_independent(file.device, part, file.hints, file.scratch);
    if (!moved) {
      failure_ = moved.error();
    } else {
      ++file.counters.device_operations;
      file.counters.device_bytes += *moved;
      if (*moved < bytes)
        failure_ = Error{ErrorKind::io, file.name + ": the file ends before the vector does"};
    }
    spent(times_.access_s, began);
  }

  void note(bool arrived) {
    if (!arrived && !failure_)
      failure_ = Error{ErrorKind::internal,
                       call_.file.name + ": a message of an in-place phase did not arrive whole"};
  }

  static void spent(double& total, double began) { total += wall_seconds() - began; }

  const InplaceCall& call_;
  StageTimes& times_;
  std::int64_t chunk_;
  std::int64_t half_;
  Scratch::Lease halves_;
  double began_ = wall_seconds();
  std::optional<Error> failure_;
};

}  // namespace

Result<ByteSchedule> make_schedule(const InplacePlan& plan, std::int64_t element_bytes) {
  if (element_bytes < 1 || plan.region.elements > kLimit / element_bytes ||
      (!plan.file.empty() && plan.domain.last > kLimit / element_bytes))
    return fail(ErrorKind::invalid_argument,
                "in-place vector: the element size is not positive, or the vector too large");
  ByteSchedule schedule{plan.rank, plan.ranks, plan.region.elements * element_bytes, {}, {}, {}};
  for (const Phase& phase : plan.phases) {
    auto& steps = schedule.phases.emplace_back();
    for (const Exchange& exchange : phase)
      steps.push_back(
          {exchange.peer,
           bytes_of(exchange.send, element_bytes),
           {exchange.receive_offset * element_bytes, exchange.receive_count * element_bytes}});
  }
  schedule.pack = bytes_of(plan.pack, element_bytes);
  schedule.file = bytes_of(plan.file, element_bytes);
  return schedule;
}

Status write_inplace(const InplaceCall& call, const std::optional<Error>& refusal,
                     StageTimes& times) {
  InplaceRun run(call, times);
  if (auto begun = run.begin(publish_own(call.file, refusal)); !begun) return begun;
  for (std::size_t phase = 0; phase < call.schedule.phases.size(); ++phase) run.write_phase(phase);
  run.write_file();
  run.publish();
  return run.end();
}

Status read_inplace(const InplaceCall& call, const std::optional<Error>& refusal,
                    StageTimes& times) {
  InplaceRun run(call, times);
  if (auto begun = run.begin(publish_own(call.file, refusal)); !begun) return begun;
  call.file.device->distrust();
  run.read_file();
  for (std::size_t phase = call.schedule.phases.size(); phase-- > 0;) run.read_phase(phase);
  return run.end();
}

}  // namespace tutti::inplace
