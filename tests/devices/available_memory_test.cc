#include "devices/memory/available_memory.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "devices/memory/host_allocator.h"

namespace troupe {
namespace {

/// The files of a machine, in a folder of the test's own.
class AvailableMemory : public testing::Test {
 protected:
  AvailableMemory() {
    std::filesystem::remove_all(root_);
    write("proc/meminfo", "MemTotal:  100 kB\nMemFree:  5 kB\nMemAvailable:  40 kB\nSwapFree:  10 kB\n");
    write("proc/self/cgroup", "12:cpu:/elsewhere\n0::/a/b\n");
  }
  ~AvailableMemory() override { std::filesystem::remove_all(root_); }

  void write(const std::string& file, const std::string& text) const {
    const std::filesystem::path path = root_ / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  int64_t available() const {
    return available_memory((root_ / "proc").string(), (root_ / "cgroups").string());
  }
  const std::filesystem::path root_ = std::filesystem::path(testing::TempDir()) / "available_memory";
};

TEST_F(AvailableMemory, is_what_is_free_or_can_be_had_back_and_swap) { EXPECT_EQ(available(), 50 * 1024); }

TEST_F(AvailableMemory, is_no_more_than_a_group_around_the_process_has_left) {
  write("cgroups/a/memory.max", "30000\n");
  write("cgroups/a/memory.current", "25000\n");
  write("cgroups/a/memory.stat", "anon 7\ninactive_file 1000\n");
  write("cgroups/a/b/memory.max", "max\n");
  write("cgroups/a/b/memory.current", "20000\n");
  EXPECT_EQ(available(), 6000);
  write("cgroups/a/b/memory.max", "19000\n");
  EXPECT_EQ(available(), 0);
}

TEST_F(AvailableMemory, is_without_a_bound_where_the_system_does_not_say) {
  std::filesystem::remove_all(root_);
  EXPECT_EQ(available(), std::numeric_limits<int64_t>::max());
}

TEST(HostAllocator, has_no_block_that_the_machine_has_not) {
  const int64_t available = available_memory();
  if (available == std::numeric_limits<int64_t>::max()) GTEST_SKIP() << "the system does not say what it has";
  const auto memory = make_host_allocator();
  EXPECT_EQ(memory->allocate(static_cast<size_t>(available) * 2), nullptr);
}

}  // namespace
}  // namespace troupe
