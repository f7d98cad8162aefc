#include "api/data_call.hpp"

#include <optional>
#include <utility>

#include "api/entry.hpp"
#include "api/quick_move.hpp"
#include "exec/alone.hpp"
#include "exec/collective.hpp"
#include "exec/nonblocking.hpp"
#include "exec/progress.hpp"

namespace tutti {

namespace {

bool is_one_run(const DataRequest& request) {
  return request.type->pattern.is_contiguous() &&
         (request.count == 1 || request.type->extent == request.type->size);
}

// Bytes of the file and of memory: the same, unless they were converted.
Result<ConvertedBytes> unconverted(const Result<std::int64_t>& moved) {
  return moved.map([](std::int64_t bytes) { return ConvertedBytes{bytes, bytes}; });
}

Result<std::int64_t> move_as_it_is(File& file, Direction direction, const DataRequest& request) {
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

// Collective: a rank with wrong arguments takes part with its refusal.
Result<ConvertedBytes> move_collectively(File& file, const DataCall& call,
                                         const Result<DataRequest>& request) {
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

}  // namespace

Result<ConvertedBytes> move_independently(File& file, Direction direction,
                                          const DataRequest& request) {
  if (request.bytes == 0) return ConvertedBytes{};
  if (request.converted)
    return transfer_converted(*file.engine, converted_access(file, direction, request),
                              file.engine->hints, file.engine->atomic);
  return unconverted(move_as_it_is(file, direction, request));
}

Result<ConvertedBytes> move_at_once(File& file, const DataCall& call, const DataArguments& given) {
  if (call.collective) file.engine->nonblocking->finish_together();
  std::optional<PointerClaim> claim;
  const Result<DataRequest> request = placed_request(file, call, given, claim);
  Result<ConvertedBytes> moved = call.collective ? move_collectively(file, call, request)
                                 : request ? move_independently(file, call.direction, *request)
                                           : tl::make_unexpected(request.error());
  if (claim) claim->settle(moved ? moved->file : 0);
  return moved;
}

// Statuses count bytes in both hosts; MPI_Get_count and MPI_Get_elements divide them.
void fill_status(MPI_Status* status, std::int64_t bytes) {
  if (status == MPI_STATUS_IGNORE || status == nullptr) return;
  PMPI_Status_set_elements_x(status, MPI_BYTE, bytes);
  PMPI_Status_set_cancelled(status, 0);
}

int move_data(const DataCall& call, MPI_File handle, const DataArguments& arguments,
              MPI_Status* status) noexcept {
  return with_file(call.name, handle, [&](File& file) -> Status {
    Result<std::int64_t> quickly = 0;
    const bool done = !call.collective && quick_move(file, call.direction, arguments, quickly);
    const auto moved = done ? unconverted(quickly) : move_at_once(file, call, arguments);
    if (!moved) return tl::make_unexpected(moved.error());
    fill_status(status, moved->memory);
    return {};
  });
}

}  // namespace tutti
