// Runs whose n-th allocation, and all after it, fail: for every n, a clean error that names a node, and a session that goes on.
#include <gmock/gmock.h>

#include "devices/memory/failing_allocator.h"
#include "tests/devices/kernels/dataset/dataset_fixture.h"
#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

class ShortMemoryTest : public DatasetKernels {
 protected:
  ShortMemoryTest() : memory_(plain_allocator()) {
    RuntimeOptions options;
    options.inter_op_threads = 2;
    options.intra_op_threads = 2;
    options.ops = ops_.get();
    options.kernels = kernels_.get();
    options.host_memory = &memory_;
    runtime_ = Runtime::create(options);
  }
  ~ShortMemoryTest() override {
    // Buffers go before the memory that they are of.
    session_.reset();
    runtime_.reset();
    EXPECT_EQ(memory_.live(), 0);
  }

  int matrix(const std::string& name, int64_t rows, int64_t columns) {
    Tensor t(DataType::kFloat, Shape{rows, columns});
    for (float& v : t.flat<float>()) v = 0.5f;
    return constant(name, std::move(t));
  }
  /// Runs it with ever more memory until it succeeds, three times over; `most` bounds the allocations.
  void run_short(const std::vector<NamedTensor>& feeds, const std::string& fetch, int most = 200) {
    const auto want = session_->run(feeds, {fetch});
    ASSERT_TRUE(want.ok()) << want.status();
    int failures = 0;
    for (int round = 0; round < 3; ++round) {
      int n = 1;
      for (; n < most; ++n) {
        memory_.set_fail_at(memory_.num_allocations() + n);
        const auto got = session_->run(feeds, {fetch});
        memory_.set_fail_at(0);
        if (got.ok()) break;
        ++failures;
        ASSERT_EQ(got.status().code(), absl::StatusCode::kResourceExhausted) << got.status();
        ASSERT_THAT(std::string(got.status().message()), HasSubstr("OOM"));
        ASSERT_THAT(std::string(got.status().message()), HasSubstr("{{node "));
        const auto after = session_->run(feeds, {fetch});
        ASSERT_TRUE(after.ok()) << after.status() << " after allocation " << n << " had failed";
        ASSERT_TRUE(tensors_near((*after)[0], (*want)[0]));
      }
      EXPECT_LT(n, most);
    }
    EXPECT_GT(failures, 0);
  }

  FailingAllocator memory_;
};

TEST_F(ShortMemoryTest, ends_products_with_an_error) {
  const int x = placeholder("x");
  const int w = matrix("w", 64, 64);
  const int product = add("product", "MatMul", {{"T", DataType::kFloat}}, {{x}, {w}});
  const int relu = add("relu", "Relu", {{"T", DataType::kFloat}}, {{product}});
  add("sum", "AddV2", {{"T", DataType::kFloat}}, {{relu}, {product}});
  open();
  Tensor fed(DataType::kFloat, Shape{32, 64});
  for (float& v : fed.flat<float>()) v = 0.25f;
  run_short({{"x", fed}}, "sum");
}

TEST_F(ShortMemoryTest, names_the_tensor_the_node_and_the_allocator) {
  const int x = placeholder("x");
  add("product", "MatMul", {{"T", DataType::kFloat}}, {{x}, {x}});
  open();
  Tensor fed(DataType::kFloat, Shape{3, 3});
  for (float& v : fed.flat<float>()) v = 1;
  ASSERT_TRUE(session_->run({{"x", fed}}, {"product"}).ok());
  memory_.set_fail_at(1);
  const absl::Status got = session_->run({{"x", fed}}, {"product"}).status();
  memory_.set_fail_at(0);
  EXPECT_EQ(std::string(got.message()),
            "OOM when allocating tensor with shape[3,3] and type float on "
            "/job:localhost/replica:0/task:0/device:CPU:0 "
            "by allocator failing\n\t [[{{node product}}]]\n"
            "Hint: If you want to see a list of allocated tensors when OOM happens, add "
            "report_tensor_allocations_upon_oom to RunOptions for current allocation info.");
}

TEST_F(ShortMemoryTest, ends_convolutions_with_an_error) {
  const int x = placeholder("x");
  Tensor filter(DataType::kFloat, Shape{3, 3, 4, 8});
  for (float& v : filter.flat<float>()) v = 0.1f;
  const int f = constant("f", std::move(filter));
  const AttrMap conv{
      {"T", DataType::kFloat}, {"strides", std::vector<int64_t>{1, 1, 1, 1}}, {"padding", "SAME"}};
  const int image = add("image", "Conv2D", conv, {{x}, {f}});
  const AttrMap pool{{"T", DataType::kFloat},
                     {"ksize", std::vector<int64_t>{1, 2, 2, 1}},
                     {"strides", std::vector<int64_t>{1, 2, 2, 1}},
                     {"padding", "VALID"}};
  const int pooled = add("pooled", "MaxPool", pool, {{image}});
  add("out", "Elu", {{"T", DataType::kFloat}}, {{pooled}});
  open();
  Tensor fed(DataType::kFloat, Shape{2, 16, 16, 4});
  for (float& v : fed.flat<float>()) v = 1;
  run_short({{"x", fed}}, "out");
}

TEST_F(ShortMemoryTest, ends_loops_with_an_error) {
  // i = x; while (i[0] < 8) i = i + i, in new memory each time.
  const AttrMap t{{"T", DataType::kFloat}};
  const int x = placeholder("x");
  const int in = add("enter", "Enter", {{"T", DataType::kFloat}, {"frame_name", "loop"}}, {{x}});
  const int merge = add("merge", "Merge", {{"T", DataType::kFloat}, {"N", 2}}, {{in}, {in}});
  const int limit = constant("limit", Tensor::scalar<float>(8), {merge});
  const int less = add("less", "Less", t, {{merge}, {limit}});
  const int cond = add("cond", "LoopCond", {}, {{less}});
  const int sw = add("switch", "Switch", t, {{merge}, {cond}});
  const int body = add("body", "AddV2", t, {{sw, 1}, {sw, 1}});
  const int next = add("next", "NextIteration", t, {{body}});
  graph_.node(merge).inputs[1] = {next, 0};
  add("out", "Exit", t, {{sw, 0}});
  open();
  run_short({{"x", Tensor::scalar<float>(1)}}, "out");
}

TEST_F(ShortMemoryTest, ends_maps_of_datasets_with_an_error) {
  functions(
      R"(function { signature { name: 'F' input_arg { name: 'x' type: DT_INT64 } output_arg { name: 'y' type: DT_INT64 } }
    node_def { name: 'n' op: 'Neg' input: 'x' attr { key: 'T' value { type: DT_INT64 } } }
    node_def { name: 'a' op: 'AddV2' input: 'n:y:0' input: 'x' attr { key: 'T' value { type: DT_INT64 } } }
    ret { key: 'y' value: 'a:z:0' } })");
  const int two = number(2);
  const int mapped =
      op("MapDataset", with(elements(), {{"f", FunctionRef{"F", {}}}, {"Targuments", Types{}}}),
         {{range(100000)}});
  const int batched = op("BatchDataset", elements(DataType::kInt64, PartialShape()), {{mapped}, {two}});
  iterate(batched, elements(DataType::kInt64, PartialShape()));
  open();
  ASSERT_TRUE(run("make").ok());
  run_short({}, "next");
}

TEST_F(ShortMemoryTest, ends_work_on_texts_with_an_error) {
  const int x = placeholder("x", DataType::kString);
  const int joined = add("joined", "StringJoin", {{"N", 2}, {"separator", ", "}}, {{x}, {x}});
  const int upper = add("upper", "StringUpper", {{"encoding", ""}}, {{joined}});
  const int hashed = add("hashed", "StringToHashBucketFast", {{"num_buckets", 1000}}, {{upper}});
  add("out", "AsString", {{"T", DataType::kInt64}}, {{hashed}});
  open();
  Tensor fed(DataType::kString, Shape{50});
  for (TString& s : fed.flat<TString>()) s.assign("a text that is longer than what a short string holds");
  run_short({{"x", fed}}, "out");
}

TEST_F(ShortMemoryTest, ends_updates_of_variables_with_an_error) {
  const AttrMap var{
      {"dtype", DataType::kFloat}, {"shape", PartialShape({4})}, {"shared_name", "v"}, {"container", ""}};
  const int v = add("v", "VarHandleOp", var);
  const int x = placeholder("x");
  add("init", "AssignVariableOp", {{"dtype", DataType::kFloat}}, {{v}, {x}});
  const int y = add("y", "Square", {{"T", DataType::kFloat}}, {{x}});
  const int z = add("z", "Neg", {{"T", DataType::kFloat}}, {{y}});
  const int set = add("set", "AssignVariableOp", {{"dtype", DataType::kFloat}}, {{v}, {z}});
  add("read", "ReadVariableOp", {{"dtype", DataType::kFloat}}, {{v}}, {set});
  open();
  const Tensor fed = Tensor::from<float>(Shape{4}, {1, 2, 3, 4});
  ASSERT_TRUE(session_->run({{"x", fed}}, {}, {"init"}).ok());
  run_short({{"x", fed}}, "read");
}

}  // namespace
}  // namespace troupe::test
