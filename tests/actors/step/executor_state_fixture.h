#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "actors/step/executor_state.h"
#include "devices/device.h"
#include "devices/kernel_registry.h"

namespace troupe::test {

/// What Give hands out, and what Trip cancels.
inline Tensor given = Tensor::scalar<int32_t>(1);
/// What the reference of Lend points to.
inline Tensor lent;
inline CancellationToken* tripped = nullptr;

/// Hands out what is to be called when it is done.
class Later final : public AsyncKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction&) {
    return std::make_unique<Later>();
  }
  void compute_async(KernelContext&, Done done) override { out.push_back(std::move(done)); }
  static inline std::vector<Done> out;
};

/// Runs what is launched when the test says so, in the order that the test likes.
class ManualHost final : public ExecutorHost {
 public:
  void launch_kernels(std::vector<KernelTask*> tasks) override {
    out.insert(out.end(), tasks.begin(), tasks.end());
  }
  void wake() override { ++wakes; }
  std::vector<KernelTask*> out;
  int wakes = 0;
};

/// A partition that a test builds of the ops
///   CountUp(x) = x + 1; Slow(x), the same but expensive; Plus(x, y); Below(x) = x < `limit`;
///   Later(x): asynchronous, ends when the test says so; Halves(x): sets the second of its outputs only;
///   Give(): `given`; Trip(x) = x + 1, and cancels `tripped`;
///   Lend(): a reference, declared to be of an int32, to `lent`.
class ExecutorStateTest : public testing::Test {
 protected:
  ExecutorStateTest();

  int add(const std::string& name, const std::string& op, AttrMap attrs, std::vector<Endpoint> in,
          std::vector<int> control = {});
  int constant(const std::string& name, int32_t v, std::vector<int> control = {}) {
    return add(name, "Const", {{"dtype", DataType::kInt32}, {"value", Tensor::scalar<int32_t>(v)}}, {},
               std::move(control));
  }
  int truth(const std::string& name, bool v) {
    return add(name, "Const", {{"dtype", DataType::kBool}, {"value", Tensor::scalar<bool>(v)}}, {});
  }
  void fetch(Endpoint e, int index) {
    add("ret" + std::to_string(index), "_Retval", {{"T", graph_.type_of(e)}, {"index", index}}, {e});
    fetches_ = std::max(fetches_, index + 1);
  }
  /// A loop around `count`, from `start` up to `limit`.
  Endpoint loop(const std::string& frame, Endpoint start, int limit, int parallel = 10,
                const std::string& op = "CountUp");
  /// Whether some input of a node carries its constant from step to step.
  bool is_bound(const std::string& name) const;

  void compile();
  /// One step to its end; launched kernels run last first.
  absl::Status run();

  /// Begins a step.
  void start(bool collect_stats = false);
  /// As far as it comes without answers.
  ExecutorState::Turn advance();
  /// The frontier in words.
  std::vector<std::string> told(size_t limit) const;

  OpRegistry ops_;
  KernelRegistry kernels_;
  Graph graph_;
  std::unique_ptr<Device> device_;
  ManualHost host_;
  std::unique_ptr<ExecutorState> state_;
  CancellationToken token_;
  StepState step_;
  std::vector<Tensor> retvals_;
  int fetches_ = 0;
};

}  // namespace troupe::test
