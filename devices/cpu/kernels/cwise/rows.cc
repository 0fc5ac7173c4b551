// The kernels that all element-wise families share: they see sizes and shapes, the dtype is in the row function.
#include <algorithm>
#include <atomic>
#include <bit>

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

/// A broadcast whose rows are too short to be worth a call each: operands that repeat are written out, some rows at a time.
class ShortRows {
 public:
  static bool suits(const BroadcastWalk& walk, const BinarySpec& spec, DataType dtype) {
    return walk.row() < kShort && is_trivial(dtype) && std::has_single_bit(spec.in_size) &&
           spec.in_size <= 16;
  }
  ShortRows(const BroadcastWalk& walk, const BinarySpec& spec, const void* a, const void* b, void* out)
      : walk_(walk), spec_(spec), operands_{static_cast<const char*>(a), static_cast<const char*>(b)},
        out_(static_cast<char*>(out)) {}

  /// False when an element had no result.
  bool run(int64_t begin, int64_t end) const {
    alignas(64) char written[2][kWrittenBytes];
    const int64_t at_once = kWrittenBytes / (spec_.in_size * walk_.row());
    bool good = true;
    for (int64_t row = begin; row < end; row += at_once) {
      const int64_t last = std::min(end, row + at_once), first_element = row * walk_.row();
      const char* from[2];
      for (int k = 0; k < 2; ++k) {
        if (walk_.is_whole(k)) {
          from[k] = operands_[k] + first_element * spec_.in_size;
        } else {
          if (row == begin || !walk_.is_one_row(k)) write_out(k, row, last, written[k]);
          from[k] = written[k];
        }
      }
      good &= spec_.row(from[0], from[1], out_ + first_element * spec_.out_size, (last - row) * walk_.row(),
                        RowMode::kBoth);
    }
    return good;
  }

 private:
  static constexpr int64_t kShort = 32;
  static constexpr int64_t kWrittenBytes = 4096;
  struct Wide {
    uint64_t low, high;
  };

  void write_out(int k, int64_t row, int64_t last, void* to) const {
    switch (spec_.in_size) {
      case 1: return write_rows<uint8_t>(k, row, last, to);
      case 2: return write_rows<uint16_t>(k, row, last, to);
      case 4: return write_rows<uint32_t>(k, row, last, to);
      case 8: return write_rows<uint64_t>(k, row, last, to);
      default: return write_rows<Wide>(k, row, last, to);
    }
  }
  template <class T>
  void write_rows(int k, int64_t row, int64_t last, void* written) const {
    const T* const from = reinterpret_cast<const T*>(operands_[k]);
    T* to = static_cast<T*>(written);
    const int64_t length = walk_.row(), step = walk_.repeats_in_row(k) ? 0 : 1;
    walk_.for_rows(row, last, [&](const int64_t* at, int64_t) {
      const T* const elements = from + at[k];
      for (int64_t i = 0; i < length; ++i) to[i] = elements[i * step];
      to += length;
      return true;
    });
  }

  const BroadcastWalk& walk_;
  const BinarySpec& spec_;
  const char* const operands_[2];
  char* const out_;
};

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
  const bool is_short = ShortRows::suits(walk, spec, a.dtype());
  auto rows = [&](int64_t begin, int64_t end) {
    bool ok = true;
    if (is_short) {
      ok = ShortRows(walk, spec, pa, pb, po).run(begin, end);
    } else {
      walk.for_rows(begin, end, [&](const int64_t* at, int64_t to) {
        ok &= spec.row(pa + at[0] * spec.in_size, pb + at[1] * spec.in_size, po + to * spec.out_size,
                       walk.row(), mode);
        return true;
      });
    }
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
