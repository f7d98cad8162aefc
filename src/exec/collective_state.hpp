// What collective calls on one open file keep from call to call.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "base/quickest_way.hpp"
#include "base/scratch.hpp"
#include "base/voted_ways.hpp"
#include "exec/file_links.hpp"
#include "exec/seen_pages.hpp"
#include "inspect/inspector.hpp"
#include "transfer/background.hpp"

namespace tutti {

class CollectiveState : public Connections {
 public:
  InspectorState inspector;

  NodeBlock* node_block() { return node.available() ? &node : nullptr; }
  // Whether the ranks agree on plans and outcomes without an MPI call.
  bool talks_without_mpi() const { return node.available() && peers.available(); }
  Scratch windows[2];
  Scratch slots;
  Scratch staging[2];
  SeenPages pages;
  std::array<QuickestWay, 2> storing;  // of spans; see SeenPages::of_kind()
  VotedWays carrying;                  // what is written to its owners; see route_of()
  bool said_not_striped = false;

  // Local. Made at its first use; gone before the device is closed.
  Background& background(Device& device) {
    if (!background_) background_ = std::make_unique<Background>(device);
    return *background_;
  }
  // Local. Before the device is closed.
  void let_go_of_device() {
    background_.reset();
    pages = {};
  }

 private:
  std::unique_ptr<Background> background_;
};

struct OpenFile;

class RanksTalk;

// Local. What the inspector needs of a file.
InspectCall inspect_call(OpenFile& file, CollectiveState& state, RanksTalk& talk);

// Local. Made at its first use from what the ranks have between them.
Result<CollectiveState*> collective_state(OpenFile& file);

}  // namespace tutti
