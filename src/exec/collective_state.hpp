// What collective calls on one open file keep from call to call.
#pragma once

namespace tutti {

class CollectiveState {};

}  // namespace tutti
