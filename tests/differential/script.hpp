// A random sequence of calls on one file of one process, with what the reference says about each.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "differential/file_api.hpp"
#include "differential/random_access.hpp"
#include "differential/reference_file.hpp"

namespace tutti::test {

// What one call did, or must do.
struct Outcome {
  std::int64_t bytes = 0;     // in the status; the answer of get_byte_offset
  std::int64_t position = 0;  // in etypes
  std::vector<unsigned char> memory;
};

struct Step {
  enum class Kind { set_view, seek, byte_offset, data };
  Kind kind = Kind::set_view;
  const RandomView* view = nullptr;  // the one in force
  MPI_Offset etypes = 0;             // of seek and byte_offset
  DataOperation op;
  std::optional<MemoryArea> memory;
  std::string memory_text;
  std::int64_t requested_bytes = 0;
  Outcome expected;
  std::vector<unsigned char> file_after;  // of a write

  std::string name() const {
    switch (kind) {
      case Kind::set_view:
        return "set_view";
      case Kind::seek:
        return "seek";
      case Kind::byte_offset:
        return "get_byte_offset";
      case Kind::data:
        return op.name();
    }
    return {};
  }
  std::string text() const {
    const ReferenceView& seen = view->reference;
    std::string said = "view at " + std::to_string(seen.displacement) + " of etypes of " +
                       std::to_string(seen.etype_bytes) + " bytes, filetype " + view->text + "; " +
                       name();
    if (kind == Kind::seek || kind == Kind::byte_offset) said += " of " + std::to_string(etypes);
    if (kind == Kind::data)
      said += (op.by_pointer ? "" : " at " + std::to_string(op.offset)) + " of " +
              std::to_string(op.count) + " times " + memory_text;
    return said;
  }
};

struct Mismatch {
  std::string kind;  // of difference, without numbers
  std::string text;
};

class Script {
 public:
  Script(std::uint64_t seed, Temper temper) : seed_(seed), random_(seed, temper) {
    writable_ = random_.chance(65);
    start_.resize(static_cast<std::size_t>(temper == Temper::tame ? 60'000
                                           : random_.chance(20)   ? 0
                                           : random_.chance(50)   ? random_.draw(1, 300)
                                                                  : random_.draw(1, 9000)));
    for (unsigned char& byte : start_) byte = static_cast<unsigned char>(random_.draw(0, 255));
    model_.content = start_;
    for (int views = 0; views < 2; ++views) {
      add_view();
      for (int calls = 0; calls < 5; ++calls) {
        if (random_.chance(12))
          add_seek();
        else if (random_.chance(10) && !views_.back().reference.tile.empty())
          add_byte_offset();
        else
          add_data();
      }
    }
  }

  std::uint64_t seed() const { return seed_; }
  bool writable() const { return writable_; }
  const std::vector<unsigned char>& start() const { return start_; }
  const std::vector<Step>& steps() const { return steps_; }

 private:
  Step& add(Step::Kind kind) {
    Step step;
    step.kind = kind;
    step.view = &views_.back();
    steps_.push_back(std::move(step));
    return steps_.back();
  }

  void add_view() {
    views_.push_back(random_.view(writable_));
    position_ = 0;
    add(Step::Kind::set_view);
  }
  void add_seek() {
    Step& step = add(Step::Kind::seek);
    step.etypes = random_.draw(0, 200);
    position_ = step.etypes;
    step.expected.position = position_;
  }
  void add_byte_offset() {
    Step& step = add(Step::Kind::byte_offset);
    step.etypes = random_.draw(0, 500);
    const ReferenceView& view = step.view->reference;
    step.expected.bytes = view.offset_of(step.etypes * view.etype_bytes);
  }
  void add_data() {
    Step& step = add(Step::Kind::data);
    const ReferenceView& view = step.view->reference;
    DataOperation& op = step.op;
    op.reads = !writable_ || random_.chance(50);
    op.by_pointer = random_.chance(50);
    op.offset = random_.draw(0, random_.chance(50) ? 5 : 300);
    op.flavour = random_.chance(70)   ? Flavour::independent
                 : random_.chance(60) ? Flavour::collective
                                      : Flavour::split;
    memories_.push_back(random_.memory(op.reads, view.etype_bytes));
    const RandomAccess::Memory& memory = memories_.back();
    op.count = !op.reads && view.tile.empty() ? 0 : memory.count;
    op.type = memory.type.type.get();
    step.memory_text = memory.type.text;
    step.memory.emplace(memory.type.bytes, memory.type.extent, op.count, random_.seed());

    MemoryArea moved = *step.memory;
    const auto places = moved.places();
    const std::int64_t first = (op.by_pointer ? position_ : op.offset) * view.etype_bytes;
    step.requested_bytes = static_cast<std::int64_t>(places.size());
    step.expected.bytes =
        op.reads ? model_.read(view, first, places) : model_.write(view, first, places);
    if (op.by_pointer) position_ += step.expected.bytes / view.etype_bytes;
    step.expected.position = position_;
    step.expected.memory = moved.bytes();
    if (!op.reads) step.file_after = model_.content;
  }

  std::uint64_t seed_;
  RandomAccess random_;
  bool writable_ = true;
  std::vector<unsigned char> start_;
  ReferenceFile model_;
  std::list<RandomView> views_;
  std::list<RandomAccess::Memory> memories_;
  std::vector<Step> steps_;
  std::int64_t position_ = 0;  // in etypes
};

// Performs one step and says what is not as expected.
inline std::optional<Mismatch> perform(const FileApi& api, MPI_File file, const Step& step) {
  const Outcome& expected = step.expected;
  const auto differs = [&](const std::string& kind, std::int64_t seen, std::int64_t wanted) {
    return Mismatch{kind,
                    kind + " " + std::to_string(seen) + " instead of " + std::to_string(wanted)};
  };
  const Mismatch refused{"refused", "refused"};
  switch (step.kind) {
    case Step::Kind::set_view:
      if (api.set_view(file, step.view->reference.displacement, step.view->etype,
                       step.view->filetype, "native", MPI_INFO_NULL) != MPI_SUCCESS)
        return refused;
      return std::nullopt;
    case Step::Kind::seek:
      if (api.seek(file, step.etypes, MPI_SEEK_SET) != MPI_SUCCESS) return refused;
      return std::nullopt;
    case Step::Kind::byte_offset: {
      MPI_Offset seen = -1;
      if (api.get_byte_offset(file, step.etypes, &seen) != MPI_SUCCESS) return refused;
      if (seen != expected.bytes) return differs("byte offset", seen, expected.bytes);
      return std::nullopt;
    }
    case Step::Kind::data:
      break;
  }
  MemoryArea memory = *step.memory;
  MPI_Status status;
  if (run(api, file, step.op, memory.base(), &status) != MPI_SUCCESS) return refused;
  if (bytes_in(status) != expected.bytes)
    return differs("status bytes", bytes_in(status), expected.bytes);
  if (memory.bytes() != expected.memory) return Mismatch{"memory", "other bytes in memory"};
  MPI_Offset position = -1;
  api.get_position(file, &position);
  if (position != expected.position) return differs("pointer", position, expected.position);
  return std::nullopt;
}

}  // namespace tutti::test
