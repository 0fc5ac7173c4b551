#include "actors/step/kernel_errors.h"

#include <gtest/gtest.h>

#include "graph/ops/op_registry.h"

namespace troupe {
namespace {

const OpDef& op(const char* name) { return *builtin_ops().find(name); }

TEST(KernelErrors, that_are_unavailable_are_of_ops_that_speak_to_other_processes) {
  absl::Status lost = absl::UnavailableError("the peer is gone");
  lost.SetPayload("who", absl::Cord("worker"));
  EXPECT_EQ(as_of_this_process(lost, op("_Recv"), "r"), lost);
  const absl::Status own = as_of_this_process(lost, op("ReaderReset"), "scope/reset");
  EXPECT_EQ(own.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(own.message(),
            "the peer is gone\nExecuting non-communication op <scope/reset> originally returned "
            "UnavailableError, and was replaced by InternalError to avoid invoking TF network error handling "
            "logic.");
  EXPECT_EQ(own.GetPayload("who"), absl::Cord("worker"));
  EXPECT_EQ(as_of_this_process(absl::AbortedError("enough"), op("Add"), "sum"), absl::AbortedError("enough"));
}

TEST(KernelErrors, of_a_step_that_was_being_cancelled_have_its_reason) {
  const absl::Status late = absl::DeadlineExceededError("late"), lost = absl::UnavailableError("lost");
  EXPECT_TRUE(is_derived(absl::CancelledError("stopped"), late));
  EXPECT_TRUE(is_derived(absl::AbortedError("stopped"), lost));
  EXPECT_TRUE(is_derived(absl::UnavailableError("the called function's"), lost));
  EXPECT_FALSE(is_derived(absl::UnavailableError("its own"), late));
  EXPECT_FALSE(is_derived(absl::InvalidArgumentError("its own"), lost));
}

}  // namespace
}  // namespace troupe
