#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <memory>

#include "actors/runtime.h"
#include "actors/session.h"
#include "devices/kernel_registry.h"
#include "graph/ir/graph.h"

namespace troupe::test {

/// A runtime with its own ops and kernels beside the built-in ones, a session over a graph that the test builds:
///   TestAdd(x, y) float; TestSleep(x): sleeps `micros` in slices of 1 ms, polling the token;
///   TestDeaf(x): the same at once, without polling; TestFail(x): an error
///   "told to fail"; TestHang(x): asynchronous, never done until cancelled;
///   TestHold(x): x when the test lets go, or an error when nobody wants it any more. Of a constant it is folded, so that
///   planning stays there.
class SessionTest : public testing::Test {
 protected:
  SessionTest();
  ~SessionTest() override;

  static absl::Status hold(KernelContext& c);
  static absl::Status deaf(KernelContext& c);

  /// Adds a node; the test fails when the graph refuses it.
  int add(const std::string& name, const std::string& op, AttrMap attrs = {},
          std::vector<Endpoint> inputs = {}, std::vector<int> controls = {}, const std::string& device = "");
  int constant(const std::string& name, Tensor value, std::vector<int> controls = {});
  int placeholder(const std::string& name, DataType dtype = DataType::kFloat);
  /// Loop i = 0; while (i < limit) i = TestAdd(i, 1); limit 0: for ever.
  void endless_loop(const std::string& name);
  Session& open(SessionOptions options = {});

  /// Kernels that TestHold, TestHang and TestDeaf have begun since the test did.
  static inline std::atomic<int> held{0};
  static inline std::atomic<int> hung{0};
  static inline std::atomic<int> deafened{0};
  static inline std::atomic<bool> let_go{false};

  class Hang;

  std::unique_ptr<OpRegistry> ops_;
  std::unique_ptr<KernelRegistry> kernels_;
  std::unique_ptr<Runtime> runtime_;
  Graph graph_;
  std::unique_ptr<Session> session_;
};

}  // namespace troupe::test
