// Devices that an application brings.
#include <gmock/gmock.h>

#include <cstdlib>
#include <mutex>

#include "actors/runtime_impl.h"
#include "devices/cpu/kernels/register_kernels.h"
#include "devices/device_set.h"
#include "tests/actors/session_fixture.h"

namespace troupe::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Memory that is counted.
class CountingMemory final : public Allocator {
 public:
  void* allocate(size_t bytes) override {
    ++allocations;
    return std::aligned_alloc(kAlignmentBytes,
                              (bytes + kAlignmentBytes - 1) / kAlignmentBytes * kAlignmentBytes);
  }
  void deallocate(void* block, size_t) override { std::free(block); }
  absl::string_view name() const override { return "npu"; }
  AllocatorStats stats() const override {
    AllocatorStats s;
    s.num_allocations = allocations;
    return s;
  }

  std::atomic<int64_t> allocations{0};
};

/// Loops that are not split, and are counted.
class CountingLoops final : public ParallelRunner {
 public:
  int num_threads() const override { return 1; }
  void parallel_for(int64_t total, int64_t, absl::FunctionRef<void(int64_t, int64_t)> fn) override {
    ++loops;
    fn(0, total);
  }

  std::atomic<int> loops{0};
};

/// A runtime with NPUs: "sum" is x + x on one, where kernels tell their device.
class DeviceTypes : public SessionTest {
 protected:
  DeviceTypes() {
    ran_on.clear();
    kernels_->add(KernelDef("TestAdd").device("NPU").fn(add_there));
    x_ = placeholder("x");
  }
  ~DeviceTypes() override {
    // Before the memory.
    session_.reset();
    runtime_.reset();
  }
  static absl::Status add_there(KernelContext& c) {
    ran_on.push_back(c.device()->name());
    c.parallel().parallel_for(2, 1, [](int64_t, int64_t) {});
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, c.allocate_output(0, Shape()));
    out->flat<float>()[0] = c.input(0).value<float>() + c.input(1).value<float>();
    return absl::OkStatus();
  }
  void make_runtime(std::vector<DeviceType> types) {
    session_.reset();
    RuntimeOptions options;
    options.ops = ops_.get();
    options.kernels = kernels_.get();
    options.device_types = std::move(types);
    runtime_ = Runtime::create(options);
  }
  DeviceType npu() {
    DeviceType type;
    type.name = "NPU";
    type.memory = &memory_;
    type.loops = &loops_;
    type.memory_limit_bytes = 1 << 20;
    type.physical_description = "a chip";
    return type;
  }
  static float run(Session& s, const std::string& fetch) {
    const auto out = s.run({{"x", Tensor::scalar<float>(21)}}, {fetch});
    EXPECT_TRUE(out.ok()) << out.status();
    return out.ok() ? (*out)[0].value<float>() : -1;
  }
  absl::Status created(const SessionOptions& options = {}) {
    session_ = *Session::open(*runtime_, options);
    return session_->create(graph_.clone());
  }

  static inline std::vector<std::string> ran_on;
  CountingMemory memory_;
  CountingLoops loops_;
  int x_ = -1;
};

TEST_F(DeviceTypes, run_their_kernels_in_their_memory) {
  make_runtime({npu()});
  const int sum = add("sum", "TestAdd", {}, {{x_, 0}, {x_, 0}}, {}, "/device:NPU:0");
  add("back", "Identity", {{"T", DataType::kFloat}}, {{sum, 0}}, {}, "/cpu:0");
  Session& s = open();
  EXPECT_EQ(run(s, "back"), 42);
  EXPECT_THAT(ran_on, ElementsAre("/job:localhost/replica:0/task:0/device:NPU:0"));
  EXPECT_GT(memory_.allocations, 0);
  EXPECT_EQ(loops_.loops, 1);
}

TEST_F(DeviceTypes, tell_what_they_are) {
  make_runtime({npu()});
  add("sum", "TestAdd", {}, {{x_, 0}, {x_, 0}});
  Session& s = open();
  const auto devices = s.list_devices();
  ASSERT_EQ(devices->size(), 2u);
  EXPECT_EQ(devices->at(0).type, "CPU");
  EXPECT_EQ(devices->at(1).name, "/job:localhost/replica:0/task:0/device:NPU:0");
  EXPECT_EQ(devices->at(1).type, "NPU");
  EXPECT_EQ(devices->at(1).memory_limit_bytes, 1 << 20);
  EXPECT_EQ(s.local_devices().at(1)->attributes().physical_description, "a chip");
  EXPECT_EQ(run(s, "sum"), 42);
  EXPECT_EQ(ran_on.size(), 1u) << "where both could run it, the higher priority does";
}

TEST_F(DeviceTypes, are_as_many_as_a_session_asks_for) {
  make_runtime({npu()});
  add("sum", "TestAdd", {}, {{x_, 0}, {x_, 0}}, {}, "/device:NPU:1");
  EXPECT_THAT(std::string(created().message()), HasSubstr("was explicitly assigned to /device:NPU:1"));
  SessionOptions options;
  options.device_count["NPU"] = 2;
  ASSERT_EQ(created(options), absl::OkStatus());
  EXPECT_EQ(run(*session_, "sum"), 42);
  EXPECT_THAT(ran_on, ElementsAre("/job:localhost/replica:0/task:0/device:NPU:1"));
  options.device_count["NPU"] = 0;
  options.allow_soft_placement = true;
  ASSERT_EQ(created(options), absl::OkStatus());
  EXPECT_EQ(run(*session_, "sum"), 42);
  EXPECT_EQ(ran_on.size(), 1u) << "there is none: a CPU did it";
}

TEST_F(DeviceTypes, without_a_kernel_for_a_node_do_not_get_it) {
  make_runtime({npu()});
  const int two = constant("two", Tensor::scalar<float>(2));
  add("less", "TestLess", {}, {{x_, 0}, {two, 0}}, {}, "/device:NPU:0");
  const absl::Status refused = created();
  EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("{{node less}}"));
  SessionOptions soft;
  soft.allow_soft_placement = true;
  ASSERT_EQ(created(soft), absl::OkStatus());
  EXPECT_TRUE(session_->run({{"x", Tensor::scalar<float>(1)}}, {"less"}).ok());
}

TEST_F(DeviceTypes, have_a_device_actor_each) {
  make_runtime({npu()});
  const int a = add("a", "TestAdd", {}, {{x_, 0}, {x_, 0}}, {}, "/device:NPU:0");
  add("b", "TestAdd", {}, {{a, 0}, {a, 0}}, {}, "/cpu:0");
  EXPECT_EQ(run(open(), "b"), 84);
  const auto devices = runtime_->impl().devices();
  EXPECT_EQ(devices.size(), 2u);
  EXPECT_TRUE(devices.contains("CPU:0") && devices.contains("NPU:0"));
}

TEST_F(DeviceTypes, need_names_of_their_own) {
  auto named = [](const char* name) {
    DeviceType type;
    type.name = name;
    return type;
  };
  for (const char* name : {"", "CPU", "a b", "NPU:1", "*", "/gpu"}) {
    make_runtime({named(name)});
    const absl::Status refused = Session::open(*runtime_).status();
    EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument) << name;
    EXPECT_THAT(std::string(refused.message()), HasSubstr(std::string("device_types")));
  }
  make_runtime({named("NPU"), named("NPU")});
  EXPECT_EQ(Session::open(*runtime_).status().code(), absl::StatusCode::kInvalidArgument);
  make_runtime({named("NPU"), named("TPU")});
  EXPECT_TRUE(Session::open(*runtime_).ok());
}

}  // namespace
}  // namespace troupe::test
