#include "tools/python/native/loop_runs.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "tools/python/native/arrays.h"
#include "tools/python/native/gil.h"

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

LoopRuns::LoopRuns() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (fd_ >= 0) return;
  PyErr_SetFromErrno(PyExc_OSError);
  throw py::error_already_set();
}

LoopRuns::~LoopRuns() { close(fd_); }

RunCallback LoopRuns::when_ended(std::shared_ptr<LoopRuns> runs, int64_t number) {
  return
      [runs = std::move(runs), number](absl::StatusOr<std::vector<Tensor>> fetched, const RunStats& stats) {
        std::lock_guard lock(runs->mu_);
        runs->ended_.push_back({number, std::move(fetched), stats.metadata});
        // Whoever takes the last resets it.
        if (runs->ended_.size() == 1) (void)eventfd_write(runs->fd_, 1);
      };
}

bool LoopRuns::cancel(int64_t number, const std::string& reason) {
  const auto found = under_way_.find(number);
  if (found == under_way_.end()) return false;
  AsyncRun run = found->second;
  const GilRelease release;
  return run.cancel(reason);
}

int64_t LoopRuns::step_id(int64_t number) const {
  const auto found = under_way_.find(number);
  return found == under_way_.end() ? 0 : found->second.step_id();
}

std::vector<LoopRuns::Ended> LoopRuns::take_ended(size_t most) {
  std::lock_guard lock(mu_);
  const auto end = ended_.begin() + static_cast<std::ptrdiff_t>(std::min(most, ended_.size()));
  std::vector<Ended> taken(std::make_move_iterator(ended_.begin()), std::make_move_iterator(end));
  ended_.erase(ended_.begin(), end);
  eventfd_t count = 0;
  if (ended_.empty()) (void)eventfd_read(fd_, &count);
  return taken;
}

py::list LoopRuns::take(size_t most) {
  std::vector<Ended> taken = take_ended(most);
  py::list list(taken.size());
  for (size_t i = 0; i < taken.size(); ++i) {
    under_way_.erase(taken[i].number);
    list[i] = py::make_tuple(taken[i].number, fetches_or_exception(std::move(taken[i].fetched)),
                             py::bytes(taken[i].metadata));
  }
  return list;
}

void define_loop_runs(py::module_& module) {
  py::class_<LoopRuns, std::shared_ptr<LoopRuns>>(module, "LoopRuns", "The runs of an event loop.")
      .def(py::init<>())
      .def("fileno", &LoopRuns::fd)
      .def("cancel", &LoopRuns::cancel)
      .def("step_id", &LoopRuns::step_id)
      .def("take", &LoopRuns::take);
}

}  // namespace troupe::python
