#include "view/contents.hpp"

#include "mpi/call.hpp"

namespace tutti {

namespace {

#if defined(TUTTI_HOST_OPENMPI) && !OMPI_ENABLE_MPI1_COMPAT
constexpr int kHvectorInteger = OMPI_WAS_MPI_COMBINER_HVECTOR_INTEGER;
constexpr int kHindexedInteger = OMPI_WAS_MPI_COMBINER_HINDEXED_INTEGER;
constexpr int kStructInteger = OMPI_WAS_MPI_COMBINER_STRUCT_INTEGER;
#else
constexpr int kHvectorInteger = MPI_COMBINER_HVECTOR_INTEGER;
constexpr int kHindexedInteger = MPI_COMBINER_HINDEXED_INTEGER;
constexpr int kStructInteger = MPI_COMBINER_STRUCT_INTEGER;
#endif

Combiner from_mpi(int combiner) {
  switch (combiner) {
    case MPI_COMBINER_NAMED:
    case MPI_COMBINER_F90_REAL:
    case MPI_COMBINER_F90_COMPLEX:
    case MPI_COMBINER_F90_INTEGER:
      return Combiner::named;
    case MPI_COMBINER_DUP:
      return Combiner::duplicate;
    case MPI_COMBINER_CONTIGUOUS:
      return Combiner::contiguous;
    case MPI_COMBINER_VECTOR:
      return Combiner::vector;
    case MPI_COMBINER_HVECTOR:
    case kHvectorInteger:
      return Combiner::hvector;
    case MPI_COMBINER_INDEXED:
      return Combiner::indexed;
    case MPI_COMBINER_HINDEXED:
    case kHindexedInteger:
      return Combiner::hindexed;
    case MPI_COMBINER_INDEXED_BLOCK:
      return Combiner::indexed_block;
    case MPI_COMBINER_HINDEXED_BLOCK:
      return Combiner::hindexed_block;
    case MPI_COMBINER_STRUCT:
    case kStructInteger:
      return Combiner::structure;
    case MPI_COMBINER_SUBARRAY:
      return Combiner::subarray;
    case MPI_COMBINER_DARRAY:
      return Combiner::darray;
    case MPI_COMBINER_RESIZED:
      return Combiner::resized;
    default:
      return Combiner::unknown;
  }
}

// What get_contents fills: `counts` holds what a large-count constructor was given.
struct Raw {
  std::vector<int> integers;
  std::vector<MPI_Aint> addresses;
  std::vector<std::int64_t> counts;
  std::vector<MPI_Datatype> types;
  int combiner = MPI_COMBINER_NAMED;
};

#if defined(TUTTI_HOST_MPICH)

// The int versions fail on types made by large-count constructors.
Status read_envelope(MPI_Datatype type, Raw& raw) {
  MPI_Count integers = 0;
  MPI_Count addresses = 0;
  MPI_Count counts = 0;
  MPI_Count types = 0;
  const int code =
      PMPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &types, &raw.combiner);
  raw.integers.resize(static_cast<std::size_t>(integers));
  raw.addresses.resize(static_cast<std::size_t>(addresses));
  raw.counts.resize(static_cast<std::size_t>(counts));
  raw.types.resize(static_cast<std::size_t>(types));
  return mpi_status(code, "MPI_Type_get_envelope_c");
}

Status read_contents(MPI_Datatype type, Raw& raw) {
  std::vector<MPI_Count> counts(raw.counts.size());
  const auto length = [](const auto& list) { return static_cast<MPI_Count>(list.size()); };
  const int code = PMPI_Type_get_contents_c(type, length(raw.integers), length(raw.addresses),
                                            length(counts), length(raw.types), raw.integers.data(),
                                            raw.addresses.data(), counts.data(), raw.types.data());
  raw.counts.assign(counts.begin(), counts.end());
  return mpi_status(code, "MPI_Type_get_contents_c");
}

#else

Status read_envelope(MPI_Datatype type, Raw& raw) {
  int integers = 0;
  int addresses = 0;
  int types = 0;
  const int code = PMPI_Type_get_envelope(type, &integers, &addresses, &types, &raw.combiner);
  raw.integers.resize(static_cast<std::size_t>(integers));
  raw.addresses.resize(static_cast<std::size_t>(addresses));
  raw.types.resize(static_cast<std::size_t>(types));
  return mpi_status(code, "MPI_Type_get_envelope");
}

Status read_contents(MPI_Datatype type, Raw& raw) {
  const auto length = [](const auto& list) { return static_cast<int>(list.size()); };
  const int code =
      PMPI_Type_get_contents(type, length(raw.integers), length(raw.addresses), length(raw.types),
                             raw.integers.data(), raw.addresses.data(), raw.types.data());
  return mpi_status(code, "MPI_Type_get_contents");
}

#endif

// Displacements are the last arguments of every constructor that has them as addresses, and large
// counts replace integers and addresses alike; only the array constructors mix integers and counts.
std::vector<std::int64_t> in_argument_order(const Raw& raw, Combiner combiner) {
  std::vector<std::int64_t> all;
  all.reserve(raw.integers.size() + raw.addresses.size() + raw.counts.size());
  const bool mixed = combiner == Combiner::subarray || combiner == Combiner::darray;
  const std::ptrdiff_t before = !mixed ? 0 : (combiner == Combiner::subarray ? 1 : 3);
  all.insert(all.end(), raw.integers.begin(), raw.integers.begin() + before);
  all.insert(all.end(), raw.counts.begin(), raw.counts.end());
  all.insert(all.end(), raw.integers.begin() + before, raw.integers.end());
  all.insert(all.end(), raw.addresses.begin(), raw.addresses.end());
  return all;
}

}  // namespace

Combiner combiner_of(MPI_Datatype type) {
  Raw raw;
  return read_envelope(type, raw) ? from_mpi(raw.combiner) : Combiner::unknown;
}

InnerType::InnerType(MPI_Datatype type) : type_(type) {
  if (combiner_of(type) != Combiner::named) owner_ = OwnedType(type);
}

Result<Contents> contents_of(MPI_Datatype type) {
  Raw raw;
  if (auto read = read_envelope(type, raw); !read) return tl::make_unexpected(read.error());
  if (auto read = read_contents(type, raw); !read) return tl::make_unexpected(read.error());
  Contents contents;
  contents.combiner = from_mpi(raw.combiner);
  contents.arguments = in_argument_order(raw, contents.combiner);
  contents.types.reserve(raw.types.size());
  for (const MPI_Datatype inner : raw.types) contents.types.emplace_back(inner);
  return contents;
}

}  // namespace tutti
