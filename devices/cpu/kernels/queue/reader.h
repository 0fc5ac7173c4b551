#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "devices/cpu/kernels/queue/async_waiters.h"
#include "devices/cpu/kernels/queue/tuple_queue.h"
#include "devices/cpu/kernels/shared/record_formats.h"
#include "devices/kernel.h"

namespace troupe {

/// Reads records from files whose names it takes off a queue. Requests come one at a time; those that wait,
/// for their turn or for the queue, hold no thread. Thread-safe.
class Reader final : public Resource, public std::enable_shared_from_this<Reader> {
 public:
  static constexpr const char* kTypeName = "tensorflow::ReaderInterface";
  using Records = std::vector<RecordFormat::Record>;
  using Done = std::function<void(absl::Status, Records)>;

  Reader(std::string name, std::unique_ptr<RecordFormat> format)
      : name_(std::move(name)), format_(std::move(format)), waiters_(std::make_shared<Waiters>(&mu_, true)) {}
  std::string type_name() const override { return kTypeName; }

  /// Exactly one record, or with `up_to` as many as there are in one file, at least one.
  void read(CancellationToken& token, std::shared_ptr<Queue> queue, int64_t count, bool up_to, Done done);
  int64_t records_produced() const;
  int64_t work_units_completed() const;
  absl::Status reset();
  /// Unimplemented for formats that have a position in a file.
  absl::StatusOr<std::string> serialize_state() const;
  absl::Status restore_state(absl::string_view state);

 private:
  struct Request;

  void advance(const std::shared_ptr<Request>& request);
  absl::Status take_work(Queue::Tuple tuple);
  /// True when the request is over.
  absl::StatusOr<bool> read_some(Request& request);
  void finish(const std::shared_ptr<Request>& request, absl::Status status);

  const std::string name_;
  const std::unique_ptr<RecordFormat> format_;  // used by whoever is busy
  mutable std::mutex mu_;
  // Guarded by mu_.
  bool busy_ = false;
  int64_t work_started_ = 0;
  int64_t work_finished_ = 0;
  int64_t produced_ = 0;
  std::string work_;
  const std::shared_ptr<Waiters> waiters_;
};

}  // namespace troupe
