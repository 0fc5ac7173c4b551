#include "tools/python/native/interrupt.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "tools/python/native/gil.h"
#include "tools/python/native/native.h"

namespace troupe::python {
namespace {

using Clock = std::chrono::steady_clock;

/// What the main thread runs. Its number is never 0; without `cancel` it runs nothing.
struct Running {
  uint64_t number = 0;
  Interruptible::Cancel cancel;
};

/// How much later than we a step may think that it began.
constexpr std::chrono::milliseconds kSlack{50};
/// How often a step is looked for that has been asked for and has not begun: its graph is still being compiled.
constexpr std::chrono::milliseconds kRetry{20};

std::mutex mu;
Running running;  // guarded by mu
sem_t interrupts;
struct sigaction previous;
pthread_t main_thread;
/// Numbers: of the run of the main thread, 0 when there is none, and of the one that was interrupted last.
std::atomic<uint64_t> current{0};
std::atomic<uint64_t> interrupted{0};

/// Asynchronous-signal-safe: tells the watcher, then does what Python does.
void on_interrupt(int signal, siginfo_t* info, void* context) {
  if (const uint64_t number = current.load()) {
    interrupted.store(number);
    sem_post(&interrupts);
  }
  if ((previous.sa_flags & SA_SIGINFO) != 0) {
    previous.sa_sigaction(signal, info, context);
  } else {
    previous.sa_handler(signal);
  }
}

constexpr char kReason[] = "KeyboardInterrupt";

/// The step that began last of those that fetch this and began after `begun`. False when there is none yet.
bool cancel_newest(Session& session, const std::vector<std::string>& fetches,
                   const std::vector<std::string>& targets, Clock::time_point begun) {
  auto steps = session.inspect();
  if (!steps.ok()) return true;
  const auto age = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begun + kSlack);
  const StepReport* found = nullptr;
  for (const StepReport& s : *steps) {
    const bool same = s.fetches == fetches && s.targets == targets && s.age <= age;
    if (same && (found == nullptr || s.age > found->age)) found = &s;
  }
  return found != nullptr && session.cancel_step(found->step_id, kReason).ok();
}

void watch() {
  for (;;) {
    if (sem_wait(&interrupts) != 0) continue;
    for (;;) {
      {
        // Holding it, so that the session stays.
        std::lock_guard lock(mu);
        if (!running.cancel || running.number != interrupted.load() || running.cancel()) break;
      }
      std::this_thread::sleep_for(kRetry);
    }
  }
}

/// Whether SIGINT raises KeyboardInterrupt, as Python has it unless the program has changed it.
bool raises_interrupt() {
  // Of the module beneath `signal`, which makes an enumerator of what it gets: that takes longer than a run.
  // Guarded by the interpreter's lock (NumPy::get in arrays.cc says why).
  static PyObject* default_handler = nullptr;
  static PyObject* get = nullptr;
  if (get == nullptr) {
    const auto module = py::module_::import("_signal");
    default_handler = py::object(module.attr("default_int_handler")).release().ptr();
    get = py::object(module.attr("getsignal")).release().ptr();
  }
  return py::reinterpret_borrow<py::object>(get)(SIGINT).ptr() == default_handler;
}

/// In front of Python's handler, which signal.signal may have put back.
void install() {
  struct sigaction now;
  sigaction(SIGINT, nullptr, &now);
  if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_interrupt) return;
  if (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN || !raises_interrupt()) return;
  previous = now;
  struct sigaction ours = now;
  ours.sa_flags |= SA_SIGINFO;
  ours.sa_sigaction = on_interrupt;
  sigaction(SIGINT, &ours, nullptr);
}

void start_watcher(pthread_t python_main) {
  sem_init(&interrupts, 0, 0);
  main_thread = python_main;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread(watch).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

/// True on Python's main thread. Starts the watcher at the first call on it.
bool on_main_thread() {
  // Guarded by the interpreter's lock, as above.
  static bool started = false;
  if (!started) {
    const auto ident =
        py::module_::import("threading").attr("main_thread")().attr("ident").cast<unsigned long>();
    if (!started) start_watcher(static_cast<pthread_t>(ident));
    started = true;
  }
  return pthread_equal(pthread_self(), main_thread) != 0;
}

}  // namespace

Interruptible::Interruptible(Session& session, const std::vector<std::string>& fetches,
                             const std::vector<std::string>& targets)
    : watched_(on_main_thread()) {
  if (!watched_) return;
  begin([&session, &fetches, &targets, begun = Clock::now()] {
    return cancel_newest(session, fetches, targets, begun);
  });
}

Interruptible::Interruptible(Session& session, const std::string& handle) : watched_(on_main_thread()) {
  if (!watched_) return;
  begin([&session, &handle] {
    // It was set up before: where it is not known, it is over.
    (void)session.cancel_partial_run(handle, kReason);
    return true;
  });
}

void Interruptible::begin(Cancel cancel) {
  install();
  // Of the main thread alone.
  static uint64_t runs = 0;
  ++runs;
  {
    std::lock_guard lock(mu);
    running = {runs, std::move(cancel)};
  }
  current.store(runs);
}

Interruptible::~Interruptible() {
  if (!watched_) return;
  current.store(0);
  if (std::unique_lock lock(mu, std::try_to_lock); lock) {
    running = {};
    return;
  }
  // The watcher that holds it may wait for threads that wait for the GIL.
  const GilRelease release;
  std::lock_guard lock(mu);
  running = {};
}

void raise_signals() {
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

}  // namespace troupe::python
