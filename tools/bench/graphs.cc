#include "tools/bench/graphs.h"

#include <random>
#include <string>
#include <vector>

#include "graph/tensor/tensor_proto.h"
#include "proto/attr_value.pb.h"
#include "proto/node_def.pb.h"
#include "proto/versions.pb.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace troupe::bench {
namespace {

namespace pb = ::tensorflow;

constexpr int kProducer = 440;
/// From how far back random nodes take their inputs.
constexpr int kDagWindow = 32;
constexpr int kNoopDagWindow = 64;
/// Any seed will do, as long as it stays.
constexpr int kSeed = 7;
constexpr float kMatmulScale = 0.01f;
constexpr char kDevice[] = "/job:localhost/replica:0/task:0/device:CPU:0";

/// Writes NodeDefs; each call returns the node's name.
class Writer {
 public:
  Writer() { graph_.mutable_versions()->set_producer(kProducer); }

  pb::NodeDef& node(const std::string& op, const std::string& name, const std::vector<std::string>& inputs) {
    pb::NodeDef& n = *graph_.add_node();
    n.set_op(op);
    n.set_name(name);
    for (const std::string& input : inputs) n.add_input(input);
    return n;
  }
  static void set_type(pb::NodeDef& n, const char* key, DataType t) {
    (*n.mutable_attr())[key].set_type(static_cast<pb::DataType>(t));
  }
  std::string typed(const std::string& op, const std::string& name, const std::vector<std::string>& inputs,
                    DataType t = DataType::kFloat) {
    set_type(node(op, name, inputs), "T", t);
    return name;
  }
  std::string placeholder(const std::string& name, DataType t = DataType::kFloat) {
    pb::NodeDef& n = node("Placeholder", name, {});
    set_type(n, "dtype", t);
    (*n.mutable_attr())["shape"].mutable_shape()->set_unknown_rank(true);
    return name;
  }
  std::string constant(const std::string& name, const Tensor& value,
                       const std::vector<std::string>& inputs = {}) {
    pb::NodeDef& n = node("Const", name, inputs);
    set_type(n, "dtype", value.dtype());
    to_proto(value, (*n.mutable_attr())["value"].mutable_tensor());
    return name;
  }
  std::string enter(const std::string& name, const std::string& input, const std::string& frame, DataType t,
                    bool is_constant = false) {
    pb::NodeDef& n = node("Enter", name, {input});
    set_type(n, "T", t);
    (*n.mutable_attr())["frame_name"].set_s(frame);
    (*n.mutable_attr())["is_constant"].set_b(is_constant);
    (*n.mutable_attr())["parallel_iterations"].set_i(10);
    return name;
  }
  std::string merge(const std::string& name, const std::string& first, const std::string& second,
                    DataType t) {
    pb::NodeDef& n = node("Merge", name, {first, second});
    set_type(n, "T", t);
    (*n.mutable_attr())["N"].set_i(2);
    return name;
  }
  std::string noop(const std::string& name, const std::vector<std::string>& after) {
    std::vector<std::string> inputs;
    for (const std::string& a : after) inputs.push_back("^" + a);
    node("NoOp", name, inputs);
    return name;
  }
  std::string add_n(const std::string& name, const std::vector<std::string>& inputs) {
    pb::NodeDef& n = node("AddN", name, inputs);
    set_type(n, "T", DataType::kFloat);
    (*n.mutable_attr())["N"].set_i(static_cast<int64_t>(inputs.size()));
    return name;
  }
  pb::GraphDef take() { return std::move(graph_); }

 private:
  pb::GraphDef graph_;
};

/// A loop whose one variable counts from `start` to `limit`. Names begin with `name`; constants wait for `context`, a node
/// of the frame around the loop, if there is one.
struct Counter {
  std::string merge, cond, switch_node, exit;
};

Counter counter(Writer* w, const std::string& name, const std::string& start, const std::string& limit,
                const std::vector<std::string>& context = {}) {
  const DataType i32 = DataType::kInt32;
  Counter c;
  const std::string in = w->enter(name + "/enter", start, name, i32);
  const std::string bound = w->enter(name + "/limit", limit, name, i32, true);
  c.merge = w->merge(name + "/merge", in, name + "/next", i32);
  w->typed("Less", name + "/less", {c.merge, bound}, i32);
  w->node("LoopCond", name + "/cond", {name + "/less"});
  c.cond = name + "/cond";
  c.switch_node = w->typed("Switch", name + "/switch", {c.merge, c.cond}, i32);
  const std::string one = w->enter(
      name + "/step", w->constant(name + "/one", Tensor::scalar<int32_t>(1), context), name, i32, true);
  w->typed("Add", name + "/add", {c.switch_node + ":1", one}, i32);
  w->typed("NextIteration", name + "/next", {name + "/add"}, i32);
  c.exit = w->typed("Exit", name + "/exit", {c.switch_node}, i32);
  return c;
}

/// A loop that hands its variable round; nobody ever has `exit`, an int32. Other names begin with it.
void endless_loop(Writer* w, const std::string& exit) {
  const DataType i32 = DataType::kInt32;
  const std::string merge = exit + "/merge", next = exit + "/next";
  const std::string zero = w->constant(exit + "/zero", Tensor::scalar<int32_t>(0));
  w->merge(merge, w->enter(exit + "/enter", zero, exit, i32), next, i32);
  w->constant(exit + "/always", Tensor::scalar<bool>(true), {"^" + merge});
  w->node("LoopCond", exit + "/cond", {exit + "/always"});
  const std::string branch = w->typed("Switch", exit + "/switch", {merge, exit + "/cond"}, i32);
  w->typed("NextIteration", next, {branch + ":1"}, i32);
  w->typed("Exit", exit, {branch}, i32);
}

}  // namespace

pb::GraphDef tiny_add() {
  Writer w;
  w.placeholder("x");
  w.constant("one", Tensor::scalar<float>(1));
  w.typed("Add", "y", {"x", "one"});
  return w.take();
}

pb::GraphDef noop_chain(int n) {
  Writer w;
  std::string last = w.noop("first", {});
  for (int i = 0; i < n; ++i) last = w.noop(absl::StrCat("n", i), {last});
  w.noop("go", {last});
  return w.take();
}

pb::GraphDef identity_chain(int n) {
  Writer w;
  std::string last = w.placeholder("x");
  for (int i = 0; i < n; ++i) last = w.typed("Identity", absl::StrCat("n", i), {last});
  w.typed("Identity", "y", {last});
  return w.take();
}

pb::GraphDef add_chain(int n) {
  Writer w;
  std::string last = w.placeholder("x");
  w.constant("one", Tensor::scalar<float>(1));
  for (int i = 0; i < n; ++i) last = w.typed("Add", absl::StrCat("n", i), {last, "one"});
  w.typed("Identity", "y", {last});
  return w.take();
}

pb::GraphDef wide_noops(int n) {
  Writer w;
  w.noop("first", {});
  std::vector<std::string> all;
  for (int i = 0; i < n; ++i) all.push_back(w.noop(absl::StrCat("n", i), {"first"}));
  w.noop("go", all);
  return w.take();
}

pb::GraphDef noop_dag(int n) {
  Writer w;
  std::mt19937 random(kSeed);
  std::vector<std::string> all;
  for (int i = 0; i < 16; ++i) all.push_back(w.noop(absl::StrCat("first", i), {}));
  for (int i = 0; i < n; ++i) {
    const int window = std::min<int>(kNoopDagWindow, static_cast<int>(all.size()));
    const size_t begin = all.size() - window;
    const size_t a = begin + random() % window;
    size_t b = begin + random() % (window - 1);
    if (b >= a) ++b;
    all.push_back(w.noop(absl::StrCat("n", i), {all[a], all[b]}));
  }
  w.noop("go", std::vector<std::string>(all.end() - kNoopDagWindow, all.end()));
  return w.take();
}

pb::GraphDef scalar_dag(int n) {
  Writer w;
  std::mt19937 random(kSeed);
  std::vector<std::string> all = {w.placeholder("x")};
  for (int i = 0; i < n; ++i) {
    const int window = std::min<int>(kDagWindow, static_cast<int>(all.size()));
    const std::string a = all[all.size() - 1 - random() % window];
    const std::string b = all[all.size() - 1 - random() % window];
    all.push_back(w.typed(i % 2 == 1 ? "AddV2" : "Minimum", absl::StrCat("n", i), {a, b}));
  }
  w.add_n("y", std::vector<std::string>(all.end() - std::min<size_t>(kDagWindow, all.size()), all.end()));
  return w.take();
}

pb::GraphDef while_loop() {
  Writer w;
  w.placeholder("n", DataType::kInt32);
  w.constant("zero", Tensor::scalar<int32_t>(0));
  w.typed("Identity", "y", {counter(&w, "loop", "zero", "n").exit}, DataType::kInt32);
  return w.take();
}

pb::GraphDef nested_while_loop() {
  Writer w;
  const DataType i32 = DataType::kInt32;
  w.placeholder("n", i32);
  w.constant("zero", Tensor::scalar<int32_t>(0));
  const Counter outer = counter(&w, "outer", "zero", "n");
  // Each outer iteration begins an inner loop from a zero of its own.
  const std::vector<std::string> inside = {"^" +
                                           w.typed("Identity", "inside", {outer.switch_node + ":1"}, i32)};
  w.constant("inner_zero", Tensor::scalar<int32_t>(0), inside);
  w.constant("ten", Tensor::scalar<int32_t>(10), inside);
  const std::string inner_sum = counter(&w, "inner", "inner_zero", "ten", inside).exit;
  // A second variable of the outer loop adds up the inner iterations.
  const std::string in = w.enter("sum/enter", "zero", "outer", i32);
  w.merge("sum/merge", in, "sum/next", i32);
  w.typed("Switch", "sum/switch", {"sum/merge", outer.cond}, i32);
  w.typed("Add", "sum/add", {"sum/switch:1", inner_sum}, i32);
  w.typed("NextIteration", "sum/next", {"sum/add"}, i32);
  w.typed("Exit", "sum/exit", {"sum/switch"}, i32);
  w.typed("Identity", "y", {"sum/exit"}, i32);
  return w.take();
}

pb::GraphDef matmul_chains(int chains, int length) {
  Writer w;
  w.placeholder("x");
  w.constant("scale", Tensor::scalar<float>(kMatmulScale));
  std::vector<std::string> ends;
  for (int k = 0; k < chains; ++k) {
    std::string y = "x";
    for (int i = 0; i < length; ++i) {
      const std::string name = absl::StrCat("c", k, "_", i);
      y = w.typed("Mul", name, {w.typed("MatMul", name + "m", {y, "x"}), "scale"});
    }
    ends.push_back(y);
  }
  w.add_n("y", ends);
  return w.take();
}

pb::GraphDef pass_through() {
  Writer w;
  w.placeholder("x");
  w.typed("Identity", "y", {"x"});
  return w.take();
}

pb::GraphDef cancel_scenes() {
  Writer w;
  w.placeholder("x");
  w.typed("Identity", "y", {"x"});
  endless_loop(&w, "loop");
  w.node("BenchSleep", "sleep", {"x"});
  pb::NodeDef& recv = w.node("_Recv", "recv_node", {});
  Writer::set_type(recv, "tensor_type", DataType::kFloat);
  (*recv.mutable_attr())["tensor_name"].set_s("nobody sends it");
  (*recv.mutable_attr())["send_device"].set_s(kDevice);
  (*recv.mutable_attr())["send_device_incarnation"].set_i(1);
  (*recv.mutable_attr())["recv_device"].set_s(kDevice);
  w.typed("Identity", "recv", {"recv_node"});
  return w.take();
}

pb::GraphDef cancel_over_tasks() {
  Writer w;
  w.placeholder("x");
  w.typed("Identity", "there/x", {"x"});
  w.typed("Identity", "y", {"there/x"});
  endless_loop(&w, "here/loop");
  endless_loop(&w, "there/loop");
  w.typed("Add", "loops", {"here/loop", "there/loop"}, DataType::kInt32);
  pb::GraphDef graph = w.take();
  for (pb::NodeDef& n : *graph.mutable_node())
    n.set_device(absl::StartsWith(n.name(), "there/") ? "/job:worker/task:1" : "/job:worker/task:0");
  return graph;
}

}  // namespace troupe::bench
