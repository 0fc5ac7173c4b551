// Tensors that outlive their step under a handle: GetSessionHandle, its second version, and handles that are fed.
#include <gmock/gmock.h>

#include "actors/runtime_impl.h"
#include "devices/common/variable/resource_access.h"
#include "tests/actors/session_fixture.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;

/// h and h2 are handles of x; got is the tensor that the handle in "name" names; y2 is y + y.
class SessionHandles : public SessionTest {
 protected:
  SessionHandles() {
    const AttrMap t{{"T", DataType::kFloat}};
    const int x = placeholder("x");
    const int h = add("h", "GetSessionHandle", t, {{x, 0}});
    add("seen", "Identity", {{"T", DataType::kString}}, {{h, 0}});
    add("h2", "GetSessionHandleV2", t, {{x, 0}});
    const int name = placeholder("name", DataType::kString);
    const int got = add("got", "GetSessionTensor", {{"dtype", DataType::kFloat}}, {{name, 0}});
    const int two = constant("two", Tensor::scalar<float>(2));
    add("plus_two", "TestAdd", {}, {{got, 0}, {two, 0}});
    add("now", "GetSessionTensor", {{"dtype", DataType::kFloat}}, {{h, 0}});
    add("drop", "DeleteSessionTensor", {}, {{name, 0}});
    const int y = placeholder("y");
    add("y2", "TestAdd", {}, {{y, 0}, {y, 0}});
    add("bad", "TestFail", {}, {{x, 0}});
    add("whole", "Identity", {{"T", DataType::kInt32}}, {{placeholder("i", DataType::kInt32), 0}});
  }

  static NamedTensor feed(const std::string& name, float value) {
    return {name, Tensor::scalar<float>(value)};
  }
  /// A partial run whose first turn has fetched the handle of 5, and whose second is y2.
  void begin_partial_run(std::string* run, Tensor* handle) {
    const auto begun = session_->partial_run_setup({"x", "y"}, {"h", "y2"});
    ASSERT_TRUE(begun.ok()) << begun.status();
    const auto fetched = session_->partial_run(*begun, {feed("x", 5)}, {"h"});
    ASSERT_TRUE(fetched.ok()) << fetched.status();
    *run = *begun;
    *handle = fetched->at(0);
  }
  absl::Status look(const Tensor& handle) { return session_->run({{"name", handle}}, {"got"}).status(); }
  void expect_unknown(const Tensor& handle) {
    const absl::Status end = look(handle);
    EXPECT_EQ(end.code(), absl::StatusCode::kInvalidArgument) << end;
    EXPECT_THAT(std::string(end.message()), HasSubstr("is not in the session store."));
  }
  /// Of the resource that a fetch of "h2" gives.
  static Tensor name_of(const std::vector<Tensor>& fetched) {
    const ResourceHandle& handle = fetched.at(0).flat<ResourceHandle>()[0];
    EXPECT_EQ(handle.container, "TensorHandle");
    return Tensor::scalar<TString>(TString(handle.name));
  }
  /// 4 MB of the runtime's.
  Tensor big() const {
    return *Tensor::make(DataType::kFloat, Shape({1 << 20}), &*runtime_->impl().host_memory);
  }
  int64_t bytes() const { return runtime_->impl().host_memory->stats().bytes_in_use; }
};

TEST_F(SessionHandles, keep_what_was_fetched_until_it_is_deleted) {
  Session& s = open();
  const auto handle = s.run({feed("x", 5)}, {"h"});
  ASSERT_TRUE(handle.ok()) << handle.status();
  const auto got = s.run({{"name", (*handle)[0]}}, {"got"});
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ((*got)[0].value<float>(), 5);
  EXPECT_TRUE(s.run({{"name", (*handle)[0]}}, {}, {"drop"}).ok());
  expect_unknown((*handle)[0]);
}

TEST_F(SessionHandles, stay_when_a_partial_run_fetches_them) {
  Session& s = open();
  std::string run;
  Tensor handle;
  begin_partial_run(&run, &handle);
  // From the turn on that fetched it, and when the run is over.
  for (const bool over : {false, true}) {
    if (over) {
      ASSERT_TRUE(s.partial_run(run, {feed("y", 1)}, {"y2"}).ok());
    }
    const auto got = s.run({{"name", handle}}, {"got"});
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_EQ((*got)[0].value<float>(), 5);
  }
}

TEST_F(SessionHandles, stay_when_the_partial_run_that_gave_them_is_cancelled) {
  Session& s = open();
  std::string run;
  Tensor handle;
  begin_partial_run(&run, &handle);
  ASSERT_TRUE(s.cancel_partial_run(run, "no more of it").ok());
  ASSERT_TRUE(s.wait_idle(std::chrono::seconds(20)).ok());
  EXPECT_TRUE(look(handle).ok());
}

TEST_F(SessionHandles, s048_give_their_tensor_to_a_run_that_is_fed_their_name) {
  Session& s = open();
  const Tensor name = name_of(*s.run({feed("x", 3)}, {"h2"}));
  const auto sum = s.run({{"name", name}}, {"plus_two"});
  ASSERT_TRUE(sum.ok()) << sum.status();
  EXPECT_EQ((*sum)[0].value<float>(), 5);
  EXPECT_TRUE(s.run({{"name", name}}, {}, {"drop"}).ok());
  expect_unknown(name);
}

TEST_F(SessionHandles, s049_give_their_tensor_to_a_callable_that_is_fed_their_name) {
  Session& s = open();
  using Names = std::vector<std::string>;
  auto callable = [&](const char* feed, Names fetches, Names targets) {
    CallableOptions options;
    options.feeds = {feed};
    options.fetches = std::move(fetches);
    options.targets = std::move(targets);
    return *s.make_callable(options);
  };
  const CallableHandle make = callable("x", {"h2"}, {});
  const CallableHandle use = callable("name", {"plus_two"}, {});
  const CallableHandle drop = callable("name", {}, {"drop"});
  std::vector<Tensor> out(1);
  const Tensor three = Tensor::scalar<float>(3);
  ASSERT_TRUE(s.run_callable(make, {&three, 1}, out).ok());
  const Tensor name = name_of(out);
  ASSERT_TRUE(s.run_callable(use, {&name, 1}, out).ok());
  EXPECT_EQ(out[0].value<float>(), 5);
  EXPECT_TRUE(s.run_callable(drop, {&name, 1}, {}).ok());
  expect_unknown(name);
}

TEST_F(SessionHandles, are_dropped_when_nobody_fetches_them) {
  Session& s = open();
  const auto seen = s.run({feed("x", 5)}, {"seen"});
  ASSERT_TRUE(seen.ok()) << seen.status();
  expect_unknown((*seen)[0]);
  // Fetched itself, too, it stays.
  const auto both = s.run({feed("x", 5)}, {"seen", "h:0"});
  ASSERT_TRUE(both.ok()) << both.status();
  EXPECT_TRUE(look((*both)[0]).ok());
}

TEST_F(SessionHandles, hold_no_memory_that_nobody_can_name) {
  Session& s = open();
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(s.run({{"x", big()}}, {}, {i % 2 == 0 ? "h" : "h2"}).ok());
  }
  EXPECT_LT(bytes(), 200 << 20);
}

TEST_F(SessionHandles, are_dropped_when_their_step_fails) {
  Session& s = open();
  const int64_t before = bytes();
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(s.run({{"x", big()}}, {"h", "bad"}).ok());
  }
  EXPECT_LT(bytes() - before, 10 << 20);
}

TEST_F(SessionHandles, are_of_no_use_within_their_own_step) {
  Session& s = open();
  const absl::Status end = s.run({feed("x", 5)}, {"now", "h"}).status();
  EXPECT_THAT(std::string(end.message()), HasSubstr("is not in the session store."));
}

TEST_F(SessionHandles, are_fed_in_place_of_their_tensor) {
  Session& s = open();
  const auto handle = s.run({feed("x", 5)}, {"h2"});
  ASSERT_TRUE(handle.ok()) << handle.status();
  ASSERT_EQ((*handle)[0].dtype(), DataType::kResource);
  const auto sum = s.run({{"y", (*handle)[0]}}, {"y2"});
  ASSERT_TRUE(sum.ok()) << sum.status();
  EXPECT_EQ((*sum)[0].value<float>(), 10);
  const absl::Status wrong = s.run({{"i", (*handle)[0]}}, {"whole"}).status();
  EXPECT_THAT(std::string(wrong.message()), HasSubstr("Expects arg[0] to be int32 but float is provided"));
}

TEST_F(SessionHandles, are_fed_to_callables_and_partial_runs) {
  Session& s = open();
  const Tensor handle = (*s.run({feed("x", 5)}, {"h2"}))[0];
  CallableOptions options;
  options.feeds = {"y"};
  options.fetches = {"y2"};
  const CallableHandle callable = *s.make_callable(options);
  std::vector<Tensor> out(1);
  ASSERT_TRUE(s.run_callable(callable, {&handle, 1}, out).ok());
  EXPECT_EQ(out[0].value<float>(), 10);
  auto partial = s.partial_run_setup({"y"}, {"y2"});
  const auto turn = s.partial_run(*partial, {{"y", handle}}, {"y2"});
  ASSERT_TRUE(turn.ok()) << turn.status();
  EXPECT_EQ((*turn)[0].value<float>(), 10);
}

TEST_F(SessionHandles, name_what_is_wrong_with_a_handle_that_is_fed) {
  Session& s = open();
  auto handle = [](const std::string& container) {
    ResourceHandle h;
    h.container = container;
    h.name = "nobody";
    h.hash_code = 77;
    h.maybe_type_name = "Foo";
    return handle_tensor(std::move(h));
  };
  const absl::Status unknown = s.run({{"y", handle("TensorHandle")}}, {"y2"}).status();
  EXPECT_EQ(std::string(unknown.message()), "The tensor with handle 'nobody' is not in the session store.");
  const absl::Status other = s.run({{"y", handle("localhost")}}, {"y2"}).status();
  EXPECT_EQ(other.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(other.message()),
              HasSubstr("Invalid resource type hash code: 77(name: nobody type: Foo)."));
  auto partial = s.partial_run_setup({"y"}, {"y2"});
  const absl::Status turn = s.partial_run(*partial, {{"y", handle("TensorHandle")}}, {"y2"}).status();
  EXPECT_EQ(std::string(turn.message()), "The tensor with handle 'nobody' is not in the session store.");
  EXPECT_THAT(std::string(s.partial_run(*partial, {feed("y", 1)}, {"y2"}).status().message()),
              HasSubstr("Must run 'setup'"));
}

TEST_F(SessionHandles, are_kept_from_the_turn_of_a_partial_run_that_fetches_them) {
  Session& s = open();
  auto partial = s.partial_run_setup({"x", "y"}, {"h", "y2"});
  const auto first = s.partial_run(*partial, {feed("x", 5)}, {"h"});
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_TRUE(look((*first)[0]).ok());
  ASSERT_TRUE(s.partial_run(*partial, {feed("y", 1)}, {"y2"}).ok());
  EXPECT_TRUE(look((*first)[0]).ok());
}

}  // namespace
}  // namespace troupe::test
