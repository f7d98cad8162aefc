// Macros that define the standard's data calls on top of data_call.hpp and start_call.hpp: each
// defines one function for one type of count. `sharing` is kAlone or kTogether, `pointer`
// kIndividual or kShared.
#pragma once

#include "api/data_call.hpp"
#include "api/export.hpp"
#include "api/start_call.hpp"

namespace tutti {

inline void* writable(const void* buffer) { return const_cast<void*>(buffer); }

inline constexpr bool kAlone = false;
inline constexpr bool kTogether = true;

}  // namespace tutti

#define TUTTI_AT(name, Buffer, Count, direction, sharing)                        \
  TUTTI_MPI(name, (MPI_File file, MPI_Offset offset, Buffer buffer, Count count, \
                   MPI_Datatype type, MPI_Status * status)) {                    \
    return move_data({"MPI_" #name, Direction::direction, sharing}, file,        \
                     {offset, writable(buffer), count, type}, status);           \
  }

#define TUTTI_BY(pointer, name, Buffer, Count, direction, sharing)                                 \
  TUTTI_MPI(name,                                                                                  \
            (MPI_File file, Buffer buffer, Count count, MPI_Datatype type, MPI_Status * status)) { \
    return move_data({"MPI_" #name, Direction::direction, sharing}, file,                          \
                     {pointer, writable(buffer), count, type}, status);                            \
  }

#define TUTTI_START_AT(name, Buffer, Count, direction, sharing)                  \
  TUTTI_MPI(name, (MPI_File file, MPI_Offset offset, Buffer buffer, Count count, \
                   MPI_Datatype type, MPI_Request * request)) {                  \
    return start_data({"MPI_" #name, Direction::direction, sharing}, file,       \
                      {offset, writable(buffer), count, type}, request);         \
  }

#define TUTTI_START_BY(pointer, name, Buffer, Count, direction, sharing)         \
  TUTTI_MPI(name, (MPI_File file, Buffer buffer, Count count, MPI_Datatype type, \
                   MPI_Request * request)) {                                     \
    return start_data({"MPI_" #name, Direction::direction, sharing}, file,       \
                      {pointer, writable(buffer), count, type}, request);        \
  }

#define TUTTI_BEGIN_AT(name, Buffer, Count, direction, end)                                      \
  TUTTI_MPI(name,                                                                                \
            (MPI_File file, MPI_Offset offset, Buffer buffer, Count count, MPI_Datatype type)) { \
    return begin_split({"MPI_" #name, Direction::direction, kTogether, "MPI_" #end}, file,       \
                       {offset, writable(buffer), count, type});                                 \
  }

#define TUTTI_BEGIN_BY(pointer, name, Buffer, Count, direction, end)                       \
  TUTTI_MPI(name, (MPI_File file, Buffer buffer, Count count, MPI_Datatype type)) {        \
    return begin_split({"MPI_" #name, Direction::direction, kTogether, "MPI_" #end}, file, \
                       {pointer, writable(buffer), count, type});                          \
  }

#define TUTTI_END(name, Buffer)                                   \
  TUTTI_MPI(name, (MPI_File file, Buffer, MPI_Status * status)) { \
    return end_split("MPI_" #name, file, status);                 \
  }
