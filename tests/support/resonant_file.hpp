// A file on the striped device that is accessed by resonant I/O, with the device's log of requests.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "device/striped.hpp"
#include "exec/collective.hpp"
#include "exec/collective_state.hpp"
#include "exec/open_file.hpp"
#include "support/mpi_main.hpp"
#include "support/restated_device.hpp"

namespace tutti::test {

constexpr std::int64_t kStripe = 64 << 10;

// The byte at `offset` of the file, whoever writes it.
inline std::byte byte_at(std::int64_t offset) {
  return static_cast<std::byte>((offset * 2654435761 >> 7) ^ offset);
}

// Byte `offset` of the file belongs to this rank's access `range` in order.
inline std::vector<std::byte> contents_of(const FileRange& range) {
  std::vector<std::byte> bytes;
  bytes.reserve(static_cast<std::size_t>(range.bytes));
  for (std::int64_t k = 0; k < range.bytes; ++k)
    bytes.push_back(byte_at(range.stream.offset_of(range.first + k)));
  return bytes;
}

// Segments of `bytes`, dealt out to the ranks in turn, `times` for each; `gap` bytes behind each.
inline FileRange dealt(std::int64_t bytes, std::int64_t times, std::int64_t gap = 0) {
  const std::int64_t pitch = bytes + gap;
  const Pattern stream = Pattern::repeat(times, world_size() * pitch, Pattern::run(bytes))
                             .shifted(world_rank() * pitch);
  return {stream, 0, stream.size()};
}

// One segment for each rank, one after the other.
inline FileRange in_a_row(std::int64_t bytes) {
  return {Pattern::run(bytes, world_rank() * bytes), 0, bytes};
}

using Log = std::map<std::int32_t, std::vector<RequestLogEntry>>;  // by I/O node

class Resonant : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = "/dev/shm/tutti-resonant-" + std::to_string(getppid());
    MPI_Bcast(path_.data(), static_cast<int>(path_.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
    hints_.strategy = "resonant";
    hints_.striping_unit = kStripe;
    hints_.striping_factor = 4;
  }

  void open() {
    if (world_rank() == 0) {
      ASSERT_TRUE(start_request_log(path_).has_value());
    }
    MPI_Barrier(MPI_COMM_WORLD);
    auto file =
        open_file(MPI_COMM_WORLD, "striped:" + path_,
                  {.read = true, .write = true, .create = true, .delete_on_close = true}, hints_);
    ASSERT_TRUE(file.has_value()) << file.error().message;
    file_ = std::move(*file);
  }

  void TearDown() override {
    if (file_) {
      EXPECT_TRUE(close_file(std::move(file_)).has_value());
    }
  }

  // Collective. The requests that all ranks make while `act` runs.
  template <class Act>
  Log logged(const Act& act) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank() == 0) {
      EXPECT_TRUE(start_request_log(path_).has_value());
    }
    MPI_Barrier(MPI_COMM_WORLD);
    act();
    MPI_Barrier(MPI_COMM_WORLD);
    const auto entries = read_request_log(path_);
    EXPECT_TRUE(entries.has_value());
    MPI_Barrier(MPI_COMM_WORLD);
    Log log;
    for (const RequestLogEntry& entry : *entries) log[entry.component].push_back(entry);
    return log;
  }

  void write(const FileRange& range) {
    auto memory = contents_of(range);
    const auto moved = transfer_collective(
        *file_, {Direction::write, range, {Pattern::run(range.bytes), memory.data()}},
        std::nullopt);
    ASSERT_TRUE(moved.has_value()) << moved.error().message;
    EXPECT_EQ(*moved, range.bytes);
  }

  void read(const FileRange& range) {
    std::vector<std::byte> memory(static_cast<std::size_t>(range.bytes));
    const auto moved = transfer_collective(
        *file_, {Direction::read, range, {Pattern::run(range.bytes), memory.data()}}, std::nullopt);
    ASSERT_TRUE(moved.has_value()) << moved.error().message;
    EXPECT_EQ(*moved, range.bytes);
    EXPECT_TRUE(memory == contents_of(range));
  }

  // From now on the device says about itself what the result says.
  std::shared_ptr<Statement> restate() {
    auto statement = std::make_shared<Statement>();
    file_->device = Device(std::make_unique<RestatedDevice>(std::move(file_->device), statement));
    return statement;
  }

  // Whether all bytes that `ranges` of all ranks hold are in the file, looked at by rank 0 alone.
  void expect_file(std::int64_t bytes, const std::function<bool(std::int64_t)>& written) {
    std::vector<std::byte> all(static_cast<std::size_t>(bytes) + 1);
    const auto got = file_->device.read(0, all);
    ASSERT_TRUE(got.has_value());
    ASSERT_EQ(*got, bytes);
    for (std::int64_t at = 0; at < bytes; ++at)
      ASSERT_EQ(all[static_cast<std::size_t>(at)], written(at) ? byte_at(at) : std::byte{}) << at;
  }

  std::string path_;
  Hints hints_;
  std::unique_ptr<OpenFile> file_;
};

// One process, or several in turn where there are many more than the four nodes of most tests;
// ascending, and where `dense` every request begins where the one before ended.
inline void expect_resonance(const Log& log, TransferKind kind, bool dense) {
  for (const auto& [node, requests] : log) {
    std::set<std::int64_t> processes;
    std::int64_t reached = -1;
    for (const RequestLogEntry& request : requests) {
      EXPECT_EQ(request.kind, kind);
      processes.insert(request.process);
      EXPECT_GE(request.range.offset, reached) << "node " << node;
      if (dense && reached >= 0) {
        EXPECT_EQ(request.range.offset, reached) << "node " << node;
      }
      reached = request.range.end();
    }
    if (world_size() < 16) {
      EXPECT_EQ(processes.size(), 1U) << "node " << node;
    }
  }
}

}  // namespace tutti::test
