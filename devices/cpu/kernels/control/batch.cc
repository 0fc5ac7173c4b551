// Batch and BatchFunction: the inputs of several steps as one batch, for a graph that runs once for all of them.
#include <algorithm>
#include <atomic>
#include <random>
#include <thread>

#include "absl/strings/str_join.h"
#include "devices/cpu/kernels/control/batch_queue.h"
#include "devices/cpu/kernels/control/functional.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/common/variable/resource_access.h"
#include "devices/function_runner.h"
#include "devices/kernel_registry.h"
#include "graph/thrown.h"

namespace troupe {
namespace {

/// A number that no other task of this process has, and hardly one of another.
int64_t next_task_id() {
  static const uint64_t start = (uint64_t{std::random_device{}()} << 32) | std::random_device{}();
  static std::atomic<uint64_t> count{0};
  uint64_t z = start + (count.fetch_add(1, std::memory_order_relaxed) + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return static_cast<int64_t>((z ^ (z >> 31)) >> 1);
}

absl::Status check_allowed(const std::vector<int64_t>& allowed, int64_t max_rows, bool cut) {
  for (size_t i = 0; i < allowed.size(); ++i) {
    if (allowed[i] < 0 || (i > 0 && allowed[i] <= allowed[i - 1]))
      return invalid("allowed_batch_sizes entries must be monotonically increasing");
  }
  if (allowed.empty()) return absl::OkStatus();
  if (!cut && allowed.back() != max_rows)
    return invalid("final entry in allowed_batch_sizes must equal max_batch_size");
  if (cut && (allowed.back() < 1 || allowed.back() > max_rows)) {
    return invalid("final entry in allowed_batch_sizes must be less than or equal to max_batch_size when ",
                   "enable_large_batch_splitting is true");
  }
  return absl::OkStatus();
}

absl::StatusOr<BatchQueue::Options> batch_options(const KernelConstruction& c, bool function) {
  BatchQueue::Options o;
  const AttrMap& attrs = c.node().attrs;
  TROUPE_ASSIGN_OR_RETURN(o.threads, c.attr<int64_t>("num_batch_threads"));
  TROUPE_ASSIGN_OR_RETURN(o.max_rows, c.attr<int64_t>("max_batch_size"));
  TROUPE_ASSIGN_OR_RETURN(const int64_t timeout, c.attr<int64_t>("batch_timeout_micros"));
  o.max_batches = attrs.get_or<int64_t>("max_enqueued_batches", 10);
  o.allowed_rows = attrs.get_or<std::vector<int64_t>>("allowed_batch_sizes", {});
  const bool cut = attrs.get_or<bool>("enable_large_batch_splitting", false);
  // A function asks for as many threads as are good with 0.
  if (function && o.threads == 0) o.threads = std::max(1u, std::thread::hardware_concurrency());
  if (o.threads <= 0) return invalid("num_batch_threads must be positive; was ", o.threads);
  if (o.max_rows <= 0) return invalid("input_batch_size_limit must be positive; was ", o.max_rows);
  if (timeout < 0) return invalid("batch_timeout_micros must be non-negative; was ", timeout);
  // A hundred days: later moments would overflow clocks.
  constexpr int64_t kMaxMicros = int64_t{100} * 24 * 3600 * 1000000;
  o.timeout = std::chrono::microseconds(std::min(timeout, kMaxMicros));
  TROUPE_RETURN_IF_ERROR(check_allowed(o.allowed_rows, o.max_rows, cut));
  if (cut && !o.allowed_rows.empty()) o.cut_rows = o.allowed_rows.back();
  return o;
}

/// Adds each execution to the queue of its name.
class BatchingKernel : public AsyncKernel {
 public:
  void compute_async(KernelContext& context, Done done) final {
    auto task = std::make_shared<BatchTask>(&context, std::move(done));
    if (absl::Status s = read_inputs(context, task.get()); !s.ok()) return task->end(s);
    auto queue = context.resources().lookup_or_create<BatchQueue>(
        name_.container, key_, [this]() -> absl::StatusOr<std::shared_ptr<BatchQueue>> {
          return std::make_shared<BatchQueue>(options_);
        });
    if (!queue.ok()) return task->end(queue.status());
    task->run = [this](Batch batch, int64_t padding, std::function<void()> over) {
      run(std::move(batch), padding, std::move(over));
    };
    (*queue)->add(task);
  }

 protected:
  absl::Status read(const KernelConstruction& c, const char* inputs, bool function) {
    TROUPE_ASSIGN_OR_RETURN(options_, batch_options(c, function));
    TROUPE_ASSIGN_OR_RETURN(name_, resolve_resource_name(c, UnnamedResource::kNodeName));
    TROUPE_ASSIGN_OR_RETURN(const auto types, c.attr<std::vector<DataType>>(inputs));
    batched_ = types.size();
    key_ = absl::StrCat(c.node().op->name, "/", name_.name, "/",
                        c.node().attrs.get_or<std::string>("batching_queue", ""));
    return absl::OkStatus();
  }
  virtual void run(Batch batch, int64_t padding, std::function<void()> over) = 0;
  size_t batched() const { return batched_; }

 private:
  absl::Status read_inputs(KernelContext& context, BatchTask* task) const {
    auto describe = [&](const char* what) {
      std::string text = absl::StrCat(what, "\nBelow are the input tensors: \n");
      for (size_t i = 0; i < batched_; ++i) {
        absl::StrAppend(&text, " - input ", i, " has shape ",
                        context.input(static_cast<int>(i)).shape().to_string(), "\n");
      }
      return absl::InvalidArgumentError(text);
    };
    for (size_t i = 0; i < batched_; ++i) {
      const Tensor& t = context.input(static_cast<int>(i));
      if (t.rank() == 0) return describe("Batching input tensors must have at least one dimension.");
      if (i > 0 && t.dim(0) != context.input(0).dim(0)) {
        return describe(
            "Batching input tensors supplied in a given op invocation must have equal 0th-dimension size.");
      }
    }
    for (size_t i = 0; i < batched_; ++i) task->inputs.push_back(context.input(static_cast<int>(i)));
    task->rows = context.input(0).dim(0);
    return absl::OkStatus();
  }

  BatchQueue::Options options_;
  ResourceName name_;
  std::string key_;
  size_t batched_ = 0;
};

/// The last task of a batch gets all rows, the others none; Unbatch gives each its own.
class BatchKernel final : public BatchingKernel {
 public:
  absl::Status init(const KernelConstruction& c) { return read(c, "T", false); }

 private:
  void run(Batch batch, int64_t padding, std::function<void()> over) override {
    const absl::Status status = guarded("a kernel", [&] { return hand_out(batch, padding); });
    over();
    // The last of these may end this kernel.
    for (const BatchPart& part : batch) part.task->end(status);
  }

  absl::Status hand_out(const Batch& batch, int64_t padding) const {
    const int outputs = static_cast<int>(batched());
    std::vector<int64_t> ids;
    for (size_t p = 0; p < batch.size(); ++p) {
      ids.push_back(next_task_id());
      KernelContext& context = *batch[p].task->context;
      const bool all = p + 1 == batch.size();
      for (int i = 0; i < outputs; ++i) {
        const size_t at = static_cast<size_t>(i);
        Shape none = batch[p].task->inputs[at].shape();
        none.set_dim(0, 0);
        absl::StatusOr<Tensor> t = all ? join_batch(batch, at, padding, context.allocator())
                                       : Tensor::make(context.output_type(i), none, context.allocator());
        TROUPE_RETURN_IF_ERROR(t.status());
        context.set_output(i, *std::move(t));
      }
      TROUPE_ASSIGN_OR_RETURN(
          Tensor * index,
          context.allocate_output(outputs, Shape{all ? static_cast<int64_t>(batch.size()) : 0, 3}));
      if (all) write_index(batch, ids, index);
      context.set_output(outputs + 1, Tensor::scalar(ids.back()));
    }
    return absl::OkStatus();
  }

  /// The id of each task, and where its rows begin and end.
  static void write_index(const Batch& batch, const std::vector<int64_t>& ids, Tensor* index) {
    int64_t row = 0;
    for (size_t p = 0; p < batch.size(); ++p) {
      index->flat<int64_t>()[3 * p] = ids[p];
      index->flat<int64_t>()[3 * p + 1] = row;
      index->flat<int64_t>()[3 * p + 2] = row += batch[p].rows();
    }
  }
};

/// A function of each batch, called by the step of the batch's last task; the rows of its results go back to their tasks.
class BatchFunctionKernel final : public BatchingKernel {
 public:
  void attributes(AttrReader& a) { a("f", &function_); }
  absl::Status init(const KernelConstruction& c) { return read(c, "Tin", true); }

 private:
  void run(Batch batch, int64_t padding, std::function<void()> over) override {
    KernelContext& context = *batch.back().task->context;
    std::vector<Tensor> args;
    absl::Status status = guarded("a kernel", [&] { return join_args(context, batch, padding, &args); });
    if (!status.ok()) {
      args.clear();
      over();
      return end_parts(batch, std::move(status), {}, padding);
    }
    context.step().functions->call(function_, context.device()->name(), std::move(args),
                                   [batch = std::move(batch), padding,
                                    over = std::move(over)](absl::Status s, std::vector<Tensor> results) {
                                     over();
                                     end_parts(batch, std::move(s), results, padding);
                                   });
  }

  absl::Status join_args(const KernelContext& context, const Batch& batch, int64_t padding,
                         std::vector<Tensor>* args) const {
    if (context.step().functions == nullptr) return needs_a_session(context);
    for (size_t i = 0; i < batched(); ++i) {
      TROUPE_ASSIGN_OR_RETURN(Tensor joined, join_batch(batch, i, padding, context.allocator()));
      args->push_back(std::move(joined));
    }
    for (int i = static_cast<int>(batched()); i < context.num_inputs(); ++i)
      args->push_back(context.input(i));
    return absl::OkStatus();
  }

  static absl::Status check_result(const Tensor& t, int64_t rows, int64_t padding) {
    if (t.rank() == 0) return absl::FailedPreconditionError("Batched output tensor has 0 dimensions");
    if (t.dim(0) == rows + padding) return absl::OkStatus();
    return absl::FailedPreconditionError(absl::StrCat(
        "Batched output tensor's 0th dimension does not equal the sum of the 0th dimension sizes of "
        "the input tensors. 0th dimension size: ",
        t.dim(0), "; batch size: ", rows, "; unbatched tasks size: 0; padding size: ", padding));
  }

  static void end_parts(const Batch& batch, absl::Status status, const std::vector<Tensor>& results,
                        int64_t padding) {
    const int64_t rows = rows_of(batch);
    for (size_t i = 0; status.ok() && i < results.size(); ++i)
      status = check_result(results[i], rows, padding);
    int64_t begin = 0;
    for (const BatchPart& part : batch) {
      std::vector<Tensor> mine;
      for (size_t i = 0; status.ok() && i < results.size(); ++i) {
        const bool whole = batch.size() == 1 && padding == 0;
        mine.push_back(whole ? results[i] : results[i].slice_rows(begin, begin + part.rows()));
      }
      begin += part.rows();
      end_part(part, status, std::move(mine));
    }
  }

  static void end_part(const BatchPart& part, const absl::Status& status, std::vector<Tensor> results) {
    BatchTask& task = *part.task;
    {
      std::lock_guard lock(task.mu);
      task.parts[part.number] = std::move(results);
      if (task.status.ok()) task.status = status;
      if (--task.parts_left > 0) return;
    }
    if (task.status.ok()) task.status = guarded("a kernel", [&] { return join_parts(&task); });
    task.end(task.status);
  }

  /// Sets the outputs of a task whose parts are all done.
  static absl::Status join_parts(BatchTask* task) {
    KernelContext& context = *task->context;
    for (int i = 0; i < context.num_outputs(); ++i) {
      const size_t at = static_cast<size_t>(i);
      for (const auto& part : task->parts) {
        if (part.size() != static_cast<size_t>(context.num_outputs()) ||
            part[at].dtype() != context.output_type(i)) {
          return invalid("The function's results are not of the types that Tout lists");
        }
      }
      if (task->parts.size() == 1) {
        context.set_output(i, task->parts[0][at]);
        continue;
      }
      // As a batch of these results.
      Batch pieces;
      for (size_t p = 0; p < task->parts.size(); ++p) {
        auto piece = std::make_shared<BatchTask>(&context, nullptr);
        piece->inputs = {task->parts[p][at]};
        piece->rows = task->parts[p][at].dim(0);
        pieces.push_back(BatchPart{piece, 0, 0, piece->rows});
      }
      TROUPE_ASSIGN_OR_RETURN(Tensor joined, join_batch(pieces, 0, 0, context.allocator()));
      context.set_output(i, std::move(joined));
    }
    return absl::OkStatus();
  }

  FunctionRef function_;
};

}  // namespace

void register_control_batch(KernelRegistry* registry) {
  registry->add(KernelDef("Batch").kernel<BatchKernel>());
  registry->add(KernelDef("BatchFunction").kernel<BatchFunctionKernel>());
}

}  // namespace troupe
