// Ops and their kernels bear the names of the same families.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "devices/cpu/kernels/register_kernels.h"
#include "gmock/gmock.h"
#include "graph/ops/op_registry.h"
#include "graph/ops/register_ops.h"
#include "gtest/gtest.h"

namespace troupe {
namespace {

using testing::ElementsAre;

std::set<std::string> families_of_kernels(const std::string& op) {
  std::set<std::string> families;
  for (const KernelDef* def : builtin_kernels().of(op)) families.insert(def->family);
  return families;
}

TEST(Families, of_ops_are_those_of_kernels) {
  std::set<std::string> ops, kernels;
  for (const OpFamily& family : op_families()) ops.insert(family.name);
  for (const KernelFamily& family : kernel_families()) kernels.insert(family.name);
  EXPECT_EQ(ops, kernels);
}

TEST(Families, have_an_op_and_its_kernels_both) {
  for (const std::string& op : builtin_kernels().ops()) {
    const OpDef* def = builtin_ops().find(op);
    ASSERT_NE(def, nullptr) << op;
    EXPECT_THAT(families_of_kernels(op), testing::Contains(def->family)) << op;
  }
}

TEST(Families, share_only_ops_on_variants) {
  std::vector<std::string> shared;
  for (const std::string& op : builtin_kernels().ops()) {
    if (families_of_kernels(op).size() > 1) shared.push_back(op);
  }
  EXPECT_THAT(shared, ElementsAre("AddN", "Conj", "ZerosLike"));
}

TEST(Families, stand_in_order) {
  auto before = [](const auto& a, const auto& b) { return std::string(a.name) < b.name; };
  const auto kernels = kernel_families();
  EXPECT_TRUE(std::is_sorted(kernels.begin(), kernels.end(), before));
  const auto ops = op_families();
  EXPECT_TRUE(std::is_sorted(ops.begin(), ops.end(), before));
}

TEST(Families, are_unknown_of_what_plug_ins_add) {
  KernelRegistry registry;
  register_cpu_kernels(&registry);
  registry.add(KernelDef("TheirOp"));
  EXPECT_STREQ(registry.of("TheirOp")[0]->family, "");
}

}  // namespace
}  // namespace troupe
