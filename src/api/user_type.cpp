#include "api/user_type.hpp"

#include "mpi/call.hpp"

namespace tutti {

namespace {

bool is_predefined(MPI_Datatype type) {
  int integers = 0;
  int addresses = 0;
  int types = 0;
  int combiner = MPI_COMBINER_NAMED;
#if defined(TUTTI_HOST_MPICH)
  MPI_Count counts[4] = {};
  PMPI_Type_get_envelope_c(type, &counts[0], &counts[1], &counts[2], &counts[3], &combiner);
  (void)integers, (void)addresses, (void)types;
#else
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
#endif
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
         combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
}

Result<OwnedType> duplicate(MPI_Datatype type) {
  OwnedType copy;
  if (auto made = mpi_status(PMPI_Type_dup(type, copy.fill()), "MPI_Type_dup"); !made)
    return tl::make_unexpected(made.error());
  return copy;
}

}  // namespace

Result<UserType> UserType::keep(MPI_Datatype type) {
  UserType kept;
  kept.type_ = type;
  if (is_predefined(type)) return kept;
  auto copy = duplicate(type);
  if (!copy) return tl::make_unexpected(copy.error());
  kept.own_ = std::move(*copy);
  kept.type_ = kept.own_.get();
  return kept;
}

Result<MPI_Datatype> UserType::hand_out() const {
  if (own_.empty()) return type_;
  auto copy = duplicate(type_);
  if (!copy) return tl::make_unexpected(copy.error());
  return copy->release();
}

Status check_committed(MPI_Datatype type, MPI_Comm comm) {
  if (type == MPI_DATATYPE_NULL)
    return fail(ErrorKind::invalid_type, "the datatype is MPI_DATATYPE_NULL");
    // MPI has no question for this; the cheapest call of each host that checks it is asked. Both
    // return their error through `comm`, while calls without a communicator would end the job.
#if defined(TUTTI_HOST_MPICH)
  constexpr unsigned kBuiltin = 0x4c000000U;
  if ((static_cast<unsigned>(type) & 0xffff0000U) == kBuiltin) return {};
  int ignored = 0;
  const int code = PMPI_Pack_size(0, type, comm, &ignored);
#else
  const int code = PMPI_Send(nullptr, 0, type, MPI_PROC_NULL, 0, comm);
#endif
  if (code != MPI_SUCCESS)
    return fail(ErrorKind::invalid_type, "the datatype is not a committed one");
  return {};
}

}  // namespace tutti
