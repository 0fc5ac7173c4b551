// Queues, and who waits for them.

#include <gmock/gmock.h>

#include <atomic>
#include <future>
#include <memory>
#include <mutex>
#include <thread>

#include "devices/cpu/kernels/queue/async_waiters.h"
#include "devices/cpu/kernels/queue/tuple_queue.h"
#include "tests/devices/kernels/queue/data_flow_fixture.h"
#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;

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

}  // namespace
}  // namespace troupe::test
