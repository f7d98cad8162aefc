// What a call returns: a value or an error. Nothing in this interface throws.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#define TUTTI_PUBLIC __attribute__((visibility("default")))

namespace tutti::io {

// What went wrong; docs/errors.md describes each kind.
enum class ErrorKind : int {
  invalid_argument,
  invalid_handle,
  invalid_count,
  invalid_type,
  invalid_buffer,
  invalid_comm,
  invalid_amode,
  invalid_info,
  access_denied,
  bad_file_name,
  file_exists,
  file_in_use,
  no_such_file,
  no_space,
  quota_exceeded,
  read_only,
  not_same,
  unsupported_datarep,
  unsupported_operation,
  duplicate_datarep,
  conversion,
  no_memory,
  io,
  internal,
};

class Error {
 public:
  Error(ErrorKind kind, std::shared_ptr<const char> message)
      : kind_(kind), message_(std::move(message)) {}

  ErrorKind kind() const { return kind_; }
  // One sentence that names the file or the argument.
  std::string_view message() const { return message_ ? message_.get() : ""; }

 private:
  ErrorKind kind_;
  std::shared_ptr<const char> message_;  // ends with a zero; made and released by the library
};

namespace detail {

// Asking a failed outcome for its value is a mistake of the program: it says so and ends.
[[noreturn]] inline void stop_for(const Error& error) {
  std::fprintf(stderr, "tutti: %s\n", error.message().data());
  std::abort();
}

}  // namespace detail

template <class T>
class [[nodiscard]] Outcome {
 public:
  Outcome(T value) : held_(std::in_place_index<0>, std::move(value)) {}
  Outcome(Error error) : held_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return held_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  // REQUIRES: has_value(); otherwise the program ends with the error's message.
  T& value() & { return check(), std::get<0>(held_); }
  const T& value() const& { return check(), std::get<0>(held_); }
  T&& value() && { return check(), std::get<0>(std::move(held_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  // REQUIRES: !has_value().
  const Error& error() const { return std::get<1>(held_); }

 private:
  void check() const {
    if (!has_value()) detail::stop_for(error());
  }
  std::variant<T, Error> held_;
};

template <>
class [[nodiscard]] Outcome<void> {
 public:
  Outcome() = default;
  Outcome(Error error) : error_(std::move(error)) {}

  bool has_value() const { return !error_.has_value(); }
  explicit operator bool() const { return has_value(); }
  // REQUIRES: has_value(); otherwise the program ends with the error's message.
  void value() const {
    if (error_) detail::stop_for(*error_);
  }
  // REQUIRES: !has_value().
  const Error& error() const { return *error_; }

 private:
  std::optional<Error> error_;
};

}  // namespace tutti::io
