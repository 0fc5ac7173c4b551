#pragma once

#include "absl/status/statusor.h"
#include "graph/ir/graph.h"
#include "graph/passes/device_catalog.h"

namespace troupe {

/// For a partition whose nodes are all on `device`, of the catalog, whose memory is not the host's: where one end of an edge has its value
/// in the device's memory and the other in the host's, puts a `_CopyToHost` or `_CopyToDevice` between, one for each output and
/// direction, which all its consumers share. Returns how many it added; none the second time.
///
/// Which memory an input or output is in, the kernel's registration says (`DeviceCatalog::Support::host_args`). Strings and handles of
/// resources are always the host's; so are what Const, _Arg, _Recv and Merge's value_index give, what _Retval and _Send take, and
/// the predicates of Switch and LoopCond. An _Arg or _Retval with the attr kClientDevice is the device's. Nodes that hand values on (Identity, Switch, Merge, Enter, ...) have them where those who make
/// the value have it, all that are joined by edges in the same memory.
///
/// A copy is a node as any other: it is in the frame of what it copies, once an iteration there, and dead when that is dead. A copy of a
/// reference is its consumer's own and waits for what that waits for, as it matters when a reference is read. A copy to the device may
/// be kept from step to step (attr `keep`) where nothing writes to tensors in place; its kernel does that with constants.
/// Linear. InvalidArgument for a node whose attrs do not fit its op.
absl::StatusOr<int> cross_memory(const DeviceCatalog& devices, int device, Graph* partition);

}  // namespace troupe
