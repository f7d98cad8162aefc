#include "api/handle_table.hpp"

#include <chrono>

#include "api/file.hpp"
#include "api/request_table.hpp"
#include "exec/nonblocking.hpp"
#include "exec/progress.hpp"
#include "exec/starting_hints.hpp"
#include "mpi/call.hpp"

namespace tutti {

namespace {

constinit HandleTable table;

constexpr std::chrono::seconds kSilence{5};  // of a program that ends and waits

// MPI_Finalize drops the attributes of MPI_COMM_SELF before anything else. Files that are still
// open lose their helper threads and their device here; their communicators go down with MPI.
int at_finalize(MPI_Comm, int, void*, void*) {
  open_files().forget_all([](File& file) {
    if (!file.engine->nonblocking->finish_within(kSilence))
      complain(file.name +
               ": MPI_Finalize waits for accesses that are not over; a collective one " +
               "that other ranks have not started never will be");
    file.engine->nonblocking.reset();
    (void)file.engine->device.close();
    (void)file.engine->comm.release();
  });
  pending_requests().complete_finished();
  process_progress().end();
  return MPI_SUCCESS;
}

Status attach_to_finalize() {
  int keyval = MPI_KEYVAL_INVALID;
  if (auto made =
          mpi_status(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &keyval, nullptr),
                     "MPI_Comm_create_keyval");
      !made)
    return made;
  return mpi_status(PMPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr), "MPI_Comm_set_attr");
}

}  // namespace

HandleTable& open_files() { return table; }

Status forget_files_at_finalize() {
  static const Status attached = attach_to_finalize();
  return attached;
}

Result<MPI_File> HandleTable::add(std::unique_ptr<File> file) {
  const std::lock_guard guard(lock_);
  std::uint32_t index = free_;
  if (index != 0) {
    free_ = slots_[index].next_free;
  } else if (used_ < kSlotMask) {
    index = ++used_;
  } else {
    return fail(ErrorKind::no_memory, "too many files are open");
  }
  Slot& slot = slots_[index];
  slot.file.store(file.release(), std::memory_order_release);
  return handle_of(index, slot.generation.load());
}

std::unique_ptr<File> HandleTable::remove(MPI_File handle) {
  const std::lock_guard guard(lock_);
  std::unique_ptr<File> file(find(handle));
  if (!file) return file;
  const auto index =
      static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(handle) & kSlotMask);
  Slot& slot = slots_[index];
  slot.file.store(nullptr);
  slot.generation.store((slot.generation.load() + 1) & kGenerationMask);
  slot.next_free = free_;
  free_ = index;
  return file;
}

MPI_Fint HandleTable::to_fortran(MPI_File handle) const {
  if (find(handle) == nullptr) return 0;
  return static_cast<MPI_Fint>(reinterpret_cast<std::uintptr_t>(handle));
}

MPI_File HandleTable::from_fortran(MPI_Fint value) const {
  if (value <= 0) return MPI_FILE_NULL;
  const auto handle = reinterpret_cast<MPI_File>(kTag << 32 | static_cast<std::uintptr_t>(value));
  return find(handle) != nullptr ? handle : MPI_FILE_NULL;
}

}  // namespace tutti
