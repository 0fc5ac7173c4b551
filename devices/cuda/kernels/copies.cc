#include "devices/cuda/kernels/copies.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "devices/common/list/tensor_list.h"
#include "devices/cuda/copy_engine.h"
#include "devices/cuda/cuda_device.h"
#include "devices/device_memory.h"
#include "devices/first_answer.h"

namespace troupe {
namespace {

/// Copies the tensors that are in a variant's lists, and in the lists of these. Shared by the copies under way; `done` once, when the last
/// has ended.
class VariantCopy : public std::enable_shared_from_this<VariantCopy> {
 public:
  VariantCopy(CopyEngine* copies, CopyEngine::Done done) : copies_(copies), done_(std::move(done)) {}

  void run(const Tensor& from) {
    out_ = in_host_memory(from);
    // For the one that `missing_` begins with: nobody was the last before all were under way.
    ended(absl::OkStatus());
  }

 private:
  /// As it is, where nothing in it is on a GPU.
  Tensor in_host_memory(const Tensor& from) {
    if (from.dtype() != DataType::kVariant || !holds_device_memory(from)) return from;
    Tensor to(DataType::kVariant, from.shape());
    for (int64_t i = 0; i < from.num_elements(); ++i) {
      const Variant& element = from.flat<Variant>()[i];
      const TensorList* list = element.get<TensorList>();
      to.flat<Variant>()[i] = list == nullptr ? element : Variant(copy_of(*list));
    }
    return to;
  }

  std::shared_ptr<TensorList> copy_of(const TensorList& list) {
    auto copy = std::make_shared<TensorList>(list);
    for (Tensor& element : copy->elements) {
      if (!in_device_memory(element)) {
        if (element.initialized()) element = in_host_memory(element);
        continue;
      }
      missing_.fetch_add(1, std::memory_order_relaxed);
      const Tensor from = element;
      copies_->to_host(from, [self = shared_from_this(), copy, at = &element](absl::StatusOr<Tensor> t) {
        const absl::Status status = t.status();
        if (t.ok()) *at = *std::move(t);
        self->ended(status);
      });
    }
    return copy;
  }

  static bool holds_device_memory(const Tensor& variants) {
    const auto all = variants.flat<Variant>();
    return std::any_of(all.begin(), all.end(), [](const Variant& v) {
      const TensorList* list = v.get<TensorList>();
      return list != nullptr &&
             std::any_of(list->elements.begin(), list->elements.end(), [](const Tensor& t) {
               return in_device_memory(t) || (t.dtype() == DataType::kVariant && holds_device_memory(t));
             });
    });
  }

  void ended(const absl::Status& status) {
    {
      std::lock_guard lock(mu_);
      status_.Update(status);
    }
    if (missing_.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
    if (!status_.ok()) return done_(status_);
    done_(std::move(out_));
  }

  CopyEngine* const copies_;
  const CopyEngine::Done done_;
  std::atomic<int64_t> missing_{1};
  std::mutex mu_;
  /// Guarded by mu_ until the last copy has ended.
  absl::Status status_;
  Tensor out_;
};

/// What its input has when all that the device has in hand is done. A step that is cancelled does not wait for it; the copy keeps what it
/// reads and writes.
class CopyToHost final : public AsyncKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction&) {
    return std::make_unique<CopyToHost>();
  }
  void compute_async(KernelContext& context, Done done) override {
    const auto answer = FirstAnswer::expect(context.cancellation(), std::move(done));
    // The executor, on whose thread this is, keeps the context until it returns.
    if (context.cancellation().cancelled()) return;
    CopyEngine& copies = CudaDevice::of(context).copies();
    const Tensor from = context.input(0);
    CopyEngine::Done take = [answer, &context](absl::StatusOr<Tensor> copy) {
      answer->give(copy.status(), [&] {
        if (copy.ok()) context.set_output(0, *std::move(copy));
      });
    };
    if (from.dtype() == DataType::kVariant)
      return std::make_shared<VariantCopy>(&copies, std::move(take))->run(from);
    copies.to_host(from, std::move(take));
  }
};

/// Enqueued before whatever reads it. Lists stay as they are: who reads an element copies it. Of a constant the first copy is kept as long as
/// the kernel, where the node says that nobody writes to it.
class CopyToDevice final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(const bool keep, c.attr<bool>("keep"));
    return std::make_unique<CopyToDevice>(keep && (c.node().constant_inputs & 1) != 0);
  }
  explicit CopyToDevice(bool keeps) : keeps_(keeps) {}

  absl::Status compute(KernelContext& context) override {
    CopyEngine& copies = CudaDevice::of(context).copies();
    const Tensor& from = context.input(0);
    if (from.dtype() == DataType::kVariant) {
      context.set_output(0, from);
      return absl::OkStatus();
    }
    if (!keeps_) {
      TROUPE_ASSIGN_OR_RETURN(Tensor * copy, context.allocate_output(0, from.shape()));
      return copies.fill_on_device(from, copy);
    }
    std::lock_guard lock(mu_);
    if (!kept_.initialized()) {
      // Not on the account of the step that happens to be the first.
      TROUPE_ASSIGN_OR_RETURN(kept_, copies.to_device(from, context.device()->allocator()));
    }
    context.set_output(0, kept_);
    return absl::OkStatus();
  }

 private:
  const bool keeps_;
  std::mutex mu_;
  Tensor kept_;  // guarded by mu_
};

}  // namespace

void register_cuda_copy_kernels(KernelRegistry* registry) {
  registry->add(KernelDef("_CopyToHost").device("GPU").host_memory({"output"}).kernel<CopyToHost>());
  registry->add(KernelDef("_CopyToDevice").device("GPU").host_memory({"input"}).kernel<CopyToDevice>());
}

}  // namespace troupe
