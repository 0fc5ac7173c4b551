#include "actors/runtime_impl.h"
#include "tests/actors/called_functions.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>

#include <atomic>
#include <cstdio>
#include <set>
#include <thread>

#include "absl/strings/str_join.h"
#include "proto/config.pb.h"

namespace troupe::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string kVariable =
    "node { name: 'v' op: 'VarHandleOp'" + kDtype +
    " attr { key: 'shape' value { shape {} } } }\n"
    "node { name: 'zero' op: 'Const'" +
    kDtype +
    " attr { key: 'value' value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: 0 } } } }\n"
    "node { name: 'init' op: 'AssignVariableOp' input: 'v' input: 'zero'" +
    kDtype +
    " }\n"
    "node { name: 'read_after_call' op: 'ReadVariableOp' input: 'v' input: '^call'" +
    kDtype +
    " }\n"
    "node { name: 'read' op: 'ReadVariableOp' input: 'v'" +
    kDtype + " }\n";

const std::string kBumpTypes =
    types_text("Tin", {"DT_RESOURCE", "DT_FLOAT"}) + types_text("Tout", {"DT_FLOAT"});

/// A sanitizer keeps what was freed for a while: how much memory is resident says nothing then.
#ifdef TROUPE_SANITIZED
constexpr bool kKeepsFreedMemory = true;
#else
constexpr bool kKeepsFreedMemory = false;
#endif

long resident_pages() {
  long total = 0, resident = 0;
  if (FILE* f = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(f, "%ld %ld", &total, &resident) != 2) resident = 0;
    std::fclose(f);
  }
  return resident;
}

TEST_F(CalledFunctions, call_themselves) {
  Session& s = open_text(x_and_call("Factorial") + x_and_call("Fib", "fib"));
  EXPECT_EQ(number(s.run({feed("x", 10)}, {"call"})), 3628800);
  EXPECT_EQ(number(s.run({feed("x", 1)}, {"call"})), 1);
  EXPECT_EQ(number(s.run({feed("x", 15)}, {"fib"})), 610);
}

TEST_F(CalledFunctions, show_their_nodes_in_the_statistics_by_the_names_of_their_definition) {
  Session& s = open_text(x_and_call("Factorial"));
  RunOptions options;
  options.collect_stats = true;
  RunStats stats;
  ASSERT_TRUE(s.run({feed("x", 3)}, {"call"}, {}, options, &stats).ok());
  tensorflow::RunMetadata metadata;
  ASSERT_TRUE(metadata.ParseFromString(stats.metadata));
  ASSERT_EQ(metadata.step_stats().dev_stats_size(), 1);
  std::multiset<std::string> labels;
  for (const auto& n : metadata.step_stats().dev_stats(0).node_stats()) labels.insert(n.timeline_label());
  EXPECT_EQ(labels.count("x = _Arg()"), 3u) << "of 3, 2 and 1";
  EXPECT_EQ(labels.count("below = Less(x, limit)"), 3u);
  EXPECT_EQ(labels.count("y_RetVal = _Retval(branch/merge_0)"), 3u);
  EXPECT_EQ(labels.count("call = PartitionedCall(_arg_x_0_0)"), 1u);
}

TEST_F(CalledFunctions, call_each_other) {
  Session& s = open_text(x_and_call("Even"));
  EXPECT_EQ(number(s.run({feed("x", 40)}, {"call"})), 1);
  EXPECT_EQ(number(s.run({feed("x", 41)}, {"call"})), 0);
}

TEST_F(CalledFunctions, nest_thousands_deep) {
  Session& s = open_text(x_and_call("SumTo"));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(number(s.run({feed("x", 2000)}, {"call"})), 2001000);
}

TEST_F(CalledFunctions, end_with_an_error_where_recursion_does_not) {
  tensorflow::GraphDef def = with_functions(x_and_call("Forever"));
  auto session = Session::open(*runtime_);
  ASSERT_TRUE(session.ok() && (*session)->create(def).ok());
  auto out = (*session)->run({feed("x", 1)}, {"call"});
  EXPECT_EQ(out.status().code(), absl::StatusCode::kResourceExhausted) << out.status();
  EXPECT_THAT(std::string(out.status().message()), AllOf(HasSubstr("Forever"), HasSubstr("calls deep")));
}

TEST_F(CalledFunctions, have_their_effects_once_before_who_waits) {
  Session& s =
      open_text(kVariable + placeholder_text("x", "DT_FLOAT") +
                call_text("call", "StatefulPartitionedCall", {"v", "x"}, {{"f", "BumpCalled"}}, kBumpTypes));
  ASSERT_TRUE(s.run({}, {}, {"init"}).ok());
  EXPECT_EQ(number(s.run({feed("x", 2)}, {"read_after_call"})), 2);
  EXPECT_EQ(number(s.run({feed("x", 2)}, {"call"})), 2);
  EXPECT_EQ(number(s.run({}, {"read"})), 4);
  ASSERT_TRUE(s.run({feed("x", 3)}, {}, {"call"}).ok());
  EXPECT_EQ(number(s.run({}, {"read"})), 7);
}

TEST_F(CalledFunctions, find_resources_of_other_devices) {
  std::string variable = kVariable;
  variable.replace(variable.find("'VarHandleOp'"), 13, "'VarHandleOp' device: '/cpu:1'");
  SessionOptions options;
  options.device_count["CPU"] = 2;
  Session& s = open_text(variable + placeholder_text("x", "DT_FLOAT") +
                             call_text("call", "StatefulPartitionedCall", {"v", "x"}, {{"f", "BumpCalled"}},
                                       kBumpTypes + " device: '/cpu:0'"),
                         options);
  ASSERT_TRUE(s.run({}, {}, {"init"}).ok());
  EXPECT_EQ(number(s.run({feed("x", 2)}, {"read_after_call"})), 2);
}

TEST_F(CalledFunctions, run_where_a_fed_target_says) {
  SessionOptions options;
  options.device_count["CPU"] = 2;
  Session& s = open_text(placeholder_text("x", "DT_FLOAT") + placeholder_text("where", "DT_STRING") +
                             call_text("call", "RemoteCall", {"where", "x"}, {{"f", "Factorial"}}, kOneFloat),
                         options);
  auto at = [](const char* device) { return NamedTensor("where", Tensor::scalar(TString(device))); };
  EXPECT_EQ(number(s.run({feed("x", 5), at("/job:localhost/replica:0/task:0/device:CPU:1")}, {"call"})), 120);
  EXPECT_EQ(number(s.run({feed("x", 5), at("/cpu:0")}, {"call"})), 120);
  auto out = s.run({feed("x", 5), at("/cpu:7")}, {"call"});
  EXPECT_EQ(out.status().code(), absl::StatusCode::kInvalidArgument) << out.status();
  EXPECT_THAT(std::string(out.status().message()), HasSubstr("/cpu:7 unknown device"));
}

TEST_F(CalledFunctions, name_the_function_and_the_node_that_fails) {
  Session& s = open_text(x_and_call("Bad") + x_and_call("DeepBad", "deep"));
  auto out = s.run({feed("x", 1)}, {"call"});
  EXPECT_EQ(out.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(
      out.status().message(),
      absl::string_view("{{function_node Bad}} told to fail\n\t [[{{node check}}]]\n\t [[{{node call}}]]"));
  auto deep = s.run({feed("x", 500)}, {"deep"});
  EXPECT_THAT(std::string(deep.status().message()), HasSubstr("{{function_node Bad}} told to fail"));
  EXPECT_LT(deep.status().message().size(), 400) << "a line a node, not a line a call";
}

TEST_F(CalledFunctions, are_cancelled_with_their_caller) {
  Session& s = open_text(x_and_call("Deep"));
  for (float depth : {0.0f, 50.0f, 1000.0f}) {
    const auto took = cancel_call(s, depth);
    EXPECT_LT(took, std::chrono::milliseconds(500)) << depth;
    std::printf("cancelled %4.0f calls deep: %ld us\n", depth, static_cast<long>(took.count()));
  }
  RunOptions run;
  run.timeout = std::chrono::milliseconds(30);
  auto out = s.run({feed("x", 50)}, {"call"}, {}, run);
  EXPECT_EQ(out.status().code(), absl::StatusCode::kDeadlineExceeded) << out.status();
  EXPECT_TRUE(s.wait_idle(std::chrono::seconds(5)).ok());
}

TEST_F(CalledFunctions, leave_nothing_of_what_they_made_for_the_step) {
  tensorflow::GraphDef pushes;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(R"(
    library { function {
      signature { name: "Pushes" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "y" type: DT_FLOAT } is_stateful: true }
      attr { key: "_noinline" value { b: true } }
      node_def { name: "stack" op: "Stack" attr { key: "elem_type" value { type: DT_FLOAT } } }
      node_def { name: "push" op: "StackPush" input: "stack:handle:0" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
      ret { key: "y" value: "push:output:0" }
    } })",
                                                            &pushes));
  pushes.MergeFrom(graph_of(x_and_call("Pushes")));
  session_ = *Session::open(*runtime_);
  ASSERT_TRUE(session_->create(pushes).ok());
  Session& s = *session_;
  const auto in_use = [&] { return runtime_->impl().host_memory->stats().bytes_in_use; };
  const int64_t before = in_use();
  {
    const Tensor big = *Tensor::make(DataType::kFloat, Shape({1 << 20}), &*runtime_->impl().host_memory);
    const auto pushed = s.run({{"x", big}}, {"call"});
    ASSERT_TRUE(pushed.ok()) << pushed.status();
    EXPECT_TRUE((*pushed)[0].shares_buffer_with(big));
  }
  EXPECT_LT(in_use() - before, 1 << 20);
}

TEST_F(CalledFunctions, are_inspected_with_their_caller) {
  Session& s = open_text(x_and_call("Deep"));
  absl::Status end;
  std::thread runner([&] { end = s.run({feed("x", 100)}, {"call"}).status(); });
  std::string seen;
  const auto late = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (seen.find("hang (TestHang)") == std::string::npos && std::chrono::steady_clock::now() < late) {
    const auto reports = s.inspect();
    ASSERT_TRUE(reports.ok()) << reports.status();
    EXPECT_LE(reports->size(), 1u) << "calls are no steps of their own";
    seen.clear();
    for (const StepReport& r : *reports) seen = absl::StrJoin(r.frontier, "\n");
  }
  EXPECT_THAT(seen, HasSubstr("hang (TestHang) on /job:localhost/replica:0/task:0/device:CPU:0: running"));
  EXPECT_TRUE(s.cancel("enough").ok());
  runner.join();
}

TEST_F(CalledFunctions, stop_when_something_else_of_the_step_fails) {
  Session& s = open_text(x_and_call("Deep") + "node { name: 'bad' op: 'TestFail' input: 'slow' }\n" +
                         x_and_call("Slow", "slow"));
  auto out = s.run({feed("x", 20)}, {"call", "bad"});
  EXPECT_THAT(std::string(out.status().message()), HasSubstr("told to fail"));
  EXPECT_TRUE(s.wait_idle(std::chrono::seconds(5)).ok());
}

TEST_F(CalledFunctions, go_on_when_the_session_closes) {
  Session& s = open_text(x_and_call("Deep"));
  absl::Status end;
  std::thread runner([&] { end = s.run({feed("x", 100)}, {"call"}).status(); });
  while (hung == 0) std::this_thread::yield();
  EXPECT_TRUE(s.close().ok());
  runner.join();
  EXPECT_EQ(end.code(), absl::StatusCode::kCancelled) << end;
}

TEST_F(CalledFunctions, run_in_several_steps_at_once) {
  Session& s = open_text(x_and_call("Factorial") + x_and_call("Fib", "fib") + x_and_call("SumTo", "sum"));
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        wrong += number(s.run({feed("x", 6)}, {t % 2 == 0 ? "call" : "fib"})) != (t % 2 == 0 ? 720 : 8);
        wrong += number(s.run({feed("x", 30)}, {"sum"})) != 465;
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(CalledFunctions, hold_no_more_steps_than_they_are_deep) {
  Session& s = open_text(x_and_call("Fib"));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(number(s.run({feed("x", 20)}, {"call"})), 6765);
  EXPECT_GE(s.counters().most_step_slots, 20);
  EXPECT_LT(s.counters().most_step_slots, 400) << "22,000 calls a run, 20 deep, on some threads";
}

TEST_F(CalledFunctions, take_turns_in_loops_and_hold_loops) {
  Session& s =
      open_text(placeholder_text("x", "DT_FLOAT") + placeholder_text("y", "DT_FLOAT") +
                call_text("call", "StatelessWhile", {"x", "y"}, {{"cond", "Positive"}, {"body", "CountDown"}},
                          types_text("T", {"DT_FLOAT", "DT_FLOAT"})));
  EXPECT_EQ(number(s.run({feed("x", 20), feed("y", 0)}, {"call:1"})), 210) << "20 + 19 + ... + 1";
  EXPECT_EQ(number(s.run({feed("x", 0), feed("y", 7)}, {"call:1"})), 7);
}

TEST_F(CalledFunctions, run_on_the_callers_thread_when_asked) {
  SessionOptions options;
  options.inter_op_threads = -1;
  Session& s = open_text(x_and_call("Fib"), options);
  EXPECT_EQ(number(s.run({feed("x", 10)}, {"call"})), 55);
}

TEST_F(CalledFunctions, map_over_rows) {
  Session& s = open_text("node { name: 'rows' op: 'Placeholder'" + kDtype + " }\n" +
                         call_text("call", "MapDefun", {"rows"}, {{"f", "Factorial"}},
                                   types_text("Targuments", {"DT_FLOAT"}) + types_text("Tcaptured", {}) +
                                       types_text("output_types", {"DT_FLOAT"}) +
                                       " attr { key: 'output_shapes' value { list { shape {} } } }"));
  Tensor rows(DataType::kFloat, Shape({100}));
  for (int i = 0; i < 100; ++i) rows.flat<float>()[i] = static_cast<float>(i % 9);
  auto out = s.run({{"rows", rows}}, {"call"});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].shape(), Shape({100}));
  EXPECT_EQ((*out)[0].flat<float>()[8], 40320);
  EXPECT_EQ((*out)[0].flat<float>()[97], 5040);
  auto scalar = s.run({feed("rows", 1)}, {"call"});
  EXPECT_THAT(std::string(scalar.status().message()),
              HasSubstr("All inputs must have rank at least 1. Input 0 has a rank of 0."));
}

TEST_F(CalledFunctions, run_on_the_single_threaded_executor) {
  SessionOptions options;
  options.executor_type = "SINGLE_THREADED_EXECUTOR";
  Session& s =
      open_text(x_and_call("Fib") + "node { name: 'p' op: 'Less' input: 'x' input: 'x'" + kF + " }\n" +
                    "node { name: 'either' op: 'Switch' input: 'x' input: 'p'" + kF + " }\n",
                options);
  EXPECT_EQ(number(s.run({feed("x", 10)}, {"call"})), 55);
  auto out = s.run({feed("x", 10)}, {"either"});
  EXPECT_EQ(out.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(out.status().message()),
              HasSubstr("Single-threaded executor does not support switch op, but saw node either"));
  options.executor_type = "NONE_SUCH";
  EXPECT_EQ(open_text(x_and_call("Fib"), options).run({feed("x", 1)}, {"call"}).status().code(),
            absl::StatusCode::kNotFound);
}

TEST_F(CalledFunctions, leave_no_memory_behind) {
  if (kKeepsFreedMemory) GTEST_SKIP() << "under a sanitizer";
  Session& s = open_text(x_and_call("SumTo"));
  auto run = [&](int times) {
    for (int i = 0; i < times; ++i) number(s.run({feed("x", 10)}, {"call"}));
  };
  run(100);
  const long before = resident_pages();
  run(1000);
  EXPECT_LT(resident_pages() - before, 256) << "11,000 calls, pages of 4 KiB";
}

}  // namespace
}  // namespace troupe::test
