#include "actors/log_memory.h"

#include <gmock/gmock.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <sstream>

#include "tests/actors/session_fixture.h"

namespace troupe::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

/// sum = x + x; what the log says in between.
class LogMemory : public SessionTest {
 protected:
  LogMemory() {
    const int x = placeholder("x");
    add("sum", "AddV2", {{"T", DataType::kFloat}}, {{x, 0}, {x, 0}});
    logger_ =
        std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(written_));
    logger_->set_pattern("%v");
    before_ = spdlog::default_logger();
    spdlog::set_default_logger(logger_);
  }
  ~LogMemory() override {
    unsetenv("TF_CPP_VMODULE");
    unsetenv("TF_CPP_MAX_VLOG_LEVEL");
    spdlog::set_default_logger(before_);
  }

  void run() {
    Session& s = open();
    EXPECT_TRUE(s.run({{"x", Tensor::vector<float>({1, 2})}}, {"sum"}).ok());
  }
  std::string written() {
    logger_->flush();
    return written_.str();
  }

  std::ostringstream written_;
  std::shared_ptr<spdlog::logger> logger_;
  std::shared_ptr<spdlog::logger> before_;
};

TEST_F(LogMemory, says_nothing_unless_it_is_asked) {
  setenv("TF_CPP_VMODULE", "executor=3,log_memory=1", 1);
  run();
  EXPECT_THAT(written(), Not(HasSubstr("__LOG_MEMORY__")));
}

TEST_F(LogMemory, tells_steps_blocks_and_values_by_their_numbers) {
  setenv("TF_CPP_VMODULE", "executor=1,log_memory=2", 1);
  run();
  const std::string lines = written();
  EXPECT_THAT(lines, ContainsRegex("__LOG_MEMORY__ MemoryLogStep [{] step_id: [0-9]+ handle: \"x:?0?->sum"));
  EXPECT_THAT(lines,
              ContainsRegex("__LOG_MEMORY__ MemoryLogRawAllocation [{] step_id: [0-9]+ operation: \"sum\" "
                            "num_bytes: 8 ptr: [0-9]+ allocation_id: [0-9]+ allocator_name: \"cpu\""));
  EXPECT_THAT(lines,
              ContainsRegex(
                  "__LOG_MEMORY__ MemoryLogTensorOutput [{] step_id: [0-9]+ kernel_name: \"sum\" tensor [{] "
                  "dtype: DT_FLOAT shape [{] dim [{] size: 2 [}] [}] allocation_description [{] "
                  "requested_bytes: 8 allocator_name: \"cpu\" allocation_id: [0-9]+ ptr: [0-9]+"));
  EXPECT_THAT(lines,
              ContainsRegex("__LOG_MEMORY__ MemoryLogRawDeallocation [{] step_id: [0-9]+ operation: \"sum\" "
                            "allocation_id: [0-9]+ allocator_name: \"cpu\""));
}

TEST_F(LogMemory, follows_the_level_of_everything_where_its_own_is_not_set) {
  setenv("TF_CPP_MAX_VLOG_LEVEL", "2", 1);
  EXPECT_NE(memory_log_of_environment(), nullptr);
  setenv("TF_CPP_VMODULE", "log_memory=0", 1);
  EXPECT_EQ(memory_log_of_environment(), nullptr);
}

}  // namespace
}  // namespace troupe::test
