// The in-place form of multi-phase I/O (docs/iec.md): the application keeps its part of a
// distributed vector inside a region that also has room for what other processes send. Writing
// exchanges data inside the region in log2(P) phases until each process holds one interval of the
// file; reading goes the other way.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "tutti/counters.hpp"
#include "tutti/file.hpp"
#include "tutti/outcome.hpp"

namespace tutti::io {

namespace detail {
struct InplaceState;
}

// `length` elements of the vector from element `offset` on.
struct Tuple {
  std::int64_t offset = 0;
  std::int64_t length = 0;
};

// A vector that is dealt out in blocks of `block` elements to all ranks of a communicator.
struct CyclicVector {
  std::int64_t elements = 0;
  std::int64_t block = 1;
  std::int64_t element_bytes = 1;
};

class TUTTI_PUBLIC InplaceVector {
 public:
  // Collective. The descriptors come from formulas, so their size and the time for them do not
  // depend on the number of elements and none travels; one small reduction tells whether all ranks
  // succeeded.
  static Outcome<InplaceVector> block_cyclic(MPI_Comm comm, const CyclicVector& vector);

  // Collective. Any distribution: `mine` are this rank's elements in the order in which it stores
  // them. Descriptors travel between the partners of the exchange, once. Where several ranks hold
  // an element the highest rank's is written and all of them are read.
  static Outcome<InplaceVector> tuples(MPI_Comm comm, std::span<const Tuple> mine,
                                       std::int64_t element_bytes);

  InplaceVector(InplaceVector&&) noexcept = default;
  InplaceVector& operator=(InplaceVector&&) noexcept = default;

  // Local. The region, in bytes, and where this rank's own elements lie in it, in elements. They
  // are the application's: a write leaves them as they are and a read fills them. Everything else
  // in the region belongs to the exchange.
  std::byte* data() const;
  std::int64_t region_elements() const;
  std::int64_t alloc_offset() const;
  std::int64_t own_elements() const;
  std::int64_t element_bytes() const;

  // Local. The own elements. REQUIRES: sizeof(T) == element_bytes().
  template <class T>
  std::span<T> own() const {
    return {reinterpret_cast<T*>(data() + alloc_offset() * element_bytes()),
            static_cast<std::size_t>(own_elements())};
  }

  // Collective over the communicator of `file`, which has the same ranks as that of the vector.
  // Element 0 of the vector lies at byte `position` of the file, the same on all ranks. A read
  // fails if the file ends before the vector does. All ranks fail with the same error, or none.
  Outcome<void> write(File& file, std::int64_t position);
  Outcome<void> read(File& file, std::int64_t position);

  // Local. Where this rank's last write or read spent its time: one entry per phase, then packing,
  // file access, and agreeing with the other ranks.
  struct Times {
    std::span<const double> phases_s;  // valid until the next write or read
    double pack_s = 0;
    double access_s = 0;
    double agree_s = 0;
  };
  Times times() const;

  // Local. What the inspector did: inspect_s, descriptors_sent, descriptor_bytes, messages. Writes
  // and reads count in File::counters().
  Counters counters() const;

  // Local. The region, each phase's descriptors and the file access, for people.
  std::string text() const { return text_data(); }

 private:
  explicit InplaceVector(std::shared_ptr<detail::InplaceState> state) : state_(std::move(state)) {}
  const char* text_data() const;
  std::shared_ptr<detail::InplaceState> state_;
};

}  // namespace tutti::io
