#include "api/start_call.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/data_call.hpp"
#include "api/entry.hpp"
#include "api/request_table.hpp"
#include "exec/collective.hpp"
#include "exec/nonblocking.hpp"
#include "exec/progress.hpp"

namespace tutti {

namespace {

// What a nonblocking call starts. The individual pointer moves by all that is asked for, at once.
struct StartedCall {
  Access access;
  std::shared_ptr<ConvertedMemory> converted;  // the memory side, in views that convert
  std::optional<Error> refusal;
  std::int64_t claimed = 0;
};

StartedCall prepare_start(File& file, const DataCall& call, const DataArguments& given) {
  // An ordered call makes the ranks meet to find its place.
  if (call.collective && given.offset == kShared) file.engine->nonblocking->finish_together();
  StartedCall started{{call.direction, {}, {}}, {}, std::nullopt, 0};
  std::optional<PointerClaim> claim;
  const Result<DataRequest> request = placed_request(file, call, given, claim);
  if (!request) {
    started.refusal = request.error();
  } else if (request->converted) {
    started.converted = request->converted;
    started.access.file = {file.view.stream, request->first, request->bytes};
  } else if (request->bytes > 0) {
    auto access = access_of(file, call.direction, *request);
    if (access)
      started.access = std::move(*access);
    else
      started.refusal = access.error();
  }
  if (claim) {
    if (!started.refusal) started.claimed = request->bytes;
    claim->settle(started.claimed);
  }
  return started;
}

Result<std::int64_t> memory_bytes(const Result<ConvertedBytes>& moved) {
  return moved.map([](ConvertedBytes bytes) { return bytes.memory; });
}

// Local. Makes a request and has start(operation) start what it stands for.
template <class Start>
Status hand_out(const DataCall& call, MPI_File handle, const File& file, MPI_Request* handed_out,
                const Start& start) {
  auto pending = pending_requests().add(call.name, handle, file.name);
  if (!pending) return tl::make_unexpected(pending.error());
  *handed_out = (*pending)->handle;
  start((*pending)->operation);
  return {};
}

using Started = const std::shared_ptr<Operation>&;

// Nonblocking access by functions of the program's is done when it starts: they may call MPI, which
// no helper thread does. Collective where the call is.
Status finish_at_once(const DataCall& call, MPI_File handle, File& file, const DataArguments& given,
                      MPI_Request* handed_out) {
  if (call.collective) {
    const auto moved = move_at_once(file, call, given);
    return hand_out(call, handle, file, handed_out,
                    [&](Started operation) { operation->finish(memory_bytes(moved)); });
  }
  std::optional<PointerClaim> claim;
  const Result<DataRequest> request = placed_request(file, call, given, claim);
  if (!request) {
    if (claim) claim->settle(0);
    return tl::make_unexpected(request.error());
  }
  return hand_out(call, handle, file, handed_out, [&](Started operation) {
    operation->finish(memory_bytes(move_independently(file, call.direction, *request)));
  });
}

// Local, in the same order on every rank where the call is collective.
Status start_converted(const DataCall& call, MPI_File handle, File& file, StartedCall started,
                       MPI_Request* handed_out) {
  if (!call.collective && started.refusal) return tl::make_unexpected(*started.refusal);
  Nonblocking& nonblocking = *file.engine->nonblocking;
  const auto access = [started, direction = call.direction] {
    return ConvertedAccess{direction, started.access.file, started.converted.get()};
  };
  return hand_out(call, handle, file, handed_out, [&](Started operation) {
    if (call.collective)
      nonblocking.start_together(
          operation, [access, refusal = started.refusal](OpenFile& engine, MpiCaller& caller) {
            return memory_bytes(transfer_converted_collective(engine, access(), refusal, caller));
          });
    else
      nonblocking.start_alone(
          operation, [access](OpenFile& engine, const Hints& hints, bool atomic) {
            return memory_bytes(transfer_converted(engine, access(), hints, atomic));
          });
  });
}

// Local, in the same order on every rank: the first half of a split collective. A rank whose own
// arguments are wrong takes part, hears of it here and has nothing to end.
Status begin_converted(const DataCall& call, File& file, const StartedCall& started) {
  auto operation = std::make_shared<Operation>();
  auto file_bytes = std::make_shared<std::int64_t>(0);
  file.engine->nonblocking->start_together(
      operation,
      [started, file_bytes, direction = call.direction](OpenFile& engine, MpiCaller& caller) {
        const ConvertedAccess access{direction, started.access.file, started.converted.get()};
        const auto moved = transfer_converted_collective(engine, access, started.refusal, caller);
        if (moved) *file_bytes = moved->file;
        return memory_bytes(moved);
      });
  if (started.refusal) return tl::make_unexpected(*started.refusal);
  file.split = {call.end_name, std::move(operation), started.claimed, std::move(file_bytes)};
  return {};
}

// The same at once, for conversion functions of the program's.
Status finish_split_at_once(const DataCall& call, File& file, const DataArguments& given) {
  const auto moved = move_at_once(file, call, given);
  if (!moved) return tl::make_unexpected(moved.error());
  auto operation = std::make_shared<Operation>();
  operation->finish(moved->memory);
  file.split = {call.end_name, std::move(operation), 0, nullptr};
  return {};
}

}  // namespace

int start_data(const DataCall& call, MPI_File handle, const DataArguments& arguments,
               MPI_Request* request) noexcept {
  if (request != nullptr) *request = MPI_REQUEST_NULL;
  return with_file(call.name, handle, [&](File& file) -> Status {
    if (request == nullptr) return fail(ErrorKind::invalid_argument, "no place for the request");
    if (call.collective)
      if (auto free = no_split_active(file); !free) return free;
    if (file.representation != nullptr && !file.representation->is_external32())
      return finish_at_once(call, handle, file, arguments, request);
    StartedCall started = prepare_start(file, call, arguments);
    if (file.representation != nullptr)
      return start_converted(call, handle, file, std::move(started), request);
    if (!call.collective && started.refusal) return tl::make_unexpected(*started.refusal);
    return hand_out(call, handle, file, request, [&](Started operation) {
      Nonblocking& nonblocking = *file.engine->nonblocking;
      if (call.collective)
        nonblocking.start_together(operation, std::move(started.access), started.refusal);
      else
        nonblocking.start_alone(operation, std::move(started.access));
    });
  });
}

int begin_split(const DataCall& call, MPI_File handle, const DataArguments& arguments) noexcept {
  return with_file(call.name, handle, [&](File& file) -> Status {
    if (auto free = no_split_active(file); !free) return free;
    if (file.representation != nullptr && !file.representation->is_external32())
      return finish_split_at_once(call, file, arguments);
    StartedCall started = prepare_start(file, call, arguments);
    if (file.representation != nullptr) return begin_converted(call, file, started);
    auto operation = std::make_shared<Operation>();
    file.engine->nonblocking->start_together(operation, std::move(started.access), started.refusal);
    if (started.refusal) return tl::make_unexpected(*started.refusal);
    file.split = {call.end_name, std::move(operation), started.claimed, nullptr};
    return {};
  });
}

int end_split(const char* call_name, MPI_File handle, MPI_Status* status) noexcept {
  return with_file(call_name, handle, [&](File& file) -> Status {
    if (file.split.end_name == nullptr) return fail(ErrorKind::io, "no split collective is active");
    if (std::string_view(file.split.end_name) != call_name)
      return fail(ErrorKind::io,
                  std::string("the active split collective ends with ") + file.split.end_name);
    const SplitCall ended = std::exchange(file.split, {});
    ended.operation->help();
    wait_until([&] { return ended.operation->finished(); });
    const auto& moved = ended.operation->outcome();
    const std::int64_t used = ended.file_bytes ? *ended.file_bytes : moved.value_or(0);
    if (ended.claimed > 0) give_back(file, ended.claimed, used);
    if (!moved) return tl::make_unexpected(moved.error());
    fill_status(status, *moved);
    return {};
  });
}

}  // namespace tutti
