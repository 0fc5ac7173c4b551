#include "tools/troupe/cases.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tools/troupe/compare.h"

namespace troupe {
namespace {

constexpr char kHeader[] =
    "case_id\tgraph\tstatus\tdeterministic\trtol\tatol\tnumpy_check\tfeeds\tfetches\tnotes\n";

TEST(Cases, reads_a_row) {
  const auto cases =
      parse_cases(absl::StrCat(kHeader,
                               "a/b\tg.pb\tseeded_rng\tyes\t0.5\t1e-05\t-\tx:0|float32|[2]|inline:[1.0,2.0] "
                               "k|int32|[]|data/a%20b.npy\t",
                               "y:0|bfloat16|[0,3]|inline:[]\ta note\n"));
  ASSERT_TRUE(cases.ok()) << cases.status();
  ASSERT_EQ(cases->size(), 1u);
  const Case& c = cases->front();
  EXPECT_EQ(c.kind, CaseKind::kSeededRng);
  EXPECT_EQ(c.rtol, 0.5);
  ASSERT_EQ(c.feeds.size(), 2u);
  EXPECT_EQ(c.feeds[0].shape, (Shape{2}));
  EXPECT_EQ(case_tensor_path(c.feeds[0], "/r"), "");
  EXPECT_EQ(case_tensor_path(c.feeds[1], "/r"), "/r/data/a b.npy");
  EXPECT_EQ(load_case_tensor(c.feeds[0], "/r")->flat<float>()[1], 2);
  EXPECT_EQ(c.fetches[0].dtype, DataType::kBfloat16);
  EXPECT_EQ(load_case_tensor(c.fetches[0], "/r")->shape(), (Shape{0, 3}));
  EXPECT_EQ(load_case_tensor(c.feeds[1], "/r").status().code(), absl::StatusCode::kNotFound);
}

TEST(Cases, names_the_line_that_is_wrong) {
  const std::string good = "a\tg.pb\tok\tyes\t0\t0\t-\t-\t-\t-\n";
  EXPECT_TRUE(parse_cases(absl::StrCat(kHeader, good)).ok());
  for (const std::string& bad :
       {std::string("a\tg.pb\tok\n"), std::string("a\tg.pb\tfine\tyes\t0\t0\t-\t-\t-\t-\n"),
        std::string("a\tg.pb\tok\tyes\tx\t0\t-\t-\t-\t-\n"),
        std::string("a\tg.pb\tok\tyes\t0\t0\t-\tx|float32|[2]\t-\t-\n"),
        std::string("a\tg.pb\tok\tyes\t0\t0\t-\tx|floaty|[2]|f\t-\t-\n"),
        std::string("a\tg.pb\tok\tyes\t0\t0\t-\tx|float32|[-2]|f\t-\t-\n")}) {
    const auto cases = parse_cases(absl::StrCat(kHeader, good, bad));
    ASSERT_FALSE(cases.ok()) << bad;
    EXPECT_EQ(cases.status().message().substr(0, 7), "line 3:") << bad;
  }
  EXPECT_FALSE(parse_cases("nothing").ok());
}

TEST(Compare, allows_the_tolerance_and_no_more) {
  const Tensor want = Tensor::vector<float>({100, -1});
  const Tolerance t{0.01, 0.5};
  EXPECT_EQ(first_difference(Tensor::vector<float>({101.5, -1.5}), want, t), "");
  EXPECT_EQ(first_difference(Tensor::vector<float>({100, -1.75}), want, t), "[1]: -1.75 instead of -1.0");
  EXPECT_EQ(first_difference(Tensor::vector<float>({0, 0}), want, t),
            "[0]: 0.0 instead of 100.0 (and 1 more of 2)");
}

TEST(Compare, tells_dtype_and_shape) {
  const Tensor want = Tensor::vector<float>({1, 2});
  EXPECT_EQ(first_difference(Tensor::vector<double>({1, 2}), want, {}), "dtype double instead of float");
  EXPECT_EQ(first_difference(Tensor::from<float>(Shape{1, 2}, {1, 2}), want, {}),
            "shape [1,2] instead of [2]");
  EXPECT_EQ(type_difference(want, DataType::kFloat, Shape{2}), "");
}

TEST(Compare, matches_nan_with_nan_and_infinity_with_its_like) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const Tolerance wide{1, 1e30};
  EXPECT_EQ(first_difference(Tensor::vector<float>({nan, inf}), Tensor::vector<float>({nan, inf}), {}), "");
  EXPECT_NE(first_difference(Tensor::vector<float>({1}), Tensor::vector<float>({nan}), wide), "");
  EXPECT_NE(first_difference(Tensor::vector<float>({nan}), Tensor::vector<float>({1}), wide), "");
  EXPECT_NE(first_difference(Tensor::vector<float>({-inf}), Tensor::vector<float>({inf}), wide), "");
  EXPECT_NE(first_difference(Tensor::vector<float>({inf}), Tensor::vector<float>({1}), wide), "");
  EXPECT_NE(first_difference(Tensor::vector<float>({1}), Tensor::vector<float>({inf}), wide), "");
}

TEST(Compare, is_exact_for_integers_but_for_grey_levels) {
  const Tolerance three{0, 3};
  EXPECT_NE(first_difference(Tensor::vector<int32_t>({1}), Tensor::vector<int32_t>({2}), three), "");
  EXPECT_EQ(first_difference(Tensor::vector<uint8_t>({1}), Tensor::vector<uint8_t>({4}), three), "");
  EXPECT_NE(first_difference(Tensor::vector<uint8_t>({1}), Tensor::vector<uint8_t>({5}), three), "");
  EXPECT_NE(first_difference(Tensor::vector<uint8_t>({1}), Tensor::vector<uint8_t>({2}), {0, 1e-5}), "");
  EXPECT_NE(first_difference(Tensor::vector<TString>({TString("a")}), Tensor::vector<TString>({TString("b")}),
                             three),
            "");
}

TEST(Compare, sorts_sets) {
  const Tolerance sets{0, 0, true};
  EXPECT_EQ(first_difference(Tensor::vector<float>({3, 1, 2}), Tensor::vector<float>({1, 2, 3}), sets), "");
  EXPECT_NE(first_difference(Tensor::vector<float>({3, 1, 1}), Tensor::vector<float>({1, 2, 3}), sets), "");
}

}  // namespace
}  // namespace troupe
