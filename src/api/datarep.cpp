#include "api/datarep.hpp"

#include <utility>

#include "base/scratch.hpp"
#include "convert/external32.hpp"
#include "pattern/copy.hpp"
#include "view/type_pattern.hpp"

namespace tutti {

namespace {

bool is_memorys_own(const std::string& name) { return name == "native" || name == "internal"; }

// Conversion by our own code: through packed memory, except where the buffer is packed already.
class OwnConversion : public ConvertedMemory {
 public:
  OwnConversion(ElementMap elements, Pattern pattern, void* buffer)
      : elements_(std::move(elements)),
        pattern_(std::move(pattern)),
        base_(static_cast<std::byte*>(buffer)) {}

  const ElementMap& elements() const override { return elements_; }

  Status write(const ElementSpan& begin, const ElementSpan& end, std::byte* file) override {
    const std::byte* packed = place_of(begin);
    if (packed == nullptr) {
      if (auto ready = make_room(begin, end); !ready) return ready;
      pack(pattern_, base_, begin.memory_bytes, end.memory_bytes, room_.get());
      packed = room_.get();
    }
    return elements_.for_each_run(begin.elements, end.elements,
                                  [&](ElementKind kind, std::int64_t count) {
                                    auto done = to_external32(kind, count, packed, file);
                                    packed += count * kind.memory_bytes;
                                    file += count * kind.file_bytes;
                                    return done;
                                  });
  }

  Status read(const ElementSpan& begin, const ElementSpan& end, const std::byte* file) override {
    std::byte* packed = place_of(begin);
    const bool direct = packed != nullptr;
    if (!direct) {
      if (auto ready = make_room(begin, end); !ready) return ready;
      packed = room_.get();
    }
    auto done = elements_.for_each_run(begin.elements, end.elements,
                                       [&](ElementKind kind, std::int64_t count) -> Status {
                                         from_external32(kind, count, file, packed);
                                         packed += count * kind.memory_bytes;
                                         file += count * kind.file_bytes;
                                         return {};
                                       });
    if (!direct) unpack(pattern_, base_, begin.memory_bytes, end.memory_bytes, room_.get());
    return done;
  }

 private:
  std::byte* place_of(const ElementSpan& begin) const {
    return pattern_.is_contiguous() ? base_ + pattern_.first() + begin.memory_bytes : nullptr;
  }

  Status make_room(const ElementSpan& begin, const ElementSpan& end) {
    const std::int64_t bytes = end.memory_bytes - begin.memory_bytes;
    if (bytes > held_) {
      room_ = allocate_buffer(bytes);
      held_ = room_ ? bytes : 0;
    }
    if (!room_) return fail(ErrorKind::no_memory, "no memory to convert data in");
    return {};
  }

  ElementMap elements_;
  Pattern pattern_;
  std::byte* base_;
  Buffer room_;
  std::int64_t held_ = 0;
};

// Conversion by functions of the program's, which know the buffer's type themselves.
class UserConversion : public ConvertedMemory {
 public:
  UserConversion(const Datarep& datarep, const UserData& data, ElementMap elements, Pattern pattern)
      : datarep_(datarep),
        data_(data),
        copies_(std::move(elements), std::move(pattern), data.buffer) {}

  const ElementMap& elements() const override { return copies_.elements(); }

  Status write(const ElementSpan& begin, const ElementSpan& end, std::byte* file) override {
    if (datarep_.write) return call(datarep_.write, "write", {begin, end}, file);
    if (auto alike = check_sizes("write", begin, end); !alike) return alike;
    return copies_.write(begin, end, file);
  }

  Status read(const ElementSpan& begin, const ElementSpan& end, const std::byte* file) override {
    if (datarep_.read)
      return call(datarep_.read, "read", {begin, end}, const_cast<std::byte*>(file));
    if (auto alike = check_sizes("read", begin, end); !alike) return alike;
    return copies_.read(begin, end, file);
  }

 private:
  struct Range {
    const ElementSpan& begin;
    const ElementSpan& end;
  };

  Status call(const ConversionFunction& function, const char* role, Range range,
              std::byte* file) const {
    const std::int64_t count = range.end.elements - range.begin.elements;
    if (count > datarep_.most_elements)
      return fail(ErrorKind::conversion, "too many elements for one call of the " +
                                             std::string(role) + " conversion function of '" +
                                             datarep_.name + "'");
    const int code = function(data_.buffer, data_.type, count, file, range.begin.elements);
    if (code == MPI_SUCCESS) return {};
    return fail(ErrorKind::conversion, "the " + std::string(role) + " conversion function of '" +
                                           datarep_.name + "' returned " + std::to_string(code));
  }

  Status check_sizes(const char* role, const ElementSpan& begin, const ElementSpan& end) const {
    return elements().for_each_run(
        begin.elements, end.elements, [&](ElementKind kind, std::int64_t) -> Status {
          if (kind.memory_bytes == kind.file_bytes) return {};
          return fail(ErrorKind::conversion, "'" + datarep_.name + "' has no " + role +
                                                 " conversion function, and elements of " +
                                                 std::to_string(kind.memory_bytes) +
                                                 " bytes that take " +
                                                 std::to_string(kind.file_bytes) + " in the file");
        });
  }

  const Datarep& datarep_;
  UserData data_;
  OwnConversion copies_;
};

}  // namespace

DatarepTable::DatarepTable() {
  known_.push_back(std::make_unique<const Datarep>(Datarep{"external32", {}, {}, {}, 0}));
}

Result<const Datarep*> DatarepTable::find(const std::string& name) const {
  if (is_memorys_own(name)) return nullptr;
  const std::lock_guard guard(lock_);
  for (const auto& datarep : known_)
    if (datarep->name == name) return datarep.get();
  return fail(ErrorKind::unsupported_datarep,
              "data representation '" + name + "' is not supported");
}

Status DatarepTable::add(Datarep made) {
  const auto taken = [&] {
    return fail(ErrorKind::duplicate_datarep,
                "data representation '" + made.name + "' exists already");
  };
  if (is_memorys_own(made.name)) return taken();
  const std::lock_guard guard(lock_);
  for (const auto& datarep : known_)
    if (datarep->name == made.name) return taken();
  known_.push_back(std::make_unique<const Datarep>(std::move(made)));
  return {};
}

DatarepTable& datareps() {
  static DatarepTable& table = *new DatarepTable;  // files may be used in exit handlers
  return table;
}

Result<std::shared_ptr<ConvertedMemory>> converted_memory(const Datarep& datarep,
                                                          const UserData& data) {
  const auto one = element_map_of(datarep.form, data.type);
  if (!one) return tl::make_unexpected(one.error());
  auto all = ElementMap::repeat(data.count, *one);
  if (!all) return fail(ErrorKind::invalid_count, "the access is larger than a file can be");
  const auto type = pattern_of(data.type);
  if (!type) return tl::make_unexpected(type.error());
  auto pattern = elements_of(**type, data.count);
  if (!pattern) return tl::make_unexpected(pattern.error());
  if (datarep.is_external32())
    return std::make_shared<OwnConversion>(std::move(*all), std::move(*pattern), data.buffer);
  return std::make_shared<UserConversion>(datarep, data, std::move(*all), std::move(*pattern));
}

}  // namespace tutti
