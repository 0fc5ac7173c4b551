#include "devices/cpu/kernels/dataset/iterator_resource.h"

#include <atomic>
#include <utility>

#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/function_runner.h"
#include "devices/services.h"
#include "graph/thrown.h"

namespace troupe {

absl::Status check_components(const std::vector<DataType>& expected_types,
                              const std::vector<PartialShape>& expected_shapes,
                              const std::vector<DataType>& given_types,
                              const std::vector<PartialShape>& given_shapes) {
  if (expected_types.size() != given_types.size()) {
    return invalid("Number of components does not match: expected ", expected_types.size(), " types but got ",
                   given_types.size(), ".");
  }
  for (size_t i = 0; i < expected_types.size(); ++i) {
    if (given_types[i] != expected_types[i]) {
      return invalid("Data type mismatch at component ", i, ": expected ", dtype_name(expected_types[i]),
                     " but got ", dtype_name(given_types[i]), ".");
    }
  }
  if (expected_shapes.size() != given_shapes.size()) {
    return invalid("Number of components does not match: expected ", expected_shapes.size(),
                   " shapes but got ", given_shapes.size(), ".");
  }
  for (size_t i = 0; i < expected_shapes.size(); ++i) {
    if (!expected_shapes[i].compatible_with(given_shapes[i])) {
      return invalid("Incompatible shapes at component ", i, ": expected ", expected_shapes[i].to_string(),
                     " but got ", given_shapes[i].to_string(), ".");
    }
  }
  return absl::OkStatus();
}

absl::Status output_components(KernelContext& context, Element components) {
  if (static_cast<int>(components.size()) != context.num_outputs()) {
    return invalid("Number of components does not match: expected ", context.num_outputs(), " but got ",
                   components.size(), ".");
  }
  for (int i = 0; i < context.num_outputs(); ++i)
    context.set_output(i, std::move(components[static_cast<size_t>(i)]));
  return absl::OkStatus();
}

/// One call of `next`: whoever claims it, the worker or the cancellation of its step, answers it.
struct IteratorResource::Request {
  ElementContext step;
  Done done;
  std::atomic<bool> claimed{false};
  std::optional<CancellationToken::Id> callback;

  bool claim() { return !claimed.exchange(true); }
};

/// An iterator and those who wait for its elements. Outlives the resource's interest in it while somebody
/// does.
struct IteratorResource::Position : std::enable_shared_from_this<Position> {
  /// Begins with the dataset.
  static std::shared_ptr<Position> begin(DatasetPtr dataset) {
    auto position = std::make_shared<Position>();
    for (const auto& order : dataset->orders) position->orders.push_back(order->state());
    position->iterator =
        dataset->iterate(dataset->name == "Prefetch" ? "Iterator::Root" : "Iterator::Root::Prefetch");
    position->dataset = std::move(dataset);
    return position;
  }

  DatasetPtr dataset;
  std::vector<OrderSource::State> orders;
  std::atomic<uint64_t> asked{0};
  std::mutex iterator_mu;
  IteratorPtr iterator;  // guarded by iterator_mu
  std::mutex queue_mu;
  // Guarded by queue_mu.
  std::deque<std::shared_ptr<Request>> queue;
  bool working = false;

  /// With iterator_mu held. An iterator that throws has failed at this element.
  NextElement next(const ElementContext& step) {
    TROUPE_RETURN_IF_ERROR(step.check());
    NextElement element = std::nullopt;
    try {
      element = iterator->next(step);
    } catch (...) {
      element = thrown_status("an iterator");
    }
    asked.fetch_add(1, std::memory_order_relaxed);
    return element;
  }

  void add(std::shared_ptr<Request> request) {
    FunctionRunner* functions = request->step.functions;
    Services& services = functions == nullptr ? Services::outside_sessions() : functions->services();
    if (CancellationToken* token = request->step.cancellation; token != nullptr) {
      request->callback = token->register_callback([request] {
        if (request->claim()) request->done(request->step.check());
      });
      if (!request->callback.has_value()) return request->done(request->step.check());
    }
    {
      std::lock_guard lock(queue_mu);
      queue.push_back(std::move(request));
      if (std::exchange(working, true)) return;
    }
    absl::Status begun = serve_elsewhere(services);
    if (!begun.ok()) refuse_all(begun);
  }

  absl::Status serve_elsewhere(Services& services) {
    return services.blocking.run(
        [self = shared_from_this(), &services]() mutable { return serve(std::move(self), services); });
  }

  /// There is no thread for those who wait.
  void refuse_all(const absl::Status& why) {
    std::deque<std::shared_ptr<Request>> refused;
    {
      std::lock_guard lock(queue_mu);
      refused.swap(queue);
      working = false;
    }
    for (const auto& request : refused) {
      if (!request->claim()) continue;
      if (request->callback.has_value()) request->step.cancellation->deregister(*request->callback);
      request->done(why);
    }
  }

  /// Makes the element of the first request, and its answer. The rest have another thread; without one they are this thread's.
  static BlockingPool::Answer serve(std::shared_ptr<Position> self, Services& services) {
    while (true) {
      auto answer = self->serve_first();
      const bool more = self->has_requests();
      if (!more || self->serve_elsewhere(services).ok()) {
        return [self = std::move(self), answer = std::move(answer), more, &services]() mutable {
          if (!more) self->rest(services);
          // Nothing is held any more when the step goes on, which may be its end.
          self = nullptr;
          if (answer != nullptr) answer();
        };
      }
      if (answer != nullptr) answer();
    }
  }

  bool has_requests() {
    std::lock_guard lock(queue_mu);
    return !queue.empty();
  }

  /// Nobody serves from now on, unless there are requests again.
  void rest(Services& services) {
    {
      std::lock_guard lock(queue_mu);
      working = !queue.empty();
      if (!working) return;
    }
    if (absl::Status begun = serve_elsewhere(services); !begun.ok()) refuse_all(begun);
  }

  BlockingPool::Answer serve_first() {
    std::shared_ptr<Request> request;
    {
      std::lock_guard lock(queue_mu);
      request = std::move(queue.front());
      queue.pop_front();
    }
    std::lock_guard turn(iterator_mu);
    if (!request->claim()) return nullptr;
    if (request->callback.has_value()) request->step.cancellation->deregister(*request->callback);
    return [done = std::move(request->done), made = next(request->step)]() mutable { done(std::move(made)); };
  }
};

absl::Status IteratorResource::start(DatasetPtr dataset) {
  TROUPE_RETURN_IF_ERROR(check_components(types_, shapes_, dataset->types, dataset->shapes));
  auto position = Position::begin(std::move(dataset));
  std::lock_guard lock(mu_);
  random_.begin_anew();
  // The old one goes when the lock is given back.
  position_.swap(position);
  return absl::OkStatus();
}

DatasetPtr IteratorResource::dataset() const {
  std::lock_guard lock(mu_);
  return position_ == nullptr ? nullptr : position_->dataset;
}

absl::StatusOr<IteratorState> IteratorResource::state() const {
  std::lock_guard lock(mu_);
  if (position_ == nullptr) {
    return absl::FailedPreconditionError(
        "Save() failed because the iterator has not been initialized. Ensure that you have run the "
        "initializer operation for this iterator before saving it.");
  }
  return IteratorState{position_->dataset->name, position_->asked.load(), position_->orders};
}

absl::Status IteratorResource::restore(ElementContext step, const IteratorState& state) {
  DatasetPtr dataset = this->dataset();
  constexpr char kFailed[] = "Failed to restore dataset iterator from checkpoint: ";
  if (dataset == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat(
        kFailed,
        "Restore() failed because the iterator has not been initialized. Ensure that you have run the "
        "initializer operation for this iterator before restoring it."));
  }
  if (dataset->name != state.dataset || dataset->orders.size() != state.orders.size()) {
    return absl::NotFoundError(
        absl::StrCat(kFailed, state.dataset, " with ", state.orders.size(), " random orders is not ",
                     dataset->name, " with ", dataset->orders.size(),
                     ". Make sure the dataset definition has not changed between the process that saved "
                     "the checkpoint and the process that is restoring it."));
  }
  for (size_t i = 0; i < state.orders.size(); ++i) dataset->orders[i]->set_state(state.orders[i]);
  random_.begin_anew();
  step.random_scope = random_.id();
  auto position = Position::begin(std::move(dataset));
  // Elements that are errors were passed before, and are again.
  while (position->asked.load() < state.asked) {
    TROUPE_RETURN_IF_ERROR(step.check());
    const NextElement element = position->next(step);
    if (element.ok() && !element->has_value()) break;
  }
  TROUPE_RETURN_IF_ERROR(step.check());
  // The old one goes when the lock is given back.
  std::lock_guard lock(mu_);
  position_.swap(position);
  return absl::OkStatus();
}

void IteratorResource::next(ElementContext step, Done done) {
  std::shared_ptr<Position> position;
  {
    std::lock_guard lock(mu_);
    position = position_;
  }
  if (position == nullptr) {
    return done(absl::FailedPreconditionError(
        "GetNext() failed because the iterator has not been initialized. Ensure that you have run the "
        "initializer operation for this iterator before getting the next element."));
  }
  step.random_scope = random_.id();
  if (!position->dataset->blocks) {
    // Who finds it busy waits elsewhere.
    if (std::unique_lock turn(position->iterator_mu, std::try_to_lock); turn.owns_lock()) {
      NextElement element = position->next(step);
      turn.unlock();
      position = nullptr;
      return done(std::move(element));
    }
  }
  auto request = std::make_shared<Request>();
  request->step = std::move(step);
  request->done = std::move(done);
  position->add(std::move(request));
}

}  // namespace troupe
