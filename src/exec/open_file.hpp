// An open file as the engine sees it: a device, a communicator, hints, and what collective calls
// keep between them. Made and closed collectively; used by api/ and by the C++ interface alike.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>

#include "base/counters.hpp"
#include "base/result.hpp"
#include "base/scratch.hpp"
#include "device/device.hpp"
#include "exec/file_links.hpp"
#include "exec/shared_pointer.hpp"
#include "mpi/owned.hpp"
#include "request/hints.hpp"

namespace tutti {

struct OpenMode {
  bool read = false;
  bool write = false;
  bool create = false;
  bool exclusive = false;
  bool delete_on_close = false;
};

class CollectiveState;  // plan cache, topology, transports
class Nonblocking;      // operations that go on beside the program

struct OpenFile {
  OpenFile();
  ~OpenFile();

  std::string name;
  OpenMode mode;
  Hints hints;
  OwnedComm comm;   // private duplicate
  FileLinks links;  // without the communicator; without connections once `collective` has them
  int rank = 0;
  int ranks = 1;
  Device device;
  Scratch scratch;
  bool atomic = false;
  bool readable = true;  // the device can read, whatever MPI's mode says
  Counters counters;
  SharedPointer shared_pointer;                 // in stream bytes; whole etypes
  std::unique_ptr<CollectiveState> collective;  // made at the first collective access
  std::unique_ptr<Nonblocking> nonblocking;
};

// Collective over `comm`. All ranks get a file, or all get the same error. Names and modes must
// agree (not_same otherwise); only rank 0 creates.
Result<std::unique_ptr<OpenFile>> open_file(MPI_Comm comm, const std::string& name, OpenMode mode,
                                            const Hints& hints);

// The same with links that were taken before, which the file or give_back() has afterwards.
Result<std::unique_ptr<OpenFile>> open_file(FileLinks links, const std::string& name, OpenMode mode,
                                            const Hints& hints);

// Local. Rank 0 says in one line what it did not understand of the file's striping, if anything:
// part of opening.
void say_layout_problem(const OpenFile& file);

// Whether ranks may share memory under these hints.
inline bool shares_memory(const Hints& hints) {
  return hints.transport != TransportChoice::messages;
}

// Collective, with the same hints on every rank: plans made under others are forgotten, and another
// transport is set up anew.
Status change_hints(OpenFile& file, const Hints& hints);

// Collective. Closes on every rank, deletes once where asked; the file is gone afterwards either
// way.
Status close_file(std::unique_ptr<OpenFile> file);

}  // namespace tutti
