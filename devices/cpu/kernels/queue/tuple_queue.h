#pragma once

#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "devices/cpu/loops/philox.h"
#include "devices/kernel.h"

namespace troupe {

enum class QueueKind { kFifo, kPaddingFifo, kRandomShuffle, kPriority };

/// A queue of tuples of tensors. Requests that cannot be met wait in line without a thread, enqueues and
/// dequeues each in the order in which they came; whoever changes the queue serves them. Thread-safe.
/// Callbacks are called exactly once, on the caller's thread, another request's, or that of a cancellation,
/// and outside the lock.
class Queue final : public Resource, public std::enable_shared_from_this<Queue> {
 public:
  static constexpr const char* kTypeName = "tensorflow::QueueInterface";
  using Tuple = std::vector<Tensor>;
  using Done = std::function<void(absl::Status)>;
  using DoneWithTuple = std::function<void(absl::Status, Tuple)>;

  struct Options {
    QueueKind kind = QueueKind::kFifo;
    /// Priority queues: with the int64 in front.
    std::vector<DataType> types;
    /// Empty, or one a component. Only those of padding queues may be partial.
    std::vector<PartialShape> shapes;
    /// -1: unbounded.
    int64_t capacity = -1;
    // Random shuffle only.
    int64_t min_after_dequeue = 0;
    int64_t seed = 0;
    int64_t seed2 = 0;
  };

  /// InvalidArgument when the options contradict themselves.
  static absl::StatusOr<std::shared_ptr<Queue>> make(std::string name, Options options);
  Queue(std::string name, Options options, Philox random);

  std::string type_name() const override { return kTypeName; }
  const std::string& name() const { return name_; }
  const Options& options() const { return options_; }
  /// InvalidArgument "Shared queue 'n' has capacity 5 but requested capacity was 6" and the like.
  absl::Status check_same(const Options& wanted, const std::string& node, const std::string& op) const;

  void enqueue(CancellationToken& token, Tuple tuple, Done done);
  /// One element a row of the components.
  void enqueue_many(CancellationToken& token, const Tuple& rows, Done done);
  void dequeue(CancellationToken& token, DoneWithTuple done);
  /// Components joined along a new first dimension of `count`; with `up_to`, less when the queue is closed.
  void dequeue_many(CancellationToken& token, int64_t count, bool up_to, DoneWithTuple done);
  /// Waits behind pending enqueues unless they are to be cancelled.
  void close(CancellationToken& token, bool cancel_pending_enqueues, Done done);
  int64_t size() const;
  bool is_closed() const;

 private:
  enum class Progress { kNone, kSome, kComplete };
  struct Attempt {
    uint64_t id = 0;
    CancellationToken* token = nullptr;
    CancellationToken::Id callback = 0;
    absl::Status status;
    /// Rows still to be added or taken.
    int64_t wanted = 0;
    /// Enqueues: the tuples to add, from the front. Dequeues: those taken.
    std::deque<Tuple> tuples;
    bool up_to = false;
    bool joined = false;
    std::function<Progress(Attempt&)> run;
    DoneWithTuple done;
  };
  using Attempts = std::list<Attempt>;

  /// Padding queues only ask that the shapes could be the same.
  bool same_shapes(const std::vector<PartialShape>& wanted) const;
  absl::Status check_tuple(const Tuple& tuple) const;
  absl::Status check_rows(const Tuple& rows) const;
  absl::StatusOr<std::deque<Tuple>> split_rows(const Tuple& rows) const;
  absl::StatusOr<Tuple> join(const std::deque<Tuple>& tuples) const;
  absl::StatusOr<Tensor> join_padded(const std::deque<Tuple>& tuples, size_t component) const;
  absl::Status closed_and_short(int64_t requested, int64_t size) const;

  void start(Attempts* line, CancellationToken& token, Attempt attempt);
  void cancel(Attempts* line, uint64_t id);
  void flush();
  static Progress attempt_once(Attempt& attempt);
  bool advance(Attempts* line, Attempts* finished);
  static void finish(const std::shared_ptr<Queue>& self, Attempts finished);
  Progress run_enqueue(Attempt& attempt);
  Progress run_dequeue(Attempt& attempt);
  Progress run_dequeue_many(Attempt& attempt);
  int64_t takeable() const;
  void push(Tuple tuple);
  Tuple pop();
  void put_back(std::deque<Tuple> tuples);

  const std::string name_;
  const Options options_;
  mutable std::mutex mu_;
  // Guarded by mu_.
  bool closed_ = false;
  uint64_t last_id_ = 0;
  /// In order; a random shuffle takes from anywhere, a priority queue keeps it as a heap.
  std::deque<Tuple> stored_;
  Attempts enqueues_;
  Attempts dequeues_;
  Philox generator_;
  PhiloxStream random_;
};

/// "float, int32" and "[[], [2]]", for messages.
std::string type_list(const std::vector<DataType>& types);
std::string shape_list(const std::vector<PartialShape>& shapes);
/// Shapes of components as TensorFlow reads them where they must be whole: one of unknown rank is a scalar's.
std::vector<PartialShape> whole_shapes(std::vector<PartialShape> shapes);

/// "FIFOQueue", ...
const char* queue_kind_name(QueueKind kind);

}  // namespace troupe
