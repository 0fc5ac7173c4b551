// The ops of all optimisers: finds the slots, checks shapes and scalars, locks, and calls the rule's loop.
#include "devices/cpu/kernels/training/optimizer.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "devices/common/variable/variable.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// Nanoseconds an element, roughly: a few loads and stores, a square root and a division.
constexpr int64_t kElementCost = 4;

template <class... Parts>
absl::Status invalid(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

/// Where the arguments of an op are; fixed by its signature.
struct OptimizerLayout {
  int num_slots = 0;
  int grad = -1;
  int indices = -1;
  int global_step = -1;
  int num_scalars = 0;
  std::array<int, OptimizerCall::kMaxScalars> scalars = {};
  /// The names by which messages call the slots.
  std::array<std::string, OptimizerCall::kMaxSlots> slot_names;
};

absl::StatusOr<OptimizerLayout> make_layout(const OpDef& op) {
  OptimizerLayout layout;
  for (int i = 0; i < static_cast<int>(op.inputs.size()); ++i) {
    const ArgDef& arg = op.inputs[static_cast<size_t>(i)];
    if (arg.is_ref || arg.type == DataType::kResource) {
      if (layout.num_slots != i || i >= OptimizerCall::kMaxSlots)
        return absl::InternalError("unexpected signature of " + op.name);
      const bool is_sum = absl::StartsWith(arg.name, "gradient_");
      layout.slot_names[static_cast<size_t>(layout.num_slots++)] = is_sum ? "accum" : arg.name;
    } else if (arg.name == "grad" || arg.name == "delta") {
      layout.grad = i;
    } else if (arg.name == "indices") {
      layout.indices = i;
    } else if (arg.name == "global_step") {
      layout.global_step = i;
    } else {
      if (layout.num_scalars >= OptimizerCall::kMaxScalars)
        return absl::InternalError("unexpected signature of " + op.name);
      layout.scalars[static_cast<size_t>(layout.num_scalars++)] = i;
    }
  }
  if (layout.num_slots == 0 || layout.grad < 0)
    return absl::InternalError("unexpected signature of " + op.name);
  return layout;
}

/// What a message calls a scalar.
std::string scalar_name(const std::string& arg) {
  if (arg == "l1" || arg == "l2") return arg + " regularization strength";
  if (arg == "l2_shrinkage") return "l2 shrinkage regularization strength";
  return arg;
}

double as_double(const Tensor& t) {
  switch (t.dtype()) {
    case DataType::kFloat: return static_cast<double>(t.value<float>());
    case DataType::kDouble: return t.value<double>();
    case DataType::kHalf: return static_cast<double>(t.value<Eigen::half>());
    case DataType::kBfloat16: return static_cast<double>(t.value<Eigen::bfloat16>());
    default: return 0;
  }
}

/// The demand on one scalar, in the words of the message; null when any number will do.
const char* sign_demand(const OptimizerRow& row, bool is_sparse, bool flag, const std::string& arg,
                        double value) {
  if (row.signs == OptimizerSigns::kAny || (row.signs == OptimizerSigns::kFtrl && !is_sparse)) return nullptr;
  const bool is_ftrl = row.signs == OptimizerSigns::kFtrl;
  if (arg == "lr") {
    if (!is_ftrl) return value > 0 ? nullptr : "a positive scalar";
    return value > 0 || (value == 0 && flag) ? nullptr
                                             : "a positive scalar (or zero if multiply_linear_by_lr is set)";
  }
  if (arg == "lr_power") return value <= 0 ? nullptr : "a non-positive scalar";
  return value >= 0 ? nullptr : "a non-negative scalar";
}

/// The variables of one call, locked, each ready to be written in place.
class LockedSlots {
 public:
  LockedSlots() = default;
  LockedSlots(const LockedSlots&) = delete;
  LockedSlots& operator=(const LockedSlots&) = delete;
  ~LockedSlots() {
    for (int i = locked_; i-- > 0;) {
      if (ref_[order_[i]] != nullptr) {
        ref_[order_[i]]->mu.unlock();
      } else {
        var_[order_[i]]->mu().unlock();
      }
    }
  }

  /// Locks each variable once, in the order of addresses, so that calls that share variables cannot block
  /// each other.
  absl::Status lock(KernelContext& context, int count) {
    for (int i = 0; i < count; ++i) {
      order_[i] = i;
      if (is_ref(context.input_type(i))) {
        ref_[i] = context.input_ref(i).get();
        if (ref_[i] == nullptr) return invalid("input ", i, " must be a variable");
      } else {
        TROUPE_ASSIGN_OR_RETURN(const ResourceHandle* handle, input_handle(context, i));
        auto found = lookup_handle<Var>(context, *handle);
        if (!found.ok()) {
          return absl::IsNotFound(found.status()) ? absl::InternalError("Invalid variable reference.")
                                                  : found.status();
        }
        kept_[i] = *std::move(found);
        var_[i] = kept_[i].get();
      }
    }
    std::sort(order_, order_ + count, [this](int a, int b) { return address(a) < address(b); });
    count = static_cast<int>(
        std::unique(order_, order_ + count, [this](int a, int b) { return address(a) == address(b); }) -
        order_);
    for (; locked_ < count; ++locked_) {
      if (ref_[order_[locked_]] != nullptr) {
        ref_[order_[locked_]]->mu.lock();
      } else {
        var_[order_[locked_]]->mu().lock();
      }
    }
    return absl::OkStatus();
  }

  absl::StatusOr<const Tensor*> read(KernelContext& context, int i) const {
    const Tensor& value = ref_[i] != nullptr ? ref_[i]->tensor : var_[i]->locked();
    if (!value.initialized()) {
      if (ref_[i] != nullptr) return uninitialized_ref(*ref_[i]);
      return absl::FailedPreconditionError(absl::StrCat("Attempting to use uninitialized variables: ",
                                                        context.input(i).value<ResourceHandle>().name));
    }
    return &value;
  }
  absl::StatusOr<Tensor*> write(KernelContext& context, int i) {
    if (ref_[i] == nullptr) return var_[i]->writable(context.allocator());
    TROUPE_RETURN_IF_ERROR(make_unique(&ref_[i]->tensor, context.allocator()));
    return &ref_[i]->tensor;
  }

 private:
  const void* address(int i) const {
    return ref_[i] != nullptr ? static_cast<const void*>(ref_[i]) : static_cast<const void*>(var_[i]);
  }

  RefTensor* ref_[OptimizerCall::kMaxSlots] = {};
  Var* var_[OptimizerCall::kMaxSlots] = {};
  std::shared_ptr<Var> kept_[OptimizerCall::kMaxSlots];
  int order_[OptimizerCall::kMaxSlots] = {};
  int locked_ = 0;
};

class OptimizerKernel final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const OptimizerRow& row,
                                                        const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(OptimizerLayout layout, make_layout(*c.node().op));
    TROUPE_ASSIGN_OR_RETURN(DataType dtype, c.attr<DataType>("T"));
    auto kernel = std::make_unique<OptimizerKernel>();
    kernel->loop_ = layout.indices < 0 ? row.dense(dtype) : row.sparse(dtype);
    if (kernel->loop_ == nullptr) return invalid("no ", row.name, " for dtype ", dtype_name(dtype));
    if (row.flag != nullptr) kernel->flag_ = c.node().attrs.get_or<bool>(row.flag, false);
    kernel->row_ = row;
    kernel->layout_ = std::move(layout);
    kernel->dtype_ = dtype;
    return kernel;
  }

  absl::Status compute(KernelContext& context) override {
    OptimizerCall call;
    call.flag = flag_;
    std::vector<int64_t> rows;
    {
      LockedSlots slots;
      TROUPE_RETURN_IF_ERROR(slots.lock(context, layout_.num_slots));
      TROUPE_ASSIGN_OR_RETURN(const Tensor* var, check_slots(context, slots));
      TROUPE_RETURN_IF_ERROR(read_scalars(context, &call));
      const Tensor& grad = context.input(layout_.grad);
      if (layout_.indices < 0) {
        if (!(var->shape() == grad.shape())) {
          return invalid("var and ", context.node().op->inputs[static_cast<size_t>(layout_.grad)].name,
                         " do not have the same shape", var->shape().to_string(), " ",
                         grad.shape().to_string());
        }
      } else {
        TROUPE_RETURN_IF_ERROR(check_rows(*var, grad, context.input(layout_.indices)));
        TROUPE_RETURN_IF_ERROR(read_rows(context.input(layout_.indices), var->dim(0), &rows, &call));
        call.row_elements = var->shape().num_elements(1, var->rank());
      }
      for (int i = 0; i < layout_.num_slots; ++i) {
        TROUPE_ASSIGN_OR_RETURN(Tensor * slot, slots.write(context, i));
        call.slots[i] = slot->raw();
      }
      call.grad = grad.raw();
      if (layout_.indices < 0) {
        context.parallel().parallel_for(grad.num_elements(), kElementCost,
                                        [&](int64_t begin, int64_t end) { loop_(call, begin, end); });
      } else {
        // One after the other: rows may repeat.
        loop_(call, 0, context.input(layout_.indices).num_elements());
      }
    }
    if (is_ref(context.input_type(0))) context.forward_input(0, 0);
    return absl::OkStatus();
  }

 private:
  /// All slots have a value of the dtype, and of the variable's shape, which is returned.
  absl::StatusOr<const Tensor*> check_slots(KernelContext& context, const LockedSlots& slots) const {
    TROUPE_ASSIGN_OR_RETURN(const Tensor* var, slots.read(context, 0));
    for (int i = 0; i < layout_.num_slots; ++i) {
      TROUPE_ASSIGN_OR_RETURN(const Tensor* slot, slots.read(context, i));
      if (slot->dtype() != dtype_) {
        return invalid("Trying to update variable of dtype ", dtype_name(slot->dtype()),
                       " using a Tensor of dtype ", dtype_name(dtype_));
      }
      if (!(slot->shape() == var->shape())) {
        return invalid("var and ", layout_.slot_names[static_cast<size_t>(i)], " do not have the same shape",
                       var->shape().to_string(), " ", slot->shape().to_string());
      }
    }
    return var;
  }

  absl::Status read_scalars(KernelContext& context, OptimizerCall* call) const {
    const bool is_sparse = layout_.indices >= 0;
    for (int k = 0; k < layout_.num_scalars; ++k) {
      const int i = layout_.scalars[static_cast<size_t>(k)];
      const Tensor& t = context.input(i);
      const std::string& arg = context.node().op->inputs[static_cast<size_t>(i)].name;
      const char* demand = "a scalar";
      if (t.rank() == 0) demand = sign_demand(row_, is_sparse, flag_, arg, as_double(t));
      if (demand != nullptr) {
        return invalid(scalar_name(arg), " is not ", demand, ": ", t.shape().to_string());
      }
      call->scalars[k] = t.raw();
    }
    call->num_scalars = layout_.num_scalars;
    if (layout_.global_step >= 0) {
      const Tensor& step = context.input(layout_.global_step);
      if (step.rank() != 0) return invalid("global_step is not a scalar: ", step.shape().to_string());
      call->global_step = step.value<int64_t>();
    }
    return absl::OkStatus();
  }

  static absl::Status check_rows(const Tensor& var, const Tensor& grad, const Tensor& indices) {
    if (var.rank() < 1) return invalid("var must be at least 1 dimensional");
    if (indices.rank() != 1) return invalid("indices must be one-dimensional");
    if (grad.rank() != var.rank()) {
      return invalid("var and grad must have the same rank, but their shapes are ", var.shape().to_string(),
                     " and ", grad.shape().to_string());
    }
    for (int d = 1; d < var.rank(); ++d) {
      if (var.dim(d) != grad.dim(d)) return invalid("var and grad must match in dimension ", d);
    }
    if (grad.dim(0) != indices.dim(0))
      return invalid("grad must be the same size as indices in the first dimension.");
    return absl::OkStatus();
  }

  absl::Status read_rows(const Tensor& indices, int64_t limit, std::vector<int64_t>* rows,
                         OptimizerCall* call) const {
    const int64_t n = indices.num_elements();
    if (indices.dtype() == DataType::kInt64) {
      call->rows = indices.flat<int64_t>().data();
    } else {
      // One more, so that the pointer that tells a sparse call is never null.
      rows->reserve(static_cast<size_t>(n) + 1);
      for (int32_t row : indices.flat<int32_t>()) rows->push_back(row);
      call->rows = rows->data();
    }
    for (int64_t i = 0; i < n; ++i) {
      const int64_t row = call->rows[i];
      if (row >= 0 && row < limit) continue;
      if (absl::string_view(row_.name) == "KerasMomentum") {
        return invalid("indices[", i, "] = ", row, " is not in [0, ", limit, ")");
      }
      return invalid("Index ", row, " at offset ", i, " in indices is out of range");
    }
    return absl::OkStatus();
  }

  OptimizerRow row_{};
  OptimizerLayout layout_;
  DataType dtype_ = DataType::kInvalid;
  OptimizerLoop loop_ = nullptr;
  bool flag_ = false;
};

std::vector<DataType> dtypes_of(OptimizerLoop (*loop)(DataType)) {
  std::vector<DataType> result;
  for (DataType t : all_dtypes()) {
    if (loop(t) != nullptr) result.push_back(t);
  }
  return result;
}

}  // namespace

void add_optimizer(KernelRegistry* registry, const OptimizerRow& row) {
  struct Form {
    int bit;
    const char* prefix;
    bool is_sparse;
  };
  static constexpr Form kForms[] = {{OptimizerRow::kDense, "Apply", false},
                                    {OptimizerRow::kResourceDense, "ResourceApply", false},
                                    {OptimizerRow::kSparse, "SparseApply", true},
                                    {OptimizerRow::kResourceSparse, "ResourceSparseApply", true}};
  for (const Form& form : kForms) {
    if ((row.forms & form.bit) == 0) continue;
    KernelDef def(absl::StrCat(form.prefix, row.name));
    def.constraints.emplace_back("T", dtypes_of(form.is_sparse ? row.sparse : row.dense));
    if (form.is_sparse)
      def.constraints.emplace_back("Tindices", std::vector{DataType::kInt32, DataType::kInt64});
    def.factory = [row](const KernelConstruction& c) { return OptimizerKernel::create(row, c); };
    registry->add(std::move(def));
  }
}

}  // namespace troupe
