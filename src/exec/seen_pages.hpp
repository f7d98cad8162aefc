// The pages of a local file that a rank has in its own address space, from call to call: reading
// and writing them there needs no system call, and no lock that excludes the other ranks.
#pragma once

#include <array>
#include <cstdint>

#include "base/extent.hpp"
#include "device/device.hpp"
#include "device/page_view.hpp"

namespace tutti {

class SeenPages {
 public:
  // Local. Begins a call in which ranks access nothing outside `range` of the file. Where the call
  // before accessed just that, and it is not long, pages are kept for the next one; otherwise few
  // at a time, until end().
  void begin(Extent range);
  void end();
  bool keeps() const { return keeps_; }

  // Local. Has `wanted` in view, and its pages already where they are kept; false, for the rest of
  // the call, where the file has holes or the system refuses it. REQUIRES: between begin() and
  // end(), facts().maps_reads.
  bool see(Device& device, Extent wanted);
  // Whether anything has been seen that is still there.
  bool empty() const { return view_.shown() == 0; }
  PageView& view() { return view_; }

  // What was learnt about the quickest way to use pages: in calls that keep them, or in others.
  template <class Known>
  Known& of_kind(std::array<Known, 2>& known) const {
    return known[keeps_ ? 1 : 0];
  }

 private:
  enum class State : std::uint8_t { unknown, visible, refused };

  PageView view_;
  Extent range_{};  // of the present call, or of the last one
  State state_ = State::unknown;
  bool keeps_ = false;
};

}  // namespace tutti
