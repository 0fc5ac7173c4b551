#include "graph/passes/cross_memory.h"

#include <gmock/gmock.h>

#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/ir/graph_builder.h"
#include "graph/ir/names.h"
#include "graph/passes/partition.h"

namespace troupe {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A CPU, and a GPU whose kernels have what `host_args` names of their ops on the host.
class Machine final : public DeviceCatalog {
 public:
  const std::vector<Entry>& entries() const override { return entries_; }
  int client_device() const override { return 0; }
  absl::StatusOr<Support> kernel_support(const OpDef& op, const AttrMap& attrs,
                                         const std::string&) const override {
    auto it = host_args.find(op.name);
    if (attrs.get_or<DataType>("T", DataType::kFloat) == DataType::kInt32 && op.name != "Gather")
      it = host_args.find("int32");
    return Support{true, 0, it == host_args.end() ? nullptr : &it->second};
  }
  std::string kernels_of(const std::string&) const override { return ""; }

  const std::map<std::string, std::vector<std::string>> host_args{
      {"int32", {"x", "y", "z", "input", "output"}},
      {"_CopyToHost", {"output"}},
      {"_CopyToDevice", {"input"}},
      {"Reshape", {"shape"}},
      {"ConcatV2", {"axis"}},
      {"Shape", {"output"}}};

 private:
  std::vector<Entry> entries_{{"/job:localhost/replica:0/task:0/device:CPU:0", "CPU", 7},
                              {"/job:localhost/replica:0/task:0/device:GPU:0", "GPU", 8, 210, true, false}};
};

class CrossMemory : public testing::Test {
 protected:
  /// All of what was built is on the GPU. How many copies there are.
  int cross() {
    auto built = b.build();
    EXPECT_TRUE(built.ok()) << built.status();
    graph = *std::move(built);
    for (int i = 0; i < graph.num_ids(); ++i) graph.node(i).device = 1;
    return again();
  }
  int again() {
    const auto added = cross_memory(machine, 1, &graph);
    EXPECT_TRUE(added.ok()) << added.status();
    return added.value_or(-1);
  }
  Out arg(const std::string& name, DataType type = DataType::kFloat) {
    return b.op("_Arg", {}, {{"T", type}, {"index", args_++}}, name);
  }
  Out retval(Out x, const std::string& name) { return b.op("_Retval", {x}, {{"index", retvals_++}}, name); }
  /// "Add(x/_to_device, y)"
  std::string now(const std::string& name) {
    const Node* n = graph.find(name);
    if (n == nullptr) return absl::StrCat("no ", name);
    std::string text = n->op->name + "(";
    for (int i = 0; i < n->num_inputs(); ++i)
      absl::StrAppend(&text, i > 0 ? ", " : "",
                      input_text(graph.node(n->inputs[i].node).name, n->inputs[i].slot));
    return text + ")";
  }
  int count(absl::string_view op) const {
    int n = 0;
    for (int i = 0; i < graph.num_ids(); ++i) n += graph.node(i).is(op);
    return n;
  }

  Machine machine;
  GraphBuilder b;
  Graph graph;

 private:
  int64_t args_ = 0, retvals_ = 0;
};

TEST_F(CrossMemory, puts_one_copy_for_each_output_that_is_elsewhere) {
  Out x = arg("x");
  Out sum = b.add(x, x, "sum");
  Out product = b.mul(sum, x, "product");
  retval(product, "out");
  retval(product, "again");
  EXPECT_EQ(cross(), 2);
  EXPECT_EQ(now("x/_to_device"), "_CopyToDevice(x)");
  EXPECT_EQ(now("sum"), "AddV2(x/_to_device, x/_to_device)");
  EXPECT_EQ(now("product"), "Mul(sum, x/_to_device)");
  EXPECT_EQ(now("out"), "_Retval(product/_to_host)");
  EXPECT_EQ(now("again"), "_Retval(product/_to_host)");
  EXPECT_EQ(graph.find("x/_to_device")->device, 1);
  EXPECT_EQ(again(), 0) << "all is well then";
}

TEST_F(CrossMemory, leaves_on_the_host_what_kernels_have_there) {
  Out x = b.add(arg("x"), arg("y"), "x2");
  Out flat = b.op("Reshape", {x, arg("shape", DataType::kInt32)}, {}, "flat");
  Out dims = b.op("Shape", {flat}, {}, "dims");
  retval(b.add(dims, dims, "twice"), "out");
  EXPECT_EQ(cross(), 2) << "x and y";
  EXPECT_EQ(now("flat"), "Reshape(x2, shape)");
  EXPECT_EQ(now("dims"), "Shape(flat)");
  EXPECT_EQ(now("out"), "_Retval(twice)");
}

TEST_F(CrossMemory, counts_through_arguments_that_are_lists) {
  Out x = arg("x"), y = b.neg(x, "y");
  Out joined = b.op("ConcatV2", {std::vector<Out>{x, y}, b.constant(int32_t{0}, "axis")}, {}, "joined");
  retval(joined, "out");
  EXPECT_EQ(cross(), 2);
  EXPECT_EQ(now("joined"), "ConcatV2(x/_to_device, y, axis)");
}

TEST_F(CrossMemory, copies_neither_strings_nor_handles_of_resources) {
  Out handle = b.op("VarHandleOp", {}, {{"dtype", DataType::kFloat}, {"shape", PartialShape({})}}, "handle");
  Out value = b.op("ReadVariableOp", {b.identity(handle, "same")}, {{"dtype", DataType::kFloat}}, "value");
  retval(b.identity(arg("text", DataType::kString), "text_too"), "text_out");
  retval(value, "out");
  EXPECT_EQ(cross(), 1);
  EXPECT_EQ(now("value"), "ReadVariableOp(same)");
  EXPECT_EQ(now("out"), "_Retval(value/_to_host)");
}

TEST_F(CrossMemory, hands_on_where_the_value_is) {
  Out host = b.identity(arg("x"), "host");
  Out device = b.identity(b.identity(b.neg(host, "minus"), "one"), "two");
  retval(host, "host_out");
  retval(device, "out");
  EXPECT_EQ(cross(), 2);
  EXPECT_EQ(now("minus"), "Neg(host/_to_device)");
  EXPECT_EQ(now("two"), "Identity(one)");
  EXPECT_EQ(now("out"), "_Retval(two/_to_host)");
}

TEST_F(CrossMemory, reads_the_sides_of_a_switch_on_the_host) {
  Out x = arg("x");
  Out positive = b.less(b.constant(0.0f, "zero"), x, "positive");
  std::vector<Out> out = b.cond(
      positive, [&] { return std::vector<Out>{b.neg(x, "less")}; },
      [&] { return std::vector<Out>{b.add(x, x, "more")}; });
  retval(out[0], "out");
  cross();
  EXPECT_EQ(count("_CopyToHost"), 2) << "the predicate, the result";
  for (int i = 0; i < graph.num_ids(); ++i) {
    const Node& n = graph.node(i);
    if (!n.is("Switch")) continue;
    // The predicate's way to it is on the host from some copy on.
    int at = n.inputs[1].node;
    while (graph.node(at).is("Identity") || graph.node(at).is("Switch")) at = graph.node(at).inputs[0].node;
    EXPECT_TRUE(graph.node(at).is("_CopyToHost")) << n.name;
  }
}

TEST_F(CrossMemory, counts_loops_on_the_host_and_keeps_their_values_on_the_device) {
  Out zero = b.constant(int32_t{0}, "zero");
  Out x = arg("x"), w = arg("w");
  std::vector<Out> out = b.while_loop(
      {zero, x}, [&](const auto& v) { return b.less(v[0], b.constant(int32_t{5}, "five"), "go_on"); },
      [&](const auto& v) {
        return std::vector<Out>{b.add(v[0], b.constant(int32_t{1}, "one"), "next"),
                                b.mul(v[1], w, "product")};
      });
  retval(out[1], "out");
  EXPECT_EQ(cross(), 3) << "x and w before the loop, the result behind it";
  EXPECT_EQ(count("_CopyToHost"), 1);
  EXPECT_THAT(now("out"), HasSubstr("Exit"));
  EXPECT_THAT(now("x/_to_device"), "_CopyToDevice(x)");
  EXPECT_THAT(now("w/_to_device"), "_CopyToDevice(w)");
}

TEST_F(CrossMemory, copies_in_the_loop_what_the_loop_compares_there) {
  Out x = arg("x");
  std::vector<Out> out = b.while_loop(
      {x}, [&](const auto& v) { return b.less(v[0], b.constant(10.0f, "ten"), "go_on"); },
      [&](const auto& v) { return std::vector<Out>{b.add(v[0], v[0], "twice")}; });
  retval(out[0], "out");
  cross();
  EXPECT_EQ(now("while/go_on/_to_host"), "_CopyToHost(while/go_on)");
}

TEST_F(CrossMemory, gives_a_reader_of_a_reference_a_copy_of_its_own_that_waits_for_what_it_waits_for) {
  const auto v = b.ref_variable(Tensor::scalar<float>(1), "v");
  Out assigned = b.assign_add(v, b.constant(2.0f, "two"), "assigned");
  {
    auto after = b.control({assigned});
    b.op("_Retval", {v.handle}, {{"T", DataType::kFloat}, {"index", 0}}, "after");
  }
  b.op("_Retval", {v.handle}, {{"T", DataType::kFloat}, {"index", 1}}, "whenever");
  cross();
  const Node* after = graph.find("after");
  const Node& copy = graph.node(after->inputs[0].node);
  ASSERT_TRUE(copy.is("_CopyToHost"));
  EXPECT_EQ(copy.inputs[0].node, graph.find("v")->id);
  EXPECT_THAT(copy.control_inputs, ElementsAre(graph.find("assigned")->id));
  const Node& other = graph.node(graph.find("whenever")->inputs[0].node);
  EXPECT_NE(other.id, copy.id);
  EXPECT_TRUE(other.control_inputs.empty());
  EXPECT_EQ(graph.find("assigned")->inputs[0].node, graph.find("v")->id) << "a reference crosses nothing";
}

TEST_F(CrossMemory, lets_copies_be_kept_where_nothing_is_written_in_place) {
  retval(b.neg(b.constant(2.0f, "two"), "minus"), "out");
  cross();
  EXPECT_TRUE(graph.find("two/_to_device")->attrs.get_or<bool>("keep", false));
}

TEST_F(CrossMemory, keeps_none_where_something_is) {
  Out c = b.constant(Tensor(DataType::kFloat, Shape{2}), "c");
  Out changed = b.op("InplaceAdd", {c, arg("i", DataType::kInt32), arg("v")}, {}, "changed");
  retval(changed, "out");
  cross();
  EXPECT_FALSE(graph.find("c/_to_device")->attrs.get_or<bool>("keep", true));
}

TEST_F(CrossMemory, is_part_of_cutting_a_graph) {
  Out x = b.op("_Arg", {}, {{"T", DataType::kFloat}, {"index", 0}}, "x");
  b.op("_Retval", {b.add(x, x, "sum")}, {{"index", 0}}, "out");
  Draft draft;
  draft.graph = *b.build();
  for (int i = 0; i < draft.graph.num_ids(); ++i)
    draft.graph.node(i).device = draft.graph.node(i).name == "sum" ? 1 : 0;
  auto parts = partition(machine, cut_by_device(machine), std::move(draft));
  ASSERT_TRUE(parts.ok()) << parts.status();
  ASSERT_EQ(parts->size(), 2u);
  for (PlanPartition& p : *parts) {
    graph = std::move(p.graph);
    EXPECT_EQ(count("_CopyToHost"), p.device);
    EXPECT_EQ(count("_CopyToDevice"), p.device);
  }
}

}  // namespace
}  // namespace troupe
