// The training example, as the demonstration runs it: it trains, saves, and the program answers from what was saved.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "graph/tensor/tensor.h"

#include "absl/strings/str_cat.h"
#include "tests/system/program.h"
#include "tools/troupe/npy.h"

namespace troupe {
namespace {

using ::testing::HasSubstr;

class Training : public ::testing::Test {
 protected:
  void SetUp() override {
    const ProgramResult r = run_program(TROUPE_TRAINING_EXAMPLE, {model_});
    ASSERT_EQ(r.exit_code, 0) << r.out << r.err;
    said_ = r.out;
  }

  const TemporaryFolder folder_;
  const std::string model_ = folder_.path() + "/model";
  std::string said_;
};

TEST_F(Training, ends_in_a_model_that_answers_from_its_files) {
  const std::string line = "accuracy on points that it has not seen: ";
  ASSERT_THAT(said_, HasSubstr(line));
  EXPECT_GE(std::atof(said_.substr(said_.find(line) + line.size()).c_str()), 0.95) << said_;
  EXPECT_TRUE(std::filesystem::exists(model_ + "/saved_model.pb"));
  EXPECT_TRUE(std::filesystem::exists(model_ + "/variables/variables.index"));

  // One point on each arm, half-way out: angle 4 * (arm + 0.5).
  const std::string points = "points=[[0.4546,-0.2081],[-0.1397,0.4801],[-0.2720,-0.4195]]";
  const std::string probabilities = folder_.path() + "/probabilities.npy";
  const ProgramResult answer = run_program(
      TROUPE_PROGRAM, {"run", model_, "--feed", points, "--out", "probabilities=" + probabilities});
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("arm: int32 [3]\n[0 1 2]\n"));
  const absl::StatusOr<Tensor> written = read_npy(probabilities, DataType::kFloat);
  ASSERT_TRUE(written.ok()) << written.status();
  for (int arm = 0; arm < 3; ++arm) EXPECT_GT(written->flat<float>()[arm * 4], 0.5f) << "arm " << arm;
}

TEST_F(Training, says_what_is_missing_from_a_damaged_model) {
  std::filesystem::remove(model_ + "/variables/variables.data-00000-of-00001");
  const ProgramResult r = run_program(TROUPE_PROGRAM, {"run", model_, "--feed", "points=[[0,0]]"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_EQ(r.out, "");
  EXPECT_THAT(r.err, HasSubstr("variables.data-00000-of-00001"));
}

TEST_F(Training, can_be_repeated_into_the_same_folder) {
  EXPECT_EQ(run_program(TROUPE_TRAINING_EXAMPLE, {model_}).exit_code, 0);
  EXPECT_EQ(run_program(TROUPE_PROGRAM, {"run", model_, "--feed", "points=[[0.1,0.2]]", "--fetch", "arm"})
                .exit_code,
            0);
}

}  // namespace
}  // namespace troupe
