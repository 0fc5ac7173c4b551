#include "tools/python/native/session.h"

#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include "absl/container/inlined_vector.h"
#include "tools/python/native/arrays.h"
#include "tools/python/native/loop_runs.h"
#include "tools/python/native/gil.h"
#include "tools/python/native/interrupt.h"

namespace troupe::python {
namespace {

SessionOptions options_of(const std::string& target, const std::string& config) {
  SessionOptions options = value_or_raise(SessionOptions::from_config(config));
  options.target = target;
  return options;
}

RunOptions run_options_of(const std::string& bytes) {
  return bytes.empty() ? RunOptions() : value_or_raise(RunOptions::from_bytes(bytes));
}

CallableOptions callable_options(const Signature& signature, const std::string& run_options) {
  CallableOptions options;
  options.feeds = signature.feeds;
  options.fetches = signature.fetches;
  options.targets = signature.targets;
  options.run_options = run_options_of(run_options);
  return options;
}

/// What was interrupted is told as that.
void check_run(const absl::Status& status) {
  if (status.ok()) return;
  raise_signals();
  raise(status);
}

void check_count(const Signature& signature, const py::sequence& values) {
  if (values.size() != signature.feeds.size()) {
    throw py::value_error("Expected " + std::to_string(signature.feeds.size()) + " values to feed, got " +
                          std::to_string(values.size()));
  }
}

}  // namespace

PySession::PySession(std::shared_ptr<PyGraph> graph, const std::string& target, const std::string& config)
    : graph_(std::move(graph)) {
  const TF_SessionOptions options{options_of(target, config)};
  ApiStatus status;
  {
    const GilRelease release;
    handle_ = TF_NewSession(graph_->get(), &options, status);
  }
  status.check();
}

PySession::~PySession() {
  if (handle_ == nullptr || python_ends()) return;
  const GilRelease release;
  ApiStatus status;
  TF_DeleteSession(handle_, status);
}

void PySession::extend() {
  if (handle_->num_nodes.load(std::memory_order_acquire) ==
      graph_->get()->num_nodes.load(std::memory_order_acquire))
    return;
  ApiStatus status;
  {
    const GilRelease release;
    TF_ExtendSession(handle_, status);
  }
  status.check();
}

std::vector<NamedTensor> PySession::feeds_of(const Signature& signature, const py::sequence& values) const {
  check_count(signature, values);
  std::vector<NamedTensor> feeds;
  feeds.reserve(signature.feeds.size());
  for (size_t i = 0; i < signature.feeds.size(); ++i)
    feeds.emplace_back(signature.feeds[i],
                       to_tensor(values[i], static_cast<DataType>(signature.feed_types[i])));
  return feeds;
}

py::tuple PySession::run(const Signature& signature, const py::sequence& values,
                         const std::string& run_options, bool want_metadata) {
  extend();
  const RunOptions options = run_options_of(run_options);
  const std::vector<NamedTensor> feeds = feeds_of(signature, values);
  RunStats stats;
  absl::StatusOr<std::vector<Tensor>> fetched;
  {
    const Interruptible interruptible(session(), signature.fetches, signature.targets);
    const GilRelease release;
    fetched =
        session().run(feeds, signature.fetches, signature.targets, options, want_metadata ? &stats : nullptr);
  }
  check_run(fetched.status());
  return py::make_tuple(arrays_of(*std::move(fetched)),
                        want_metadata ? py::object(py::bytes(stats.metadata)) : py::none());
}

std::shared_ptr<PyCallable> PySession::make_callable(const CallableOptions& options,
                                                     const std::vector<int>& feed_types) {
  extend();
  absl::StatusOr<CallableHandle> handle;
  {
    const GilRelease release;
    handle = session().make_callable(options);
  }
  return std::make_shared<PyCallable>(shared_from_this(), value_or_raise(std::move(handle)),
                                      Signature{options.feeds, feed_types, options.fetches, options.targets});
}

AsyncRun PySession::run_async(const Signature& signature, const py::sequence& values,
                              const std::string& run_options, py::function done) {
  extend();
  const RunOptions options = run_options_of(run_options);
  const std::vector<NamedTensor> feeds = feeds_of(signature, values);
  // Copied and destroyed only with the GIL held.
  auto* callback = new py::function(std::move(done));
  auto told = [callback](absl::StatusOr<std::vector<Tensor>> fetched, const RunStats& stats) {
    const GilAcquire acquire;
    if (!acquire.held()) return;
    try {
      py::object arrays = py::none();
      py::object error = py::none();
      try {
        check(fetched.status());
        arrays = arrays_of(*std::move(fetched));
      } catch (py::error_already_set& e) {
        error = e.value();
      }
      call_python(callback->ptr(), arrays, error, py::bytes(stats.metadata));
    } catch (py::error_already_set& e) {
      e.discard_as_unraisable("the callback of a run");
    }
    delete callback;
  };
  const GilRelease release;
  return session().run_async(feeds, signature.fetches, signature.targets, options, std::move(told));
}

void PySession::begin_run(const Signature& signature, const py::sequence& values,
                          const std::string& run_options, const std::shared_ptr<LoopRuns>& runs,
                          int64_t number) {
  extend();
  const RunOptions options = run_options_of(run_options);
  const std::vector<NamedTensor> feeds = feeds_of(signature, values);
  AsyncRun run;
  {
    const GilRelease release;
    run = session().run_async(feeds, signature.fetches, signature.targets, options,
                              LoopRuns::when_ended(runs, number));
  }
  runs->add(number, std::move(run));
}

std::string PySession::partial_run_setup(const Signature& signature) {
  extend();
  // As in TensorFlow, it waits for its next turn for ever.
  constexpr std::chrono::milliseconds kNoLease{0};
  absl::StatusOr<std::string> handle;
  {
    const GilRelease release;
    handle = session().partial_run_setup(signature.feeds, signature.fetches, signature.targets, kNoLease);
  }
  return value_or_raise(std::move(handle));
}

py::list PySession::partial_run(const std::string& handle, const Signature& signature,
                                const py::sequence& values) {
  const std::vector<NamedTensor> feeds = feeds_of(signature, values);
  absl::StatusOr<std::vector<Tensor>> fetched;
  {
    const Interruptible interruptible(session(), handle);
    const GilRelease release;
    fetched = session().partial_run(handle, feeds, signature.fetches);
  }
  check_run(fetched.status());
  return arrays_of(*std::move(fetched));
}

void PySession::close() {
  absl::Status status;
  {
    const GilRelease release;
    status = session().close();
  }
  check(status);
}

PyCallable::PyCallable(std::shared_ptr<PySession> session, CallableHandle handle, Signature signature)
    : session_(std::move(session)), handle_(handle), signature_(std::move(signature)),
      code_(value_or_raise(session_->session().pin_callable(handle))) {}

PyCallable::~PyCallable() {
  if (python_ends()) {
    // What it is the last to hold would be freed.
    (void)new std::shared_ptr<const CallableCode>(std::move(code_));
    return;
  }
  // What the code holds may wait for threads that wait for the GIL.
  const GilRelease release;
  code_ = nullptr;
  // It is gone with a session that was closed.
  (void)session_->session().release_callable(handle_);
}

template <class Tensors>
Tensors PyCallable::feeds_of(const py::sequence& values) const {
  check_count(signature_, values);
  Tensors feeds;
  feeds.reserve(signature_.feeds.size());
  for (size_t i = 0; i < signature_.feeds.size(); ++i)
    feeds.push_back(to_tensor(values[i], static_cast<DataType>(signature_.feed_types[i])));
  return feeds;
}

py::list PyCallable::run(const py::sequence& values, RunStats* stats) const {
  auto feeds = feeds_of<absl::InlinedVector<Tensor, 4>>(values);
  absl::InlinedVector<Tensor, 4> fetches(signature_.fetches.size());
  absl::Status status;
  {
    const Interruptible interruptible(session_->session(), signature_.fetches, signature_.targets);
    const GilRelease release;
    status = session_->session().run_callable(*code_, {feeds.data(), feeds.size()},
                                              {fetches.data(), fetches.size()}, stats);
  }
  check_run(status);
  return arrays_of(fetches);
}

py::list PyCallable::run(const py::sequence& values) const { return run(values, nullptr); }

py::tuple PyCallable::run_with_metadata(const py::sequence& values) const {
  RunStats stats;
  py::list fetched = run(values, &stats);
  return py::make_tuple(fetched, py::bytes(stats.metadata));
}

void PyCallable::begin_run(const py::sequence& values, const std::shared_ptr<LoopRuns>& runs,
                           int64_t number) const {
  session_->extend();
  auto feeds = feeds_of<std::vector<Tensor>>(values);
  AsyncRun run;
  {
    const GilRelease release;
    run = session_->session().run_async(*code_, std::move(feeds), LoopRuns::when_ended(runs, number));
  }
  runs->add(number, std::move(run));
}

namespace {

py::list devices_of(const PySession& s) {
  absl::StatusOr<std::vector<DeviceInfo>> devices;
  {
    const GilRelease release;
    devices = s.session().list_devices();
  }
  py::list list;
  for (const DeviceInfo& d : value_or_raise(std::move(devices)))
    list.append(py::make_tuple(d.name, d.type, d.memory_limit_bytes, d.incarnation));
  return list;
}

py::list inspect(const PySession& s) {
  absl::StatusOr<std::vector<StepReport>> steps;
  {
    const GilRelease release;
    steps = s.session().inspect();
  }
  py::list list;
  for (const StepReport& r : value_or_raise(std::move(steps)))
    list.append(py::make_tuple(r.step_id, static_cast<double>(r.age.count()) / 1e6, r.fetches, r.targets,
                               r.frontier));
  return list;
}

void reset(const std::string& target, const std::string& config, const std::vector<std::string>& containers) {
  const SessionOptions options = options_of(target, config);
  absl::Status status;
  {
    const GilRelease release;
    status = Session::reset(c_api::process_runtime(), options, containers);
  }
  check(status);
}

}  // namespace

void define_session(py::module_& module) {
  py::class_<Signature>(module, "Signature", "What a run feeds, fetches and targets.")
      .def(py::init<std::vector<std::string>, std::vector<int>, std::vector<std::string>,
                    std::vector<std::string>>());
  py::class_<PyCallable, std::shared_ptr<PyCallable>>(module, "Callable", "A compiled signature.")
      .def("run", py::overload_cast<const py::sequence&>(&PyCallable::run, py::const_))
      .def("run_with_metadata", &PyCallable::run_with_metadata)
      .def("begin_run", &PyCallable::begin_run);
  py::class_<AsyncRun>(module, "AsyncRun", "A run that was begun and is not waited for.")
      .def_property_readonly("step_id", &AsyncRun::step_id)
      .def(
          "cancel", [](AsyncRun& run, const std::string& reason) { return run.cancel(reason); },
          py::call_guard<GilRelease>(), "Ends it for a reason; whether it was not over.");
  py::class_<PySession, std::shared_ptr<PySession>>(module, "Session", "What a troupe.Session is made of.")
      .def(py::init<std::shared_ptr<PyGraph>, const std::string&, const std::string&>())
      .def("extend", &PySession::extend)
      .def("run", &PySession::run)
      .def("run_async", &PySession::run_async)
      .def("begin_run", &PySession::begin_run)
      .def("make_callable",
           [](PySession& session, const Signature& signature, const std::string& run_options) {
             return session.make_callable(callable_options(signature, run_options), signature.feed_types);
           })
      .def("make_callable_from_options",
           [](PySession& session, const std::string& options, const std::vector<int>& feed_types) {
             return session.make_callable(value_or_raise(CallableOptions::from_bytes(options)), feed_types);
           })
      .def("partial_run_setup", &PySession::partial_run_setup)
      .def("partial_run", &PySession::partial_run)
      .def("close", &PySession::close)
      .def("list_devices", &devices_of)
      .def("inspect", &inspect, "(step id, seconds, fetches, targets, frontier) of each step that runs.")
      .def("cancel", [](const PySession& s, const std::string& reason) {
        absl::StatusOr<int> count;
        {
          const GilRelease release;
          count = s.session().cancel(reason);
        }
        return value_or_raise(std::move(count));
      });
  module.def("reset", &reset);
}

}  // namespace troupe::python
