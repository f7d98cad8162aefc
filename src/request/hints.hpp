// Hints as typed values. ROMIO's names keep ROMIO's meaning; tutti_* are our own.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tutti {

enum class Toggle : std::uint8_t { automatic, enable, disable };

// How one rank touches storage for a noncontiguous range.
enum class AccessMethod : std::uint8_t { automatic, naive, list, sieve, mapped };

enum class TransportChoice : std::uint8_t { automatic, messages, shared, arena };

// Where nonblocking collective access makes its MPI calls.
enum class NonblockingChoice : std::uint8_t { automatic, thread, polled };

struct Hints {
  // ROMIO's
  std::int64_t cb_nodes = 0;  // owners; 0: every rank
  std::int64_t cb_buffer_size = 16 << 20;
  std::string cb_config_list;
  Toggle romio_cb_read = Toggle::automatic;
  Toggle romio_cb_write = Toggle::automatic;
  Toggle romio_ds_read = Toggle::automatic;
  Toggle romio_ds_write = Toggle::automatic;
  std::int64_t ind_rd_buffer_size = 4 << 20;
  std::int64_t ind_wr_buffer_size = 4 << 20;
  std::int64_t striping_unit = 0;
  std::int64_t striping_factor = 0;
  std::int64_t start_iodevice = 0;
  bool romio_no_indep_rw = false;
  // ROMIO's for algorithms that are not ours; empty: not said
  std::string romio_cb_alltoall;
  std::string romio_cb_ds_threshold;
  std::string romio_cb_fr_alignment;
  std::string romio_cb_fr_types;
  std::string romio_cb_pfr;
  // The standard's, beside those that are ROMIO's too; empty or zero: not said
  std::string access_style;
  std::string chunked;
  std::string chunked_item;
  std::string chunked_size;
  std::int64_t cb_block_size = 0;
  std::string file_perm;  // octal digits
  std::string io_node_list;
  std::int64_t nb_proc = 0;
  std::int64_t num_io_nodes = 0;
  // Tutti's
  std::string strategy = "auto";
  std::int64_t radix = 2;
  AccessMethod access = AccessMethod::automatic;
  TransportChoice transport = TransportChoice::automatic;
  NonblockingChoice nonblocking = NonblockingChoice::automatic;
  std::int64_t list_segments = 0;  // 0: up to 64, fewer where that suits the device
  std::int64_t delay_us = 100;
  Toggle read_ahead = Toggle::automatic;
  Toggle turns = Toggle::automatic;
  std::string profile;

  friend bool operator==(const Hints&, const Hints&) = default;
};

// The most pieces in a list.
inline std::int64_t most_list_segments(const Hints& hints) {
  return hints.list_segments > 0 ? hints.list_segments : 64;
}

// Whether some writer of the file may rewrite bytes between its pieces (data sieving), so that all
// of them have to lock what they write.
inline bool writers_lock(const Hints& hints) {
  return hints.access == AccessMethod::sieve || hints.strategy == "sieve" ||
         (hints.access == AccessMethod::automatic && hints.romio_ds_write == Toggle::enable);
}

// For a caller that holds the lock itself.
inline Hints without_locks(Hints hints) {
  if (hints.access == AccessMethod::sieve) hints.access = AccessMethod::automatic;
  if (hints.strategy == "sieve") hints.strategy = "auto";
  if (hints.romio_ds_write == Toggle::enable) hints.romio_ds_write = Toggle::automatic;
  return hints;
}

enum class HintOutcome : std::uint8_t { applied, unknown_key, bad_value };

// Applies one hint. Surrounding blanks are ignored; a bad value leaves `hints` as it was.
HintOutcome set_hint(Hints& hints, std::string_view key, std::string_view value);

// One sentence for a bad value: the key, the value, what is accepted, what is used instead.
std::string bad_hint_message(const Hints& hints, std::string_view key, std::string_view value);

// All hints as they stand, in documented order: what MPI_File_get_info reports.
std::vector<std::pair<std::string, std::string>> list_hints(const Hints& hints);

// Applies the lines of a hint file: a key, blanks, a value; empty lines and those that begin with #
// count for nothing. Returns one message per line with an unknown key or a bad value; `name` is how
// messages call the file.
std::vector<std::string> apply_hint_file(Hints& hints, std::string_view text,
                                         std::string_view name);

// Local. The permissions of new files: what file_perm says, or everything that the process's mask
// allows.
int permissions_of(const Hints& hints);

// Applies every TUTTI_* variable that `lookup` knows (TUTTI_STRATEGY, TUTTI_CB_NODES, …). Returns
// one message per bad value.
using Lookup = std::function<std::optional<std::string>(const std::string& name)>;
std::vector<std::string> apply_environment(Hints& hints, const Lookup& lookup);

}  // namespace tutti
