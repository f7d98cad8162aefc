// MPI_File handles. A handle is a number in a pointer's clothes: a tag, a slot and the slot's
// generation. It is never followed, so a wrong one is found out instead of crashing.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "base/result.hpp"

namespace tutti {

struct File;

class HandleTable {
 public:
  // Local. The file behind a handle, nullptr for any other value. A few loads, no lock.
  File* find(MPI_File handle) const {
    const auto bits = reinterpret_cast<std::uintptr_t>(handle);
    if (bits >> 31 != kTag << 1) return nullptr;
    const Slot& slot = slots_[bits & kSlotMask];
    if (slot.generation.load(std::memory_order_relaxed) != ((bits >> kSlotBits) & kGenerationMask))
      return nullptr;
    return slot.file.load(std::memory_order_acquire);
  }

  // Local. Fails with no_memory when as many files are open as slots exist.
  Result<MPI_File> add(std::unique_ptr<File> file);

  // Local. The handle means nothing afterwards. nullptr for a wrong handle.
  std::unique_ptr<File> remove(MPI_File handle);

  // Local. The low half of a handle is its Fortran value, so that a Fortran function that is given
  // the address of a handle reads the right integer. 0 for MPI_FILE_NULL and wrong handles, and
  // back.
  MPI_Fint to_fortran(MPI_File handle) const;
  MPI_File from_fortran(MPI_Fint value) const;

  // Local. Every handle means nothing afterwards; calls leave(File&) for each file.
  template <class Leave>
  void forget_all(Leave&& leave) {
    const std::lock_guard guard(lock_);
    for (std::uint32_t i = 1; i <= used_; ++i)
      if (File* file = slots_[i].file.exchange(nullptr)) leave(*file);
  }

 private:
  static constexpr unsigned kSlotBits = 16;
  static constexpr std::uintptr_t kSlotMask = (1U << kSlotBits) - 1;
  static constexpr std::uintptr_t kGenerationMask = 0x7fff;
  static constexpr std::uintptr_t kTag = 0x74757474;  // no address of a process begins like this

  struct Slot {
    std::atomic<File*> file;
    std::atomic<std::uint32_t> generation;
    std::uint32_t next_free;  // 0: none
  };

  static MPI_File handle_of(std::uint32_t slot, std::uint32_t generation) {
    return reinterpret_cast<MPI_File>(kTag << 32 | std::uintptr_t{generation} << kSlotBits | slot);
  }

  std::mutex lock_;
  std::uint32_t used_ = 0;  // slots 1 … used_ were given out at least once; slot 0 never is
  std::uint32_t free_ = 0;
  std::array<Slot, kSlotMask + 1> slots_{};
};

// The files this process has open.
HandleTable& open_files();

// Local. From now on MPI_Finalize makes every handle wrong, before MPI stops working. Called with
// every open; does something once.
Status forget_files_at_finalize();

}  // namespace tutti
