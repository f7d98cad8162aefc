#include "exec/open_file.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <tuple>

#include "device/registry.hpp"
#include "exec/collective_state.hpp"
#include "exec/nonblocking.hpp"
#include "mpi/agree.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tutti {

OpenFile::OpenFile() : nonblocking(std::make_unique<Nonblocking>(*this)) {}
OpenFile::~OpenFile() = default;

namespace {

// Collective, one reduction. Fails on every rank with not_same unless all ranks pass the same
// value; ranks also learn how to reach the shared file pointer.
Status meet(OpenFile& file, std::uint64_t value, const std::string& what) {
  // The largest value and the largest complement agree only where all values do.
  const SharedPointer::Words words = file.shared_pointer.introduce(
      file.rank, file.ranks, file.hints.transport != TransportChoice::messages);
  std::array<std::uint64_t, 2 + std::tuple_size_v<SharedPointer::Words>> mine{value, ~value};
  std::copy(words.begin(), words.end(), mine.begin() + 2);
  auto largest = mine;
  if (auto done =
          mpi_status(PMPI_Allreduce(mine.data(), largest.data(), static_cast<int>(mine.size()),
                                    MPI_UINT64_T, MPI_MAX, file.comm.get()),
                     "MPI_Allreduce");
      !done)
    return done;
  if (largest[0] != ~largest[1])
    return fail(ErrorKind::not_same, what + " is not the same on all processes");
  SharedPointer::Words found;
  std::copy(largest.begin() + 2, largest.end(), found.begin());
  return file.shared_pointer.meet(file.comm.get(), found);
}

std::uint64_t mode_bits(OpenMode mode) {
  return (mode.read ? 1U : 0U) | (mode.write ? 2U : 0U) | (mode.create ? 4U : 0U) |
         (mode.exclusive ? 8U : 0U) | (mode.delete_on_close ? 16U : 0U);
}

OpenOptions options_for(const OpenFile& file, bool creates) {
  OpenOptions options;
  options.read = true;  // sieving reads what it rewrites; MPI's own mode is checked above this line
  options.write = file.mode.write;
  options.create = creates && file.mode.create;
  options.exclusive = creates && file.mode.exclusive;
  options.permissions = permissions_of(file.hints);
  options.striping_unit = file.hints.striping_unit;
  options.striping_factor = static_cast<std::int32_t>(file.hints.striping_factor);
  options.start_iodevice = static_cast<std::int32_t>(file.hints.start_iodevice);
  return options;
}

std::optional<Error> open_here(OpenFile& file, bool creates) {
  OpenOptions options = options_for(file, creates);
  auto device = open_device(file.name, options);
  if (!device && device.error().kind == ErrorKind::access_denied && !file.mode.read) {
    options.read = false;
    device = open_device(file.name, options);
    file.readable = false;
  }
  if (!device) return device.error();
  file.device = std::move(*device);
  return std::nullopt;
}

}  // namespace

Result<std::unique_ptr<OpenFile>> open_file(MPI_Comm comm, const std::string& name, OpenMode mode,
                                            const Hints& hints) {
  auto file = std::make_unique<OpenFile>();
  auto own = duplicate_comm(comm);
  if (!own) return tl::make_unexpected(own.error());
  file->comm = std::move(*own);
  file->name = name;
  file->mode = mode;
  file->hints = hints;
  PMPI_Comm_rank(file->comm.get(), &file->rank);
  PMPI_Comm_size(file->comm.get(), &file->ranks);

  const std::uint64_t key = XXH3_64bits_withSeed(name.data(), name.size(), mode_bits(mode));
  if (auto same = meet(*file, key, name + ": the file name or access mode"); !same)
    return tl::make_unexpected(same.error());

  // Rank 0 creates alone; the others open what is there then, so that `exclusive` has one winner.
  std::optional<Error> failure;
  if (file->rank == 0) failure = open_here(*file, true);
  if (mode.create) {
    if (auto agreed = agree(file->comm.get(), failure); !agreed)
      return tl::make_unexpected(agreed.error());
  }
  if (file->rank != 0) failure = open_here(*file, false);
  if (auto agreed = agree(file->comm.get(), failure); !agreed)
    return tl::make_unexpected(agreed.error());
  return file;
}

Status change_hints(OpenFile& file, const Hints& hints) {
  if (file.hints == hints) return {};
  const bool same_transport = file.hints.transport == hints.transport;
  file.hints = hints;
  if (!file.collective) return {};
  file.collective->inspector.cache.clear();
  if (same_transport) return {};
  file.collective.reset();
  const auto state = collective_state(file);
  return state ? Status() : tl::make_unexpected(state.error());
}

Status close_file(std::unique_ptr<OpenFile> file) {
  std::optional<Error> failure;
  file->nonblocking.reset();
  file->collective.reset();
  if (auto closed = file->device.close(); !closed) failure = closed.error();
  // Nobody deletes before everybody has closed.
  Status agreed = agree(file->comm.get(), failure);
  if (file->mode.delete_on_close) {
    failure.reset();
    if (file->rank == 0)
      if (auto removed = remove_file(file->name); !removed) failure = removed.error();
    Status deleted = agree(file->comm.get(), failure);
    if (agreed) agreed = deleted;
  }
  return agreed;
}

}  // namespace tutti
