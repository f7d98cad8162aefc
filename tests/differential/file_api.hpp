// Tutti's functions and the host's own, side by side in one process.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

#include "mpi/real_mpi.hpp"

namespace tutti::test {

struct FileApi {
  decltype(&MPI_File_open) open;
  decltype(&MPI_File_close) close;
  decltype(&MPI_File_set_view) set_view;
  decltype(&MPI_File_seek) seek;
  decltype(&MPI_File_get_position) get_position;
  decltype(&MPI_File_get_byte_offset) get_byte_offset;
  decltype(&MPI_File_read) read[2];          // independent, collective
  decltype(&MPI_File_write) write[2];        //
  decltype(&MPI_File_read_at) read_at[2];    //
  decltype(&MPI_File_write_at) write_at[2];  //
  decltype(&MPI_File_read_at_all_begin) read_at_begin;
  decltype(&MPI_File_read_at_all_end) read_at_end;
  decltype(&MPI_File_write_at_all_begin) write_at_begin;
  decltype(&MPI_File_write_at_all_end) write_at_end;
  decltype(&MPI_File_read_all_begin) read_begin;
  decltype(&MPI_File_read_all_end) read_end;
  decltype(&MPI_File_write_all_begin) write_begin;
  decltype(&MPI_File_write_all_end) write_end;
};

inline FileApi tutti_api() {
  return {&MPI_File_open,
          &MPI_File_close,
          &MPI_File_set_view,
          &MPI_File_seek,
          &MPI_File_get_position,
          &MPI_File_get_byte_offset,
          {&MPI_File_read, &MPI_File_read_all},
          {&MPI_File_write, &MPI_File_write_all},
          {&MPI_File_read_at, &MPI_File_read_at_all},
          {&MPI_File_write_at, &MPI_File_write_at_all},
          &MPI_File_read_at_all_begin,
          &MPI_File_read_at_all_end,
          &MPI_File_write_at_all_begin,
          &MPI_File_write_at_all_end,
          &MPI_File_read_all_begin,
          &MPI_File_read_all_end,
          &MPI_File_write_all_begin,
          &MPI_File_write_all_end};
}

inline FileApi host_api() {
#define TUTTI_HOST(name) host_function<&MPI_File_##name>("MPI_File_" #name)
  return {TUTTI_HOST(open),
          TUTTI_HOST(close),
          TUTTI_HOST(set_view),
          TUTTI_HOST(seek),
          TUTTI_HOST(get_position),
          TUTTI_HOST(get_byte_offset),
          {TUTTI_HOST(read), TUTTI_HOST(read_all)},
          {TUTTI_HOST(write), TUTTI_HOST(write_all)},
          {TUTTI_HOST(read_at), TUTTI_HOST(read_at_all)},
          {TUTTI_HOST(write_at), TUTTI_HOST(write_at_all)},
          TUTTI_HOST(read_at_all_begin),
          TUTTI_HOST(read_at_all_end),
          TUTTI_HOST(write_at_all_begin),
          TUTTI_HOST(write_at_all_end),
          TUTTI_HOST(read_all_begin),
          TUTTI_HOST(read_all_end),
          TUTTI_HOST(write_all_begin),
          TUTTI_HOST(write_all_end)};
#undef TUTTI_HOST
}

enum class Flavour { independent, collective, split };

// One data call: what is asked of every implementation.
struct DataOperation {
  bool reads = true;
  Flavour flavour = Flavour::independent;
  bool by_pointer = false;
  MPI_Offset offset = 0;  // in etypes, for explicit offsets
  int count = 0;
  MPI_Datatype type = MPI_BYTE;

  std::string name() const {
    return std::string(reads ? "read" : "write") + (by_pointer ? "" : "_at") +
           (flavour == Flavour::independent  ? ""
            : flavour == Flavour::collective ? "_all"
                                             : "_all_begin/end");
  }
};

inline int run(const FileApi& api, MPI_File file, const DataOperation& op, void* memory,
               MPI_Status* status) {
  if (op.flavour == Flavour::split) {
    int code = MPI_SUCCESS;
    if (op.reads)
      code = op.by_pointer ? api.read_begin(file, memory, op.count, op.type)
                           : api.read_at_begin(file, op.offset, memory, op.count, op.type);
    else
      code = op.by_pointer ? api.write_begin(file, memory, op.count, op.type)
                           : api.write_at_begin(file, op.offset, memory, op.count, op.type);
    if (code != MPI_SUCCESS) return code;
    if (op.reads)
      return op.by_pointer ? api.read_end(file, memory, status)
                           : api.read_at_end(file, memory, status);
    return op.by_pointer ? api.write_end(file, memory, status)
                         : api.write_at_end(file, memory, status);
  }
  const int which = op.flavour == Flavour::collective ? 1 : 0;
  if (op.reads)
    return op.by_pointer ? api.read[which](file, memory, op.count, op.type, status)
                         : api.read_at[which](file, op.offset, memory, op.count, op.type, status);
  return op.by_pointer ? api.write[which](file, memory, op.count, op.type, status)
                       : api.write_at[which](file, op.offset, memory, op.count, op.type, status);
}

inline std::int64_t bytes_in(const MPI_Status& status) {
  MPI_Count bytes = -1;
  MPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  return bytes;
}

}  // namespace tutti::test
