#pragma once

/// Wire types are always named with the prefix `pb::`, so that `pb::GraphDef` is the message and
/// `Graph` is ours. Include the generated header of a message where its full type is needed.

namespace tensorflow {}

namespace troupe {
namespace pb = ::tensorflow;
}  // namespace troupe
