// Queues, barriers, accumulators, staging areas and readers: what waits.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <fstream>
#include <future>
#include <thread>

#include "devices/cpu/kernels/queue/accumulator.h"
#include "devices/cpu/kernels/queue/async_waiters.h"
#include "devices/cpu/kernels/queue/reader.h"
#include "devices/cpu/kernels/queue/tuple_queue.h"
#include "graph/status.h"
#include "tests/actors/session_fixture.h"
#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;
using Types = std::vector<DataType>;

/// What a request to a queue came to.
struct Answer {
  bool given = false;
  absl::Status status;
  Queue::Tuple tuple;

  Queue::DoneWithTuple with_tuple() {
    return [this](absl::Status s, Queue::Tuple t) {
      EXPECT_FALSE(given) << "answered twice";
      given = true;
      status = std::move(s);
      tuple = std::move(t);
    };
  }
  Queue::Done done() {
    return [f = with_tuple()](absl::Status s) { f(std::move(s), {}); };
  }
};

std::shared_ptr<Queue> make_queue(int64_t capacity = -1, QueueKind kind = QueueKind::kFifo) {
  Queue::Options o;
  o.kind = kind;
  o.types = {DataType::kInt32};
  o.shapes = {kind == QueueKind::kPaddingFifo ? PartialShape{-1} : PartialShape(Shape())};
  o.capacity = capacity;
  auto queue = Queue::make("q", o);
  EXPECT_TRUE(queue.ok()) << queue.status();
  return *queue;
}
Queue::Tuple value(int32_t v) { return {Tensor::scalar<int32_t>(v)}; }

TEST(Queue, makes_requests_wait_and_serves_them_in_order) {
  auto queue = make_queue();
  CancellationToken token;
  Answer first, second, in;
  queue->dequeue(token, first.with_tuple());
  queue->dequeue(token, second.with_tuple());
  EXPECT_FALSE(first.given);
  queue->enqueue(token, value(1), in.done());
  EXPECT_TRUE(in.given && first.given);
  EXPECT_EQ(first.tuple.at(0).value<int32_t>(), 1);
  EXPECT_FALSE(second.given);
  queue->enqueue(token, value(2), [](absl::Status) {});
  EXPECT_EQ(second.tuple.at(0).value<int32_t>(), 2);
}

TEST(Queue, holds_enqueues_back_when_it_is_full) {
  auto queue = make_queue(1);
  CancellationToken token;
  Answer first, second, out;
  queue->enqueue(token, value(1), first.done());
  queue->enqueue(token, value(2), second.done());
  EXPECT_TRUE(first.given);
  EXPECT_FALSE(second.given);
  queue->dequeue(token, out.with_tuple());
  EXPECT_TRUE(second.given);
  EXPECT_EQ(queue->size(), 1);
}

TEST(Queue, forgets_requests_of_a_cancelled_step) {
  auto queue = make_queue();
  CancellationToken token, other;
  Answer out, late;
  queue->dequeue_many(token, 3, false, out.with_tuple());
  queue->enqueue(other, value(1), [](absl::Status) {});
  EXPECT_EQ(queue->size(), 0) << "a waiting dequeue takes what comes";
  token.cancel(absl::CancelledError("stop"));
  EXPECT_EQ(out.status, absl::CancelledError("Dequeue operation was cancelled"));
  EXPECT_EQ(queue->size(), 1) << "and gives it back";
  queue->dequeue(token, late.with_tuple());
  EXPECT_EQ(late.status, absl::CancelledError("Dequeue operation was cancelled"));
}

TEST(Queue, closes_behind_pending_enqueues_unless_they_are_cancelled) {
  auto queue = make_queue(1);
  CancellationToken token;
  Answer first, second, closed, out, again;
  queue->enqueue(token, value(1), first.done());
  queue->enqueue(token, value(2), second.done());
  queue->close(token, false, closed.done());
  EXPECT_FALSE(closed.given);
  queue->dequeue(token, out.with_tuple());
  EXPECT_TRUE(closed.given && second.given && queue->is_closed());
  queue->close(token, false, again.done());
  EXPECT_EQ(again.status, absl::CancelledError("Queue 'q' is already closed."));

  auto cancelled = make_queue(0);
  Answer waiting;
  cancelled->enqueue(token, value(1), waiting.done());
  cancelled->close(token, true, [](absl::Status) {});
  EXPECT_EQ(waiting.status, absl::CancelledError("Enqueue operation was cancelled"));
}

TEST(Queue, tells_what_is_missing_when_it_is_closed) {
  auto queue = make_queue();
  CancellationToken token;
  Answer many, one, rest, in;
  queue->enqueue(token, value(1), [](absl::Status) {});
  queue->dequeue_many(token, 3, false, many.with_tuple());
  queue->close(token, false, [](absl::Status) {});
  EXPECT_EQ(many.status,
            absl::OutOfRangeError(
                "FIFOQueue 'q' is closed and has insufficient elements (requested 2, current size 0)"));
  EXPECT_EQ(queue->size(), 1);
  queue->dequeue_many(token, 3, true, rest.with_tuple());
  EXPECT_TRUE(tensors_near(rest.tuple.at(0), Tensor::vector<int32_t>({1})));
  queue->dequeue(token, one.with_tuple());
  EXPECT_EQ(one.status,
            absl::OutOfRangeError(
                "FIFOQueue 'q' is closed and has insufficient elements (requested 1, current size 0)"));
  queue->enqueue(token, value(1), in.done());
  EXPECT_EQ(in.status, absl::CancelledError("FIFOQueue 'q' is closed."));
}

TEST(Queue, of_priorities_takes_equals_out_as_a_heap_gives_them) {
  Queue::Options o;
  o.kind = QueueKind::kPriority;
  o.types = {DataType::kInt64, DataType::kInt32};
  o.shapes = {PartialShape(Shape()), PartialShape(Shape())};
  auto queue = *Queue::make("q", o);
  CancellationToken token;
  Answer in, out;
  queue->enqueue_many(
      token, {Tensor::vector<int64_t>({7, 1, 3, 3, 3, 2}), Tensor::vector<int32_t>({0, 1, 2, 3, 4, 5})},
      in.done());
  queue->dequeue_many(token, 4, false, out.with_tuple());
  ASSERT_TRUE(out.status.ok()) << out.status;
  EXPECT_TRUE(tensors_near(out.tuple.at(0), Tensor::vector<int64_t>({1, 2, 3, 3})));
  EXPECT_TRUE(tensors_near(out.tuple.at(1), Tensor::vector<int32_t>({1, 5, 2, 4}))) << "TensorFlow's order";
}

TEST(Queue, that_pads_is_shared_under_shapes_that_could_be_the_same) {
  auto queue = make_queue(-1, QueueKind::kPaddingFifo);
  Queue::Options wanted = queue->options();
  wanted.shapes = {PartialShape{3}};
  EXPECT_TRUE(queue->check_same(wanted, "n", "PaddingFIFOQueueV2").ok());
  wanted.shapes = {PartialShape{-1, -1}};
  EXPECT_THAT(queue->check_same(wanted, "n", "PaddingFIFOQueueV2").message(), HasSubstr("component shapes"));
}

TEST(Queue, pads_what_differs_in_length) {
  auto queue = make_queue(-1, QueueKind::kPaddingFifo);
  CancellationToken token;
  Answer out, bad;
  queue->enqueue(token, {Tensor::vector<int32_t>({1})}, [](absl::Status) {});
  queue->enqueue(token, {Tensor::vector<int32_t>({2, 3})}, [](absl::Status) {});
  queue->dequeue_many(token, 2, false, out.with_tuple());
  ASSERT_TRUE(out.given && out.status.ok()) << out.status;
  EXPECT_TRUE(tensors_near(out.tuple.at(0), Tensor::from<int32_t>(Shape{2, 2}, {1, 0, 2, 3})));
  queue->enqueue(token, value(1), bad.done());
  EXPECT_EQ(bad.status,
            absl::InvalidArgumentError("Shape mismatch in tuple component 0. Expected [?], got []"));
}

TEST(Queue, what_a_waiter_throws_is_not_its_servers_fault) {
  auto queue = make_queue();
  CancellationToken token;
  Answer other, in;
  queue->dequeue(token, [](absl::Status, Queue::Tuple) { throw std::bad_alloc(); });
  queue->dequeue(token, other.with_tuple());
  queue->enqueue_many(token, {Tensor::vector<int32_t>({1, 2})}, in.done());
  EXPECT_TRUE(in.given && in.status.ok()) << in.status;
  ASSERT_TRUE(other.given && other.status.ok()) << other.status;
  EXPECT_EQ(other.tuple[0].value<int32_t>(), 2);
}

TEST(Waiters, who_throws_gets_the_error_and_the_others_are_served) {
  std::mutex mu;
  auto waiters = std::make_shared<Waiters>(&mu, /*in_order=*/true);
  CancellationToken token;
  bool open = false;
  absl::Status first = absl::UnknownError("not answered"), second = first, third = first;
  waiters->add(
      token, "",
      [&](absl::Status*) -> bool {
        if (open) throw std::bad_alloc();
        return false;
      },
      [&](absl::Status s) { first = std::move(s); });
  waiters->add(
      token, "", [&](absl::Status*) { return open; },
      [&](absl::Status s) {
        second = std::move(s);
        throw std::runtime_error("in the callback");
      });
  waiters->add(
      token, "", [&](absl::Status*) { return open; }, [&](absl::Status s) { third = std::move(s); });
  open = true;
  EXPECT_NO_THROW(waiters->serve());
  EXPECT_EQ(first.code(), absl::StatusCode::kResourceExhausted) << first;
  EXPECT_TRUE(second.ok()) << second;
  EXPECT_TRUE(third.ok()) << third;
}

TEST(Queue, survives_threads_that_cancel_each_other) {
  auto queue = make_queue(2);
  std::atomic<int> answers{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 300; ++i) {
        CancellationToken token;
        auto over = std::make_shared<std::promise<void>>();
        std::future<void> answered = over->get_future();
        auto done = [&answers, over](absl::Status) {
          answers.fetch_add(1);
          over->set_value();
        };
        if (t % 2 == 0) {
          queue->enqueue(token, value(i), done);
        } else {
          queue->dequeue(token, [done](absl::Status s, Queue::Tuple) { done(std::move(s)); });
        }
        if (i % 3 == 0 || answered.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) {
          token.cancel(absl::CancelledError("stop"));
        }
        answered.wait();
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(answers.load(), 1200);
}

TEST(Accumulator, drops_a_late_gradient_without_a_look_at_it) {
  GradientAccumulator::Options o;
  o.shape = PartialShape{2};
  GradientAccumulator dense(o);
  dense.set_global_step(5);
  EXPECT_TRUE(dense.apply(4, Tensor::vector<float>({1, 2, 3})).ok());
  EXPECT_THAT(dense.apply(5, Tensor::vector<float>({1, 2, 3})).message(),
              HasSubstr("Shape mismatch: expected [2], got [3]"));
  EXPECT_EQ(dense.num_accumulated(), 0);
  GradientAccumulator sparse(o);
  sparse.set_global_step(5);
  EXPECT_TRUE(sparse.apply_slices(4, {Tensor::scalar<int64_t>(1), Tensor(), Tensor()}, false).ok());
}

TEST(Accumulator, merges_slices_as_sorted_lists_even_when_they_are_not) {
  GradientAccumulator::Options o;
  o.sparse = true;
  o.mean = false;
  auto accumulator = std::make_shared<GradientAccumulator>(o);
  const Tensor none = Tensor::vector<int64_t>({});
  auto add = [&](std::vector<int64_t> indices, std::vector<float> values) {
    const int64_t n = static_cast<int64_t>(indices.size());
    return accumulator->apply_slices(
        0, {Tensor::from<int64_t>(Shape{n}, indices), Tensor::from<float>(Shape{n, 1}, values), none}, false);
  };
  ASSERT_TRUE(add({1, 3}, {10, 30}).ok());
  ASSERT_TRUE(add({1, 4}, {1, 4}).ok());
  ASSERT_TRUE(add({4, 1}, {40, 5}).ok());
  CancellationToken token;
  GradientAccumulator::Slices taken;
  accumulator->take(token, 3, accumulator,
                    [&](const absl::Status&, GradientAccumulator::Slices t) { taken = std::move(t); });
  EXPECT_TRUE(tensors_near(taken.indices, Tensor::vector<int64_t>({1, 3, 4, 1})));
  EXPECT_TRUE(tensors_near(taken.values, Tensor::from<float>(Shape{4, 1}, {11, 30, 44, 5})));
  EXPECT_TRUE(tensors_near(taken.shape, Tensor::vector<int64_t>({-1, 1})));
}

class DataFlowTest : public SessionTest {};

TEST_F(DataFlowTest, keeps_a_queue_between_steps_and_ends_a_wait_with_the_session) {
  int queue = add("q", "FIFOQueueV2", {{"component_types", Types{DataType::kInt32}}});
  int seven = constant("seven", Tensor::scalar<int32_t>(7));
  add("in", "QueueEnqueueV2", {{"Tcomponents", Types{DataType::kInt32}}}, {{queue, 0}, {seven, 0}});
  add("out", "QueueDequeueV2", {{"component_types", Types{DataType::kInt32}}}, {{queue, 0}});
  Session& session = open();
  ASSERT_TRUE(session.run({}, {}, {"in"}).ok());
  auto out = session.run({}, {"out"});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(out->at(0).value<int32_t>(), 7);
  auto waiting = std::async(std::launch::async, [&] { return session.run({}, {"out"}).status(); });
  while (session.counters().running_steps == 0) std::this_thread::yield();
  ASSERT_TRUE(session.close().ok());
  EXPECT_EQ(waiting.get().code(), absl::StatusCode::kCancelled);
}

TEST_F(DataFlowTest, takes_the_mean_of_gradients_of_this_step) {
  const AttrMap type{{"dtype", DataType::kFloat}};
  int acc =
      add("acc", "ResourceConditionalAccumulator", {{"dtype", DataType::kFloat}, {"shape", PartialShape{2}}});
  int step = placeholder("step", DataType::kInt64), gradient = placeholder("gradient");
  int two = constant("two", Tensor::scalar<int32_t>(2));
  add("apply", "ResourceAccumulatorApplyGradient", type, {{acc, 0}, {step, 0}, {gradient, 0}});
  add("take", "ResourceAccumulatorTakeGradient", type, {{acc, 0}, {two, 0}});
  Session& session = open();
  auto apply = [&](int64_t s, Tensor g) {
    return session.run({{"step", Tensor::scalar<int64_t>(s)}, {"gradient", std::move(g)}}, {}, {"apply"})
        .status();
  };
  EXPECT_THAT(apply(0, Tensor::vector<float>({1})).message(),
              HasSubstr("Shape mismatch: expected [2], got [1]"));
  ASSERT_TRUE(apply(0, Tensor::vector<float>({1, 2})).ok());
  auto waiting = std::async(std::launch::async, [&] { return session.run({}, {"take"}); });
  ASSERT_TRUE(apply(0, Tensor::vector<float>({3, 6})).ok());
  auto taken = waiting.get();
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_TRUE(tensors_near(taken->at(0), Tensor::vector<float>({2, 4})));
}

TEST_F(DataFlowTest, completes_tuples_by_key) {
  const Types types{DataType::kFloat, DataType::kInt32};
  int barrier = add("b", "Barrier",
                    {{"component_types", types}, {"shapes", std::vector<PartialShape>{Shape(), Shape()}}});
  int keys = constant("keys", Tensor::from<TString>(Shape{2}, {TString("x"), TString("y")}));
  int floats = constant("floats", Tensor::vector<float>({1, 2}));
  int ints = constant("ints", Tensor::vector<int32_t>({10, 20}));
  int two = constant("n", Tensor::scalar<int32_t>(2));
  add("in0", "BarrierInsertMany", {{"T", DataType::kFloat}, {"component_index", 0}},
      {{barrier, 0}, {keys, 0}, {floats, 0}});
  add("in1", "BarrierInsertMany", {{"T", DataType::kInt32}, {"component_index", 1}},
      {{barrier, 0}, {keys, 0}, {ints, 0}});
  add("take", "BarrierTakeMany", {{"component_types", types}}, {{barrier, 0}, {two, 0}});
  Session& session = open();
  ASSERT_TRUE(session.run({}, {}, {"in0"}).ok());
  EXPECT_THAT(session.run({}, {}, {"in0"}).status().message(),
              HasSubstr("Key x already has a value for component 0"));
  auto waiting = std::async(std::launch::async, [&] {
    return session.run({}, {"take:1", "take:2", "take:3"});
  });
  ASSERT_TRUE(session.run({}, {}, {"in1"}).ok());
  auto taken = waiting.get();
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_EQ(taken->at(0).flat<TString>()[1], TString("y"));
  EXPECT_TRUE(tensors_near(taken->at(1), Tensor::vector<float>({1, 2})));
  EXPECT_TRUE(tensors_near(taken->at(2), Tensor::vector<int32_t>({10, 20})));
}

TEST(Staging, gives_parts_of_a_tuple_by_key) {
  KernelHarness harness;
  const Types both{DataType::kFloat, DataType::kInt32}, one{DataType::kFloat};
  Tensor key = Tensor::scalar<int64_t>(4);
  const AttrMap attrs{{"dtypes", both}, {"shared_name", "m"}};
  auto stage = [&](int32_t i, Tensor v) {
    AttrMap a = attrs;
    a.set("fake_dtypes", Types{v.dtype()});
    return harness.run("OrderedMapStage", {key, Tensor::vector<int32_t>({i}), std::move(v)}, a).status();
  };
  ASSERT_TRUE(stage(0, Tensor::scalar<float>(1.5f)).ok());
  EXPECT_THAT(stage(0, Tensor::scalar<float>(1)).message(), HasSubstr("for key '4' was already initialized"));
  EXPECT_EQ(harness.run("OrderedMapIncompleteSize", {}, attrs)->at(0).value<int32_t>(), 1);
  ASSERT_TRUE(stage(1, Tensor::scalar<int32_t>(3)).ok());
  AttrMap first{{"dtypes", one}, {"shared_name", "m"}};
  auto taken = harness.run("OrderedMapUnstage", {key, Tensor::vector<int32_t>({0})}, first);
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_EQ(taken->at(0).value<float>(), 1.5f);
  EXPECT_THAT(harness.run("OrderedMapUnstage", {key, Tensor::vector<int32_t>({0})}, first).status().message(),
              HasSubstr("has already been removed"));
}

class StagingMapTest : public testing::Test {
 protected:
  AttrMap attrs(Types dtypes, Types fake = {}) const {
    AttrMap a{{"dtypes", std::move(dtypes)}, {"shared_name", "m"}};
    if (!fake.empty()) a.set("fake_dtypes", std::move(fake));
    return a;
  }
  absl::Status stage(int64_t key, std::vector<int32_t> indices, std::vector<Tensor> values) {
    Types fake;
    for (const Tensor& v : values) fake.push_back(v.dtype());
    values.insert(values.begin(),
                  {Tensor::scalar<int64_t>(key),
                   Tensor::from<int32_t>(Shape{static_cast<int64_t>(indices.size())}, indices)});
    return harness_.run("MapStage", std::move(values), attrs(all_, fake)).status();
  }
  absl::StatusOr<std::vector<Tensor>> take(const std::string& op, int64_t key, int32_t index, DataType type) {
    return harness_.run(op, {Tensor::scalar<int64_t>(key), Tensor::vector<int32_t>({index})}, attrs({type}));
  }
  int size(const std::string& op) { return harness_.run(op, {}, attrs(all_))->at(0).value<int32_t>(); }

  KernelHarness harness_;
  const Types all_{DataType::kFloat, DataType::kInt32, DataType::kString};
  const std::vector<Tensor> whole_{Tensor::scalar<float>(1), Tensor::scalar<int32_t>(2),
                                   Tensor::string_scalar("three")};
};

TEST_F(StagingMapTest, gives_a_late_part_to_who_names_its_type_alone) {
  ASSERT_TRUE(stage(7, {0, 1, 2}, whole_).ok());
  auto last = take("MapPeek", 7, 2, DataType::kString);
  ASSERT_TRUE(last.ok()) << last.status();
  EXPECT_EQ(last->at(0).value<TString>().str(), "three");
  EXPECT_EQ(take("MapUnstage", 7, 1, DataType::kInt32)->at(0).value<int32_t>(), 2);
  EXPECT_THAT(take("MapUnstage", 7, 3, DataType::kInt32).status().message(),
              HasSubstr("Index '3' for key '7' was out of bounds '3'."));
}

TEST_F(StagingMapTest, lets_parts_wait_beside_a_whole_tuple_of_the_same_key) {
  ASSERT_TRUE(stage(7, {0, 1, 2}, whole_).ok());
  ASSERT_TRUE(stage(7, {1}, {Tensor::scalar<int32_t>(20)}).ok());
  EXPECT_EQ(size("MapSize"), 1);
  EXPECT_EQ(size("MapIncompleteSize"), 1);
  ASSERT_TRUE(stage(7, {0, 1, 2}, whole_).ok()) << "the second is dropped";
  EXPECT_EQ(size("MapSize"), 1);
}

TEST_F(StagingMapTest, refuses_indices_that_are_none_or_out_of_order) {
  EXPECT_THAT(stage(7, {}, {whole_[0]}).message(), HasSubstr("Indices are empty"));
  EXPECT_THAT(stage(7, {1, 0}, {whole_[1], whole_[0]}).message(),
              HasSubstr("Indices are not strictly ordered"));
  EXPECT_THAT(stage(7, {3}, {whole_[0]}).message(),
              HasSubstr("Index '3' for key '7' was out of bounds '3'."));
}

class BarrierTest : public testing::Test {
 protected:
  absl::StatusOr<std::vector<Tensor>> run(const std::string& op, std::vector<Tensor> inputs,
                                          AttrMap attrs = {}) {
    TROUPE_ASSIGN_OR_RETURN(auto handle, harness_.run("Barrier", {},
                                                      {{"component_types", Types{DataType::kFloat}},
                                                       {"shapes", shapes_},
                                                       {"shared_name", "b"}}));
    inputs.insert(inputs.begin(), handle[0]);
    return harness_.run(op, std::move(inputs), std::move(attrs));
  }
  absl::Status insert(const std::string& key, Tensor values) {
    return run("BarrierInsertMany", {Tensor::from<TString>(Shape{1}, {TString(key)}), std::move(values)},
               {{"component_index", 0}, {"T", DataType::kFloat}})
        .status();
  }

  KernelHarness harness_;
  std::vector<PartialShape> shapes_{PartialShape()};
};

TEST_F(BarrierTest, takes_a_component_of_unknown_shape_for_a_scalar) {
  EXPECT_TRUE(insert("a", Tensor::vector<float>({1})).ok());
  EXPECT_THAT(insert("b", Tensor::from<float>(Shape{1, 2}, {1, 2})).message(),
              HasSubstr("Shape mismatch in tuple component 2. Expected [], got [2]"));
}

TEST_F(BarrierTest, refuses_values_without_elements_but_not_an_insertion_of_nothing) {
  EXPECT_THAT(insert("a", Tensor(DataType::kFloat, Shape{1, 0})).message(),
              HasSubstr("Tensors with no elements are not supported"));
  EXPECT_TRUE(run("BarrierInsertMany",
                  {Tensor(DataType::kString, Shape{0}), Tensor(DataType::kFloat, Shape{0})},
                  {{"component_index", 0}, {"T", DataType::kFloat}})
                  .ok());
}

TEST_F(BarrierTest, tells_in_which_way_a_shared_one_differs) {
  EXPECT_TRUE(insert("a", Tensor::vector<float>({1})).ok());
  shapes_ = {PartialShape{2}};
  EXPECT_THAT(insert("b", Tensor::vector<float>({1})).message(),
              HasSubstr("has component shapes [[]] but requested component shapes were [[2]]"));
}

TEST(Barrier, gives_a_small_batch_once_closed_though_some_are_incomplete) {
  KernelHarness harness;
  const Types types{DataType::kFloat, DataType::kFloat};
  const Tensor b = harness
                       .run("Barrier", {},
                            {{"component_types", types},
                             {"shapes", std::vector<PartialShape>{Shape(), Shape()}},
                             {"shared_name", "b"}})
                       ->at(0);
  auto insert = [&](int64_t component, std::vector<TString> keys) {
    const Shape shape{static_cast<int64_t>(keys.size())};
    Tensor values(DataType::kFloat, shape);
    for (float& v : values.flat<float>()) v = 1;
    return harness
        .run("BarrierInsertMany", {b, Tensor::from<TString>(shape, keys), values},
             {{"component_index", component}})
        .status();
  };
  auto take = [&](int32_t n, bool small) {
    return harness.run("BarrierTakeMany", {b, Tensor::scalar<int32_t>(n)},
                       {{"component_types", types}, {"allow_small_batch", small}});
  };
  ASSERT_TRUE(insert(0, {TString("a"), TString("b")}).ok());
  ASSERT_TRUE(insert(1, {TString("a")}).ok());
  ASSERT_TRUE(harness.run("BarrierClose", {b}).ok());
  auto taken = take(3, true);
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_EQ(taken->at(1).num_elements(), 1);
  EXPECT_EQ(take(1, true).status().code(), absl::StatusCode::kOutOfRange) << "it does not wait for b";
  EXPECT_EQ(take(2, false).status().code(), absl::StatusCode::kOutOfRange) << "no more than b can come";
  ASSERT_TRUE(insert(1, {TString("b")}).ok());
  EXPECT_EQ(take(1, false)->at(1).flat<TString>()[0], TString("b"));
}

TEST_F(BarrierTest, needs_a_shape_for_every_component) {
  shapes_.clear();
  EXPECT_THAT(insert("a", Tensor::vector<float>({1})).message(),
              HasSubstr("All of the component shapes must be specified"));
}

TEST_F(DataFlowTest, keeps_the_carriage_returns_within_a_line_that_it_reads) {
  const std::string path = testing::TempDir() + "/troupe_reader_returns.txt";
  std::ofstream(path, std::ios::binary) << "a\rb\r\nc\r\r\n\r";
  int queue = add("q", "FIFOQueueV2", {{"component_types", Types{DataType::kString}}});
  int name = constant("name", Tensor::string_scalar(path));
  int reader = add("r", "TextLineReaderV2", {});
  add("in", "QueueEnqueueV2", {{"Tcomponents", Types{DataType::kString}}}, {{queue, 0}, {name, 0}});
  add("close", "QueueCloseV2", {}, {{queue, 0}});
  add("read", "ReaderReadV2", {}, {{reader, 0}, {queue, 0}});
  Session& session = open();
  ASSERT_TRUE(session.run({}, {}, {"in"}).ok());
  ASSERT_TRUE(session.run({}, {}, {"close"}).ok());
  for (const std::string want : {"a\rb", "c\r"}) {
    auto line = session.run({}, {"read:1"});
    ASSERT_TRUE(line.ok()) << line.status();
    EXPECT_EQ(line->at(0).value<TString>().str(), want);
  }
  EXPECT_EQ(session.run({}, {"read:1"}).status().code(), absl::StatusCode::kOutOfRange)
      << "an empty rest is no line";
  std::remove(path.c_str());
}

TEST(TfRecords, end_with_a_part_of_a_header_but_not_within_a_record) {
  const std::string path = testing::TempDir() + "/troupe_reader_part.tfrecord";
  RecordFormat::Record record;
  auto format = tf_record_format(ReaderFile::Compression::kNone, 0);
  std::ofstream(path, std::ios::binary) << std::string("\3\0\0\0\0", 5);
  ASSERT_TRUE(format->start(path).ok());
  EXPECT_EQ(*format->next(&record), RecordFormat::Outcome::kEnd);
  std::ofstream(path, std::ios::binary) << std::string(12, '\xff');
  ASSERT_TRUE(format->start(path).ok());
  EXPECT_EQ(format->next(&record).status(),
            absl::DataLossError("corrupted record at 0 (Is this even a TFRecord file?)"));
  std::remove(path.c_str());
}

TEST_F(DataFlowTest, refuses_several_names_in_an_element_of_a_readers_queue) {
  int queue = add("q", "FIFOQueueV2", {{"component_types", Types{DataType::kString}}});
  int names = constant("names", Tensor::from<TString>(Shape{2}, {TString("a"), TString("b")}));
  int reader = add("r", "IdentityReaderV2", {});
  int state = constant("state", Tensor::string_scalar(std::string("\x08\x05\x10\x03", 4)));
  add("in", "QueueEnqueueV2", {{"Tcomponents", Types{DataType::kString}}}, {{queue, 0}, {names, 0}});
  add("read", "ReaderReadV2", {}, {{reader, 0}, {queue, 0}});
  add("restore", "ReaderRestoreStateV2", {}, {{reader, 0}, {state, 0}});
  Session& session = open();
  ASSERT_TRUE(session.run({}, {}, {"in"}).ok());
  EXPECT_THAT(session.run({}, {"read:1"}).status().message(),
              HasSubstr("Expected to dequeue a one-element string tensor"));
  EXPECT_THAT(session.run({}, {}, {"restore"}).status().message(),
              HasSubstr("Inconsistent work started vs. finished"))
      << "more was started than finished";
}

TEST_F(DataFlowTest, reads_lines_of_the_files_that_a_queue_names) {
  const std::string path = testing::TempDir() + "/troupe_reader_lines.txt";
  std::ofstream(path, std::ios::binary) << "skipped\r\none\n\ntwo";
  int queue = add("q", "FIFOQueueV2", {{"component_types", Types{DataType::kString}}});
  int name = constant("name", Tensor::string_scalar(path));
  int reader = add("r", "TextLineReaderV2", {{"skip_header_lines", 1}});
  add("in", "QueueEnqueueV2", {{"Tcomponents", Types{DataType::kString}}}, {{queue, 0}, {name, 0}});
  add("close", "QueueCloseV2", {}, {{queue, 0}});
  add("read", "ReaderReadV2", {}, {{reader, 0}, {queue, 0}});
  add("count", "ReaderNumRecordsProducedV2", {}, {{reader, 0}});
  Session& session = open();
  ASSERT_TRUE(session.run({}, {}, {"in"}).ok());
  ASSERT_TRUE(session.run({}, {}, {"close"}).ok());
  for (const std::string want : {"one", "", "two"}) {
    auto line = session.run({}, {"read:1"});
    ASSERT_TRUE(line.ok()) << line.status();
    EXPECT_EQ(line->at(0).value<TString>().str(), want);
  }
  EXPECT_EQ(session.run({}, {"read:1"}).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(session.run({}, {"count"})->at(0).value<int64_t>(), 3);
  std::remove(path.c_str());
}

}  // namespace
}  // namespace troupe::test
