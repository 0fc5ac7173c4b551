// Every case of the reference data, with each node that has a kernel for GPUs on an emulated one.
// TROUPE_ZOO_FILTER: a regular expression; of the cases whose ids it matches.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "actors/runtime.h"
#include "devices/cuda/machine_gpus.h"
#include "tests/actors/cuda/gpu_session.h"
#include "tools/troupe/cases.h"
#include "tools/troupe/files.h"
#include "tools/troupe/verify_case.h"

namespace troupe::test {
namespace {

std::string shared_folder() {
  if (const char* folder = std::getenv("TROUPE_SHARED")) return folder;
  return TROUPE_SOURCE_DIR "/../shared";
}

/// The ids in a list of differences that are there on purpose.
void add_known(const std::string& path, std::set<std::string>* ids) {
  const auto text = read_file(absl::StrCat(TROUPE_SOURCE_DIR, "/", path));
  ASSERT_TRUE(text.ok()) << text.status();
  for (absl::string_view line : absl::StrSplit(*text, '\n')) {
    line = line.substr(0, line.find(' '));
    if (!line.empty() && line[0] != '#') ids->insert(std::string(line));
  }
}

/// A list, and whether graphs run as they are written.
class CudaZoo : public testing::TestWithParam<std::tuple<const char*, bool>> {};

TEST_P(CudaZoo, gives_what_tensorflow_gave) {
  const auto [list, as_written] = GetParam();
  const std::string root = absl::StrCat(shared_folder(), "/", list);
  if (!std::filesystem::exists(root + "/cases.tsv")) GTEST_SKIP() << "no reference data at " << root;
  const auto text = read_file(root + "/cases.tsv");
  ASSERT_TRUE(text.ok()) << text.status();
  const auto cases = parse_cases(*text);
  ASSERT_TRUE(cases.ok()) << cases.status();
  const char* filter = std::getenv("TROUPE_ZOO_FILTER");
  const std::regex wanted(filter == nullptr ? "" : filter);
  std::set<std::string> known;
  add_known("tests/system/zoo_differences.txt", &known);
  add_known("tests/actors/cuda/zoo_differences.txt", &known);
  EmulatedDriver::Options machine;
  machine.works_alone = true;
  machine.memory_bytes = size_t{1} << 30;
  EmulatedDriver driver(machine);
  int64_t passed = 0, on_gpu = 0;
  {
    RuntimeOptions options;
    options.kernels = &kernels_of_all();
    options.device_types = {gpu_device_type(driver.machine())};
    const auto runtime = Runtime::create(options);
    options.device_types.clear();
    for (const Case& c : *cases) {
      if (!std::regex_search(c.id, wanted) || known.contains(c.id)) continue;
      const int64_t launches = driver.calls("cuLaunchKernel");
      const CaseResult result = run_case(c, root, *runtime, as_written);
      on_gpu += driver.calls("cuLaunchKernel") > launches;
      passed += result.outcome == CaseResult::Outcome::kPassed;
      if (result.outcome == CaseResult::Outcome::kFailed)
        ADD_FAILURE() << c.id << ": " << result.kind << ": " << result.message;
    }
  }
  std::printf("%lld passed, %lld of all with kernels on the GPU\n", static_cast<long long>(passed),
              static_cast<long long>(on_gpu));
  for (const std::string& fault : driver.faults()) ADD_FAILURE() << fault;
}

INSTANTIATE_TEST_SUITE_P(Lists, CudaZoo,
                         testing::Combine(testing::Values("data", "refcases"), testing::Bool()),
                         [](const auto& of) {
                           return absl::StrCat(std::get<0>(of.param),
                                               std::get<1>(of.param) ? "_as_written" : "");
                         });

}  // namespace
}  // namespace troupe::test
