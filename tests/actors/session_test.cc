#include <gmock/gmock.h>

#include <thread>

#include "tests/actors/session_fixture.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;

std::string text(const absl::Status& s) { return std::string(s.message()); }

TEST_F(SessionTest, feeds_and_fetches_one_add) {
  int x = placeholder("x");
  int one = constant("one", Tensor::scalar<float>(1));
  add("y", "TestAdd", {}, {{x, 0}, {one, 0}});
  Session& s = open();
  RunStats stats;
  auto out = s.run({{"x", Tensor::scalar<float>(41)}}, {"y:0", "y"}, {}, {}, &stats);
  ASSERT_TRUE(out.ok()) << out.status();
  ASSERT_EQ(out->size(), 2u);
  EXPECT_EQ((*out)[0].value<float>(), 42);
  EXPECT_EQ((*out)[1].value<float>(), 42);
  EXPECT_EQ(stats.num_partitions, 1);
}

TEST_F(SessionTest, answers_in_the_callers_order_and_compiles_once) {
  int a = placeholder("a");
  int b = placeholder("b");
  add("sum", "TestAdd", {}, {{a, 0}, {b, 0}});
  constant("c", Tensor::scalar<float>(7));
  Session& s = open();
  for (int i = 0; i < 3; ++i) {
    auto out = s.run({{"b", Tensor::scalar<float>(2)}, {"a", Tensor::scalar<float>(1)}}, {"sum", "c", "sum"});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ((*out)[0].value<float>(), 3);
    EXPECT_EQ((*out)[1].value<float>(), 7);
    EXPECT_EQ((*out)[2].value<float>(), 3);
  }
  auto out = s.run({{"a", Tensor::scalar<float>(1)}, {"b", Tensor::scalar<float>(2)}}, {"c", "sum", "sum"});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].value<float>(), 7);
  EXPECT_EQ(s.counters().signature_misses, 1) << "another order of the same names is the same signature";
}

TEST_F(SessionTest, feeding_and_fetching_copy_nothing) {
  int x = placeholder("x");
  add("y", "Identity", {{"T", DataType::kFloat}}, {{x, 0}});
  Session& s = open();
  Tensor big(DataType::kFloat, Shape{1 << 20});
  auto out = s.run({{"x", big}}, {"y"});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE((*out)[0].shares_buffer_with(big));
}

TEST_F(SessionTest, keeps_evicting_the_signature_used_longest_ago) {
  for (int i = 0; i < 4; ++i) constant("c" + std::to_string(i), Tensor::scalar<float>(static_cast<float>(i)));
  SessionOptions options;
  options.max_signatures = 2;
  Session& s = open(options);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 4; ++i) {
      auto out = s.run({}, {"c" + std::to_string(i)});
      ASSERT_TRUE(out.ok()) << out.status();
      EXPECT_EQ((*out)[0].value<float>(), i);
    }
  }
  EXPECT_EQ(s.counters().signatures, 2);
  EXPECT_EQ(s.counters().evictions, 6);
}

TEST_F(SessionTest, names_the_node_that_failed_and_stays_usable) {
  int x = placeholder("x");
  add("bad", "TestFail", {}, {{x, 0}});
  add("good", "Identity", {{"T", DataType::kFloat}}, {{x, 0}});
  Session& s = open();
  auto out = s.run({{"x", Tensor::scalar<float>(1)}}, {"bad"});
  EXPECT_EQ(out.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(text(out.status()), HasSubstr("told to fail\n\t [[{{node bad}}]]"));
  EXPECT_TRUE(s.run({{"x", Tensor::scalar<float>(1)}}, {"good"}).ok());
}

TEST_F(SessionTest, does_not_wait_for_what_waits_when_something_failed) {
  int x = placeholder("x");
  int wait = add("wait", "TestHang", {}, {{x, 0}});
  add("after", "Identity", {{"T", DataType::kFloat}}, {{wait, 0}});
  add("bad", "TestFail", {}, {{x, 0}});
  Session& s = open();
  for (int i = 0; i < 3; ++i) {
    auto out = s.run({{"x", Tensor::scalar<float>(1)}}, {"after", "bad"});
    EXPECT_EQ(out.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(text(out.status()), HasSubstr("told to fail"));
  }
}

TEST_F(SessionTest, keeps_constants_that_kernels_take) {
  int x = placeholder("x");
  int one = constant("one", Tensor::scalar<float>(1));
  int sum = add("sum", "AddV2", {{"T", DataType::kFloat}}, {{one, 0}, {x, 0}});
  add("more", "AddV2", {{"T", DataType::kFloat}}, {{one, 0}, {sum, 0}});
  add("both", "AddV2", {{"T", DataType::kFloat}}, {{one, 0}, {one, 0}});
  SessionOptions options;
  options.optimize = false;
  Session& s = open(options);
  for (int i = 0; i < 3; ++i) {
    auto out = s.run({{"x", Tensor::scalar<float>(static_cast<float>(i))}}, {"more", "both"});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ((*out)[0].value<float>(), i + 2);
    EXPECT_EQ((*out)[1].value<float>(), 2);
    EXPECT_FALSE(s.run({{"x", Tensor::scalar<double>(1)}}, {"more"}).ok());
  }
}

TEST_F(SessionTest, turns_an_exception_of_a_kernel_into_an_error) {
  int x = placeholder("x");
  add("bad", "TestThrow", {}, {{x, 0}});
  Session& s = open();
  for (int i = 0; i < 3; ++i) {
    auto out = s.run({{"x", Tensor::scalar<float>(1)}}, {"bad"});
    EXPECT_EQ(out.status().code(), absl::StatusCode::kInternal);
    EXPECT_THAT(text(out.status()), HasSubstr("told to throw"));
    EXPECT_THAT(text(out.status()), HasSubstr("{{node bad}}"));
  }
}

TEST_F(SessionTest, refuses_bad_signatures_with_the_words_of_tensorflow) {
  int x = placeholder("x");
  add("y", "Identity", {{"T", DataType::kFloat}}, {{x, 0}});
  add("none", "NoOp");
  Session& s = open();
  Tensor one = Tensor::scalar<float>(1);
  auto expect = [&](const absl::Status& got, absl::StatusCode code, const std::string& phrase) {
    EXPECT_EQ(got.code(), code) << got;
    EXPECT_THAT(text(got), HasSubstr(phrase));
  };
  expect(s.run({}, {}).status(), absl::StatusCode::kInvalidArgument,
         "Must specify at least one target to fetch or execute.");
  expect(s.run({{"x", one}, {"x", one}}, {"y"}).status(), absl::StatusCode::kInvalidArgument,
         "fed more than once.");
  expect(s.run({{"x", one}}, {"x"}).status(), absl::StatusCode::kInvalidArgument,
         "x is both fed and fetched.");
  expect(s.run({{"nope", one}}, {"y"}).status(), absl::StatusCode::kInvalidArgument,
         "Tensor nope:0, specified in either feed_devices or fetch_devices was not found");
  expect(s.run({{"x:3", one}}, {"y"}).status(), absl::StatusCode::kOutOfRange,
         "Node 'x' (type: 'Placeholder', num of outputs: 1) does not have output 3");
  expect(s.run({{"x", one}}, {"nope"}).status(), absl::StatusCode::kInvalidArgument,
         "Tensor nope:0, specified in either feed_devices or fetch_devices was not found");
  expect(s.run({{"x", one}}, {"none"}).status(), absl::StatusCode::kOutOfRange,
         "Node 'none' (type: 'NoOp', num of outputs: 0) does not have output 0");
  expect(s.run({{"x", one}}, {"y:1"}).status(), absl::StatusCode::kOutOfRange, "does not have output 1");
  expect(s.run({}, {}, {"gone"}).status(), absl::StatusCode::kNotFound, "Some target nodes not found: gone");
  expect(s.run({{"x", Tensor::scalar<int32_t>(1)}}, {"y"}).status(), absl::StatusCode::kInvalidArgument,
         "to be float but int32 is provided");
  expect(s.run({}, {"y"}).status(), absl::StatusCode::kInvalidArgument,
         "You must feed a value for placeholder tensor 'x' with dtype float");
  EXPECT_TRUE(s.run({{"x", one}}, {"y"}, {"none"}).ok()) << "the session stays usable";
}

TEST_F(SessionTest, s060_refuses_everything_after_close) {
  constant("c", Tensor::scalar<float>(1));
  Session& s = open();
  ASSERT_TRUE(s.run({}, {"c"}).ok());
  CallableOptions options;
  options.fetches = {"c"};
  const auto callable = s.make_callable(options);
  ASSERT_TRUE(callable.ok()) << callable.status();
  std::vector<Tensor> fetched(1);
  ASSERT_TRUE(s.run_callable(*callable, {}, std::span<Tensor>(fetched)).ok());
  EXPECT_TRUE(s.close().ok());
  EXPECT_TRUE(s.close().ok()) << "twice is fine";
  EXPECT_EQ(s.run({}, {"c"}).status(), absl::CancelledError("Session has been closed."));
  EXPECT_EQ(s.run_callable(*callable, {}, std::span<Tensor>(fetched)),
            absl::CancelledError("Session has been closed."));
}

TEST_F(SessionTest, says_that_it_has_no_graph) {
  auto s = Session::open(*runtime_);
  ASSERT_TRUE(s.ok());
  auto out = (*s)->run({}, {"c"});
  EXPECT_EQ(out.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(text(out.status()), HasSubstr("Session was not created with a graph before Run()!"));
}

TEST_F(SessionTest, serves_many_threads_at_once) {
  int x = placeholder("x");
  int one = constant("one", Tensor::scalar<float>(1));
  add("y", "TestAdd", {}, {{x, 0}, {one, 0}});
  Session& s = open();
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 500; ++i) {
        float v = static_cast<float>(t * 1000 + i);
        auto out = s.run({{"x", Tensor::scalar<float>(v)}}, {"y"});
        if (!out.ok() || (*out)[0].value<float>() != v + 1) ++wrong;
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(s.counters().runs, 4000);
  EXPECT_EQ(s.counters().running_steps, 0);
}

TEST_F(SessionTest, sleeping_kernels_run_side_by_side) {
  int x = placeholder("x");
  int a = add("a", "TestSleep", {{"micros", 50'000}}, {{x, 0}});
  // Another number, so that they are not one node.
  int b = add("b", "TestSleep", {{"micros", 50'001}}, {{x, 0}});
  add("sum", "TestAdd", {}, {{a, 0}, {b, 0}});
  Session& s = open();
  auto begin = std::chrono::steady_clock::now();
  auto out = s.run({{"x", Tensor::scalar<float>(2)}}, {"sum"});
  auto took = std::chrono::steady_clock::now() - begin;
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].value<float>(), 4);
  EXPECT_LT(took, std::chrono::milliseconds(95)) << "two kernels of 50 ms on two threads";
}

TEST_F(SessionTest, two_runtimes_live_in_one_process) {
  constant("c", Tensor::scalar<float>(3));
  open();
  RuntimeOptions options;
  options.ops = ops_.get();
  options.kernels = kernels_.get();
  auto other = Runtime::create(options);
  auto s = Session::open(*other);
  ASSERT_TRUE(s.ok());
  ASSERT_TRUE((*s)->create(graph_.clone()).ok());
  EXPECT_EQ((*(*s)->run({}, {"c"}))[0].value<float>(), 3);
  EXPECT_EQ((*session_->run({}, {"c"}))[0].value<float>(), 3);
}

TEST_F(SessionTest, sends_values_and_control_between_two_devices) {
  int x = placeholder("x");
  int one = constant("one", Tensor::scalar<float>(1));
  int first = add("first", "TestAdd", {}, {{x, 0}, {one, 0}}, {}, "/device:CPU:1");
  int second = add("second", "TestAdd", {}, {{first, 0}, {x, 0}}, {}, "/device:CPU:0");
  int third = add("third", "TestAdd", {}, {{first, 0}, {second, 0}}, {second}, "/device:CPU:1");
  add("fourth", "TestAdd", {}, {{third, 0}, {third, 0}}, {first}, "/device:CPU:0");
  SessionOptions options;
  options.device_count["CPU"] = 2;
  Session& s = open(options);
  for (int i = 0; i < 20; ++i) {
    RunStats stats;
    auto out = s.run({{"x", Tensor::scalar<float>(static_cast<float>(i))}}, {"fourth"}, {}, {}, &stats);
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ((*out)[0].value<float>(), 2 * ((i + 1) + (i + 1 + i)));
    EXPECT_EQ(stats.num_partitions, 2);
  }
  EXPECT_EQ(s.list_devices()->size(), 2u);
}

TEST_F(SessionTest, an_error_on_one_device_ends_the_step_on_the_other) {
  int x = placeholder("x");
  int bad = add("bad", "TestFail", {}, {{x, 0}}, {}, "/device:CPU:1");
  add("waits", "TestAdd", {}, {{bad, 0}, {x, 0}}, {}, "/device:CPU:0");
  SessionOptions options;
  options.device_count["CPU"] = 2;
  Session& s = open(options);
  for (int i = 0; i < 5; ++i) {
    auto out = s.run({{"x", Tensor::scalar<float>(1)}}, {"waits"});
    EXPECT_EQ(out.status().code(), absl::StatusCode::kInvalidArgument) << out.status();
    EXPECT_THAT(text(out.status()), HasSubstr("{{node bad}}")) << "the root error, not what it caused";
  }
}

TEST_F(SessionTest, s044_names_a_device_that_does_not_exist_when_the_graph_comes_or_a_run_needs_it) {
  int x = placeholder("x");
  add("near", "Identity", {{"T", DataType::kFloat}}, {{x, 0}});
  add("far", "Identity", {{"T", DataType::kFloat}}, {{x, 0}}, {}, "/device:GPU:0");
  auto created = [&](const SessionOptions& options) {
    session_ = *Session::open(*runtime_, options);
    return session_->create(graph_.clone());
  };
  const absl::Status refused = created({});
  EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(text(refused),
              HasSubstr("{{node far}} was explicitly assigned to /device:GPU:0 but available devices "
                        "are [ /job:localhost/replica:0/task:0/device:CPU:0 ]"));
  SessionOptions soft;
  soft.allow_soft_placement = true;
  EXPECT_EQ(created(soft), absl::OkStatus());
  SessionOptions pruned;
  pruned.place_pruned_graph = true;
  EXPECT_EQ(created(pruned), absl::OkStatus());
  EXPECT_TRUE(session_->run({{"x", Tensor::scalar<float>(1)}}, {"near"}).ok());
  EXPECT_THAT(text(session_->run({{"x", Tensor::scalar<float>(1)}}, {"far"}).status()),
              HasSubstr("{{node far}} was explicitly assigned to /device:GPU:0"));
}

TEST_F(SessionTest, refuses_a_loop_that_mixes_frames) {
  const int start = constant("start", Tensor::scalar<float>(0));
  const int one = constant("one", Tensor::scalar<float>(1));
  const int enter =
      add("enter", "Enter", {{"T", DataType::kFloat}, {"frame_name", std::string("f")}}, {{start, 0}});
  const int sum = add("sum", "TestAdd", {}, {{enter, 0}, {one, 0}});
  add("exit", "Exit", {{"T", DataType::kFloat}}, {{sum, 0}});
  add("lost", "Exit", {{"T", DataType::kFloat}}, {{start, 0}});
  Session& s = open();
  const absl::Status mixed = s.run({}, {"exit"}).status();
  EXPECT_EQ(mixed.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(text(mixed),
              HasSubstr("{{node sum}} has inputs from different frames. The input {{node enter}} is "
                        "in frame 'f'. The input {{node one}} is in frame ''."));
  EXPECT_THAT(text(s.run({}, {"lost"}).status()), HasSubstr("Cannot find a corresponding Enter op."));
}

TEST_F(SessionTest, takes_the_first_spelling_of_a_tensor_that_is_fed_twice) {
  placeholder("x");
  add("y", "Identity", {{"T", DataType::kFloat}}, {{0, 0}});
  Session& s = open();
  const Tensor one = Tensor::scalar<float>(1), two = Tensor::scalar<float>(2);
  EXPECT_EQ((*s.run({{"x", one}, {"x:0", two}}, {"y"}))[0].value<float>(), 1);
  EXPECT_EQ((*s.run({{"x:0", one}, {"x", two}}, {"y"}))[0].value<float>(), 2);
}

TEST_F(SessionTest, s038_s039_is_the_only_one_of_its_name_and_version) {
  constant("c", Tensor::scalar<float>(1));
  SessionOptions options;
  options.has_metadata = true;
  options.metadata_name = "model";
  options.metadata_version = 3;
  Session& first = open(options);
  auto second = Session::open(*runtime_, options);
  EXPECT_EQ(second.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(text(second.status()), HasSubstr("same name and version has already been created"));
  options.metadata_version = 4;
  EXPECT_TRUE(Session::open(*runtime_, options).ok());
  options.metadata_version = -1;
  const absl::Status negative = Session::open(*runtime_, options).status();
  EXPECT_EQ(negative.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(text(negative), HasSubstr("shouldn't be negative"));
  const auto unnamed = Session::open(*runtime_), another = Session::open(*runtime_);
  EXPECT_TRUE(unnamed.ok() && another.ok()) << "those without a name are as many as one likes";
  ASSERT_TRUE(first.close().ok());
  options.metadata_version = 3;
  {
    const auto third = Session::open(*runtime_, options);
    EXPECT_TRUE(third.ok()) << "a closed session's name is free";
    EXPECT_FALSE(Session::open(*runtime_, options).ok());
  }
  EXPECT_TRUE(Session::open(*runtime_, options).ok()) << "and so is that of one that is gone";
}

}  // namespace
TEST_F(SessionTest, seeded_pooling_takes_the_same_regions_in_every_step) {
  const int image = constant("image", Tensor(DataType::kFloat, {1, 6, 6, 1}));
  add("pool", "FractionalMaxPool",
      {{"T", DataType::kFloat},
       {"pooling_ratio", std::vector<float>{1, 1.5f, 1.5f, 1}},
       {"pseudo_random", true},
       {"deterministic", true},
       {"seed", int64_t{3}},
       {"seed2", int64_t{5}}},
      {{image, 0}});
  Session& session = open();
  auto first = session.run({}, {"pool:1", "pool:2"}), second = session.run({}, {"pool:1", "pool:2"});
  ASSERT_TRUE(first.ok() && second.ok()) << first.status() << second.status();
  for (int i : {0, 1}) {
    EXPECT_TRUE(std::ranges::equal(first->at(i).flat<int64_t>(), second->at(i).flat<int64_t>()));
  }
}

TEST_F(SessionTest, updates_in_place_are_seen_by_other_readers_and_not_by_other_graphs) {
  const Tensor three = Tensor::from<float>(Shape{1, 1}, {3});
  const int p = placeholder("p"), x = constant("x", three), i = constant("i", Tensor::vector<int32_t>({0}));
  const int e = add("e", "Neg", {{"T", DataType::kFloat}}, {{p, 0}});
  const int y = add("y", "InplaceAdd", {{"T", DataType::kFloat}}, {{e, 0}, {i, 0}, {x, 0}});
  add("z", "Identity", {{"T", DataType::kFloat}}, {{e, 0}}, {y});
  add("w", "InplaceAdd", {{"T", DataType::kFloat}}, {{x, 0}, {i, 0}, {x, 0}});
  Session& session = open();
  auto seen = session.run({{"p", Tensor::from<float>(Shape{1, 1}, {5})}}, {"z:0"});
  ASSERT_TRUE(seen.ok()) << seen.status();
  EXPECT_EQ(seen->at(0).flat<float>()[0], -2);
  auto written = session.run({}, {"w:0"}), read = session.run({}, {"x:0"});
  ASSERT_TRUE(written.ok() && read.ok()) << written.status() << read.status();
  EXPECT_EQ(written->at(0).flat<float>()[0], 6);
  EXPECT_EQ(read->at(0).flat<float>()[0], 3);
}

}  // namespace troupe::test
