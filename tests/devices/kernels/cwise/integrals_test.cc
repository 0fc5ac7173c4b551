#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

void expect_values(const char* op, std::initializer_list<double> x, std::initializer_list<double> want) {
  const auto out = run_kernel(op, {Tensor::vector<double>(x)});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(0), Tensor::vector<double>(want), 1e-10, 1e-13)) << op;
}

// Values of TensorFlow 2.21.
TEST(Integrals, meet_over_the_borders_of_their_expansions) {
  expect_values("Dawsn", {-3, 0, 0.2, 5, 7, 100},
                {-0.17827103061055835, 0, 0.1947510333680281, 0.10213407442427684, 0.0721809746582363,
                 0.005000250037509379});
  expect_values("Expint", {0, 1e-3, 1, 5, 20, 50},
                {-kInf, -6.329539364025038, 1.895117816355937, 40.18527535580318, 25615652.664056588,
                 1.058563689713169e+20});
  expect_values("FresnelCos", {-1.5, 0.5, 1.7, 5, kInf},
                {-0.44526117603982157, 0.4923442258714464, 0.32382687600390025, 0.5636311887040122, 0.5});
  expect_values("FresnelSin", {-1.5, 0.5, 1.7, 5, -kInf},
                {-0.697504960082093, 0.06473243285999929, 0.5491959403215687, 0.4991913819171169, -0.5});
  expect_values("Spence", {0, 0.2, 0.5, 1, 1.5, 1.7, 3, 100},
                {1.6449340668482264, 1.0747946000082482, 0.5822405264650135, 0, -0.4484142069236462,
                 -0.6051584023377057, -1.4367463668836808, -12.192421669033168});
}

TEST(Integrals, have_no_value_below_their_domain) {
  for (const char* op : {"Expint", "Spence"}) {
    const auto out = run_kernel(op, {Tensor::vector<float>({-1, -0.001f})});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_TRUE(std::isnan(out->at(0).flat<float>()[0]) && std::isnan(out->at(0).flat<float>()[1])) << op;
  }
}

}  // namespace
}  // namespace troupe::test
