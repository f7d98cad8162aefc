// Between the engine's values and those of the public headers.
#pragma once

#include <optional>
#include <string>

#include "base/counters.hpp"
#include "base/result.hpp"
#include "pattern/pattern.hpp"
#include "tutti/counters.hpp"
#include "tutti/outcome.hpp"
#include "tutti/shape.hpp"

namespace tutti::io {

// An error whose text is owned by this library, which frees it wherever it is dropped.
Error public_error(const tutti::Error& error);
Outcome<void> public_outcome(const Status& status);
Counters public_counters(const tutti::Counters& counters);

namespace detail {

struct ShapeData {
  Pattern pattern;
  std::optional<tutti::Error> error;
};

}  // namespace detail

// What a shape stands for; nothing if it is the empty shape or a wrong one.
Pattern pattern_of(const Shape& shape);
// What is wrong with a shape, `role` telling which one of a call it is.
std::optional<tutti::Error> shape_error(const Shape& shape, const std::string& role);

}  // namespace tutti::io
