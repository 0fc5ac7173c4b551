#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "devices/rendezvous.h"

namespace troupe {

/// Who waits for a value. Answered once; when it is dropped unanswered, as a RENDEZVOUS that is gone does with what it is sent, it
/// answers Cancelled itself.
class Receiver {
 public:
  explicit Receiver(Rendezvous::RecvDone done) : done_(std::move(done)) {}
  Receiver(const Receiver&) = delete;
  ~Receiver();
  void answer(absl::Status status, Tensor value, bool is_dead);

 private:
  Rendezvous::RecvDone done_;
};

/// The machine of a RENDEZVOUS: for each key either values that wait for a receiver or receivers that wait for a
/// value, first in first out. Not thread-safe: the RENDEZVOUS actor calls it.
class RendezvousTable {
 public:
  /// Forgets everything; receivers that still wait get Cancelled.
  void begin();
  /// Hands the value to the first waiting receiver, or keeps it.
  void send(const std::string& key, Tensor value, bool is_dead);
  /// Answers at once when a value is waiting or the table was aborted.
  void recv(const std::string& key, std::shared_ptr<Receiver> receiver);
  /// All waiting receivers get `status`; so does whoever comes later. The first abort sticks. `status` is no OK.
  void abort(const absl::Status& status);

  const absl::Status& status() const { return status_; }
  /// Keys that someone waits for, sorted; for reports.
  std::vector<std::string> waiting() const;
  size_t size() const { return slots_.size(); }

  /// A value that nobody has received yet.
  struct Kept {
    std::string key;
    Tensor value;
    bool is_dead = false;
  };
  /// All of them; those of a key in the order in which they came.
  std::vector<Kept> kept() const;
  size_t num_receivers() const;
  /// How many values and receivers have come since it was made.
  int64_t events() const { return events_; }

 private:
  struct Item {
    Tensor value;
    bool is_dead;
  };
  /// One of a key, mostly: more come when a node is sent to again before anybody has received.
  struct Slot {
    absl::InlinedVector<Item, 1> values;
    absl::InlinedVector<std::shared_ptr<Receiver>, 1> receivers;
  };
  absl::flat_hash_map<std::string, Slot> slots_;
  absl::Status status_;
  int64_t events_ = 0;
};

}  // namespace troupe
