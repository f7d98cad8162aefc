// A device that fails on purpose, the same way every time: "faulty:<spec>:<inner name>" wraps the
// device that the inner name opens. For tests of everything above.
//
//   spec   := rule { "," rule }
//   rule   := "fail-open" | "fail-sync" | "fail-resize" | "fail-lock" | "fail-close"
//           | "fail-write-after=" BYTES   this open writes BYTES in all, then the storage is full
//           | "fail-read-after=" BYTES
//           | "fail-write-at=" OFFSET     a write that covers the byte at OFFSET moves nothing
//           | "fail-read-at=" OFFSET
//           | "torn-write-at=" OFFSET     a write that covers OFFSET lands up to it and then fails
//           | "fail-percent=" 0..100      so many of the inner calls fail, drawn from the seed
//           | "errno=" NAME or number     what failures look like; EIO unless told
//           | "short=" BYTES              the inner device moves at most BYTES a call
//           | "delay-us=" MICROSECONDS    every inner call takes so much longer
//           | "mbytes-per-s=" RATE        this open moves no more than RATE million bytes a second
//           | "seed=" NUMBER              draws: fail-percent, and with it short becomes 1..BYTES
//
// Batches run at once and in their order; counters belong to one open. fail-resize also fails
// preallocation. With a failing close the inner file is closed all the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "device/device.hpp"
#include "device/registry.hpp"

namespace tutti {

struct FaultRules {
  bool fail_open = false;
  bool fail_sync = false;
  bool fail_resize = false;
  bool fail_lock = false;
  bool fail_close = false;
  std::optional<std::int64_t> fail_write_after;
  std::optional<std::int64_t> fail_read_after;
  std::optional<std::int64_t> fail_write_at;
  std::optional<std::int64_t> fail_read_at;
  std::optional<std::int64_t> torn_write_at;
  std::optional<std::int64_t> short_bytes;
  std::optional<std::uint64_t> seed;
  std::int64_t fail_percent = 0;
  std::int64_t delay_us = 0;
  std::int64_t mbytes_per_s = 0;  // 0: as fast as the inner device
  int error = 0;                  // errno of failures
};

// Fails with invalid_argument, naming the rule it does not understand.
Result<FaultRules> parse_fault_rules(std::string_view spec);

Result<Device> open_faulty(const std::string& spec_and_name, const OpenOptions& options);
// Deletes the inner file.
Status remove_faulty(const std::string& spec_and_name);

}  // namespace tutti
