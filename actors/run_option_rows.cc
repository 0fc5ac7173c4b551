#include <algorithm>

#include "actors/option_rows.h"

namespace troupe {
namespace {

using Run = ::tensorflow::RunOptions;
using Callable = ::tensorflow::CallableOptions;
using enum OptionUse;

void read_watches(const ::tensorflow::DebugOptions& from, RunOptions* to) {
  for (const ::tensorflow::DebugTensorWatch& w : from.debug_tensor_watch_opts()) {
    to->debug.watches.push_back({w.node_name(),
                                 w.output_slot(),
                                 {w.debug_ops().begin(), w.debug_ops().end()},
                                 {w.debug_urls().begin(), w.debug_urls().end()},
                                 w.tolerate_debug_op_creation_failures()});
  }
}

const RunRow kRunRows[] = {
    {{"trace_level", kHonoured,
      "Other than NO_TRACE: RunMetadata says when each node ran. All levels are alike here."},
     [](const Run& r, RunOptions* o) { o->collect_stats = r.trace_level() != Run::NO_TRACE; }},
    {{"timeout_in_ms", kHonoured, "The step's deadline; 0 and below: the session's."},
     [](const Run& r, RunOptions* o) {
       o->timeout = std::chrono::milliseconds(std::max<int64_t>(0, r.timeout_in_ms()));
     }},
    {{"inter_op_thread_pool", kHonoured, "Which of the session's pools; -1: the caller's thread."},
     [](const Run& r, RunOptions* o) { o->inter_op_pool = r.inter_op_thread_pool(); }},
    {{"output_partition_graphs", kHonoured, "RunMetadata has the graphs that ran."},
     [](const Run& r, RunOptions* o) { o->output_partition_graphs = r.output_partition_graphs(); }},
    {{"debug_options.debug_tensor_watch_opts", kHonoured, "Tensors that debuggers are shown."},
     [](const Run& r, RunOptions* o) { read_watches(r.debug_options(), o); }},
    // Read with the watch that they are of.
    {{"debug_options.debug_tensor_watch_opts.node_name", kHonoured, "Whose output it is."}},
    {{"debug_options.debug_tensor_watch_opts.output_slot", kHonoured, "Which of its outputs; -1: all."}},
    {{"debug_options.debug_tensor_watch_opts.debug_ops", kHonoured,
      "What is made of it, by the names of debug ops."}},
    {{"debug_options.debug_tensor_watch_opts.debug_urls", kHonoured,
      "Who is shown it: a folder (file://), an actor (actor://)."}},
    {{"debug_options.debug_tensor_watch_opts.tolerate_debug_op_creation_failures", kHonoured,
      "A debug op that cannot be made is left out instead of failing the run."}},
    {{"debug_options.global_step", kHonoured, "A number for the debugger's files."},
     [](const Run& r, RunOptions* o) { o->debug.global_step = r.debug_options().global_step(); }},
    {{"debug_options.reset_disk_byte_usage", kWithoutMeaning, "What debuggers write is not limited."}},
    {{"report_tensor_allocations_upon_oom", kHonoured,
      "An error for want of memory names what the step's kernels hold."},
     [](const Run& r, RunOptions* o) {
       o->report_tensor_allocations_upon_oom = r.report_tensor_allocations_upon_oom();
     }},
    {{"experimental.collective_graph_key", kWithoutMeaning,
      "Of collective ops, which this runtime does not have."}},
    {{"experimental.use_run_handler_pool", kHonoured,
      "Its kernels wait for their pool's threads by priority; those of other runs have the priority 0."},
     [](const Run& r, RunOptions* o) { o->use_run_handler_pool = r.experimental().use_run_handler_pool(); }},
    {{"experimental.run_handler_pool_options.priority", kHonoured,
      "With use_run_handler_pool: the higher goes first."},
     [](const Run& r, RunOptions* o) {
       o->priority = r.experimental().run_handler_pool_options().priority();
     }},
};

const CallableRow kCallableRows[] = {
    {{"feed", kHonoured, "What its runs feed, in this order."},
     [](const Callable& c, CallableOptions* o) { o->feeds.assign(c.feed().begin(), c.feed().end()); }},
    {{"fetch", kHonoured, "What its runs fetch, in this order."},
     [](const Callable& c, CallableOptions* o) { o->fetches.assign(c.fetch().begin(), c.fetch().end()); }},
    {{"target", kHonoured, "What its runs run besides."},
     [](const Callable& c, CallableOptions* o) { o->targets.assign(c.target().begin(), c.target().end()); }},
    // Read and checked as a message of its own: options.cc.
    {{"run_options", kHonoured, "Those of its runs, field by field as the table of RunOptions says."}},
    {{"tensor_connection", kHonoured, "One tensor takes the place of another."},
     [](const Callable& c, CallableOptions* o) {
       for (const auto& t : c.tensor_connection())
         o->tensor_connections.emplace_back(t.from_tensor(), t.to_tensor());
     }},
    {{"feed_devices", kHonoured, "Where feeds are: on the client's CPU, the only place there is."},
     [](const Callable& c, CallableOptions* o) {
       o->feed_devices = {c.feed_devices().begin(), c.feed_devices().end()};
     }},
    {{"fetch_devices", kHonoured, "Where fetches are left: on the client's CPU, the only place there is."},
     [](const Callable& c, CallableOptions* o) {
       o->fetch_devices = {c.fetch_devices().begin(), c.fetch_devices().end()};
     }},
    {{"fetch_skip_sync", kHonoured,
      "Must be set with fetch_devices. A CPU's tensors are done when the run returns, with it or without."},
     [](const Callable& c, CallableOptions* o) { o->fetch_skip_sync = c.fetch_skip_sync(); }},
};

}  // namespace

std::span<const RunRow> run_rows() { return kRunRows; }
std::span<const CallableRow> callable_rows() { return kCallableRows; }

}  // namespace troupe
