// The pages of a local file that a rank has in its own address space, from call to call: reading
// and writing them there needs no system call, and no lock that excludes the other ranks.
#pragma once

#include <array>

#include "base/extent.hpp"
#include "base/quickest_way.hpp"
#include "device/device.hpp"
#include "device/page_view.hpp"
#include "request/access.hpp"

namespace tutti {

class SeenPages {
 public:
  // Local. Begins a call in which ranks access nothing outside `range` of the file. Where the last
  // call in one of the directions accessed just that, and it is not long, pages are kept for the
  // next one; otherwise few at a time, until end().
  void begin(Direction direction, Extent range);
  void end();
  bool keeps() const { return keeps_; }

  // Local. Has `wanted` in view, and its pages already where they are kept; false, for the rest of
  // the call, where the file has holes or the system refuses it. REQUIRES: between begin() and
  // end(), facts().maps_reads.
  bool see(Device& device, Extent wanted);
  // Whether anything has been seen that is still there.
  bool empty() const { return view_.shown() == 0; }
  PageView& view() { return view_; }

  // What a call has learnt about the quickest way to use pages holds for calls that keep them
  // too, or for those that do not.
  template <class Known>
  Known& of_kind(std::array<Known, 2>& known) const {
    return known[keeps_ ? 1 : 0];
  }

 private:
  PageView view_;
  Extent range_{};
  std::array<Extent, 2> last_{};  // by direction
  bool keeps_ = false;
  bool refused_ = false;
};

}  // namespace tutti
