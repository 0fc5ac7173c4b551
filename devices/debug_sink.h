#pragma once

#include <memory>
#include <string>
#include <vector>

#include "devices/kernel.h"
#include "devices/resource_manager.h"

namespace troupe {

/// What a debug op has seen: a watched tensor, or what the op makes of it.
struct WatchedValue {
  /// In full.
  std::string device;
  std::string node;
  int slot = 0;
  /// "DebugIdentity"
  std::string debug_op;
  int64_t step_id = 0;
  Tensor value;
};

/// Where debug ops send what they see. A resource of a device of a session, put there when debug ops are compiled for it.
/// Thread-safe.
class DebugSink : public Resource {
 public:
  static constexpr const char* kTypeName = "DebugSink";
  static constexpr const char* kContainer = "__debugger";
  static constexpr const char* kName = "sink";

  /// To these addresses; the first that fails is the error.
  virtual absl::Status publish(const WatchedValue& seen, const std::vector<std::string>& urls) = 0;
  std::string type_name() const override { return kTypeName; }
};

/// For the kernel of a debug op, whose attrs name the tensor ("node:slot") and the addresses: nothing happens without addresses, or where
/// nobody debugs. The sink's error, or InvalidArgument "Failed to parse tensor name".
absl::Status publish_watched(const KernelContext& context, const Tensor& value);

}  // namespace troupe
