#include "devices/cpu/kernels/queue/reader.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <atomic>
#include <tuple>

#include "absl/strings/escaping.h"
#include "devices/cpu/kernels/shared/array_util.h"

namespace troupe {

struct Reader::Request {
  CancellationToken* token = nullptr;
  std::shared_ptr<Queue> queue;
  int64_t count = 1;
  bool up_to = false;
  Records records;
  Done done;
};

void Reader::read(CancellationToken& token, std::shared_ptr<Queue> queue, int64_t count, bool up_to,
                  Done done) {
  auto request = std::make_shared<Request>();
  request->token = &token;
  request->queue = std::move(queue);
  request->count = count;
  request->up_to = up_to;
  request->done = std::move(done);
  auto self = shared_from_this();
  waiters_->add(
      token, "Read operation was cancelled",
      [self](absl::Status*) { return self->busy_ ? false : (self->busy_ = true); },
      [self, request](absl::Status status) {
        if (status.ok()) return self->advance(request);
        request->done(std::move(status), {});
      });
}

void Reader::advance(const std::shared_ptr<Request>& request) {
  // Goes round for every file; a queue that has one ready calls back before dequeue returns, and then this
  // loop goes on rather than the callback, so that the stack stays flat.
  for (;;) {
    auto over = read_some(*request);
    if (!over.ok()) return finish(request, over.status());
    if (*over) return finish(request, absl::OkStatus());
    enum State { kCalling, kAnswered, kWaiting };
    auto state = std::make_shared<std::atomic<int>>(kCalling);
    auto answer = std::make_shared<absl::Status>();
    auto self = shared_from_this();
    request->queue->dequeue(*request->token,
                            [self, request, state, answer](absl::Status status, Queue::Tuple tuple) {
                              if (status.ok()) status = self->take_work(std::move(tuple));
                              *answer = status;
                              if (state->exchange(kAnswered) == kCalling) return;
                              if (!status.ok()) return self->finish(request, status);
                              self->advance(request);
                            });
    int expected = kCalling;
    if (state->compare_exchange_strong(expected, kWaiting)) return;
    if (!answer->ok()) return finish(request, *answer);
  }
}

absl::Status Reader::take_work(Queue::Tuple tuple) {
  if (tuple.size() != 1) return invalid("Expected single component queue");
  if (tuple[0].dtype() != DataType::kString) return invalid("Expected queue with single string component");
  if (tuple[0].num_elements() != 1) return invalid("Expected to dequeue a one-element string tensor");
  const std::string work = tuple[0].flat<TString>()[0].str();
  {
    std::lock_guard lock(mu_);
    work_ = work;
  }
  TROUPE_RETURN_IF_ERROR(format_->start(work));
  std::lock_guard lock(mu_);
  ++work_started_;
  return absl::OkStatus();
}

absl::StatusOr<bool> Reader::read_some(Request& request) {
  for (;;) {
    if (static_cast<int64_t>(request.records.size()) >= request.count) return true;
    {
      std::lock_guard lock(mu_);
      if (work_started_ == work_finished_) return false;
    }
    RecordFormat::Record record;
    TROUPE_ASSIGN_OR_RETURN(RecordFormat::Outcome outcome, format_->next(&record));
    const bool ended = outcome != RecordFormat::Outcome::kRecord;
    if (outcome != RecordFormat::Outcome::kEnd) request.records.push_back(std::move(record));
    std::lock_guard lock(mu_);
    if (outcome != RecordFormat::Outcome::kEnd) ++produced_;
    if (ended) work_finished_ = work_started_;
    if (ended && request.up_to && !request.records.empty()) return true;
  }
}

void Reader::finish(const std::shared_ptr<Request>& request, absl::Status status) {
  {
    std::lock_guard lock(mu_);
    busy_ = false;
  }
  waiters_->serve();
  Done done = std::move(request->done);
  done(std::move(status), std::move(request->records));
}

int64_t Reader::records_produced() const {
  std::lock_guard lock(mu_);
  return produced_;
}

int64_t Reader::work_units_completed() const {
  std::lock_guard lock(mu_);
  return work_finished_;
}

absl::Status Reader::reset() {
  std::lock_guard lock(mu_);
  if (busy_) return absl::UnavailableError(absl::StrCat("Reader ", name_, " is in use and cannot be reset"));
  work_started_ = work_finished_ = produced_ = 0;
  work_.clear();
  format_->reset();
  return absl::OkStatus();
}

absl::StatusOr<std::string> Reader::serialize_state() const {
  if (!format_->has_state()) return absl::UnimplementedError("Reader SerializeState");
  std::string bytes;
  std::lock_guard lock(mu_);
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream out(&stream);
  int field = 1;
  for (int64_t value : {work_started_, work_finished_, produced_}) {
    if (value != 0) {
      out.WriteTag(static_cast<uint32_t>(field << 3));
      out.WriteVarint64(static_cast<uint64_t>(value));
    }
    ++field;
  }
  if (!work_.empty()) {
    out.WriteTag((4 << 3) | 2);
    out.WriteVarint32(static_cast<uint32_t>(work_.size()));
    out.WriteString(work_);
  }
  out.Trim();
  return bytes;
}

absl::Status Reader::restore_state(absl::string_view state) {
  if (!format_->has_state()) return absl::UnimplementedError("Reader RestoreState");
  const auto malformed = [&] {
    return invalid("Could not parse state for ", name_, ": ", absl::CEscape(state));
  };
  int64_t numbers[3] = {0, 0, 0};
  std::string work;
  google::protobuf::io::CodedInputStream in(reinterpret_cast<const uint8_t*>(state.data()),
                                            static_cast<int>(state.size()));
  while (uint32_t tag = in.ReadTag()) {
    uint64_t value = 0;
    if (!in.ReadVarint64(&value)) return malformed();
    const uint32_t field = tag >> 3;
    if ((tag & 7) == 0 && field >= 1 && field <= 3) {
      numbers[field - 1] = static_cast<int64_t>(value);
    } else if (tag == ((4 << 3) | 2)) {
      if (value > state.size() || !in.ReadString(&work, static_cast<int>(value))) return malformed();
    } else {
      return malformed();
    }
  }
  if (!in.ConsumedEntireMessage()) return malformed();
  const auto [started, finished, produced] = std::tie(numbers[0], numbers[1], numbers[2]);
  if (started < 0 || finished < 0 || produced < 0) {
    return invalid("Unexpected negative value when restoring in ", name_);
  }
  if (started > finished) {
    return invalid("Inconsistent work started vs. finished when restoring in ", name_, ": ", started, " vs. ",
                   finished);
  }
  std::lock_guard lock(mu_);
  if (busy_)
    return absl::UnavailableError(absl::StrCat("Reader ", name_, " is in use and cannot be restored"));
  work_started_ = started;
  work_finished_ = finished;
  produced_ = produced;
  work_ = std::move(work);
  return absl::OkStatus();
}

}  // namespace troupe
