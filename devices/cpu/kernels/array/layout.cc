// Index arithmetic: DataFormatDimMap, DataFormatVecPermute, UnravelIndex.
#include <string>

#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// Base of the two that translate between layouts such as NHWC and NCHW.
class LayoutKernel : public Kernel {
 public:
  template <class K>
  static absl::StatusOr<std::unique_ptr<Kernel>> make(const KernelConstruction& c) {
    auto kernel = std::make_unique<K>();
    TROUPE_ASSIGN_OR_RETURN(kernel->from_, c.attr<std::string>("src_format"));
    TROUPE_ASSIGN_OR_RETURN(kernel->to_, c.attr<std::string>("dst_format"));
    if (kernel->from_.size() != 4 && kernel->from_.size() != 5) {
      return invalid("Source format must be of length 4 or 5, received src_format = ", kernel->from_);
    }
    if (kernel->to_.size() != 4 && kernel->to_.size() != 5) {
      return invalid("Destination format must be of length 4 or 5, received dst_format = ", kernel->to_);
    }
    std::string a = kernel->from_, b = kernel->to_;
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    if (a != b || std::unique(a.begin(), a.end()) != a.end()) {
      return invalid("Destination and source format must determine a permutation, got ", kernel->from_,
                     " and ", kernel->to_);
    }
    return kernel;
  }

 protected:
  std::string from_, to_;
};

/// Where each axis of one layout is in the other.
class DataFormatDimMap final : public LayoutKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    return make<DataFormatDimMap>(c);
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& x = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, x.shape()));
    const auto rank = static_cast<int64_t>(from_.size());
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      int64_t axis = int_at(x, i);
      if (axis < 0) axis += rank;
      set_int(out, i, axis < 0 || axis >= rank ? 0 : static_cast<int64_t>(to_.find(from_[axis])));
    }
    return absl::OkStatus();
  }
  bool is_expensive() const override { return false; }
};

/// The entries of a vector, or rows of a matrix, that stand for axes, in the order of the other layout; also
/// those of the spatial axes alone.
class DataFormatVecPermute final : public LayoutKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    return make<DataFormatVecPermute>(c);
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& x = context.input(0);
    if (x.rank() != 1 && x.rank() != 2)
      return invalid("input must be a vector or 2D tensor, but got shape ", x.shape().to_string());
    const auto rank = static_cast<int64_t>(from_.size());
    if (x.dim(0) != rank && x.dim(0) != rank - 2) {
      return invalid(x.rank() == 1 ? "1D input" : "First dimension of 2D input", " must be of size ",
                     rank - 2, " or ", rank, ", but got shape ", x.shape().to_string());
    }
    if (x.rank() == 2 && x.dim(1) != 2) {
      return invalid("Second dimension of 2D input must be of size 2, but got shape ", x.shape().to_string());
    }
    std::string from = from_, to = to_;
    if (x.dim(0) != rank) {
      for (std::string* s : {&from, &to}) std::erase_if(*s, [](char c) { return c == 'N' || c == 'C'; });
      if (static_cast<int64_t>(from.size()) != x.dim(0))
        return invalid("Formats ", from_, " and ", to_, " must have the axes N and C");
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, x.shape()));
    const int64_t width = x.rank() == 2 ? 2 : 1;
    for (size_t i = 0; i < to.size(); ++i) {
      const auto source = static_cast<int64_t>(from.find(to[i]));
      for (int64_t w = 0; w < width; ++w)
        set_int(out, static_cast<int64_t>(i) * width + w, int_at(x, source * width + w));
    }
    return absl::OkStatus();
  }
  bool is_expensive() const override { return false; }
};

absl::Status unravel_index(KernelContext& context) {
  const Tensor &indices = context.input(0), &dims = context.input(1);
  if (indices.rank() > 1)
    return invalid("The indices can only be scalar or vector, got \"", indices.shape().to_string(), "\"");
  if (!is_vector(dims)) return invalid("The indices can only be 1-D, got \"", dims.shape().to_string(), "\"");
  const Indices sizes = ints_of(dims);
  int64_t product = 1;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 0)
      return invalid("Input dims cannot contain a dim of zero, but dims contains zero at index ", d);
    if (sizes[d] < 0)
      return invalid("Input dims cannot be negative, but dims contains ", sizes[d], " at index ", d);
    if (multiply_overflows(product, sizes[d], &product))
      return invalid("Input dims product is causing integer overflow");
  }
  const int64_t count = indices.num_elements(), rank = dims.dim(0);
  for (int64_t i = 0; i < count; ++i) {
    if (int_at(indices, i) >= product) return invalid("index is out of bound as with dims");
  }
  const Shape shape = is_scalar(indices) ? Shape{rank} : Shape{rank, count};
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = int_at(indices, i);
    for (int64_t d = rank - 1; d >= 0; --d) {
      set_int(out, d * count + i, rest % sizes[d]);
      rest /= sizes[d];
    }
  }
  return absl::OkStatus();
}

}  // namespace

void register_array_layout(KernelRegistry* registry) {
  for (const char* label : {"", "host"}) {
    registry->add(
        KernelDef("DataFormatDimMap").types("T", index_types()).with_label(label).kernel<DataFormatDimMap>());
    registry->add(KernelDef("DataFormatVecPermute")
                      .types("T", index_types())
                      .with_label(label)
                      .kernel<DataFormatVecPermute>());
  }
  registry->add(KernelDef("UnravelIndex").types("Tidx", index_types()).fn(unravel_index));
}

}  // namespace troupe
