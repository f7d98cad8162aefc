#include "api/data_call.hpp"

#include <optional>
#include <string>
#include <utility>

#include "api/datarep.hpp"
#include "api/entry.hpp"
#include "api/pointer_claim.hpp"
#include "api/quick_move.hpp"
#include "api/request_table.hpp"
#include "api/start_access.hpp"
#include "api/stream_offset.hpp"
#include "exec/alone.hpp"
#include "exec/collective.hpp"
#include "exec/converted.hpp"
#include "exec/nonblocking.hpp"
#include "exec/progress.hpp"
#include "view/type_pattern.hpp"

namespace tutti {

namespace {

// One rank's checked arguments.
struct Request {
  std::shared_ptr<const TypePattern> type;
  std::byte* buffer = nullptr;
  std::int64_t count = 0;
  std::int64_t first = 0;                      // stream byte
  std::int64_t bytes = 0;                      // of the file
  std::shared_ptr<ConvertedMemory> converted;  // in views that convert
};

// The lowest page never belongs to a program: a null buffer, unless the type holds addresses.
bool is_null_buffer(const Request& request) {
  constexpr std::uintptr_t kFirstPage = 4096;
  return reinterpret_cast<std::uintptr_t>(request.buffer + request.type->pattern.lower()) <
         kFirstPage;
}

// Everything but the position.
Result<Request> check_arguments(const File& file, const DataCall& call,
                                const DataArguments& given) {
  if (auto allowed = check_direction(file, call.direction); !allowed)
    return tl::make_unexpected(allowed.error());
  if (given.offset != kShared)
    if (auto allowed = check_not_sequential(file); !allowed)
      return tl::make_unexpected(allowed.error());
  if (given.count < 0)
    return fail(ErrorKind::invalid_count,
                "the count is negative (" + std::to_string(given.count) + ")");
  if (auto usable = check_committed(given.type, file.engine->comm.get()); !usable)
    return tl::make_unexpected(usable.error());
  auto type = pattern_of(given.type);
  if (!type) return tl::make_unexpected(type.error());
  Request request{std::move(*type), static_cast<std::byte*>(given.buffer), given.count, 0, 0, {}};
  if (__builtin_mul_overflow(request.count, request.type->size, &request.bytes))
    return fail(ErrorKind::invalid_count, "the access is larger than a file can be");
  if (file.representation != nullptr) {
    auto memory = converted_memory(*file.representation, {given.buffer, given.type, request.count});
    if (!memory) return tl::make_unexpected(memory.error());
    request.converted = std::move(*memory);
    request.bytes = request.converted->elements().total().file_bytes;
  }
  if (request.bytes % file.view.etype_bytes != 0)
    return fail(ErrorKind::io, "the access of " + std::to_string(request.bytes) +
                                   " bytes is not a whole number of etypes of " +
                                   std::to_string(file.view.etype_bytes) + " bytes");
  if (request.bytes > 0 && is_null_buffer(request))
    return fail(ErrorKind::invalid_buffer, "the buffer is null");
  return request;
}

// A view without bytes reads as an empty file and takes nothing.
Status check_range(const File& file, Direction direction, Request& request) {
  const Pattern& stream = file.view.stream;
  if (stream.empty() && direction == Direction::read) request.bytes = 0;
  if (request.first >= 0 && request.bytes <= stream.size() &&
      request.first <= stream.size() - request.bytes)
    return {};
  if (request.bytes == 0) return {};
  return fail(ErrorKind::invalid_argument, stream.empty()
                                               ? "the view has no bytes to write to"
                                               : "the access ends beyond what a file can hold");
}

Result<Access> access_of(const File& file, Direction direction, const Request& request) {
  auto memory = elements_of(*request.type, request.count);
  if (!memory) return tl::make_unexpected(memory.error());
  return Access{direction,
                {file.view.stream, request.first, request.bytes},
                {std::move(*memory), request.buffer}};
}

bool is_one_run(const Request& request) {
  return request.type->pattern.is_contiguous() &&
         (request.count == 1 || request.type->extent == request.type->size);
}

// Bytes of the file and of memory: the same, unless they were converted.
Result<ConvertedBytes> unconverted(const Result<std::int64_t>& moved) {
  return moved.map([](std::int64_t bytes) { return ConvertedBytes{bytes, bytes}; });
}

ConvertedAccess converted_access(const File& file, Direction direction, const Request& request) {
  return {direction, {file.view.stream, request.first, request.bytes}, request.converted.get()};
}

Result<std::int64_t> move_as_it_is(File& file, Direction direction, const Request& request) {
  OpenFile& engine = *file.engine;
  if (file.view.stream.is_contiguous() && is_one_run(request) && !engine.atomic &&
      !writers_lock(engine.hints)) {
    Transfer whole{direction == Direction::read ? TransferKind::read : TransferKind::write,
                   file.view.stream.first() + request.first,
                   request.buffer + request.type->pattern.first(), request.bytes, 0};
    if (auto moved = engine.device.transfer({&whole, 1}); !moved)
      return tl::make_unexpected(moved.error());
    return whole.done;
  }
  const auto access = access_of(file, direction, request);
  if (!access) return tl::make_unexpected(access.error());
  return transfer_alone(engine, *access, engine.hints, engine.atomic);
}

Result<ConvertedBytes> move_independently(File& file, Direction direction, const Request& request) {
  if (request.bytes == 0) return ConvertedBytes{};
  if (request.converted)
    return transfer_converted(*file.engine, converted_access(file, direction, request),
                              file.engine->hints, file.engine->atomic);
  return unconverted(move_as_it_is(file, direction, request));
}

Status no_split_active(const File& file) {
  if (file.split.end_name == nullptr) return {};
  return fail(ErrorKind::io, std::string("a split collective is active: ") + file.split.end_name +
                                 " has to come first");
}

// Collective: a rank with wrong arguments takes part with its refusal.
Result<ConvertedBytes> move_collectively(File& file, const DataCall& call,
                                         const Result<Request>& request) {
  std::optional<Error> refusal;
  Access access{call.direction, {}, {}};
  ConvertedAccess converted{call.direction, {}, nullptr};
  if (auto free = no_split_active(file); !free)
    refusal = free.error();
  else if (!request)
    refusal = request.error();
  else if (request->converted)
    converted = converted_access(file, call.direction, *request);
  else if (request->bytes > 0) {
    auto made = access_of(file, call.direction, *request);
    if (made)
      access = std::move(*made);
    else
      refusal = made.error();
  }
  if (file.representation != nullptr)
    return transfer_converted_collective(*file.engine, converted, refusal, program_caller());
  return unconverted(transfer_collective(*file.engine, access, refusal));
}

// The stream byte where an access by the shared pointer begins. The pointer has moved on then, also
// where a read will meet the end of the file. Collective where the call is.
Result<std::int64_t> claim_shared(File& file, const DataCall& call,
                                  const Result<Request>& request) {
  if (!call.collective) return file.engine->shared_pointer.advance(request->bytes);
  std::optional<std::int64_t> wanted;
  if (request && file.split.end_name == nullptr) wanted = request->bytes;
  const auto first = advance_in_order(*file.engine, wanted);
  if (!first) return tl::make_unexpected(first.error());
  return first->value_or(0);
}

// Sets request->first, or makes the request an error. Collective where the call is one in order.
void place(File& file, const DataCall& call, MPI_Offset offset, Result<Request>& request,
           std::optional<PointerClaim>& claim) {
  if (!request && !(offset == kShared && call.collective)) return;
  Result<std::int64_t> first = 0;
  if (offset == kShared)
    first = claim_shared(file, call, request);
  else if (offset == kIndividual)
    first = claim.emplace(file, request->bytes).first();
  else
    first = stream_byte(file.view, offset);
  if (!request) return;
  if (first)
    request->first = *first;
  else
    request = tl::make_unexpected(first.error());
}

// The request at its place in the stream. A pointer that stands there has moved on.
Result<Request> placed_request(File& file, const DataCall& call, const DataArguments& given,
                               std::optional<PointerClaim>& claim) {
  Result<Request> request = check_arguments(file, call, given);
  place(file, call, given.offset, request, claim);
  if (request)
    if (auto fits = check_range(file, call.direction, *request); !fits)
      request = tl::make_unexpected(fits.error());
  if (request && !call.collective)
    file.independent_accesses.fetch_add(1, std::memory_order_relaxed);
  return request;
}

Result<ConvertedBytes> run(File& file, const DataCall& call, const DataArguments& given) {
  if (call.collective) file.engine->nonblocking->finish_together();
  std::optional<PointerClaim> claim;
  const Result<Request> request = placed_request(file, call, given, claim);
  Result<ConvertedBytes> moved = call.collective ? move_collectively(file, call, request)
                                 : request ? move_independently(file, call.direction, *request)
                                           : tl::make_unexpected(request.error());
  if (claim) claim->settle(moved ? moved->file : 0);
  return moved;
}

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
  const Result<Request> request = placed_request(file, call, given, claim);
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

// Nonblocking access by functions of the program's is done when it starts: they may call MPI, which
// no helper thread does. Collective where the call is.
Status finish_at_once(const DataCall& call, MPI_File handle, File& file, const DataArguments& given,
                      MPI_Request* handed_out) {
  if (call.collective) {
    const auto moved = run(file, call, given);
    auto pending = pending_requests().add(call.name, handle);
    if (!pending) return tl::make_unexpected(pending.error());
    *handed_out = (*pending)->handle;
    (*pending)->operation->finish(memory_bytes(moved));
    return {};
  }
  std::optional<PointerClaim> claim;
  const Result<Request> request = placed_request(file, call, given, claim);
  if (!request) {
    if (claim) claim->settle(0);
    return tl::make_unexpected(request.error());
  }
  auto pending = pending_requests().add(call.name, handle);
  if (!pending) return tl::make_unexpected(pending.error());
  *handed_out = (*pending)->handle;
  (*pending)->operation->finish(memory_bytes(move_independently(file, call.direction, *request)));
  return {};
}

// Local, in the same order on every rank where the call is collective.
Status start_converted(const DataCall& call, MPI_File handle, File& file, StartedCall started,
                       MPI_Request* handed_out) {
  if (!call.collective && started.refusal) return tl::make_unexpected(*started.refusal);
  auto pending = pending_requests().add(call.name, handle);
  if (!pending) return tl::make_unexpected(pending.error());
  *handed_out = (*pending)->handle;
  Nonblocking& nonblocking = *file.engine->nonblocking;
  const auto access = [started](Direction direction) {
    return ConvertedAccess{direction, started.access.file, started.converted.get()};
  };
  if (call.collective)
    nonblocking.start_together(
        (*pending)->operation, [access, direction = call.direction, refusal = started.refusal](
                                   OpenFile& engine, MpiCaller& caller) {
          return memory_bytes(
              transfer_converted_collective(engine, access(direction), refusal, caller));
        });
  else
    nonblocking.start_alone(
        (*pending)->operation,
        [access, direction = call.direction](OpenFile& engine, const Hints& hints, bool atomic) {
          return memory_bytes(transfer_converted(engine, access(direction), hints, atomic));
        });
  return {};
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
  const auto moved = run(file, call, given);
  if (!moved) return tl::make_unexpected(moved.error());
  auto operation = std::make_shared<Operation>();
  operation->finish(moved->memory);
  file.split = {call.end_name, std::move(operation), 0, nullptr};
  return {};
}

// Statuses count bytes in both hosts; MPI_Get_count and MPI_Get_elements divide them.
void fill_status(MPI_Status* status, std::int64_t bytes) {
  if (status == MPI_STATUS_IGNORE || status == nullptr) return;
  PMPI_Status_set_elements_x(status, MPI_BYTE, bytes);
  PMPI_Status_set_cancelled(status, 0);
}

}  // namespace

int move_data(const DataCall& call, MPI_File handle, const DataArguments& arguments,
              MPI_Status* status) noexcept {
  return with_file(call.name, handle, [&](File& file) -> Status {
    Result<std::int64_t> quickly = 0;
    const bool done = !call.collective && quick_move(file, call.direction, arguments, quickly);
    const auto moved = done ? unconverted(quickly) : run(file, call, arguments);
    if (!moved) return tl::make_unexpected(moved.error());
    fill_status(status, moved->memory);
    return {};
  });
}

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
    if (call.collective)
      return start_together(call.name, handle, file, std::move(started.access),
                            std::move(started.refusal), request);
    if (started.refusal) return tl::make_unexpected(*started.refusal);
    return start_alone(call.name, handle, file, std::move(started.access), request);
  });
}

int begin_split(const DataCall& call, MPI_File handle, const DataArguments& arguments) noexcept {
  return with_file(call.name, handle, [&](File& file) -> Status {
    if (auto free = no_split_active(file); !free) return free;
    if (file.representation != nullptr && !file.representation->is_external32())
      return finish_split_at_once(call, file, arguments);
    StartedCall started = prepare_start(file, call, arguments);
    if (file.representation != nullptr) return begin_converted(call, file, started);
    const std::optional<Error> refusal = started.refusal;
    auto operation = begin_together(file, std::move(started.access), std::move(started.refusal));
    if (refusal) return tl::make_unexpected(*refusal);
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
