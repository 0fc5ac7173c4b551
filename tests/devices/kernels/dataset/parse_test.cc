// Datasets that parse examples, through sessions. Expected values are TensorFlow 2.21's.

#include "tests/devices/kernels/dataset/dataset_fixture.h"
#include "tests/support/examples.h"

namespace troupe::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ParseDatasets : public DatasetKernels {
 protected:
  /// Two examples and one more, by twos: dense `a`, ragged `r`, sparse `b`, whose component stands between them.
  int examples() {
    const int all = constant(
        "examples",
        strings({example({{"a", ints({1, 2})}, {"b", bytes({"x"})}, {"r", ints({7, 8})}}),
                 example({{"a", ints({3, 4})}}), example({{"b", bytes({"y", "z"})}, {"r", ints({9})}})}));
    const int slices =
        op("TensorSliceDataset",
           {{"Toutput_types", Types{DataType::kString}}, {"output_shapes", Shapes{kScalar}}}, {{all}});
    return op("BatchDataset", elements(DataType::kString, PartialShape{-1}), {{slices}, {number(2)}});
  }
  static AttrMap attrs() {
    return {{"sparse_keys", Names{"b"}},
            {"dense_keys", Names{"a"}},
            {"ragged_keys", Names{"r"}},
            {"sparse_types", Types{DataType::kString}},
            {"Tdense", Types{DataType::kInt64}},
            {"dense_shapes", Shapes{PartialShape{2}}},
            {"ragged_value_types", Types{DataType::kInt64}},
            {"ragged_split_types", Types{DataType::kInt32}},
            {"output_types", Types{DataType::kInt64, DataType::kVariant, DataType::kVariant}},
            {"output_shapes", Shapes{PartialShape{-1, 2}, PartialShape{3}, kScalar}}};
  }
  void open_parsed(const std::string& kind, const Tensor& fallback, AttrMap given = attrs()) {
    const int filler = constant("default", fallback);
    const AttrMap components = {{"output_types", *given.find("output_types")},
                                {"output_shapes", *given.find("output_shapes")}};
    const int next = iterate(op(kind, given, {{examples()}, {number(1)}, {filler}}), components);
    add("sparse", "DeserializeSparse", {{"dtype", DataType::kString}, {"Tserialized", DataType::kVariant}},
        {{next, 1}});
    add("ragged", "RaggedTensorFromVariant",
        {{"input_ragged_rank", -1},
         {"output_ragged_rank", 1},
         {"Tvalues", DataType::kInt64},
         {"Tsplits", DataType::kInt32}},
        {{next, 2}});
    open();
  }
};

TEST_F(ParseDatasets, give_dense_sparse_and_ragged_components_in_the_order_of_keys) {
  open_parsed("ParseExampleDatasetV2", Tensor::vector<int64_t>({5, 6}));
  ASSERT_TRUE(run("make").ok());
  const auto got = session_->run({}, {"next", "sparse:0", "sparse:1", "sparse:2", "ragged:0", "ragged:1"});
  ASSERT_TRUE(got.ok()) << got.status();
  const auto& out = *got;
  EXPECT_EQ(out[0].shape(), (Shape{2, 2}));
  EXPECT_THAT(out[0].flat<int64_t>(), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(out[1].flat<int64_t>(), ElementsAre(0, 0));
  EXPECT_THAT(texts(out[2]), ElementsAre("x"));
  EXPECT_THAT(out[3].flat<int64_t>(), ElementsAre(2, 1));
  EXPECT_THAT(out[4].flat<int32_t>(), ElementsAre(0, 2, 2));
  EXPECT_THAT(out[5].flat<int64_t>(), ElementsAre(7, 8));
  const auto rest = session_->run({}, {"next", "sparse:1", "ragged:0"});
  ASSERT_TRUE(rest.ok()) << rest.status();
  EXPECT_THAT((*rest)[0].flat<int64_t>(), ElementsAre(5, 6)) << "the default";
  EXPECT_THAT(texts((*rest)[1]), ElementsAre("y", "z"));
  EXPECT_THAT((*rest)[2].flat<int32_t>(), ElementsAre(0, 1));
  EXPECT_EQ(next().status().code(), absl::StatusCode::kOutOfRange);
}

TEST_F(ParseDatasets, go_on_behind_a_batch_that_lacks_a_feature) {
  AttrMap given = attrs();
  given.set("dense_keys", Names{"b"});
  given.set("sparse_keys", Names{"a"});
  given.set("Tdense", Types{DataType::kString});
  given.set("sparse_types", Types{DataType::kInt64});
  given.set("dense_shapes", Shapes{PartialShape{2}});
  given.set("output_types", Types{DataType::kVariant, DataType::kString, DataType::kVariant});
  given.set("output_shapes", Shapes{PartialShape{3}, PartialShape{-1, 2}, kScalar});
  open_parsed("ParseExampleDataset", Tensor(DataType::kString, Shape{0}), given);
  ASSERT_TRUE(run("make").ok());
  const absl::Status missing = next("next:1").status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(missing.message()),
              HasSubstr("Key: b, Index: 0.  Number of bytes values != expected.  Values size: 1"));
  const auto second = next("next:1");
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_THAT(texts((*second)[0]), ElementsAre("y", "z"));
}

TEST_F(ParseDatasets, refuse_defaults_that_do_not_fit_when_they_are_made) {
  open_parsed("ParseExampleDatasetV2", Tensor::vector<int64_t>({5, 6, 7}));
  const absl::Status made = run("make");
  EXPECT_EQ(made.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(made.message()), HasSubstr("dense_shape"));
}

TEST_F(ParseDatasets, refuse_types_that_the_features_do_not_have) {
  AttrMap given = attrs();
  given.set("output_types", Types{DataType::kFloat, DataType::kVariant, DataType::kVariant});
  open_parsed("ParseExampleDatasetV2", Tensor::vector<int64_t>({5, 6}), given);
  EXPECT_THAT(std::string(run("make").message()), HasSubstr("Expected output_types[0] to be int64"));
}

}  // namespace
}  // namespace troupe::test
