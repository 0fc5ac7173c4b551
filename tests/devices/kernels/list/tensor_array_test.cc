// Tensor arrays, stacks and tensor lists.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "graph/tensor/tensor_proto.h"
#include "proto/tensor.pb.h"
#include "tests/actors/session_fixture.h"
#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;

Tensor flow() { return Tensor::scalar<float>(0); }
Tensor index(int32_t i) { return Tensor::scalar<int32_t>(i); }

Tensor new_array(int32_t size, AttrMap more = {}) {
  AttrMap attrs{{"dtype", DataType::kFloat}};
  for (const auto& [name, value] : more) attrs.set(name, value);
  auto out = run_kernel("TensorArrayV3", {index(size)}, attrs);
  EXPECT_TRUE(out.ok()) << out.status();
  return out->at(0);
}
absl::Status write(const Tensor& array, int32_t i, Tensor value) {
  return run_kernel("TensorArrayWriteV3", {array, index(i), std::move(value), flow()}).status();
}
absl::StatusOr<std::vector<Tensor>> read(const Tensor& array, int32_t i) {
  return run_kernel("TensorArrayReadV3", {array, index(i), flow()}, {{"dtype", DataType::kFloat}});
}

TEST(TensorArray, reads_what_was_written_once) {
  Tensor array = new_array(2);
  ASSERT_TRUE(write(array, 1, Tensor::vector<float>({1, 2})).ok());
  EXPECT_TRUE(tensors_near(read(array, 1)->at(0), Tensor::vector<float>({1, 2})));
  EXPECT_THAT(read(array, 1).status().message(),
              HasSubstr("Could not read index 1 twice because it was cleared"));
  EXPECT_THAT(write(array, 1, Tensor::vector<float>({1})).message(),
              HasSubstr("because it has already been read"));
}

TEST(TensorArray, refuses_indices_outside_unless_it_may_grow) {
  Tensor fixed = new_array(1);
  EXPECT_THAT(write(fixed, 1, flow()).message(),
              HasSubstr("Tried to write to index 1 but array is not resizeable and size is: 1"));
  EXPECT_THAT(read(fixed, -1).status().message(),
              HasSubstr("Tried to read from index -1 but array size is: 1"));
  Tensor growing = new_array(0, {{"dynamic_size", true}});
  ASSERT_TRUE(write(growing, 3, flow()).ok());
  EXPECT_EQ(run_kernel("TensorArraySizeV3", {growing, flow()})->at(0).value<int32_t>(), 4);
  EXPECT_EQ(write(growing, 2000000000, flow()).code(), absl::StatusCode::kResourceExhausted);
}

TEST(TensorArray, gives_zeros_for_unwritten_elements_of_known_shape) {
  Tensor known = new_array(1, {{"element_shape", PartialShape{2}}});
  EXPECT_TRUE(tensors_near(read(known, 0)->at(0), Tensor::vector<float>({0, 0})));
  EXPECT_THAT(read(new_array(1), 0).status().message(),
              HasSubstr("the element shape is not fully defined: <unknown>"));
}

TEST(TensorArray, sums_in_a_gradient_and_forbids_writing_twice_elsewhere) {
  Tensor array = new_array(1);
  ASSERT_TRUE(write(array, 0, Tensor::vector<float>({1, 2})).ok());
  EXPECT_THAT(write(array, 0, Tensor::vector<float>({1, 2})).message(), HasSubstr("already been written to"));
  auto gradient = run_kernel("TensorArrayGradV3", {array, flow()}, {{"source", "g"}});
  ASSERT_TRUE(gradient.ok()) << gradient.status();
  Tensor g = gradient->at(0), value = Tensor::vector<float>({3, 4});
  ASSERT_TRUE(write(g, 0, value).ok());
  ASSERT_TRUE(write(g, 0, value).ok());
  EXPECT_TRUE(tensors_near(read(g, 0)->at(0), Tensor::vector<float>({6, 8})));
  EXPECT_EQ(value.flat<float>()[0], 3) << "summed in a tensor that others hold";
}

TEST(TensorArray, splits_and_joins) {
  Tensor array = new_array(2);
  auto split = run_kernel("TensorArraySplitV3",
                          {array, Tensor::vector<float>({1, 2, 3}), Tensor::vector<int64_t>({1, 2}), flow()});
  ASSERT_TRUE(split.ok()) << split.status();
  auto joined = run_kernel("TensorArrayConcatV3", {array, flow()}, {{"dtype", DataType::kFloat}});
  ASSERT_TRUE(joined.ok()) << joined.status();
  EXPECT_TRUE(tensors_near(joined->at(0), Tensor::vector<float>({1, 2, 3})));
  EXPECT_TRUE(tensors_near(joined->at(1), Tensor::vector<int64_t>({1, 2})));
  Tensor other = new_array(2);
  EXPECT_THAT(run_kernel("TensorArraySplitV3",
                         {other, Tensor::vector<float>({1, 2, 3}), Tensor::vector<int64_t>({1, -2}), flow()})
                  .status()
                  .message(),
              HasSubstr("Expected lengths to be >= 0, but saw -2"));
}

TEST(TensorArray, is_useless_when_closed) {
  Tensor array = new_array(1);
  ASSERT_TRUE(run_kernel("TensorArrayCloseV3", {array}).ok());
  EXPECT_THAT(write(array, 0, flow()).message(), HasSubstr("has already been closed."));
}

TEST(Stack, gives_back_the_last_first_and_keeps_its_bounds) {
  KernelHarness harness;
  const AttrMap type{{"elem_type", DataType::kFloat}};
  Tensor stack = harness.run("StackV2", {index(2)}, type)->at(0);
  for (float v : {5.0f, 6.0f})
    ASSERT_TRUE(harness.run("StackPushV2", {stack, Tensor::scalar<float>(v)}).ok());
  EXPECT_THAT(harness.run("StackPushV2", {stack, Tensor::scalar<float>(7)}).status().message(),
              HasSubstr("overflowed its max_size (2)"));
  EXPECT_EQ(harness.run("StackPopV2", {stack}, type)->at(0).value<float>(), 6);
  EXPECT_EQ(harness.run("StackPopV2", {stack}, type)->at(0).value<float>(), 5);
  EXPECT_THAT(harness.run("StackPopV2", {stack}, type).status().message(),
              HasSubstr("is empty when calling Pop()."));
}

TEST(Stack, has_no_bound_below_zero_and_no_room_at_zero) {
  for (int32_t size : {0, -1}) {
    KernelHarness harness;
    Tensor stack = harness.run("StackV2", {index(size)}, {{"elem_type", DataType::kFloat}})->at(0);
    for (int i = 0; i < 5; ++i)
      EXPECT_EQ(harness.run("StackPushV2", {stack, Tensor::scalar<float>(5)}).ok(), size < 0);
  }
}

TEST(Stack, takes_and_gives_one_type) {
  KernelHarness harness;
  Tensor stack = harness.run("StackV2", {index(-1)}, {{"elem_type", DataType::kFloat}})->at(0);
  const absl::Status refused = harness.run("StackPushV2", {stack, index(1)}).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("Must have type 1 but got 3"));
  ASSERT_TRUE(harness.run("StackPushV2", {stack, Tensor::scalar<float>(1)}).ok());
  EXPECT_EQ(harness.run("StackPopV2", {stack}, {{"elem_type", DataType::kInt32}}).status().code(),
            absl::StatusCode::kInternal);
}

Tensor reserved(int32_t n, Tensor shape = Tensor::scalar<int32_t>(-1)) {
  auto out =
      run_kernel("TensorListReserve", {std::move(shape), index(n)}, {{"element_dtype", DataType::kFloat}});
  EXPECT_TRUE(out.ok()) << out.status();
  return out->at(0);
}
absl::StatusOr<std::vector<Tensor>> set_item(Tensor list, int32_t i, Tensor value) {
  std::vector<Tensor> inputs;  // not a list in braces, which would hold the tensors a second time
  inputs.push_back(std::move(list));
  inputs.push_back(index(i));
  inputs.push_back(std::move(value));
  return run_kernel("TensorListSetItem", std::move(inputs));
}
absl::StatusOr<std::vector<Tensor>> get_item(Tensor list, int32_t i) {
  return run_kernel("TensorListGetItem", {std::move(list), index(i), index(-1)},
                    {{"element_dtype", DataType::kFloat}});
}

TEST(TensorList, is_a_value_that_changes_leave_alone) {
  Tensor before = reserved(2);
  auto after = set_item(before, 0, Tensor::scalar<float>(7));
  ASSERT_TRUE(after.ok()) << after.status();
  EXPECT_EQ(get_item(after->at(0), 0)->at(0).value<float>(), 7);
  EXPECT_THAT(get_item(before, 0).status().message(),
              HasSubstr("Trying to read an uninitialized tensor but"));
  EXPECT_THAT(set_item(before, 2, flow()).status().message(),
              HasSubstr("Trying to modify element 2 in a list with 2 elements."));
}

TEST(TensorList, changes_in_place_when_nobody_else_holds_it) {
  Tensor list = reserved(1);
  const VariantValue* memory = list.value<Variant>().value().get();
  auto after = set_item(std::move(list), 0, Tensor::scalar<float>(7));
  ASSERT_TRUE(after.ok()) << after.status();
  EXPECT_EQ(after->at(0).value<Variant>().value().get(), memory);
}

TEST(TensorList, stacks_with_zeros_for_what_was_never_set) {
  auto list = set_item(reserved(2), 1, Tensor::vector<float>({1, 2}));
  auto stacked =
      run_kernel("TensorListStack", {list->at(0), index(-1)}, {{"element_dtype", DataType::kFloat}});
  ASSERT_TRUE(stacked.ok()) << stacked.status();
  EXPECT_TRUE(tensors_near(stacked->at(0), Tensor::from<float>(Shape{2, 2}, {0, 0, 1, 2})));
  EXPECT_THAT(
      run_kernel("TensorListStack", {reserved(0), index(-1)}, {{"element_dtype", DataType::kFloat}})
          .status()
          .message(),
      HasSubstr("Tried to stack elements of an empty list with non-fully-defined element_shape: <unknown>"));
}

TEST(TensorList, adds_lists_and_makes_zeros_of_them) {
  Tensor a = set_item(reserved(2), 0, Tensor::vector<float>({1, 2}))->at(0);
  Tensor b = set_item(set_item(reserved(2), 0, Tensor::vector<float>({10, 20}))->at(0), 1, flow())->at(0);
  auto sum = run_kernel("AddN", {a, b});
  ASSERT_TRUE(sum.ok()) << sum.status();
  EXPECT_TRUE(tensors_near(get_item(sum->at(0), 0)->at(0), Tensor::vector<float>({11, 22})));
  EXPECT_TRUE(tensors_near(get_item(sum->at(0), 1)->at(0), flow()));
  auto zero = run_kernel("ZerosLike", {a});
  ASSERT_TRUE(zero.ok()) << zero.status();
  EXPECT_TRUE(tensors_near(get_item(zero->at(0), 0)->at(0), Tensor::vector<float>({0, 0})));
  EXPECT_THAT(
      run_kernel("AddN", {a, reserved(3)}).status().message(),
      HasSubstr("Trying to add two lists of tensors with different lengths. One is 2 and the other is 3"));
}

TEST(TensorList, travels_as_bytes) {
  Tensor list = set_item(reserved(3, Tensor::vector<int32_t>({-1})), 1, Tensor::vector<float>({1, 2}))->at(0);
  tensorflow::TensorProto wire;
  to_proto(list, &wire);
  auto back = from_proto(wire);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(run_kernel("TensorListLength", {*back})->at(0).value<int32_t>(), 3);
  EXPECT_TRUE(tensors_near(get_item(*back, 1)->at(0), Tensor::vector<float>({1, 2})));
}

TEST(TensorList, pushes_pops_and_respects_its_capacity) {
  const AttrMap type{{"element_dtype", DataType::kFloat}};
  Tensor list = run_kernel("EmptyTensorList", {Tensor::vector<int32_t>({}), index(1)}, type)->at(0);
  EXPECT_THAT(run_kernel("TensorListPopBack", {list, index(-1)}, type).status().message(),
              HasSubstr("Trying to pop from an empty list."));
  auto one = run_kernel("TensorListPushBack", {list, Tensor::scalar<float>(4)});
  ASSERT_TRUE(one.ok()) << one.status();
  EXPECT_THAT(run_kernel("TensorListPushBack", {one->at(0), flow()}).status().message(),
              HasSubstr("into a full list"));
  EXPECT_THAT(run_kernel("TensorListPushBack", {list, Tensor::vector<float>({1})}).status().message(),
              HasSubstr("Op element shape: [1] list shape: []"));
  auto popped = run_kernel("TensorListPopBack", {one->at(0), index(-1)}, type);
  ASSERT_TRUE(popped.ok()) << popped.status();
  EXPECT_EQ(popped->at(1).value<float>(), 4);
}

TEST(TensorList, splits_and_concatenates) {
  const AttrMap type{{"element_dtype", DataType::kFloat}};
  auto split = run_kernel("TensorListSplit", {Tensor::vector<float>({1, 2, 3}), Tensor::vector<int32_t>({-1}),
                                              Tensor::vector<int64_t>({1, 2})});
  ASSERT_TRUE(split.ok()) << split.status();
  auto joined = run_kernel("TensorListConcatV2",
                           {split->at(0), Tensor::vector<int32_t>({-1}), Tensor::vector<int64_t>({})}, type);
  ASSERT_TRUE(joined.ok()) << joined.status();
  EXPECT_TRUE(tensors_near(joined->at(0), Tensor::vector<float>({1, 2, 3})));
  EXPECT_TRUE(tensors_near(joined->at(1), Tensor::vector<int64_t>({1, 2})));
  EXPECT_THAT(
      run_kernel("TensorListSplit", {Tensor::vector<float>({1}), Tensor::vector<int32_t>({-1}),
                                     Tensor::vector<int64_t>({std::numeric_limits<int64_t>::max(), 1})})
          .status()
          .message(),
      HasSubstr("Attempting to slice [0, "));
}

int64_t resident_bytes() {
  int64_t total = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

class StepResourceTest : public SessionTest {};

TEST_F(StepResourceTest, leave_with_their_step) {
  // Arrays in all three kinds of handles, a stack and a list, with a megabyte each that nobody takes out.
  int value = constant("value", zeros(DataType::kFloat, Shape{256, 1024}));
  int one = constant("one", index(1)), zero = constant("zero", index(0)), flow_in = constant("flow", flow());
  const AttrMap array_attrs{{"dtype", DataType::kFloat}};
  std::vector<std::string> targets;
  for (const char* v : {"", "V2", "V3"}) {
    const std::string s = v;
    int array = add("array" + s, "TensorArray" + s, array_attrs, {{one, 0}});
    int copy = add("copy" + s, "AddV2", {{"T", DataType::kFloat}}, {{value, 0}, {value, 0}});
    add("write" + s, "TensorArrayWrite" + s, {{"T", DataType::kFloat}},
        {{array, 0}, {zero, 0}, {copy, 0}, {flow_in, 0}});
    targets.push_back("write" + s);
  }
  int stack = add("stack", "Stack", {{"elem_type", DataType::kFloat}});
  int copy = add("doubled", "AddV2", {{"T", DataType::kFloat}}, {{value, 0}, {value, 0}});
  add("push", "StackPush", {{"T", DataType::kFloat}}, {{stack, 0}, {copy, 0}});
  targets.push_back("push");
  Session& session = open();
  for (int i = 0; i < 5; ++i) {
    auto done = session.run({}, {}, targets);
    ASSERT_TRUE(done.ok()) << done.status();
  }
  const int64_t before = resident_bytes();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(session.run({}, {}, targets).ok());
  EXPECT_LT(resident_bytes() - before, 100 << 20) << "100 steps of 4 MB";
}

}  // namespace
}  // namespace troupe::test
