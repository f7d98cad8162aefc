// Owners of MPI handles: move-only, released once. One class per kind of handle, because in MPICH
// MPI_Comm and MPI_Datatype are the same type and cannot be told apart by overloading.
#pragma once

#include <mpi.h>

#include <utility>

#include "base/result.hpp"
#include "mpi/call.hpp"
#include "mpi/host_completion.hpp"

namespace tutti {

// Kind gives the handle's type, its null value and how it is released. An owner that outlives MPI
// (a static of the application's) releases nothing.
template <class Kind>
class Owned {
 public:
  using Handle = typename Kind::Handle;

  Owned() = default;
  explicit Owned(Handle handle) : handle_(handle) {}
  Owned(Owned&& other) noexcept : handle_(other.release()) {}
  Owned& operator=(Owned&& other) noexcept {
    if (this != &other) {
      reset();
      handle_ = other.release();
    }
    return *this;
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { reset(); }

  Handle get() const { return handle_; }
  bool empty() const { return handle_ == Kind::null(); }

  // Gives the handle up without releasing it.
  Handle release() { return std::exchange(handle_, Kind::null()); }

  // Releases what is owned and returns where an MPI function may store a new handle.
  Handle* fill() {
    reset();
    return &handle_;
  }

  void reset() {
    if (!empty() && mpi_is_running()) Kind::free(&handle_);
    handle_ = Kind::null();
  }

 private:
  Handle handle_ = Kind::null();
};

struct CommKind {
  using Handle = MPI_Comm;
  static Handle null() { return MPI_COMM_NULL; }
  static void free(Handle* comm) { PMPI_Comm_free(comm); }
};
struct TypeKind {
  using Handle = MPI_Datatype;
  static Handle null() { return MPI_DATATYPE_NULL; }
  static void free(Handle* type) { PMPI_Type_free(type); }
};
struct InfoKind {
  using Handle = MPI_Info;
  static Handle null() { return MPI_INFO_NULL; }
  static void free(Handle* info) { PMPI_Info_free(info); }
};
struct RequestKind {
  using Handle = MPI_Request;
  static Handle null() { return MPI_REQUEST_NULL; }
  static void free(Handle* request) { host_completion().wait(request, MPI_STATUS_IGNORE); }
};

using OwnedComm = Owned<CommKind>;        // released collectively
using OwnedType = Owned<TypeKind>;        // never a predefined type
using OwnedInfo = Owned<InfoKind>;        //
using OwnedRequest = Owned<RequestKind>;  // waited for, so that its buffer cannot be left behind

// Collective. A private communicator over the same processes, whose errors are returned. Fails with
// no_memory on every rank where the host has none left.
Result<OwnedComm> duplicate_comm(MPI_Comm comm);

// Local. A copy of `info`; MPI_INFO_NULL gives an empty owner.
Result<OwnedInfo> duplicate_info(MPI_Info info);

}  // namespace tutti
