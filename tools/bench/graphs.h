#pragma once

#include <cstdint>

#include "graph/tensor/tensor.h"
#include "proto/graph.pb.h"

/// The graphs of the workloads, made in code. Feeds are called "x" (or "n", an int32 limit of loops), fetches "y", targets
/// "go".
namespace troupe::bench {

/// y = x + 1.
tensorflow::GraphDef tiny_add();
/// n nodes, each behind the one before it.
tensorflow::GraphDef noop_chain(int n);
tensorflow::GraphDef identity_chain(int n);
tensorflow::GraphDef add_chain(int n);
/// n NoOps between a first and a last.
tensorflow::GraphDef wide_noops(int n);
/// n NoOps, each behind two of the 64 before it.
tensorflow::GraphDef noop_dag(int n);
/// n nodes Add and Minimum, each of two of the 32 before it.
tensorflow::GraphDef scalar_dag(int n);
/// i = 0; while (i < n) i += 1: five nodes an iteration.
tensorflow::GraphDef while_loop();
/// n times a loop of ten iterations.
tensorflow::GraphDef nested_while_loop();
/// `chains` times y = y * x * 0.01, `length` times, over matrices.
tensorflow::GraphDef matmul_chains(int chains, int length);
/// y = x, of any shape.
tensorflow::GraphDef pass_through();
/// Everything that a cancel can meet: "loop" never ends, "sleep" sleeps (of the op BenchSleep), "recv" waits for a tensor
/// that nobody sends, "y" is x.
tensorflow::GraphDef cancel_scenes();
/// Over tasks 0 and 1 of the job "worker": "loops" waits for a loop on each that never ends, "y" is x by way of task 1.
tensorflow::GraphDef cancel_over_tasks();

}  // namespace troupe::bench
