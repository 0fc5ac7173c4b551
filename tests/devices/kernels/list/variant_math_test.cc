#include <gmock/gmock.h>

#include "graph/tensor/tensor_proto.h"
#include "tests/support/kernel_harness.h"

#include "proto/pb.h"
#include "proto/tensor.pb.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;
using Results = absl::StatusOr<std::vector<Tensor>>;

template <class T>
Tensor number(const std::string& type, T value) {
  pb::TensorProto proto;
  proto.set_dtype(tensorflow::DT_VARIANT);
  proto.mutable_tensor_shape();
  auto* v = proto.add_variant_val();
  v->set_type_name(type);
  v->set_metadata(std::string(reinterpret_cast<const char*>(&value), sizeof(value)));
  auto tensor = from_proto(proto);
  EXPECT_TRUE(tensor.ok()) << tensor.status();
  return tensor.ok() ? *tensor : Tensor();
}

std::string metadata(const Tensor& t) {
  pb::TensorProto proto;
  to_proto(t, &proto);
  return proto.variant_val_size() == 1 ? proto.variant_val(0).metadata() : "no variant";
}

/// Written and read again: decoders are known once kernels are registered.
Tensor there_and_back(const Tensor& t) {
  pb::TensorProto proto;
  to_proto(t, &proto);
  auto back = from_proto(proto);
  EXPECT_TRUE(back.ok()) << back.status();
  return back.ok() ? *back : Tensor();
}

class VariantMathTest : public testing::Test {
 protected:
  Results run(const std::string& op, std::vector<Tensor> in, AttrMap attrs = {}) {
    return harness_.run(op, std::move(in), std::move(attrs));
  }
  Tensor one(const Results& out) {
    EXPECT_TRUE(out.ok()) << out.status();
    return out.ok() && !out->empty() ? out->at(0) : Tensor();
  }
  Tensor zeros(const Tensor& t) { return one(run("ZerosLike", {t})); }
  Tensor sum(const Tensor& a, const Tensor& b) { return one(run("AddN", {a, b})); }
  void expect_error(const Results& out, absl::StatusCode code, const std::string& phrase) {
    EXPECT_EQ(out.status().code(), code) << out.status();
    EXPECT_THAT(std::string(out.status().message()), HasSubstr(phrase));
  }
  Tensor optional(std::vector<Tensor> values) {
    std::vector<DataType> types;
    for (const Tensor& t : values) types.push_back(t.dtype());
    return one(run("OptionalFromValue", std::move(values), {{"Toutput_types", types}}));
  }
  Tensor value_of(const Tensor& optional, DataType type) {
    return one(run("OptionalGetValue", {optional},
                   {{"output_types", std::vector<DataType>{type}},
                    {"output_shapes", std::vector<PartialShape>{PartialShape()}}}));
  }
  Tensor map_with(float key, const Tensor& value) {
    return one(run("TensorMapInsert", {one(run("EmptyTensorMap", {})), Tensor::scalar(key), value}));
  }
  Results lookup(const Tensor& map, float key) {
    return run("TensorMapLookup", {map, Tensor::scalar(key)}, {{"value_dtype", DataType::kFloat}});
  }

  KernelHarness harness_;
};

TEST_F(VariantMathTest, counts_with_plain_numbers) {
  const Tensor three = number<int32_t>("int", 3), four = number<int32_t>("int", 4);
  EXPECT_EQ(metadata(zeros(three)), std::string(4, '\0'));
  EXPECT_EQ(metadata(sum(three, four)), metadata(number<int32_t>("int", 7)));
  EXPECT_EQ(metadata(sum(number<float>("float", 1.5f), number<float>("float", 2))),
            metadata(number<float>("float", 3.5f)));
  EXPECT_EQ(metadata(sum(number<double>("double", 1.5), number<double>("double", 2))),
            metadata(number<double>("double", 3.5)));
  EXPECT_EQ(metadata(sum(number<bool>("bool", true), number<bool>("bool", true))), std::string(1, '\1'));
  expect_error(run("AddN", {three, number<float>("float", 1)}), absl::StatusCode::kInternal,
               "BinaryOpVariants: Variants a and b have different type ids.  Type names: 'int' vs. 'float'");
}

TEST_F(VariantMathTest, refuses_numbers_of_the_wrong_size) {
  pb::TensorProto proto;
  proto.set_dtype(tensorflow::DT_VARIANT);
  proto.mutable_tensor_shape();
  proto.add_variant_val()->set_type_name("int");
  proto.mutable_variant_val(0)->set_metadata("abc");
  EXPECT_EQ(from_proto(proto).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(VariantMathTest, counts_with_optionals) {
  const Tensor none = one(run("OptionalNone", {}));
  const Tensor a = optional({Tensor::vector<float>({1, 2})}), b = optional({Tensor::vector<float>({3, 4})});
  EXPECT_TRUE(tensors_near(value_of(sum(a, b), DataType::kFloat), Tensor::vector<float>({4, 6})));
  EXPECT_TRUE(tensors_near(value_of(zeros(a), DataType::kFloat), Tensor::vector<float>({0, 0})));
  EXPECT_FALSE(one(run("OptionalHasValue", {sum(none, zeros(none))})).value<bool>());
  expect_error(run("AddN", {a, none}), absl::StatusCode::kInvalidArgument,
               "Cannot add optionals because one has a value and the other doesn't.");
  expect_error(run("AddN", {a, optional({Tensor::vector<float>({1}), Tensor::scalar(1.0f)})}),
               absl::StatusCode::kInvalidArgument, "different numbers of components (1 vs. 2)");
  expect_error(run("ZerosLike", {optional({Tensor::string_scalar("a")})}), absl::StatusCode::kInvalidArgument,
               "Trying to compute zeros_like for unsupported dtype string");
}

TEST_F(VariantMathTest, an_optional_is_not_taken_for_one_of_another_shape) {
  expect_error(run("OptionalGetValue", {optional({Tensor::vector<float>({1, 2})})},
                   {{"output_types", std::vector<DataType>{DataType::kFloat}},
                    {"output_shapes", std::vector<PartialShape>{PartialShape{3}}}}),
               absl::StatusCode::kInvalidArgument,
               "does not match the expected shape for component 0. Expected: [3]. Actual: [2].");
}

TEST_F(VariantMathTest, adds_maps_key_by_key) {
  const Tensor a = map_with(1, Tensor::vector<float>({1, 2})), b = map_with(2, Tensor::vector<float>({3, 4}));
  const Tensor both = sum(sum(a, b), a);
  EXPECT_TRUE(tensors_near(one(lookup(both, 1)), Tensor::vector<float>({2, 4})));
  EXPECT_TRUE(tensors_near(one(lookup(both, 2)), Tensor::vector<float>({3, 4})));
  EXPECT_EQ(one(run("TensorMapSize", {zeros(a)})).value<int32_t>(), 0);
  expect_error(run("AddN", {a, map_with(1, Tensor::vector<int32_t>({1, 2}))}),
               absl::StatusCode::kInvalidArgument,
               "incompatible element types. One is int32 and the other is float");
  expect_error(run("AddN", {a, map_with(1, Tensor::vector<float>({1}))}), absl::StatusCode::kInvalidArgument,
               "incompatible element shapes. One is [1] and the other is [2]");
}

TEST_F(VariantMathTest, adds_ragged_tensors_of_the_same_rows) {
  auto ragged = [&](std::vector<int64_t> splits) {
    return one(run("RaggedTensorToVariant",
                   {Tensor::from<int64_t>(Shape{static_cast<int64_t>(splits.size())}, splits),
                    Tensor::vector<float>({1, 2, 3})},
                   {{"RAGGED_RANK", 1}, {"Tvalues", DataType::kFloat}, {"batched_input", false}}));
  };
  auto values = [&](const Tensor& t) {
    auto out = run("RaggedTensorFromVariant", {t},
                   {{"input_ragged_rank", 1}, {"output_ragged_rank", 1}, {"Tvalues", DataType::kFloat}});
    EXPECT_TRUE(out.ok()) << out.status();
    return out.ok() ? out->at(1) : Tensor();
  };
  EXPECT_TRUE(
      tensors_near(values(sum(ragged({0, 2, 3}), ragged({0, 2, 3}))), Tensor::vector<float>({2, 4, 6})));
  EXPECT_TRUE(tensors_near(values(zeros(ragged({0, 2, 3}))), Tensor::vector<float>({0, 0, 0})));
  expect_error(run("AddN", {ragged({0, 2, 3}), ragged({0, 1, 3})}), absl::StatusCode::kInvalidArgument,
               "Can't add RaggedTensorVariants with different row_splits.");
}

TEST_F(VariantMathTest, optionals_and_maps_survive_their_wire_form) {
  const Tensor a = there_and_back(optional({Tensor::vector<float>({1, 2})}));
  EXPECT_TRUE(tensors_near(value_of(a, DataType::kFloat), Tensor::vector<float>({1, 2})));
  const Tensor none = there_and_back(one(run("OptionalNone", {})));
  EXPECT_FALSE(one(run("OptionalHasValue", {none})).value<bool>());
  const Tensor map = there_and_back(map_with(1, Tensor::vector<float>({1, 2})));
  EXPECT_TRUE(tensors_near(one(lookup(map, 1)), Tensor::vector<float>({1, 2})));
}

TEST_F(VariantMathTest, composites_survive_their_wire_form) {
  const Tensor part = Tensor::vector<float>({1, 2});
  const AttrMap types{{"metadata", std::string()}, {"Tcomponents", std::vector<DataType>{DataType::kFloat}}};
  const Tensor made = there_and_back(one(run("CompositeTensorVariantFromComponents", {part}, types)));
  EXPECT_TRUE(tensors_near(one(run("CompositeTensorVariantToComponents", {made}, types)), part));
  expect_error(
      run("AddN", {made, made}), absl::StatusCode::kInternal,
      "No unary variant binary_op function found for op ADD Variant type_name: 'CompositeTensorVariant'");
  expect_error(run("ZerosLike", {made}), absl::StatusCode::kInternal,
               "found for op ZEROS_LIKE Variant type_name: CompositeTensorVariant for device type: CPU");
}

}  // namespace
}  // namespace troupe::test
