// What the partitions of a session have in common: lowered nodes, with their kernels.
#include "devices/shared_nodes.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "devices/compiled_partition.h"
#include "devices/cpu/cpu_device.h"
#include "devices/cpu/kernels/register_kernels.h"

namespace troupe {
namespace {

using Partition = std::shared_ptr<const CompiledPartition>;

class SharedNodesTest : public testing::Test {
 protected:
  SharedNodesTest()
      : device_(make_cpu_device("/job:localhost/replica:0/task:0", 0, plain_allocator(), serial_runner())) {
    register_cpu_kernels(&kernels_);
  }

  /// x -> n0 -> n1 ... of `length` Neg nodes.
  static Graph chain(int length) {
    Graph g;
    int last = (*g.add_node("x", "_Arg", {{"T", DataType::kFloat}, {"index", int64_t{0}}}, {}))->id;
    for (int i = 0; i < length; ++i) {
      last = (*g.add_node(absl::StrCat("n", i), "Neg", {{"T", DataType::kFloat}}, {{last, 0}}))->id;
    }
    return g;
  }

  /// x + c.
  static Graph sum(const Tensor& c) {
    Graph g = chain(0);
    int value = (*g.add_node("c", "Const", {{"dtype", DataType::kFloat}, {"value", c}}, {}))->id;
    (void)*g.add_node("sum", "AddV2", {{"T", DataType::kFloat}}, {{0, 0}, {value, 0}});
    return g;
  }

  Partition compile(const Graph& graph) {
    auto p = CompiledPartition::compile(graph, device_.get(), kernels_, nullptr, &shared_);
    EXPECT_TRUE(p.ok()) << p.status();
    return p.ok() ? *p : nullptr;
  }

  static const CompiledNode& node(const Partition& p, const std::string& name) {
    for (int i = 0; i < p->num_nodes(); ++i) {
      if (p->info(i).name == name) return p->node(i);
    }
    ADD_FAILURE() << "no node " << name;
    return p->node(0);
  }

  KernelRegistry kernels_;
  std::unique_ptr<Device> device_;
  SharedNodes shared_;
};

TEST_F(SharedNodesTest, a_longer_chain_shares_the_kernels_of_a_shorter_one) {
  const Partition shorter = compile(chain(3)), longer = compile(chain(4));
  for (const char* name : {"n0", "n1", "n2"}) {
    EXPECT_EQ(node(shorter, name).info, node(longer, name).info);
    EXPECT_EQ(node(shorter, name).kernel, node(longer, name).kernel);
    EXPECT_NE(node(longer, name).kernel, nullptr);
  }
}

TEST_F(SharedNodesTest, constants_that_are_written_to_belong_to_one_partition) {
  const Tensor c = Tensor::from<float>(Shape{1, 1}, {3}), row = Tensor::vector<int32_t>({0});
  Graph g = sum(c);
  const int value = g.find("c")->id, v = g.find("x")->id;
  const int i = (*g.add_node("i", "Const", {{"dtype", DataType::kInt32}, {"value", row}}, {}))->id;
  const Partition reads = compile(g);
  EXPECT_TRUE(reads->constant(node(reads, "c").aux).shares_buffer_with(c));
  (void)*g.add_node("y", "InplaceAdd", {{"T", DataType::kFloat}}, {{value, 0}, {i, 0}, {v, 0}});
  const Partition writes = compile(g);
  EXPECT_FALSE(writes->constant(node(writes, "c").aux).shares_buffer_with(c));
  EXPECT_TRUE(writes->constant(node(writes, "i").aux).shares_buffer_with(row));
}

TEST_F(SharedNodesTest, constants_that_are_written_to_behind_an_identity_belong_to_one_partition_too) {
  const Tensor c = Tensor::from<float>(Shape{1, 1}, {3});
  Graph g = sum(c);
  const AttrMap t{{"T", DataType::kFloat}};
  const int same = (*g.add_node("same", "Identity", t, {{g.find("c")->id, 0}}))->id;
  const int i =
      (*g.add_node("i", "Const", {{"dtype", DataType::kInt32}, {"value", Tensor::vector<int32_t>({0})}}, {}))
          ->id;
  const Partition reads = compile(g);
  EXPECT_TRUE(reads->constant(node(reads, "c").aux).shares_buffer_with(c));
  (void)*g.add_node("y", "InplaceAdd", t, {{same, 0}, {i, 0}, {g.find("x")->id, 0}});
  const Partition writes = compile(g);
  EXPECT_FALSE(writes->constant(node(writes, "c").aux).shares_buffer_with(c));
}

TEST_F(SharedNodesTest, nodes_that_say_something_else_are_not_shared) {
  Graph other;
  int x = (*other.add_node("x", "_Arg", {{"T", DataType::kDouble}, {"index", int64_t{0}}}, {}))->id;
  (void)*other.add_node("n0", "Neg", {{"T", DataType::kDouble}}, {{x, 0}});
  (void)*other.add_node("n1", "Abs", {{"T", DataType::kDouble}}, {{x, 0}});
  const Partition floats = compile(chain(2)), doubles = compile(other);
  EXPECT_NE(node(floats, "n0").kernel, node(doubles, "n0").kernel);
  EXPECT_NE(node(floats, "n1").kernel, node(doubles, "n1").kernel);
  EXPECT_EQ(node(doubles, "n1").info->op->name, "Abs");
}

TEST_F(SharedNodesTest, a_kernel_is_shared_only_where_its_constants_are_the_same_memory) {
  // It may keep what it made of them.
  const Tensor one = Tensor::scalar<float>(1);
  const Partition first = compile(sum(one)), again = compile(sum(one));
  EXPECT_EQ(node(first, "sum").kernel, node(again, "sum").kernel);
  const Partition other = compile(sum(Tensor::scalar<float>(2)));
  EXPECT_NE(node(first, "sum").kernel, node(other, "sum").kernel);
  Graph fed = chain(0);
  int c = (*fed.add_node("c", "_Arg", {{"T", DataType::kFloat}, {"index", int64_t{1}}}, {}))->id;
  (void)*fed.add_node("sum", "AddV2", {{"T", DataType::kFloat}}, {{0, 0}, {c, 0}});
  EXPECT_EQ(node(compile(fed), "sum").info->constant_inputs, 0u);
}

TEST_F(SharedNodesTest, keeps_nothing_that_no_partition_has) {
  Partition p = compile(chain(3));
  const Tensor value = Tensor::scalar<float>(1);
  Partition q = compile(sum(value));
  EXPECT_NE(shared_.find(device_.get(), "n1"), nullptr);
  p = q = nullptr;
  EXPECT_EQ(shared_.find(device_.get(), "n1"), nullptr);
  EXPECT_TRUE(value.unique());
  for (int i = 0; i < 10; ++i) compile(chain(1000 + 100 * i));
  EXPECT_LT(shared_.size(), 4096u) << "nor the names of what has gone";
}

}  // namespace
}  // namespace troupe
