#pragma once

#include <string>
#include <vector>

#include "graph/ir/graph.h"

namespace troupe {

/// A frame of v1 control flow, as the graph's text tells it: all Enter nodes with one frame_name.
struct StaticFrame {
  /// "" for the root.
  std::string name;
  /// -1 for the root.
  int parent = -1;
  /// How many frames are around it; 0 for the root.
  int depth = 0;
  std::vector<int> enters;
  std::vector<int> exits;
  /// More than one is no loop that can be cut over devices.
  std::vector<int> loop_conds;
};

struct ControlFlowInfo {
  /// The root first, parents before children.
  std::vector<StaticFrame> frames;
  /// Per id: the frame that the node runs in. Enter belongs to the frame it opens, Exit to that it leaves; -1 for
  /// removed nodes.
  std::vector<int> frame_of;

  /// The frame of what `node` hands on: its own, or for an Exit that around it.
  int output_frame(const Node& node) const;
};

/// Which frame each node runs in. InvalidArgument "X has inputs from different frames. The input A is in frame 'x'. The
/// input B is in frame 'y'.", for an Enter without frame_name, an Exit outside of any frame, a cycle; Internal "Invalid
/// loop structure: Mismatched parent frames ..." when the Enters of one frame stand in different frames.
absl::StatusOr<ControlFlowInfo> static_frames(const Graph& graph);

}  // namespace troupe
