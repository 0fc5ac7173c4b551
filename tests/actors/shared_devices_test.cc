// Sessions that have the same devices.
#include <gmock/gmock.h>

#include "devices/device_set.h"
#include "tests/actors/session_fixture.h"

namespace troupe::test {
namespace {

/// "v" is a variable, "init" sets it to 1, "more" adds 1.
class SharedDevices : public SessionTest {
 protected:
  SharedDevices() {
    const int v = add("v", "VariableV2", {{"dtype", DataType::kFloat}, {"shape", PartialShape(Shape())}});
    const int one = constant("one", Tensor::scalar<float>(1));
    add("init", "Assign", {{"T", DataType::kFloat}}, {{v, 0}, {one, 0}});
    add("more", "AssignAdd", {{"T", DataType::kFloat}}, {{v, 0}, {one, 0}});
  }

  std::shared_ptr<DeviceSet> make_devices(int cpus = 1, const std::string& task = "/job:w/replica:0/task:2") {
    SessionOptions options;
    options.device_count["CPU"] = cpus;
    auto devices = runtime_->make_devices(options, task);
    EXPECT_TRUE(devices.ok()) << devices.status();
    return devices.ok() ? *devices : nullptr;
  }
  std::unique_ptr<Session> open_on(const std::shared_ptr<DeviceSet>& devices) {
    SessionOptions options;
    options.devices = devices;
    auto session = Session::open(*runtime_, options);
    EXPECT_TRUE(session.ok()) << session.status();
    EXPECT_TRUE((*session)->create(graph_.clone()).ok());
    return *std::move(session);
  }
  static float more(Session& session, RunStats* stats = nullptr) {
    const auto v = session.run({}, {"more:0"}, {}, {}, stats);
    EXPECT_TRUE(v.ok()) << v.status();
    return v.ok() ? (*v)[0].value<float>() : -1;
  }
};

TEST_F(SharedDevices, sessions_see_each_others_variables_also_one_after_the_other) {
  const auto devices = make_devices();
  auto one = open_on(devices);
  ASSERT_TRUE(one->run({}, {}, {"init"}).ok());
  auto two = open_on(devices);
  EXPECT_EQ(more(*one), 2);
  EXPECT_EQ(more(*two), 3);
  one.reset();
  EXPECT_EQ(more(*two), 4);
  two.reset();
  EXPECT_EQ(more(*open_on(devices)), 5);
  EXPECT_TRUE(absl::IsFailedPrecondition(open_on(make_devices())->run({}, {"more:0"}).status()));
}

TEST_F(SharedDevices, who_shares_them_out_clears_them) {
  const auto devices = make_devices();
  const auto session = open_on(devices);
  ASSERT_TRUE(session->run({}, {}, {"init"}).ok());
  EXPECT_EQ(Session::reset(*runtime_, {}), absl::OkStatus());
  EXPECT_EQ(more(*session), 2) << "a reset of the runtime's sessions is not for those on shared devices";
  devices->clear_containers({});
  EXPECT_TRUE(absl::IsFailedPrecondition(session->run({}, {"more:0"}).status()));
}

TEST_F(SharedDevices, sessions_have_the_devices_that_they_were_given) {
  const auto session = open_on(make_devices(2));
  const auto listed = session->list_devices();
  ASSERT_TRUE(listed.ok()) << listed.status();
  ASSERT_EQ(listed->size(), 2u);
  EXPECT_EQ((*listed)[1].name, "/job:w/replica:0/task:2/device:CPU:1");
}

TEST_F(SharedDevices, steps_of_different_sessions_have_different_ids) {
  const auto devices = make_devices();
  const auto one = open_on(devices), two = open_on(devices);
  ASSERT_TRUE(one->run({}, {}, {"init"}).ok());
  RunStats of_one, of_two;
  more(*one, &of_one);
  more(*two, &of_two);
  EXPECT_GT(of_one.step_id, 0);
  EXPECT_NE(of_one.step_id, of_two.step_id) << "their containers would meet on the device";
}

TEST_F(SharedDevices, there_is_a_cpu_among_them) {
  SessionOptions none;
  none.device_count["CPU"] = 0;
  EXPECT_TRUE(absl::IsNotFound(runtime_->make_devices(none).status()));
}

}  // namespace
}  // namespace troupe::test
