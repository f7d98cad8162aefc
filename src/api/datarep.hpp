// Data representations of files: memory's own (native, internal), external32, and those that the
// program has registered.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "exec/converted.hpp"
#include "view/representation.hpp"

namespace tutti {

// Part of a user's buffer, as conversion functions get it: `count` typemap entries from entry
// number `position` on. Both kinds of functions of MPI, with the program's state inside.
using ConversionFunction = std::function<int(void* buffer, MPI_Datatype type, std::int64_t count,
                                             void* file, std::int64_t position)>;

// A representation that needs conversion. Never destroyed: files may be in it until the end.
struct Datarep {
  std::string name;
  Representation form;
  // Empty: elements are copied as they are.
  ConversionFunction read;
  ConversionFunction write;
  std::int64_t most_elements = 0;  // per call of a function

  bool is_external32() const { return !form.file_bytes; }
};

class DatarepTable {
 public:
  DatarepTable();
  // Local. Null for native and internal. Fails with unsupported_datarep for an unknown name.
  Result<const Datarep*> find(const std::string& name) const;
  // Local. Fails with duplicate_datarep for a name that is taken, also by the standard.
  Status add(Datarep made);

 private:
  mutable std::mutex lock_;
  std::vector<std::unique_ptr<const Datarep>> known_;
};

// The representations of this process.
DatarepTable& datareps();

// A user's buffer in a data call.
struct UserData {
  void* buffer;
  MPI_Datatype type;
  std::int64_t count;
};

// Local. The buffer's elements, convertible to and from `datarep`. The type must live as long.
Result<std::shared_ptr<ConvertedMemory>> converted_memory(const Datarep& datarep,
                                                          const UserData& data);

}  // namespace tutti
