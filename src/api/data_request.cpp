#include "api/data_request.hpp"

#include <string>
#include <utility>

#include "api/datarep.hpp"
#include "api/stream_offset.hpp"
#include "api/user_type.hpp"
#include "exec/shared_pointer.hpp"

namespace tutti {

namespace {

// The lowest page never belongs to a program: a null buffer, unless the type holds addresses.
bool is_null_buffer(const DataRequest& request) {
  constexpr std::uintptr_t kFirstPage = 4096;
  return reinterpret_cast<std::uintptr_t>(request.buffer + request.type->pattern.lower()) <
         kFirstPage;
}

// Everything but the position.
Result<DataRequest> check_arguments(const File& file, const DataCall& call,
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
  DataRequest request{
      std::move(*type), static_cast<std::byte*>(given.buffer), given.count, 0, 0, {}};
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
Status check_range(const File& file, Direction direction, DataRequest& request) {
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

// The stream byte where an access by the shared pointer begins. The pointer has moved on then, also
// where a read will meet the end of the file. Collective where the call is.
Result<std::int64_t> claim_shared(File& file, const DataCall& call,
                                  const Result<DataRequest>& request) {
  if (!call.collective) return file.engine->shared_pointer.advance(request->bytes);
  std::optional<std::int64_t> wanted;
  if (request && file.split.end_name == nullptr) wanted = request->bytes;
  const auto first = advance_in_order(*file.engine, wanted);
  if (!first) return tl::make_unexpected(first.error());
  return first->value_or(0);
}

// Sets request->first, or makes the request an error. Collective where the call is one in order.
void place(File& file, const DataCall& call, MPI_Offset offset, Result<DataRequest>& request,
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

}  // namespace

Result<DataRequest> placed_request(File& file, const DataCall& call, const DataArguments& given,
                                   std::optional<PointerClaim>& claim) {
  Result<DataRequest> request = check_arguments(file, call, given);
  place(file, call, given.offset, request, claim);
  if (request)
    if (auto fits = check_range(file, call.direction, *request); !fits)
      request = tl::make_unexpected(fits.error());
  if (request && !call.collective)
    file.independent_accesses.fetch_add(1, std::memory_order_relaxed);
  return request;
}

Result<Access> access_of(const File& file, Direction direction, const DataRequest& request) {
  auto memory = elements_of(*request.type, request.count);
  if (!memory) return tl::make_unexpected(memory.error());
  return Access{direction,
                {file.view.stream, request.first, request.bytes},
                {std::move(*memory), request.buffer}};
}

ConvertedAccess converted_access(const File& file, Direction direction,
                                 const DataRequest& request) {
  return {direction, {file.view.stream, request.first, request.bytes}, request.converted.get()};
}

Status no_split_active(const File& file) {
  if (file.split.end_name == nullptr) return {};
  return fail(ErrorKind::io, std::string("a split collective is active: ") + file.split.end_name +
                                 " has to come first");
}

}  // namespace tutti
