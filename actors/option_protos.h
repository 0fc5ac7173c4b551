#pragma once

#include "actors/options.h"
#include "proto/config.pb.h"

namespace troupe {

/// Options as a server gets them; the caller's threads stay with him.
tensorflow::RunOptions to_proto(const RunOptions& options);
tensorflow::CallableOptions to_proto(const CallableOptions& options);

}  // namespace troupe
