// Values of several parts in a variant.
#include <gmock/gmock.h>

#include "graph/tensor/variant.h"
#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Without the node, which errors of attrs name.
std::string message_of(const absl::StatusOr<std::vector<Tensor>>& result) {
  const std::string text(result.status().message());
  return text.substr(0, text.find("\n\t [["));
}

TEST(Composite, keeps_parts_of_one_kind) {
  const std::string ragged("\n\x02\x08\x03", 4), sparse("\n\x02\x08\x01", 4);
  const AttrMap types{{"Tcomponents", std::vector<DataType>{DataType::kInt32, DataType::kFloat}}};
  auto with = [&](const std::string& metadata, AttrMap attrs) {
    attrs.set("metadata", metadata);
    return attrs;
  };
  auto whole = run_kernel("CompositeTensorVariantFromComponents",
                          {Tensor::vector<int32_t>({1, 2}), Tensor::scalar(3.0f)}, with(ragged, types));
  ASSERT_TRUE(whole.ok()) << whole.status();
  auto parts = run_kernel("CompositeTensorVariantToComponents", {whole->at(0)}, with(ragged, types));
  ASSERT_TRUE(parts.ok()) << parts.status();
  EXPECT_THAT(parts->at(0).flat<int32_t>(), ElementsAre(1, 2));
  EXPECT_EQ(parts->at(1).value<float>(), 3);
  auto refused = [&](const std::string& metadata, std::vector<DataType> wanted) {
    return message_of(run_kernel("CompositeTensorVariantToComponents", {whole->at(0)},
                                 with(metadata, {{"Tcomponents", std::move(wanted)}})));
  };
  EXPECT_THAT(refused(sparse, {DataType::kInt32, DataType::kFloat}),
              HasSubstr("Expected a SPARSE_TENSOR_SPEC (based on `type_spec`), but `encoded` contains a "
                        "RAGGED_TENSOR_SPEC"));
  EXPECT_EQ(refused(ragged, {DataType::kInt32}),
            "Encoded value has 2 tensor components; expected 1 components based on type_spec");
  EXPECT_EQ(refused(ragged, {DataType::kInt32, DataType::kInt32}),
            "Tensor component 1 had dtype DT_FLOAT; expected dtype DT_INT32");
  EXPECT_EQ(refused("\xff\xff", {DataType::kInt32}), "Error parsing `metadata`");
}

}  // namespace
}  // namespace troupe::test
