#pragma once

#include <memory>
#include <vector>

#include "actors/node_client/node_caller.h"
#include "actors/remote_master.h"

namespace troupe {

/// One session at a node, which has given it that number and those devices. It ends there with this, if it was not closed before. `node`: a use of
/// the caller by which it was opened (NodeCaller::use).
std::shared_ptr<RemoteMaster> make_caf_master(std::shared_ptr<NodeCaller> node, uint64_t session,
                                              std::vector<DeviceInfo> devices);

}  // namespace troupe
