#pragma once

#include <caf/resumable.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace troupe::test {

/// What units resume, made of a function; the test owns it. It may say `resume_later`.
class TestJob final : public caf::resumable {
 public:
  explicit TestJob(std::function<resume_result(caf::execution_unit*)> f) : f_(std::move(f)) {}
  resume_result resume(caf::execution_unit* unit, size_t) override { return f_(unit); }
  void intrusive_ptr_add_ref_impl() override {}
  void intrusive_ptr_release_impl() override {}

 private:
  const std::function<resume_result(caf::execution_unit*)> f_;
};

/// Jobs that live as long as the test. Thread-safe.
class Jobs {
 public:
  caf::resumable* later(std::function<caf::resumable::resume_result(caf::execution_unit*)> f) {
    std::lock_guard lock(mu_);
    return jobs_.emplace_back(std::make_unique<TestJob>(std::move(f))).get();
  }
  caf::resumable* once(std::function<void()> f) {
    return later([f = std::move(f)](caf::execution_unit*) {
      f();
      return caf::resumable::done;
    });
  }

 private:
  std::mutex mu_;
  std::vector<std::unique_ptr<TestJob>> jobs_;  // guarded by mu_
};

}  // namespace troupe::test
