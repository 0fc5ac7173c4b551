#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "devices/cancellation.h"

namespace troupe {

/// Of an asynchronous kernel that asks a device: hands on whichever comes first, the device's answer or the cancellation of the step. The
/// step then ends at once, and the device's answer, when it comes, is dropped. Shared by both; thread-safe.
class FirstAnswer {
 public:
  using Done = std::function<void(absl::Status)>;

  /// `token` is the step's, valid until `done` is called. A step that is cancelled already is told so at once.
  static std::shared_ptr<FirstAnswer> expect(CancellationToken& token, Done done);

  /// The device's answer. `take` is called before the step hears of it, and only if this is the first.
  void give(const absl::Status& status, const std::function<void()>& take = nullptr);

 private:
  FirstAnswer(CancellationToken* token, Done done) : token_(token), done_(std::move(done)) {}
  bool claim() { return !answered_.exchange(true, std::memory_order_acq_rel); }

  CancellationToken* const token_;
  const Done done_;
  std::optional<CancellationToken::Id> callback_;
  std::atomic<bool> answered_{false};
};

}  // namespace troupe
