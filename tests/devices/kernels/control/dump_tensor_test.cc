// Values on their way into a file.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "tests/support/string_tensors.h"

namespace troupe::test {
namespace {

TEST(DumpTensor, writes_a_record_for_each_run) {
  const std::filesystem::path folder = testing::TempDir() + "/dumped/deep";
  const Tensor in = Tensor::from<float>({2, 3}, {0, 1, 2, 3, 4, 5});
  auto out = run("DumpTensor", {in},
                 {{"log_dir_path", folder.string()},
                  {"file_name", "f.pb"},
                  {"enabled", true},
                  {"func_name", "myfunc"},
                  {"node_name", "mynode"}});
  ASSERT_TRUE(out.ok()) << out.status();
  std::ifstream unit(folder / "quant_unit.pb");
  const std::string text((std::istreambuf_iterator<char>(unit)), {});
  EXPECT_EQ(text, "\x12\x06mynode\x1a\x06myfunc");
  EXPECT_GT(std::filesystem::file_size(folder / "f.pb"), 20u);
}

}  // namespace
}  // namespace troupe::test
