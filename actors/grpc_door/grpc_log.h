#pragma once

namespace troupe {

/// gRPC tells its log what it also tells us: from now on to ours at the lowest level, unless the environment asks for gRPC's (GRPC_VERBOSITY). Thread-safe.
void quiet_grpc();

}  // namespace troupe
