#include "exec/open_file.hpp"

#include <array>
#include <optional>

#include "device/registry.hpp"
#include "exec/collective_state.hpp"
#include "exec/nonblocking.hpp"
#include "exec/starting_hints.hpp"
#include "mpi/agree.hpp"
#include "mpi/meeting.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tutti {

OpenFile::OpenFile() : nonblocking(std::make_unique<Nonblocking>(*this)) {}
OpenFile::~OpenFile() = default;

namespace {

// Collective, one reduction. Fails on every rank with not_same unless all ranks pass the same
// value; ranks also learn how to reach the shared file pointer.
Status meet(OpenFile& file, std::uint64_t value, const std::string& what) {
  file.shared_pointer.find_place(file.comm.get());
  // The largest value and the largest complement agree only where all values do.
  std::array<std::uint64_t, 2> largest{value, ~value};
  if (auto done = largest_of_all(file.comm.get(), largest); !done) return done;
  if (largest[0] != ~largest[1])
    return fail(ErrorKind::not_same, what + " is not the same on all processes");
  return file.shared_pointer.connect(file.comm.get());
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
  options.processes = file.ranks;
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

// Collective. Other connections than the ranks have; the next file does not get these.
Status reconnect(OpenFile& file, bool shares_memory) {
  auto made = connect(file.comm.get(), file.links.topology, shares_memory);
  if (!made) return tl::make_unexpected(made.error());
  file.links.connections = std::move(*made);
  file.links.shares_memory = shares_memory;
  file.links.id = 0;
  return {};
}

// Collective.
Status open_together(OpenFile& file) {
  if (file.links.shares_memory != shares_memory(file.hints))
    if (auto done = reconnect(file, shares_memory(file.hints)); !done) return done;
  const std::uint64_t key =
      XXH3_64bits_withSeed(file.name.data(), file.name.size(), mode_bits(file.mode));
  if (auto same = meet(file, key, file.name + ": the file name or access mode"); !same) return same;

  // Rank 0 creates alone; the others open what is there then, so that `exclusive` has one winner.
  std::optional<Error> failure;
  if (file.rank == 0) failure = open_here(file, true);
  if (file.mode.create) {
    if (auto agreed = agree(file.comm.get(), failure); !agreed) return agreed;
  }
  if (file.rank != 0) failure = open_here(file, false);
  return agree(file.comm.get(), failure);
}

// Collective, when nothing of the file is under way any more.
void let_go_of_links(OpenFile& file) {
  FileLinks& links = file.links;
  const bool had_node = links.has_node;
  if (file.collective) links.connections = std::move(static_cast<Connections&>(*file.collective));
  file.collective.reset();
  links.comm = std::move(file.comm);
  if (links.connections.node.available() != had_node) links.id = 0;
  give_back(std::move(links));
}

}  // namespace

Result<std::unique_ptr<OpenFile>> open_file(MPI_Comm comm, const std::string& name, OpenMode mode,
                                            const Hints& hints) {
  auto links = take_links(comm, shares_memory(hints));
  if (!links) return tl::make_unexpected(links.error());
  return open_file(std::move(*links), name, mode, hints);
}

Result<std::unique_ptr<OpenFile>> open_file(FileLinks links, const std::string& name, OpenMode mode,
                                            const Hints& hints) {
  auto file = std::make_unique<OpenFile>();
  file->links = std::move(links);
  file->comm = std::move(file->links.comm);
  file->name = name;
  file->mode = mode;
  file->hints = hints;
  PMPI_Comm_rank(file->comm.get(), &file->rank);
  PMPI_Comm_size(file->comm.get(), &file->ranks);
  if (auto opened = open_together(*file); !opened) {
    let_go_of_links(*file);
    return tl::make_unexpected(opened.error());
  }
  say_layout_problem(*file);
  return file;
}

void say_layout_problem(const OpenFile& file) {
  if (file.rank != 0) return;
  const std::string problem = file.device->layout_report().problem;
  if (!problem.empty()) complain(file.name + ": " + problem);
}

Status change_hints(OpenFile& file, const Hints& hints) {
  if (file.hints == hints) return {};
  const bool same_links = shares_memory(file.hints) == shares_memory(hints);
  file.hints = hints;
  if (!file.collective) return {};
  file.collective->inspector.cache.clear();
  if (same_links) return {};
  file.collective.reset();
  if (auto done = reconnect(file, shares_memory(hints)); !done) return done;
  const auto state = collective_state(file);
  return state ? Status() : tl::make_unexpected(state.error());
}

Status close_file(std::unique_ptr<OpenFile> file) {
  std::optional<Error> failure;
  file->nonblocking.reset();
  if (file->collective) file->collective->let_go_of_device();
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
  let_go_of_links(*file);
  return agreed;
}

}  // namespace tutti
