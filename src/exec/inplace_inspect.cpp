#include "exec/inplace_inspect.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "base/wall_clock.hpp"
#include "exec/mailbag.hpp"
#include "mpi/agree.hpp"
#include "mpi/meeting.hpp"
#include "pattern/blocks.hpp"
#include "pattern/serialise.hpp"
#include "strategy/inplace_irregular.hpp"

namespace tutti::inplace {

namespace {

constexpr int kCountTag = 11;
constexpr int kSizeTag = 12;
constexpr int kDescriptorTag = 13;
// Offsets and lengths beyond it cannot be told apart from overflow.
constexpr std::int64_t kLimit = std::int64_t{1} << 61;

std::optional<Error> check_tuples(std::span<const Tuple> distribution) {
  std::int64_t elements = 0;
  for (const Tuple& tuple : distribution) {
    if (tuple.offset < 0 || tuple.length < 0 || tuple.offset > kLimit ||
        tuple.length > kLimit - tuple.offset || tuple.length > kLimit - elements)
      return Error{ErrorKind::invalid_argument,
                   "in-place inspector: a tuple has a negative or too large offset or length"};
    elements += tuple.length;
  }
  return std::nullopt;
}

// Collective. The smallest interval with the elements of all ranks, or the refusal of one of them.
Result<Interval> agree_on_interval(MPI_Comm comm, std::span<const Tuple> distribution,
                                   const std::optional<Error>& failure) {
  const Tuples mine = failure ? Tuples{} : Tuples(distribution.begin(), distribution.end());
  const Interval own = file_interval({&mine, 1});
  constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
  const bool empty = own.size() == 0;
  std::array<std::int64_t, 3> least{empty ? kNone : own.first, empty ? kNone : -own.last,
                                    failure ? 0 : 1};
  if (auto done = least_of_all(comm, least); !done) return tl::make_unexpected(done.error());
  if (least[2] == 0) return tl::make_unexpected(agree(comm, failure).error());
  if (least[0] == kNone) return Interval{};
  return Interval{least[0], -least[1]};
}

std::vector<std::byte> to_bytes(std::span<const Tuple> logical) {
  std::vector<Extent> runs;
  runs.reserve(logical.size());
  for (const Tuple& tuple : logical) runs.push_back({tuple.offset, tuple.length});
  std::vector<std::byte> bytes;
  serialise(Pattern::tuples(runs), bytes);
  return bytes;
}

Result<Tuples> from_bytes(std::span<const std::byte> bytes) {
  auto pattern = deserialise(bytes);
  if (!pattern) return tl::make_unexpected(pattern.error());
  Tuples logical;
  for_each_run(*pattern, 0, pattern->size(), [&](Extent run) {
    append(logical, {run.offset, run.bytes});
    return true;
  });
  return logical;
}

// One rank's part. A failure is kept and told at the end: the rank stays in step.
class TupleInspection {
 public:
  TupleInspection(MPI_Comm comm, Counters& counters) : comm_(comm), counters_(counters) {}

  // Local in what it returns; exchanges with partners in between.
  void count(CountState& state) {
    for (int phase = 0; phase < phase_count(state.ranks); ++phase) {
      const Partners with = partners(state.rank, phase, state.ranks);
      const std::vector<std::int64_t> out = counts_for_target(state, phase);
      std::vector<std::vector<std::int64_t>> in(with.sources.size(),
                                                std::vector<std::int64_t>(state.held.size()));
      Mailbag bag(comm_, kCountTag, counters_);
      for (std::size_t i = 0; i < in.size(); ++i) receive(bag, with.sources[i], in[i]);
      if (with.target) send(bag, *with.target, out);
      note(bag.wait());
      for (std::size_t i = 0; i < in.size(); ++i)
        accept_counts(state, phase, with.sources[i], in[i]);
    }
  }

  void describe(Inspection& inspection) {
    const InplacePlan& plan = inspection.plan;
    for (int phase = 0; phase < phase_count(plan.ranks); ++phase) {
      const Partners with = partners(plan.rank, phase, plan.ranks);
      const std::vector<std::byte> out = to_bytes(extract(inspection, phase));
      const std::vector<std::int64_t> out_size{std::ssize(out)};
      std::vector<std::vector<std::int64_t>> sizes(with.sources.size(),
                                                   std::vector<std::int64_t>(1));
      Mailbag size_bag(comm_, kSizeTag, counters_);
      for (std::size_t i = 0; i < sizes.size(); ++i) receive(size_bag, with.sources[i], sizes[i]);
      if (with.target) send(size_bag, *with.target, out_size);
      note(size_bag.wait());

      std::vector<std::vector<std::byte>> in;
      Mailbag bag(comm_, kDescriptorTag, counters_);
      for (const auto& size : sizes) in.emplace_back(static_cast<std::size_t>(size[0]));
      for (std::size_t i = 0; i < in.size(); ++i) receive(bag, with.sources[i], in[i]);
      if (with.target) {
        send(bag, *with.target, out);
        ++counters_.descriptors_sent;
        counters_.descriptor_bytes += std::ssize(out);
      }
      note(bag.wait());
      for (std::size_t i = 0; i < in.size(); ++i) enter(inspection, with.sources[i], in[i]);
    }
  }

  const std::optional<Error>& failure() const { return failure_; }

 private:
  template <class T>
  static void receive(Mailbag& bag, int source, std::vector<T>& into) {
    bag.receive(source, reinterpret_cast<std::byte*>(into.data()), std::ssize(into) * sizeof(T));
  }
  template <class T>
  static void send(Mailbag& bag, int target, const std::vector<T>& from) {
    bag.send(target, reinterpret_cast<const std::byte*>(from.data()), std::ssize(from) * sizeof(T));
  }

  void note(bool arrived) {
    if (!arrived && !failure_)
      failure_ = Error{ErrorKind::internal, "in-place inspector: a message did not arrive whole"};
  }

  void enter(Inspection& inspection, int source, std::span<const std::byte> bytes) {
    auto logical = from_bytes(bytes);
    if (logical && total_length(*logical) == slot_of(inspection.plan.region, source).count)
      accept(inspection, source, *logical);
    else if (!failure_)
      failure_ = Error{ErrorKind::internal, "in-place inspector: a descriptor came mutilated"};
  }

  MPI_Comm comm_;
  Counters& counters_;
  std::optional<Error> failure_;
};

}  // namespace

Result<InplacePlan> inspect_tuples(MPI_Comm comm, std::span<const Tuple> distribution,
                                   const std::optional<Error>& refusal, Counters& counters) {
  const double began = wall_seconds();
  int rank = 0;
  int ranks = 1;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &ranks);
  const auto interval =
      agree_on_interval(comm, distribution, refusal ? refusal : check_tuples(distribution));
  if (!interval) return tl::make_unexpected(interval.error());

  const FileParts parts{*interval, ranks};
  TupleInspection steps(comm, counters);
  auto counts = start_counts(distribution, parts, rank);
  if (!counts) return tl::make_unexpected(counts.error());  // excluded by the checks above
  steps.count(*counts);
  Inspection inspection = start_inspection(distribution, parts, *counts);
  steps.describe(inspection);
  if (auto agreed = agree(comm, steps.failure()); !agreed)
    return tl::make_unexpected(agreed.error());
  InplacePlan plan = finish(std::move(inspection));
  counters.inspect_s += wall_seconds() - began;
  return plan;
}

}  // namespace tutti::inplace
