#pragma once

#include <caf/resumable.hpp>

#include <functional>
#include <utility>

namespace troupe {

/// A function as a job of a pool; deletes itself when it has been called.
class FunctionJob final : public caf::resumable {
 public:
  explicit FunctionJob(std::function<void()> job) : job_(std::move(job)) {}
  resume_result resume(caf::execution_unit*, size_t) override {
    job_();
    return done;
  }
  void intrusive_ptr_add_ref_impl() override {}
  void intrusive_ptr_release_impl() override { delete this; }

 private:
  const std::function<void()> job_;
};

}  // namespace troupe
