// Wide graphs, whose kernels are on many threads at once.
#include <random>

#include "absl/strings/str_cat.h"
#include "tests/actors/runs/runs_fixture.h"

namespace troupe::test {
namespace {

/// Sessions that run every node as it is written, on four threads.
class WideGraphs : public RunsTest {
 protected:
  WideGraphs() {
    options_.optimize = false;
    options_.inter_op_threads = 4;
  }
  const AttrMap t_{{"T", DataType::kFloat}};
  SessionOptions options_;
};

TEST_F(WideGraphs, s077_sum_the_leaves_of_a_random_tree) {
  constexpr int kLeaves = 4096;
  const int x = placeholder("x");
  std::vector<int> open_ends;
  for (int i = 0; i < kLeaves; ++i)
    open_ends.push_back(add(absl::StrCat("leaf", i), "Identity", t_, {{x, 0}}));
  std::minstd_rand random(77);
  auto take = [&] {
    std::swap(open_ends[random() % open_ends.size()], open_ends.back());
    const int end = open_ends.back();
    open_ends.pop_back();
    return end;
  };
  for (int i = 0; open_ends.size() > 1; ++i) {
    const int left = take(), right = take();
    open_ends.push_back(add(absl::StrCat("sum", i), "AddV2", t_, {{left, 0}, {right, 0}}));
  }
  Session& s = open(options_);
  for (int i = 0; i < 3; ++i) {
    RunStats stats;
    auto out = s.run({{"x", Tensor::scalar<float>(1)}}, {graph_.node(open_ends[0]).name}, {}, {}, &stats);
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ((*out)[0].value<float>(), kLeaves);
    EXPECT_GE(stats.nodes_run, 2 * kLeaves - 1);
  }
}

TEST_F(WideGraphs, s078_survive_updates_of_a_variable_without_its_lock) {
  constexpr int kUpdates = 1024;
  const int v = add("v", "VariableV2", {{"shape", Shape{}}, {"dtype", DataType::kFloat}});
  const int one = constant("one", Tensor::scalar<float>(1));
  const AttrMap unlocked{{"T", DataType::kFloat}, {"use_locking", false}};
  add("init", "Assign", unlocked, {{v, 0}, {one, 0}});
  std::vector<std::string> updates;
  for (int i = 0; i < kUpdates; ++i) {
    const int sum = add(absl::StrCat("sum", i), "Add", t_, {{v, 0}, {one, 0}});
    updates.push_back(absl::StrCat("update", i));
    add(updates.back(), "Assign", unlocked, {{v, 0}, {sum, 0}});
  }
  Session& s = open(options_);
  for (int i = 0; i < 16; ++i) {
    ASSERT_TRUE(s.run({}, {}, {"init"}).ok());
    const auto updated = s.run({}, {}, updates);
    ASSERT_TRUE(updated.ok()) << updated.status();
    auto out = s.run({}, {"v:0"});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_GE((*out)[0].value<float>(), 2);
    EXPECT_LE((*out)[0].value<float>(), kUpdates + 1);
  }
}

}  // namespace
}  // namespace troupe::test
