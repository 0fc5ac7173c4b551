// The ops of all optimisers: finds the slots, checks shapes and scalars, locks, and calls the rule's loop.
#include "devices/cpu/kernels/training/optimizer.h"

#include <string>
#include <vector>

#include <Eigen/Core>

#include "absl/strings/str_cat.h"
#include "devices/common/training/optimizer_slots.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// Nanoseconds an element, roughly: a few loads and stores, a square root and a division.
constexpr int64_t kElementCost = 4;

template <class... Parts>
absl::Status invalid(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
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

class OptimizerKernel final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const OptimizerRow& row,
                                                        const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(OptimizerLayout layout, OptimizerLayout::of(*c.node().op));
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
      TROUPE_ASSIGN_OR_RETURN(const Tensor* var, check_optimizer_slots(context, layout_, dtype_, slots));
      TROUPE_RETURN_IF_ERROR(read_scalars(context, &call));
      const Tensor& grad = context.input(layout_.grad);
      TROUPE_RETURN_IF_ERROR(check_optimizer_gradient(context, layout_, *var));
      if (layout_.indices >= 0) {
        TROUPE_RETURN_IF_ERROR(read_rows(context.input(layout_.indices), var->dim(0), &rows, &call));
        call.row_elements = var->shape().num_elements(1, var->rank());
      }
      for (int i = 0; i < layout_.num_slots; ++i) {
        Tensor* slot = slots.for_writing(i);
        TROUPE_RETURN_IF_ERROR(make_unique(slot, context.allocator()));
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
  absl::Status read_scalars(KernelContext& context, OptimizerCall* call) const {
    const bool is_sparse = layout_.indices >= 0;
    for (int k = 0; k < layout_.num_scalars; ++k) {
      const int i = layout_.scalars[static_cast<size_t>(k)];
      const Tensor& t = context.input(i);
      const std::string& arg = context.node().op->inputs[static_cast<size_t>(i)].name;
      const char* demand = "a scalar";
      if (t.rank() == 0) demand = sign_demand(row_, is_sparse, flag_, arg, as_double(t));
      if (demand != nullptr) {
        return invalid(optimizer_scalar_name(arg), " is not ", demand, ": ", t.shape().to_string());
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
