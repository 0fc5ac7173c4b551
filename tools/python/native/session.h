#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "actors/c_api/session_handle.h"
#include "tools/python/native/graph.h"
#include "tools/python/native/native.h"

namespace troupe::python {

/// What a run feeds, fetches and targets, by name; feeds with the numbers of their dtypes.
struct Signature {
  std::vector<std::string> feeds;
  std::vector<int> feed_types;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
};

class LoopRuns;
class PyCallable;

/// A session over a graph, whose new operations it takes up before each run. Any number of Python threads may run steps; the GIL is given up
/// while they do.
class PySession : public std::enable_shared_from_this<PySession> {
 public:
  PySession(std::shared_ptr<PyGraph> graph, const std::string& target, const std::string& config);
  ~PySession();
  PySession(const PySession&) = delete;

  Session& session() const { return *handle_->session; }

  /// Hands it the operations that it lacks.
  void extend();
  /// (fetches, serialised RunMetadata or None).
  py::tuple run(const Signature& signature, const py::sequence& values, const std::string& run_options,
                bool want_metadata);
  /// With the numbers of the dtypes of its feeds.
  std::shared_ptr<PyCallable> make_callable(const CallableOptions& options,
                                            const std::vector<int>& feed_types);
  /// `done` is called on a thread of the runtime, with (fetches, None, metadata) or (None, exception, metadata).
  AsyncRun run_async(const Signature& signature, const py::sequence& values, const std::string& run_options,
                     py::function done);
  /// Begins a run of an event loop, which calls it by a number.
  void begin_run(const Signature& signature, const py::sequence& values, const std::string& run_options,
                 const std::shared_ptr<LoopRuns>& runs, int64_t number);
  std::string partial_run_setup(const Signature& signature);
  py::list partial_run(const std::string& handle, const Signature& signature, const py::sequence& values);
  void close();

 private:
  std::vector<NamedTensor> feeds_of(const Signature& signature, const py::sequence& values) const;

  const std::shared_ptr<PyGraph> graph_;
  TF_Session* handle_ = nullptr;
};

/// A signature that is compiled once. Keeps its session.
class PyCallable {
 public:
  PyCallable(std::shared_ptr<PySession> session, CallableHandle handle, Signature signature);
  ~PyCallable();
  PyCallable(const PyCallable&) = delete;

  py::list run(const py::sequence& values) const;
  py::tuple run_with_metadata(const py::sequence& values) const;
  /// As PySession::begin_run.
  void begin_run(const py::sequence& values, const std::shared_ptr<LoopRuns>& runs, int64_t number) const;

 private:
  template <class Tensors>
  Tensors feeds_of(const py::sequence& values) const;
  py::list run(const py::sequence& values, RunStats* stats) const;

  const std::shared_ptr<PySession> session_;
  const CallableHandle handle_;
  const Signature signature_;
  std::shared_ptr<const CallableCode> code_;
};

}  // namespace troupe::python
