// The queue ops, for v1 (Ref(string)) and resource handles.

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "devices/cpu/kernels/queue/tuple_queue.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/shared/handle_signature.h"
#include "devices/common/variable/resource_access.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

using QueuePtr = std::shared_ptr<Queue>;

template <QueueKind kKind>
class MakeQueueKernel final : public ResourceKernel<Queue> {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    const AttrMap& attrs = c.node().attrs;
    Queue::Options o;
    o.kind = kKind;
    TROUPE_ASSIGN_OR_RETURN(o.types, c.attr<std::vector<DataType>>("component_types"));
    o.shapes = attrs.get_or<std::vector<PartialShape>>("shapes", {});
    if (kKind != QueueKind::kPaddingFifo) o.shapes = whole_shapes(std::move(o.shapes));
    if (kKind == QueueKind::kPriority) {
      o.types.insert(o.types.begin(), DataType::kInt64);
      if (!o.shapes.empty() || o.types.size() == 1) o.shapes.insert(o.shapes.begin(), PartialShape(Shape()));
    }
    o.capacity = attrs.get_or<int64_t>("capacity", -1);
    if (o.capacity < 0) o.capacity = -1;
    o.min_after_dequeue = attrs.get_or<int64_t>("min_after_dequeue", 0);
    o.seed = attrs.get_or<int64_t>("seed", 0);
    o.seed2 = attrs.get_or<int64_t>("seed2", 0);
    TROUPE_ASSIGN_OR_RETURN(ResourceName name, resolve_resource_name(c, UnnamedResource::kPrivate));
    // What the options contradict is known here and now.
    TROUPE_RETURN_IF_ERROR(Queue::make(name.name, o).status());
    return std::make_unique<MakeQueueKernel>(c, std::move(name), std::move(o));
  }
  MakeQueueKernel(const KernelConstruction& c, ResourceName name, Queue::Options options)
      : ResourceKernel(c, std::move(name)), options_(std::move(options)), node_(c.name()),
        op_(c.node().op->name) {}

 protected:
  absl::StatusOr<QueuePtr> make(Allocator*) override { return Queue::make(name_.name, options_); }
  absl::Status verify(const Queue& found) const override { return found.check_same(options_, node_, op_); }

 private:
  const Queue::Options options_;
  const std::string node_;
  const std::string op_;
};

/// Looks up the queue and lets D::run(context, queue, done) do the rest.
template <class D>
class QueueKernel final : public AsyncKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_RETURN_IF_ERROR(check_no_timeout(c));
    return std::make_unique<QueueKernel>();
  }
  void compute_async(KernelContext& context, Done done) override {
    auto queue = lookup_resource<Queue>(context, 0);
    if (!queue.ok()) return done(queue.status());
    D::run(context, **queue, std::move(done));
  }
};

Queue::Tuple components(const KernelContext& context) {
  Queue::Tuple tuple;
  tuple.reserve(static_cast<size_t>(context.num_inputs()) - 1);
  for (int i = 1; i < context.num_inputs(); ++i) tuple.push_back(context.input(i));
  return tuple;
}

/// Hands the tuple to the outputs, then ends the kernel.
Queue::DoneWithTuple into_outputs(KernelContext& context, AsyncKernel::Done done) {
  return [&context, done = std::move(done)](absl::Status status, Queue::Tuple tuple) {
    if (status.ok()) {
      for (size_t i = 0; i < tuple.size(); ++i) context.set_output(static_cast<int>(i), std::move(tuple[i]));
    }
    done(std::move(status));
  };
}

struct Enqueue {
  static void run(KernelContext& context, Queue& queue, AsyncKernel::Done done) {
    if (absl::Status s = check_handle_signature(context, queue.options().types, {}); !s.ok()) return done(s);
    queue.enqueue(context.cancellation(), components(context), std::move(done));
  }
};

struct EnqueueMany {
  static void run(KernelContext& context, Queue& queue, AsyncKernel::Done done) {
    if (absl::Status s = check_handle_signature(context, queue.options().types, {}); !s.ok()) return done(s);
    queue.enqueue_many(context.cancellation(), components(context), std::move(done));
  }
};

struct Dequeue {
  static void run(KernelContext& context, Queue& queue, AsyncKernel::Done done) {
    if (absl::Status s = check_handle_signature(context, {}, queue.options().types); !s.ok()) return done(s);
    queue.dequeue(context.cancellation(), into_outputs(context, std::move(done)));
  }
};

template <bool kUpTo>
struct DequeueMany {
  static void run(KernelContext& context, Queue& queue, AsyncKernel::Done done) {
    // TensorFlow reads the first of several.
    if (context.input(1).num_elements() < 1) return done(invalid("num_elements must be a scalar"));
    const int32_t n = context.input(1).flat<int32_t>()[0];
    if (n < 0) {
      return done(invalid(kUpTo ? "DequeueUpToOp" : "DequeueManyOp", " requested ", n, " < 0 elements"));
    }
    absl::Status s = check_handle_signature(context, {DataType::kInt32}, queue.options().types);
    if (!s.ok()) return done(std::move(s));
    queue.dequeue_many(context.cancellation(), n, kUpTo, into_outputs(context, std::move(done)));
  }
};

class CloseKernel final : public AsyncKernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    cancel_pending_ = c.node().attrs.get_or<bool>("cancel_pending_enqueues", false);
    return absl::OkStatus();
  }
  void compute_async(KernelContext& context, Done done) override {
    auto queue = lookup_resource<Queue>(context, 0);
    if (!queue.ok()) return done(queue.status());
    (*queue)->close(context.cancellation(), cancel_pending_, std::move(done));
  }

 private:
  bool cancel_pending_ = false;
};

absl::Status queue_size(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(QueuePtr queue, lookup_resource<Queue>(context, 0));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape()));
  out->flat<int32_t>()[0] = static_cast<int32_t>(queue->size());
  return absl::OkStatus();
}

absl::Status is_closed(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(QueuePtr queue, lookup_resource<Queue>(context, 0));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape()));
  out->flat<bool>()[0] = queue->is_closed();
  return absl::OkStatus();
}

/// A v1 handle for a queue that has a resource handle.
class FakeQueueKernel final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction&) {
    return std::make_unique<FakeQueueKernel>();
  }
  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(const ResourceHandle* handle, input_handle(context, 0));
    context.set_output_ref(0, make_ref_handle(handle->container, handle->name));
    return absl::OkStatus();
  }
  bool is_expensive() const override { return false; }
};

}  // namespace

void register_queue_ops(KernelRegistry* registry) {
  for (std::string v : {"", "V2"}) {
    registry->add(KernelDef("FIFOQueue" + v).kernel<MakeQueueKernel<QueueKind::kFifo>>());
    registry->add(KernelDef("PaddingFIFOQueue" + v).kernel<MakeQueueKernel<QueueKind::kPaddingFifo>>());
    registry->add(KernelDef("RandomShuffleQueue" + v).kernel<MakeQueueKernel<QueueKind::kRandomShuffle>>());
    registry->add(KernelDef("PriorityQueue" + v).kernel<MakeQueueKernel<QueueKind::kPriority>>());
    registry->add(KernelDef("QueueEnqueue" + v).kernel<QueueKernel<Enqueue>>());
    registry->add(KernelDef("QueueEnqueueMany" + v).kernel<QueueKernel<EnqueueMany>>());
    registry->add(KernelDef("QueueDequeue" + v).kernel<QueueKernel<Dequeue>>());
    registry->add(KernelDef("QueueDequeueMany" + v).kernel<QueueKernel<DequeueMany<false>>>());
    registry->add(KernelDef("QueueDequeueUpTo" + v).kernel<QueueKernel<DequeueMany<true>>>());
    registry->add(KernelDef("QueueClose" + v).kernel<CloseKernel>());
    registry->add(KernelDef("QueueSize" + v).fn(queue_size, /*cheap=*/true));
    registry->add(KernelDef("QueueIsClosed" + v).fn(is_closed, /*cheap=*/true));
  }
  registry->add(KernelDef("FakeQueue").kernel<FakeQueueKernel>());
}

}  // namespace troupe
