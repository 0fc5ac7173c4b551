#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "graph/ops/op_def.h"

namespace troupe::c_api {

/// Adds an op to those of the process (process_ops), which graphs see from now on. AlreadyExists when its
/// name is taken. While an OpRecorder lives on this thread, the outcome goes there, and the status is OK.
/// Thread-safe.
absl::Status register_op(absl::StatusOr<OpDef> op);

/// Notes which ops are registered on this thread while it lives: those of the library that is being loaded.
/// As in TensorFlow, where what a plug-in registers is looked at after it was loaded, the plug-in itself sees
/// no errors. A load inside a load has a recorder of its own.
class OpRecorder {
 public:
  OpRecorder();
  ~OpRecorder();
  OpRecorder(const OpRecorder&) = delete;

  /// In the order of registration, without those whose names were taken.
  const std::vector<std::string>& names() const { return names_; }
  /// The first registration that failed; a name that was taken is no failure.
  const absl::Status& status() const { return status_; }

 private:
  friend absl::Status register_op(absl::StatusOr<OpDef> op);

  OpRecorder* const outer_;
  std::vector<std::string> names_;
  absl::Status status_;
};

}  // namespace troupe::c_api
