// Cancelling a step from another thread: the loop below never ends by itself.
#include <cstdio>
#include <future>
#include <thread>

#include "actors/runtime.h"
#include "actors/session.h"
#include "graph/ir/graph.h"

namespace {

/// while (true) {}: Enter -> Merge -> Switch -> NextIteration, with a condition that is always true.
troupe::Graph endless() {
  using troupe::DataType;
  troupe::Graph g;
  auto add = [&](const char* name, const char* op, troupe::AttrMap attrs, std::vector<troupe::Endpoint> in) {
    return (*g.add_node(name, op, std::move(attrs), std::move(in)))->id;
  };
  troupe::AttrMap t{{"T", DataType::kBool}};
  int yes = add("yes", "Const", {{"dtype", DataType::kBool}, {"value", troupe::Tensor::scalar(true)}}, {});
  int enter = add("enter", "Enter", {{"T", DataType::kBool}, {"frame_name", "loop"}}, {{yes, 0}});
  int merge = add("merge", "Merge", {{"T", DataType::kBool}, {"N", 2}}, {{enter, 0}, {enter, 0}});
  int cond = add("cond", "LoopCond", {}, {{merge, 0}});
  int sw = add("switch", "Switch", t, {{merge, 0}, {cond, 0}});
  int next = add("next", "NextIteration", t, {{sw, 1}});
  g.node(merge).inputs[1] = {next, 0};
  add("never", "Exit", t, {{sw, 0}});
  return g;
}

}  // namespace

int main() {
  auto runtime = troupe::Runtime::create();
  auto session = troupe::Session::open(*runtime);
  if (!session.ok() || !(*session)->create(endless()).ok()) return 1;
  auto step = std::async(std::launch::async, [&] { return (*session)->run({}, {"never"}).status(); });
  while ((*session)->cancel("the user pressed a key").value_or(0) == 0) std::this_thread::yield();
  absl::Status end = step.get();
  std::printf("%s\n", end.ToString().c_str());
  return absl::IsCancelled(end) ? 0 : 1;
}
