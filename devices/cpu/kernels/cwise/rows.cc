// The kernels that all element-wise families share: they see sizes and shapes, the dtype is in the row function.
#include <atomic>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/cwise/rows.h"
#include "devices/cpu/loops/broadcast.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// Runs a row over contiguous operands, in parallel when that pays.
bool run_flat(KernelContext& context, const BinarySpec& spec, const void* a, const void* b, void* out,
              int64_t n, RowMode mode) {
  if (n < kParallelElements) return spec.row(a, b, out, n, mode);
  std::atomic<bool> good{true};
  const int64_t step_a = mode == RowMode::kScalarA ? 0 : spec.in_size;
  const int64_t step_b = mode == RowMode::kScalarB ? 0 : spec.in_size;
  context.parallel().parallel_for(n, spec.cost, [&](int64_t begin, int64_t end) {
    if (!spec.row(static_cast<const char*>(a) + begin * step_a, static_cast<const char*>(b) + begin * step_b,
                  static_cast<char*>(out) + begin * spec.out_size, end - begin, mode)) {
      good.store(false, std::memory_order_relaxed);
    }
  });
  return good.load(std::memory_order_relaxed);
}

bool run_broadcast(KernelContext& context, const BinarySpec& spec, const Tensor& a, const Tensor& b,
                   Tensor* out) {
  BroadcastWalk walk(out->shape(), {&a.shape(), &b.shape()});
  RowMode mode = walk.repeats_in_row(0)   ? RowMode::kScalarA
                 : walk.repeats_in_row(1) ? RowMode::kScalarB
                                          : RowMode::kBoth;
  const char* pa = static_cast<const char*>(a.raw());
  const char* pb = static_cast<const char*>(b.raw());
  char* po = static_cast<char*>(out->raw());
  std::atomic<bool> good{true};
  auto rows = [&](int64_t begin, int64_t end) {
    bool ok = true;
    walk.for_rows(begin, end, [&](const int64_t* at, int64_t to) {
      ok &= spec.row(pa + at[0] * spec.in_size, pb + at[1] * spec.in_size, po + to * spec.out_size,
                     walk.row(), mode);
      return true;
    });
    if (!ok) good.store(false, std::memory_order_relaxed);
  };
  if (out->num_elements() < kParallelElements) {
    rows(0, walk.num_rows());
  } else {
    context.parallel().parallel_for(walk.num_rows(), spec.cost * walk.row() + 4, rows);
  }
  return good.load(std::memory_order_relaxed);
}

/// TensorFlow did not expect errors of the truncating operations, and calls them internal.
absl::Status failed(const BinarySpec& spec) {
  const absl::string_view error = spec.error;
  return absl::StartsWith(error, "Unexpected") ? absl::InternalError(error)
                                               : absl::InvalidArgumentError(error);
}

/// Whether the result may take the place of an operand of its shape and type.
bool may_overwrite(const KernelContext& context, const Tensor& operand) {
  return operand.unique() && operand.buffer()->allocator() == context.allocator();
}

absl::Status run_same_shape(KernelContext& context, const BinarySpec& spec, bool same_type, const Tensor& a,
                            const Tensor& b) {
  const void* pa = a.raw();
  const void* pb = b.raw();
  const int64_t n = a.num_elements();
  if (same_type) {
    // The operand itself becomes the output: nothing is counted, copied or allocated.
    const int reused = may_overwrite(context, a) ? 0 : may_overwrite(context, b) ? 1 : -1;
    if (reused >= 0) {
      Tensor out = context.take_input(reused);
      if (!run_flat(context, spec, pa, pb, out.raw(), n, RowMode::kBoth)) return failed(spec);
      context.set_output(0, std::move(out));
      return absl::OkStatus();
    }
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({0, 1}, 0, a.shape()));
  if (!run_flat(context, spec, pa, pb, out->raw(), n, RowMode::kBoth)) return failed(spec);
  return absl::OkStatus();
}

absl::Status run_binary(KernelContext& context, const BinarySpec& spec, bool same_type) {
  const Tensor& a = context.input(0);
  const Tensor& b = context.input(1);
  if ((a.rank() == 0 && b.rank() == 0) || a.shape() == b.shape())
    return run_same_shape(context, spec, same_type, a, b);
  const void* pa = a.raw();
  const void* pb = b.raw();
  if (b.num_elements() == 1 && b.rank() <= a.rank()) {
    const int64_t n = a.num_elements();
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({0}, 0, a.shape()));
    return run_flat(context, spec, pa, pb, out->raw(), n, RowMode::kScalarB) ? absl::OkStatus()
                                                                             : failed(spec);
  }
  if (a.num_elements() == 1 && a.rank() <= b.rank()) {
    const int64_t n = b.num_elements();
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({1}, 0, b.shape()));
    return run_flat(context, spec, pa, pb, out->raw(), n, RowMode::kScalarA) ? absl::OkStatus()
                                                                             : failed(spec);
  }
  Shape shape;
  if (!broadcast_shape(a.shape(), b.shape(), &shape)) {
    return absl::InvalidArgumentError(
        absl::StrCat("Incompatible shapes: ", a.shape().to_string(), " vs. ", b.shape().to_string()));
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({0, 1}, 0, shape));
  if (out->num_elements() == 0) return absl::OkStatus();
  return run_broadcast(context, spec, a, b, out) ? absl::OkStatus() : failed(spec);
}

class BinaryKernel final : public Kernel {
 public:
  BinaryKernel(BinarySpec spec, bool same_type) : spec_(spec), same_type_(same_type) {}
  absl::Status compute(KernelContext& context) override { return run_binary(context, spec_, same_type_); }
  bool is_expensive() const override { return spec_.cost > kCheapCost; }
  const BinarySpec& spec() const { return spec_; }

 private:
  const BinarySpec spec_;
  const bool same_type_;
};

class SameShapeKernel final : public Kernel {
 public:
  SameShapeKernel(BinarySpec spec, const char* message) : spec_(spec), message_(message) {}
  absl::Status compute(KernelContext& context) override {
    const Tensor& a = context.input(0);
    const Tensor& b = context.input(1);
    if (a.shape() == b.shape()) return run_same_shape(context, spec_, false, a, b);
    return absl::InvalidArgumentError(message_);
  }

 private:
  const BinarySpec spec_;
  const char* const message_;
};

class EqualityKernel final : public Kernel {
 public:
  EqualityKernel(BinarySpec spec, bool shapes_must_fit, bool otherwise)
      : spec_(spec), shapes_must_fit_(shapes_must_fit), otherwise_(otherwise) {}
  absl::Status compute(KernelContext& context) override {
    if (!shapes_must_fit_) {
      Shape shape;
      if (!broadcast_shape(context.input(0).shape(), context.input(1).shape(), &shape)) {
        TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape()));
        out->flat<bool>()[0] = otherwise_;
        return absl::OkStatus();
      }
    }
    return run_binary(context, spec_, false);
  }
  bool is_expensive() const override { return false; }

 private:
  const BinarySpec spec_;
  const bool shapes_must_fit_;
  const bool otherwise_;
};

class UnaryKernel final : public Kernel {
 public:
  explicit UnaryKernel(UnarySpec spec) : spec_(spec) {}
  absl::Status compute(KernelContext& context) override {
    const Tensor& in = context.input(0);
    const char* x = static_cast<const char*>(in.raw());
    const int64_t n = in.num_elements();
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({0}, 0, in.shape()));
    char* y = static_cast<char*>(out->raw());
    if (n < kParallelElements) {
      spec_.row(x, y, n);
    } else {
      context.parallel().parallel_for(n, spec_.cost, [&](int64_t begin, int64_t end) {
        spec_.row(x + begin * spec_.in_size, y + begin * spec_.out_size, end - begin);
      });
    }
    return absl::OkStatus();
  }
  bool is_expensive() const override { return spec_.cost > kCheapCost; }
  const UnarySpec& spec() const { return spec_; }

 private:
  const UnarySpec spec_;
};

}  // namespace

KernelFactory binary_factory(BinarySpec spec) {
  return [spec](const KernelConstruction& c) -> absl::StatusOr<std::unique_ptr<Kernel>> {
    return std::make_unique<BinaryKernel>(spec, c.input_type(0) == c.output_type(0) &&
                                                    c.input_type(1) == c.output_type(0));
  };
}

KernelFactory unary_factory(UnarySpec spec) {
  return [spec](const KernelConstruction&) -> absl::StatusOr<std::unique_ptr<Kernel>> {
    return std::make_unique<UnaryKernel>(spec);
  };
}

KernelFactory same_shape_factory(BinarySpec spec, const char* message) {
  return [spec, message](const KernelConstruction&) -> absl::StatusOr<std::unique_ptr<Kernel>> {
    return std::make_unique<SameShapeKernel>(spec, message);
  };
}

KernelFactory equality_factory(BinarySpec spec, bool otherwise) {
  return [spec, otherwise](const KernelConstruction& c) -> absl::StatusOr<std::unique_ptr<Kernel>> {
    bool must_fit = c.node().attrs.get_or("incompatible_shape_error", true);
    return std::make_unique<EqualityKernel>(spec, must_fit, otherwise);
  };
}

const BinarySpec* binary_spec(const Kernel& kernel) {
  const auto* binary = dynamic_cast<const BinaryKernel*>(&kernel);
  return binary == nullptr ? nullptr : &binary->spec();
}

const UnarySpec* unary_spec(const Kernel& kernel) {
  const auto* unary = dynamic_cast<const UnaryKernel*>(&kernel);
  return unary == nullptr ? nullptr : &unary->spec();
}

void add_cwise(KernelRegistry* registry, const char* op, const char* attr, DataType dtype,
               KernelFactory factory) {
  KernelDef def(op);
  def.constraints.emplace_back(attr, std::vector<DataType>{dtype});
  def.factory = std::move(factory);
  registry->add(std::move(def));
}

}  // namespace troupe
