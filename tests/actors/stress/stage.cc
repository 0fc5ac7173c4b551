#include "tests/actors/stress/stage.h"

#include <gtest/gtest.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "actors/adopt_session.h"
#include "actors/ask.h"
#include "tests/actors/called_functions.h"
#include "tests/actors/stress/factories.h"

namespace troupe::test {
namespace {

/// Of SharedSession::posted.
constexpr size_t kMostPosted = 8;

/// Every door that a session comes in by.
absl::StatusOr<std::unique_ptr<Session>> open_by(unsigned door, Runtime& runtime,
                                                 const SessionOptions& options) {
  if (door == 0) return Session::open(runtime, options);
  if (door == 1) {
    auto session = Session::open_or_null(runtime, options);
    if (session == nullptr) return absl::InternalError("open_or_null gave none");
    return session;
  }
  auto actor = ask<SessionActor>(runtime.system(), runtime_actor(runtime), OpenSession{options});
  if (!actor.ok()) return actor.status();
  return adopt_session(*actor);
}

}  // namespace

void SharedSession::post(PostedTurns turns) {
  std::lock_guard lock(mu_);
  if (posted_.size() < kMostPosted) {
    posted_.push_back(std::move(turns));
  } else {
    posted_[next_posted_++ % kMostPosted] = std::move(turns);
  }
}

PostedTurns SharedSession::posted(unsigned random) const {
  std::lock_guard lock(mu_);
  return posted_.empty() ? PostedTurns() : posted_[random % posted_.size()];
}

Stage::Stage(Runtime* runtime, Runtime* elsewhere, Answers* answers, tensorflow::GraphDef graph, size_t size)
    : runtime_(runtime), elsewhere_(elsewhere), answers_(answers), graph_(std::move(graph)) {
  for (size_t i = 0; i < size; ++i) sessions_.push_back(make(static_cast<unsigned>(i)));
}

std::shared_ptr<SharedSession> Stage::make(unsigned random) {
  static const char* const kTargets[] = {"", "", kObjectTarget, kActorTarget};
  const std::vector<SessionKind>& kinds = session_kinds();
  const SessionKind& kind = kinds[random % kinds.size()];
  SessionOptions options = kind.options;
  const unsigned number = static_cast<unsigned>(made_++);
  options.target = kTargets[number % std::size(kTargets)];
  options.handle = absl::StrCat("on stage ", number);
  absl::StatusOr<std::unique_ptr<Session>> opened = open_by(number % 3, *runtime_, options);
  if (!answers_->good(Asked::kOpen, nullptr, opened.status())) std::abort();
  // Out of its facade and into another, as the actor's handle is wanted, too.
  SessionActor actor = release_session(*std::move(opened));
  opened = adopt_session(actor);
  if (!answers_->good(Asked::kOpen, nullptr, opened.status())) std::abort();
  auto shared = std::make_shared<SharedSession>(*std::move(opened), std::move(actor), &kind);
  (void)answers_->good(Asked::kCreate, shared->mark.get(), shared->session->create(graph_));
  return shared;
}

std::shared_ptr<SharedSession> Stage::any(unsigned random) const {
  std::lock_guard lock(mu_);
  return sessions_[random % sessions_.size()];
}

void Stage::renew(const SharedSession* old, unsigned random) {
  std::shared_ptr<SharedSession> fresh = make(random);
  // What was there ends outside the lock.
  std::lock_guard lock(mu_);
  if (old == nullptr) return sessions_[random % sessions_.size()].swap(fresh);
  for (auto& s : sessions_) {
    if (s.get() == old) return s.swap(fresh);
  }
}

void Stage::clear() {
  std::vector<std::shared_ptr<SharedSession>> gone;
  std::lock_guard lock(mu_);
  gone.swap(sessions_);
}

std::vector<std::shared_ptr<SharedSession>> Stage::all() const {
  std::lock_guard lock(mu_);
  return sessions_;
}

std::string stage_nodes() {
  const std::string variable =
      kDtype + " attr { key: 'shape' value { shape {} } } attr { key: 'container' value { s: 'shelf' } }" +
      " attr { key: 'shared_name' value { s: 'v' } }";
  return x_and_call("Fib") + placeholder_text("y", "DT_FLOAT") +
         call_text("twice", "TestAdd", {"x", "x"}, {}) + call_text("sum", "TestAdd", {"x", "y"}, {}) +
         call_text("far", "TestAdd", {"x", "x"}, {}, " device: '/cpu:1'") +
         call_text("beside", "TestAdd", {"far", "twice"}, {}, " device: '/cpu:0'") +
         call_text("nap", "TestSleep", {"x"}, {}, " attr { key: 'micros' value { i: 3000 } }") +
         call_text("hang", "TestHang", {"x"}, {}) + call_text("v", "VarHandleOp", {}, {}, variable) +
         call_text("put", "AssignVariableOp", {"v", "x"}, {}, kDtype) +
         call_text("got", "ReadVariableOp", {"v"}, {}, kDtype);
}

}  // namespace troupe::test
