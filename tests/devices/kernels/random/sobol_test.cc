// Points of Sobol's sequence. The numbers are TensorFlow 2.21's.
#include <gmock/gmock.h>

#include "tests/support/string_tensors.h"

namespace troupe::test {
namespace {
using ::testing::ElementsAre;

absl::StatusOr<std::vector<Tensor>> sobol(int32_t dim, int32_t count, int32_t skip,
                                          DataType dtype = DataType::kDouble) {
  return run("SobolSample", {Tensor::scalar(dim), Tensor::scalar(count), Tensor::scalar(skip)},
             {{"dtype", dtype}});
}

TEST(SobolSample, begins_behind_the_corner) {
  auto out = sobol(5, 3, 0, DataType::kFloat);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(out->at(0).shape(), (Shape{3, 5}));
  EXPECT_THAT(out->at(0).flat<float>(), ElementsAre(0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.75f, 0.25f, 0.25f, 0.25f,
                                                    0.75f, 0.25f, 0.75f, 0.75f, 0.75f, 0.25f));
}

TEST(SobolSample, knows_the_numbers_of_all_dimensions) {
  auto out = sobol(21200, 3, 77);
  ASSERT_TRUE(out.ok()) << out.status();
  const auto last = out->at(0).flat<double>().subspan(2 * 21200);
  EXPECT_EQ(last[0], 0.1171875);
  EXPECT_EQ(last[1], 0.1171875);
  EXPECT_EQ(last[1110], 0.3828125);
  EXPECT_EQ(last[1111], 0.4609375);
  EXPECT_EQ(last[21198], 0.5546875);
  EXPECT_EQ(last[21199], 0.1640625);
  double sum = 0;
  for (double v : out->at(0).flat<double>()) sum += v;
  EXPECT_EQ(sum, 31690.53125);
}

TEST(SobolSample, continues_where_it_is_told_to) {
  auto whole = sobol(7, 200, 0), rest = sobol(7, 50, 150);
  ASSERT_TRUE(whole.ok() && rest.ok()) << rest.status();
  for (size_t i = 0; i < 50 * 7; ++i) {
    EXPECT_EQ(rest->at(0).flat<double>()[i], whole->at(0).flat<double>()[150 * 7 + i]) << i;
  }
}

TEST(SobolSample, refuses_what_it_has_no_numbers_for) {
  EXPECT_EQ(sobol(0, 1, 1).status(), absl::InvalidArgumentError("dim must be at least one"));
  EXPECT_EQ(sobol(21201, 1, 1).status(), absl::InvalidArgumentError("dim must be at most 21200"));
  EXPECT_EQ(sobol(2, 0, 1).status(), absl::InvalidArgumentError("num_results must be at least one"));
  EXPECT_EQ(sobol(2, 1, -1).status(), absl::InvalidArgumentError("skip must be non-negative"));
  EXPECT_EQ(sobol(2, 2, 2147483646).status(),
            absl::InvalidArgumentError("num_results+skip must be less than 2147483647"));
  EXPECT_EQ(run("SobolSample", {Tensor::vector<int32_t>({2}), Tensor::scalar(1), Tensor::scalar(1)}).status(),
            absl::InvalidArgumentError("dim must be a scalar"));
}

}  // namespace
}  // namespace troupe::test
