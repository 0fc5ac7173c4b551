#include "actors/c_api/process_registry.h"

#include <mutex>

#include "absl/strings/str_cat.h"
#include "actors/c_api/handles.h"
#include "graph/ops/op_registry.h"

namespace troupe::c_api {
namespace {

thread_local OpRecorder* recorder = nullptr;

absl::Status add_op(absl::StatusOr<OpDef> op) {
  TROUPE_RETURN_IF_ERROR(op.status());
  // The registry itself does not look whether its parent has the name.
  static auto* mu = new std::mutex;
  std::lock_guard lock(*mu);
  if (process_ops().find(op->name) != nullptr) {
    return absl::AlreadyExistsError(absl::StrCat("Op with name ", op->name));
  }
  return process_ops().add(*std::move(op));
}

}  // namespace

OpRecorder::OpRecorder() : outer_(recorder) { recorder = this; }
OpRecorder::~OpRecorder() { recorder = outer_; }

absl::Status register_op(absl::StatusOr<OpDef> op) {
  std::string name = op.ok() ? op->name : "";
  absl::Status status = add_op(std::move(op));
  if (recorder == nullptr) return status;
  if (status.ok()) {
    recorder->names_.push_back(std::move(name));
  } else if (!absl::IsAlreadyExists(status)) {
    recorder->status_.Update(status);
  }
  return absl::OkStatus();
}

}  // namespace troupe::c_api
