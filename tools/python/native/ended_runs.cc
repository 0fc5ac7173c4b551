#include "tools/python/native/ended_runs.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "tools/python/native/arrays.h"

namespace troupe::python {
namespace {

py::object fetches_or_exception(absl::StatusOr<std::vector<Tensor>> fetched) {
  try {
    return arrays_of(value_or_raise(std::move(fetched)));
  } catch (py::error_already_set& e) {
    return e.value();
  }
}

}  // namespace

EndedRuns::EndedRuns() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (fd_ >= 0) return;
  PyErr_SetFromErrno(PyExc_OSError);
  throw py::error_already_set();
}

EndedRuns::~EndedRuns() { close(fd_); }

void EndedRuns::add(int64_t number, absl::StatusOr<std::vector<Tensor>> fetched, const RunStats& stats) {
  std::lock_guard lock(mu_);
  ended_.push_back({number, std::move(fetched), stats.metadata});
  // Whoever takes the last resets it.
  if (ended_.size() == 1) (void)eventfd_write(fd_, 1);
}

py::list EndedRuns::take(size_t most) {
  std::vector<Ended> taken;
  {
    std::lock_guard lock(mu_);
    const auto end = ended_.begin() + static_cast<std::ptrdiff_t>(std::min(most, ended_.size()));
    taken.assign(std::make_move_iterator(ended_.begin()), std::make_move_iterator(end));
    ended_.erase(ended_.begin(), end);
    eventfd_t count = 0;
    if (ended_.empty()) (void)eventfd_read(fd_, &count);
  }
  py::list list(taken.size());
  for (size_t i = 0; i < taken.size(); ++i) {
    list[i] = py::make_tuple(taken[i].number, fetches_or_exception(std::move(taken[i].fetched)),
                             py::bytes(taken[i].metadata));
  }
  return list;
}

void define_ended_runs(py::module_& module) {
  py::class_<EndedRuns, std::shared_ptr<EndedRuns>>(module, "EndedRuns",
                                                    "Runs that have ended, for an event loop.")
      .def(py::init<>())
      .def("fileno", &EndedRuns::fd)
      .def("take", &EndedRuns::take);
}

}  // namespace troupe::python
