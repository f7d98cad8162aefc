#include "cxx/values.hpp"

#include <cstring>

namespace tutti::io {

namespace {

// The two lists of kinds are one list.
constexpr bool same(ErrorKind ours, tutti::ErrorKind engine) {
  return static_cast<int>(ours) == static_cast<int>(engine);
}
static_assert(same(ErrorKind::invalid_argument, tutti::ErrorKind::invalid_argument));
static_assert(same(ErrorKind::invalid_handle, tutti::ErrorKind::invalid_handle));
static_assert(same(ErrorKind::invalid_count, tutti::ErrorKind::invalid_count));
static_assert(same(ErrorKind::invalid_type, tutti::ErrorKind::invalid_type));
static_assert(same(ErrorKind::invalid_buffer, tutti::ErrorKind::invalid_buffer));
static_assert(same(ErrorKind::invalid_comm, tutti::ErrorKind::invalid_comm));
static_assert(same(ErrorKind::invalid_amode, tutti::ErrorKind::invalid_amode));
static_assert(same(ErrorKind::invalid_info, tutti::ErrorKind::invalid_info));
static_assert(same(ErrorKind::access_denied, tutti::ErrorKind::access_denied));
static_assert(same(ErrorKind::bad_file_name, tutti::ErrorKind::bad_file_name));
static_assert(same(ErrorKind::file_exists, tutti::ErrorKind::file_exists));
static_assert(same(ErrorKind::file_in_use, tutti::ErrorKind::file_in_use));
static_assert(same(ErrorKind::no_such_file, tutti::ErrorKind::no_such_file));
static_assert(same(ErrorKind::no_space, tutti::ErrorKind::no_space));
static_assert(same(ErrorKind::quota_exceeded, tutti::ErrorKind::quota_exceeded));
static_assert(same(ErrorKind::read_only, tutti::ErrorKind::read_only));
static_assert(same(ErrorKind::not_same, tutti::ErrorKind::not_same));
static_assert(same(ErrorKind::unsupported_datarep, tutti::ErrorKind::unsupported_datarep));
static_assert(same(ErrorKind::unsupported_operation, tutti::ErrorKind::unsupported_operation));
static_assert(same(ErrorKind::duplicate_datarep, tutti::ErrorKind::duplicate_datarep));
static_assert(same(ErrorKind::conversion, tutti::ErrorKind::conversion));
static_assert(same(ErrorKind::no_memory, tutti::ErrorKind::no_memory));
static_assert(same(ErrorKind::io, tutti::ErrorKind::io));
static_assert(same(ErrorKind::internal, tutti::ErrorKind::internal));

}  // namespace

Error public_error(const tutti::Error& error) {
  const std::size_t bytes = error.message.size() + 1;
  std::shared_ptr<char> text(new char[bytes], std::default_delete<char[]>());
  std::memcpy(text.get(), error.message.c_str(), bytes);
  return {static_cast<ErrorKind>(error.kind), std::move(text)};
}

Outcome<void> public_outcome(const Status& status) {
  if (!status) return public_error(status.error());
  return {};
}

Counters public_counters(const tutti::Counters& counters) {
  return {.collective_calls = counters.collective_calls,
          .independent_calls = counters.independent_calls,
          .plan_hits = counters.plan_hits,
          .plan_misses = counters.plan_misses,
          .descriptors_sent = counters.descriptors_sent,
          .descriptor_bytes = counters.descriptor_bytes,
          .messages_sent = counters.messages_sent,
          .bytes_sent = counters.bytes_sent,
          .bytes_pulled = counters.bytes_pulled,
          .device_operations = counters.device_operations,
          .device_bytes = counters.device_bytes,
          .inspect_s = counters.inspect_s,
          .agree_s = counters.agree_s,
          .exchange_s = counters.exchange_s,
          .access_s = counters.access_s,
          .call_s = counters.call_s};
}

Pattern pattern_of(const Shape& shape) {
  return shape.data() == nullptr ? Pattern{} : shape.data()->pattern;
}

std::optional<tutti::Error> shape_error(const Shape& shape, const std::string& role) {
  if (shape.data() == nullptr || !shape.data()->error) return std::nullopt;
  const tutti::Error& error = *shape.data()->error;
  return tutti::Error{error.kind, role + ": " + error.message};
}

}  // namespace tutti::io
