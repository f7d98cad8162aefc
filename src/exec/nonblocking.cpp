#include "exec/nonblocking.hpp"

#include <exception>
#include <utility>

#include "exec/alone.hpp"
#include "exec/open_file.hpp"
#include "exec/progress.hpp"

namespace tutti {

namespace {

// Nothing leaves a helper thread but an outcome.
template <class Move>
Result<std::int64_t> guarded_move(const Move& move) noexcept {
  try {
    return move();
  } catch (const std::bad_alloc&) {
    return fail(ErrorKind::no_memory, "no memory");
  } catch (...) {
    return fail(ErrorKind::internal, {});
  }
}

}  // namespace

Nonblocking::~Nonblocking() { finish_all(); }

void Nonblocking::start_alone(std::shared_ptr<Operation> operation, Access access) {
  ++alone_under_way_;
  std::atomic_ref(file_.counters.nonblocking_calls).fetch_add(1, std::memory_order_relaxed);
  alone_.add([this, operation = std::move(operation), access = std::move(access),
              hints = file_.hints, atomic = file_.atomic] {
    auto moved = guarded_move([&] { return transfer_alone(file_, access, hints, atomic); });
    operation->finish(std::move(moved));
    --alone_under_way_;
    process_bell().ring();
  });
}

void Nonblocking::finish_all() {
  wait_until([&] { return alone_under_way_ == 0; });
}

}  // namespace tutti
