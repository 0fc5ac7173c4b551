#pragma once

#include <gmock/gmock.h>

#include <array>
#include <string>
#include <thread>
#include <vector>

#include "tests/actors/session_fixture.h"

namespace troupe::test {

/// Sessions whose kernels tell where they run, of two ops more:
///   TestThread(x): x; records the thread that it runs on, and stays a while, so that it is worth another thread;
///   TestDepth(x): x; records how deep on its thread's stack it runs.
/// Attr `i` makes nodes that are otherwise equal different ones.
class RunsTest : public SessionTest {
 protected:
  RunsTest();

  /// y = a x on CPU 0, where a is; x = (1, 1), y_neg = -y and z = y_neg on CPU 1.
  void add_network(std::array<float, 4> a);
  /// A session with two CPUs over the graph.
  Session& open_on_two(SessionOptions options = {});
  static SessionOptions from_text(const std::string& text);

  /// `n` nodes "t0", "t1", ... that record their thread; their names.
  std::vector<std::string> add_threads(int n, Endpoint x);
  /// Those that TestThread ran on since they were last taken.
  static std::vector<std::thread::id> take_threads();
  /// Between the highest and the lowest place on the stack that TestDepth ran at.
  static ptrdiff_t stack_spread();

  static Tensor column(float first, float second) {
    return Tensor::from<float>(Shape{2, 1}, {first, second});
  }
  static std::vector<float> floats(const Tensor& t) {
    return {t.flat<float>().begin(), t.flat<float>().end()};
  }
  static std::string text(const absl::Status& s) { return std::string(s.message()); }

 private:
  static absl::Status record_thread(KernelContext& c);
  static absl::Status record_depth(KernelContext& c);
};

}  // namespace troupe::test
