// Access to a file whose elements are stored otherwise than memory has them: converted piece by
// piece in bounded memory, and moved as plain bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/result.hpp"
#include "convert/element_map.hpp"
#include "exec/open_file.hpp"
#include "mpi/mpi_caller.hpp"
#include "request/access.hpp"

namespace tutti {

// The memory side of such an access: its elements, and the code that converts some of them.
class ConvertedMemory {
 public:
  virtual ~ConvertedMemory() = default;
  virtual const ElementMap& elements() const = 0;
  // Local. Elements [begin, end) to or from the packed file bytes at `file`.
  virtual Status write(const ElementSpan& begin, const ElementSpan& end, std::byte* file) = 0;
  virtual Status read(const ElementSpan& begin, const ElementSpan& end, const std::byte* file) = 0;
};

// REQUIRES: memory->elements().total().file_bytes == file.bytes; memory may be null without bytes.
struct ConvertedAccess {
  Direction direction = Direction::read;
  FileRange file;
  ConvertedMemory* memory = nullptr;
};

// What was moved: bytes of the file, and bytes of memory in whole elements. They differ where a
// read meets the end of the file inside an element.
struct ConvertedBytes {
  std::int64_t file = 0;
  std::int64_t memory = 0;
};

// Local.
Result<ConvertedBytes> transfer_converted(OpenFile& file, const ConvertedAccess& access,
                                          const Hints& hints, bool atomic);

// Collective, like transfer_collective: as many rounds on every rank, agreed on before the first.
Result<ConvertedBytes> transfer_converted_collective(OpenFile& file, const ConvertedAccess& access,
                                                     std::optional<Error> refusal,
                                                     MpiCaller& caller);

}  // namespace tutti
