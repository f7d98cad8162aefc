// Random collective calls on one open file, blocking, split and nonblocking, beside a model of what
// each rank's own bytes must be.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "support/completion.hpp"
#include "support/mpi_main.hpp"

namespace tutti::test {

// Random calls of every kind; the model of a rank's own bytes runs beside them.
class RandomCalls {
 public:
  RandomCalls(MPI_File file, std::uint64_t seed)
      : file_(file),
        shared_(seed),
        own_(seed * 31 + static_cast<std::uint64_t>(world_rank())),
        model_(kStream, 0) {}

  // One call, the same kind on all ranks.
  void step() {
    const bool writing = draw(shared_, 2) == 0;
    const int kind = draw(shared_, 4);
    const bool by_pointer = draw(shared_, 3) == 0;
    auto access = std::make_unique<Outstanding>();
    const int first = draw(own_, kStream - kLongest);
    const int bytes = draw(own_, 8) == 0 ? 0 : draw(own_, kLongest);
    access->memory.resize(static_cast<std::size_t>(bytes) + 1, 7);
    if (writing)
      for (int i = 0; i < bytes; ++i)
        access->memory[static_cast<std::size_t>(i)] = static_cast<unsigned char>(own_());
    unsigned char* memory = access->memory.data();
    if (by_pointer) MPI_File_seek(file_, first, MPI_SEEK_SET);
    const auto in_model = model_.begin() + first;
    if (writing)
      std::copy(memory, memory + bytes, in_model);
    else
      access->expected.assign(in_model, in_model + bytes);
    MPI_Status status;
    switch (kind) {
      case 0:
        ASSERT_EQ(blocking(writing, by_pointer, first, memory, bytes, &status), MPI_SUCCESS);
        return check(*access, status);
      case 1:
        ASSERT_EQ(split(writing, by_pointer, first, memory, bytes, &status), MPI_SUCCESS);
        return check(*access, status);
      default:
        ASSERT_EQ(start(writing, by_pointer, first, memory, bytes, &access->request), MPI_SUCCESS);
        outstanding_.push_back(std::move(access));
        if (outstanding_.size() >= 6) settle();
    }
  }

  // Completes what is outstanding in a way and an order of this rank's own.
  void settle() {
    std::vector<MPI_Request> requests;
    for (const auto& access : outstanding_) requests.push_back(access->request);
    std::vector<int> order(requests.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    std::shuffle(order.begin(), order.end(), own_);
    const auto way = kCompletions[static_cast<std::size_t>(draw(own_, 9))];
    const auto done = complete_all(requests, way, order);
    for (std::size_t i = 0; i < done.size(); ++i) {
      ASSERT_EQ(done[i].code, MPI_SUCCESS);
      check(*outstanding_[i], done[i].status);
    }
    outstanding_.clear();
  }

  const std::vector<unsigned char>& model() const { return model_; }
  static constexpr int kStream = 20000;
  static constexpr int kLongest = 3000;

 private:
  struct Outstanding {
    std::vector<unsigned char> memory;    // one byte more than the access
    std::vector<unsigned char> expected;  // of a read
    MPI_Request request = MPI_REQUEST_NULL;
  };

  static int draw(std::mt19937_64& from, int below) {
    return static_cast<int>(from() % static_cast<std::uint64_t>(below));
  }

  static void check(const Outstanding& access, const MPI_Status& status) {
    int count = -1;
    MPI_Get_count(&status, MPI_BYTE, &count);
    ASSERT_EQ(count, static_cast<int>(access.memory.size()) - 1);
    EXPECT_EQ(access.memory.back(), 7) << "a byte behind the access";
    if (access.expected.empty()) return;
    ASSERT_TRUE(std::equal(access.expected.begin(), access.expected.end(), access.memory.begin()));
  }

  int blocking(bool writing, bool by_pointer, int at, void* memory, int bytes, MPI_Status* status) {
    if (writing)
      return by_pointer ? MPI_File_write_all(file_, memory, bytes, MPI_BYTE, status)
                        : MPI_File_write_at_all(file_, at, memory, bytes, MPI_BYTE, status);
    return by_pointer ? MPI_File_read_all(file_, memory, bytes, MPI_BYTE, status)
                      : MPI_File_read_at_all(file_, at, memory, bytes, MPI_BYTE, status);
  }

  int split(bool writing, bool by_pointer, int at, void* memory, int bytes, MPI_Status* status) {
    int code = 0;
    if (writing && by_pointer) {
      code = MPI_File_write_all_begin(file_, memory, bytes, MPI_BYTE);
      return code == MPI_SUCCESS ? MPI_File_write_all_end(file_, memory, status) : code;
    }
    if (writing) {
      code = MPI_File_write_at_all_begin(file_, at, memory, bytes, MPI_BYTE);
      return code == MPI_SUCCESS ? MPI_File_write_at_all_end(file_, memory, status) : code;
    }
    if (by_pointer) {
      code = MPI_File_read_all_begin(file_, memory, bytes, MPI_BYTE);
      return code == MPI_SUCCESS ? MPI_File_read_all_end(file_, memory, status) : code;
    }
    code = MPI_File_read_at_all_begin(file_, at, memory, bytes, MPI_BYTE);
    return code == MPI_SUCCESS ? MPI_File_read_at_all_end(file_, memory, status) : code;
  }

  int start(bool writing, bool by_pointer, int at, void* memory, int bytes, MPI_Request* request) {
    if (writing)
      return by_pointer ? MPI_File_iwrite_all(file_, memory, bytes, MPI_BYTE, request)
                        : MPI_File_iwrite_at_all(file_, at, memory, bytes, MPI_BYTE, request);
    return by_pointer ? MPI_File_iread_all(file_, memory, bytes, MPI_BYTE, request)
                      : MPI_File_iread_at_all(file_, at, memory, bytes, MPI_BYTE, request);
  }

  MPI_File file_;
  std::mt19937_64 shared_;
  std::mt19937_64 own_;
  std::vector<unsigned char> model_;
  std::vector<std::unique_ptr<Outstanding>> outstanding_;
};

}  // namespace tutti::test
