#pragma once

#include <map>
#include <string>
#include <vector>

#include "actors/cost_model.h"
#include "actors/step_slot.h"

namespace troupe {

/// The serialised RunMetadata of a step that was told to collect statistics (StepSlot::collect_stats), after its end: for each
/// device its nodes in the order in which they ended, with times, threads, what they allocated and what came out. Those of called
/// functions stand among them, by their names in the function, as TensorFlow shows them. With a cost graph of `costs`, which may be
/// null. `called`: what its functions ran (StepCalls::take_timings).
std::string run_metadata(const StepSlot& slot, const std::vector<NestedTimings>& called, const CostModel* costs);

/// Adds serialised GraphDefs to a serialised RunMetadata.
void add_partition_graphs(const std::vector<std::string>& graphs, std::string* metadata);
/// RunStats::messages of a step that collected statistics and has ended; those of the functions that it called are in it.
std::map<std::string, int> message_counts(const StepSlot& slot);

}  // namespace troupe
