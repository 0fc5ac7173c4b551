#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "actors/runtime.h"
#include "actors/session.h"
#include "proto/graph.pb.h"

namespace troupe::test {

/// A session that several threads use, and how many nodes they have added to it. It goes with the last that holds it.
struct SharedSession {
  explicit SharedSession(std::unique_ptr<Session> s) : session(std::move(s)) {}
  const std::unique_ptr<Session> session;
  std::atomic<int> next_node{0};
};

/// Sessions over one graph, each of which may be taken and put in place of at any time. Thread-safe.
class Stage {
 public:
  /// `graph` is what new sessions get.
  Stage(Runtime& runtime, tensorflow::GraphDef graph, size_t size);

  std::shared_ptr<SharedSession> any(unsigned random) const;
  /// Another session in the place of one.
  void renew(unsigned random);
  /// Lets go of all.
  void clear();
  std::vector<std::shared_ptr<SharedSession>> all() const;

 private:
  std::shared_ptr<SharedSession> make() const;

  Runtime& runtime_;
  const tensorflow::GraphDef graph_;
  mutable std::mutex mu_;
  std::vector<std::shared_ptr<SharedSession>> sessions_;  // guarded by mu_
};

/// The nodes of the stage's graph, in text form:
///   x, y: fed. twice = x + x; sum = x + y; far = x + x on the second device, beside = far + twice on the first;
///   call: Fib(x), of recursive functions; nap: x, after some milliseconds; hang: x, never.
std::string stage_nodes();

}  // namespace troupe::test
