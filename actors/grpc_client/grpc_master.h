#pragma once

#include <memory>

#include "actors/grpc_client/master_client.h"
#include "actors/remote_master.h"

namespace troupe {

/// One session at a server of TensorFlow's protocol: the handle that the server gave it, and the version of its graph. `config`: what CreateSession
/// says.
std::shared_ptr<RemoteMaster> make_grpc_master(std::shared_ptr<MasterClient> client,
                                               tensorflow::ConfigProto config);

}  // namespace troupe
