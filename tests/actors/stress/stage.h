#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "actors/interfaces.h"
#include "actors/runtime.h"
#include "actors/session.h"
#include "proto/graph.pb.h"
#include "tests/actors/stress/answers.h"
#include "tests/actors/stress/kinds.h"

namespace troupe::test {

/// A partial run of the stage's graph that x was fed to, for whoever likes to go on from there.
struct PostedTurns {
  std::string handle;
  float x = 0;
  /// What whoever began it feeds as y, sooner or later.
  float y = 0;
};

/// A session that several threads use. It goes with the last that holds it.
struct SharedSession {
  SharedSession(std::unique_ptr<Session> s, SessionActor a, const SessionKind* kind)
      : session(std::move(s)), actor(std::move(a)), mark(std::make_shared<SessionMark>(kind)) {}
  void post(PostedTurns turns);
  /// One of the last; without a handle when there is none.
  PostedTurns posted(unsigned random) const;

  const std::unique_ptr<Session> session;
  const SessionActor actor;
  const std::shared_ptr<SessionMark> mark;
  /// Nodes that were added.
  std::atomic<int> next_node{0};

 private:
  mutable std::mutex mu_;
  std::vector<PostedTurns> posted_;  // guarded by mu_
  size_t next_posted_ = 0;
};

/// Sessions over one graph, each of which may be taken and put in place of at any time. They are of random kinds, and opened every way
/// that there is, by factories too. Thread-safe.
class Stage {
 public:
  /// `graph` is what new sessions get. `elsewhere`: the runtime behind the factories that `runtime` has.
  Stage(Runtime* runtime, Runtime* elsewhere, Answers* answers, tensorflow::GraphDef graph, size_t size);

  std::shared_ptr<SharedSession> any(unsigned random) const;
  /// Another session in the place of this one, if it is still there; in any, if it is null.
  void renew(const SharedSession* old, unsigned random);
  /// Lets go of all.
  void clear();
  std::vector<std::shared_ptr<SharedSession>> all() const;

  Runtime& runtime() const { return *runtime_; }
  Runtime& elsewhere() const { return *elsewhere_; }

 private:
  std::shared_ptr<SharedSession> make(unsigned random);

  Runtime* const runtime_;
  Runtime* const elsewhere_;
  Answers* const answers_;
  const tensorflow::GraphDef graph_;
  std::atomic<int> made_{0};
  mutable std::mutex mu_;
  std::vector<std::shared_ptr<SharedSession>> sessions_;  // guarded by mu_
};

/// The nodes of the stage's graph, in text form:
///   x, y: fed. twice = x + x; sum = x + y; far = x + x on the second device, beside = far + twice on the first;
///   call: Fib(x), of recursive functions; nap: x, after some milliseconds; hang: x, never;
///   put: makes x the value of a variable in the container "shelf"; got: that value.
std::string stage_nodes();

}  // namespace troupe::test
