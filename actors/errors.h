#pragma once

#include <caf/error.hpp>

#include <utility>

#include "absl/status/statusor.h"

namespace caf {
class actor_system;
}

namespace troupe {

/// The border between absl::Status below and caf::error between actors. A status travels as an error of the category
/// "troupe" with its canonical code and its message; CAF's own errors become Unavailable, DeadlineExceeded or Internal.
caf::error to_error(const absl::Status& status);
absl::Status to_status(const caf::error& error);

/// Answers with the value, or with why there is none.
template <class Promise, class T>
void deliver(Promise& promise, absl::StatusOr<T> result) {
  if (result.ok()) {
    promise.deliver(*std::move(result));
  } else {
    promise.deliver(to_error(result.status()));
  }
}

}  // namespace troupe
