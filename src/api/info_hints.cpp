#include "api/info_hints.hpp"

#include <array>
#include <string>
#include <vector>

#include "exec/starting_hints.hpp"
#include "mpi/call.hpp"

namespace tutti {

Result<Hints> hints_with(const Hints& base, MPI_Info info, bool first_rank) {
  Hints hints = base;
  if (info == MPI_INFO_NULL) return hints;
  int keys = 0;
  if (auto counted = mpi_status(PMPI_Info_get_nkeys(info, &keys), "MPI_Info_get_nkeys"); !counted)
    return fail(ErrorKind::invalid_info, counted.error().message);
  std::vector<char> value;
  for (int i = 0; i < keys; ++i) {
    std::array<char, MPI_MAX_INFO_KEY + 1> key{};
    int length = 0;
    int found = 0;
    PMPI_Info_get_nthkey(info, i, key.data());
    PMPI_Info_get_valuelen(info, key.data(), &length, &found);
    if (found == 0) continue;
    value.assign(static_cast<std::size_t>(length) + 1, '\0');
    PMPI_Info_get(info, key.data(), length, value.data(), &found);
    if (found == 0) continue;
    if (set_hint(hints, key.data(), value.data()) == HintOutcome::bad_value && first_rank)
      complain(bad_hint_message(hints, key.data(), value.data()));
  }
  return hints;
}

namespace {

// What a file really has, where the storage says so.
Hints used_hints(const OpenFile& file) {
  Hints used = file.hints;
  if (used.cb_nodes == 0 || used.cb_nodes > file.ranks) used.cb_nodes = file.ranks;
  const Striping striping = file.device->layout_report().striping;
  if (striping.unit_bytes == 0) return used;
  used.striping_unit = striping.unit_bytes;
  used.striping_factor = striping.factor;
  used.start_iodevice = striping.first_device;
  // Which nodes there are is not known of every layout.
  const StripeLayout layout = file.device->layout();
  if (layout.complete()) used.num_io_nodes = layout.io_nodes;
  return used;
}

}  // namespace

Result<OwnedInfo> info_of(const OpenFile& file) {
  OwnedInfo info;
  if (auto made = mpi_status(PMPI_Info_create(info.fill()), "MPI_Info_create"); !made)
    return tl::make_unexpected(made.error());
  for (const auto& [key, value] : list_hints(used_hints(file)))
    if (!value.empty()) PMPI_Info_set(info.get(), key.c_str(), value.c_str());
  PMPI_Info_set(info.get(), "filename", file.name.substr(0, MPI_MAX_INFO_VAL - 1).c_str());
  // HDF5 asks for this one: whether written bytes are seen by other processes at once.
  const bool lazy = file.device->facts().lazy;
  PMPI_Info_set(info.get(), "romio_visibility_immediate", lazy ? "false" : "true");
  PMPI_Info_set(info.get(), "tutti_version", TUTTI_VERSION);
  return info;
}

}  // namespace tutti
