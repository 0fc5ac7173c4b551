// StringJoin, ReduceJoin, UnsortedSegmentJoin.
#include <algorithm>
#include <string>
#include <vector>

#include "devices/cpu/kernels/string/util.h"

namespace troupe {
namespace {

/// Base of the kernels whose one attr is the separator.
class SeparatorKernel : public Kernel {
 protected:
  absl::Status read(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(separator_, c.attr<std::string>("separator"));
    return absl::OkStatus();
  }
  std::string separator_;
};

class StringJoinKernel final : public SeparatorKernel {
 public:
  absl::Status init(const KernelConstruction& c) { return read(c); }

  absl::Status compute(KernelContext& context) override {
    Shape shape;
    bool found = false;
    for (int k = 0; k < context.num_inputs(); ++k) {
      const Shape& s = context.input(k).shape();
      if (s.is_scalar()) continue;
      if (found && !(s == shape)) {
        return invalid("Input shapes do not match: ", shape.to_string(), " vs. ", s.to_string());
      }
      shape = s;
      found = true;
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * output, context.allocate_output(0, shape));
    auto out = output->flat<TString>();
    context.parallel().parallel_for(static_cast<int64_t>(out.size()), kStringNs * context.num_inputs(),
                                    [&](int64_t begin, int64_t end) {
                                      std::string text;
                                      for (int64_t i = begin; i < end; ++i) {
                                        text.clear();
                                        for (int k = 0; k < context.num_inputs(); ++k) {
                                          const Tensor& in = context.input(k);
                                          if (k > 0) text.append(separator_);
                                          const TString& part = in.flat<TString>()[in.rank() == 0 ? 0 : i];
                                          text.append(part.data(), part.size());
                                        }
                                        out[i].assign(text);
                                      }
                                    });
    return absl::OkStatus();
  }
};

class ReduceJoinKernel final : public SeparatorKernel {
 public:
  void attributes(AttrReader& a) { a("keep_dims", &keep_dims_); }
  absl::Status init(const KernelConstruction& c) { return read(c); }

  absl::Status compute(KernelContext& context) override {
    const Tensor& input = context.input(0);
    const Shape& shape = input.shape();
    const int rank = shape.rank();
    std::vector<bool> reduced(rank, false);
    Indices axes;
    for (int32_t axis : context.input(1).flat<int32_t>()) {
      if (axis < -rank || axis >= rank) {
        return absl::OutOfRangeError(
            absl::StrCat("Invalid reduction dimension ", axis, " for input with ", rank, " dimension(s)"));
      }
      const int a = axis < 0 ? axis + rank : axis;
      if (reduced[a]) return invalid("Duplicate reduction dimension ", a);
      reduced[a] = true;
      axes.push_back(a);
    }
    std::reverse(axes.begin(), axes.end());  // The axis named first runs fastest.
    Indices strides = strides_of(shape), kept;
    Shape out_shape;
    for (int d = 0; d < rank; ++d) {
      if (!reduced[d]) {
        out_shape.add_dim(shape.dim(d));
        kept.push_back(d);
      } else if (keep_dims_) {
        out_shape.add_dim(1);
      }
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * output, context.allocate_output(0, out_shape));
    auto in = input.flat<TString>();
    auto out = output->flat<TString>();
    const int64_t joined = out.empty() ? 0 : static_cast<int64_t>(in.size() / out.size());
    std::string text;
    for (size_t i = 0; i < out.size(); ++i) {
      const int64_t base = offset(static_cast<int64_t>(i), kept, shape, strides);
      text.clear();
      for (int64_t j = 0; j < joined; ++j) {
        if (j > 0) text.append(separator_);
        const TString& part = in[base + offset(j, axes, shape, strides)];
        text.append(part.data(), part.size());
      }
      out[i].assign(text);
    }
    return absl::OkStatus();
  }

 private:
  /// Where the n-th position of the axes `order` (the last runs fastest) lies.
  static int64_t offset(int64_t n, const Indices& order, const Shape& shape, const Indices& strides) {
    int64_t at = 0;
    for (size_t k = order.size(); k-- > 0;) {
      const int axis = static_cast<int>(order[k]);
      at += n % shape.dim(axis) * strides[axis];
      n /= shape.dim(axis);
    }
    return at;
  }

  bool keep_dims_ = false;
};

class UnsortedSegmentJoinKernel final : public SeparatorKernel {
 public:
  absl::Status init(const KernelConstruction& c) { return read(c); }

  absl::Status compute(KernelContext& context) override {
    const Tensor& input = context.input(0);
    const Tensor& ids = context.input(1);
    const Tensor& count = context.input(2);
    if (count.rank() != 0) return invalid("Number of segments must be a scalar");
    const int64_t segments = int_at(count, 0);
    if (segments < 0) return invalid("Number of segments must be non-negative but got ", segments);
    if (ids.rank() == 0) return invalid("Segment_id cannot have rank 0");
    if (ids.rank() > input.rank()) {
      return absl::OutOfRangeError(absl::StrCat("Invalid segment_id rank ", ids.rank(), " for input with ",
                                                input.rank(), " dimension(s)"));
    }
    Indices dims = {segments};
    for (int d = 0; d < input.rank(); ++d) {
      if (d >= ids.rank()) {
        dims.push_back(input.dim(d));
      } else if (ids.dim(d) != input.dim(d)) {
        return invalid("Segment dimension is ", ids.dim(d), " while input dimension is ", input.dim(d),
                       " in rank ", d);
      }
    }
    const int64_t n = ids.num_elements();
    for (int64_t i = 0; i < n; ++i) {
      if (int_at(ids, i) < 0 || int_at(ids, i) >= segments) {
        return invalid("segment_ids are not allowed to exceed num_segments or to have negative values.");
      }
    }
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({dims.data(), dims.size()}));
    TROUPE_ASSIGN_OR_RETURN(Tensor * output, context.allocate_output(0, shape));
    if (input.num_elements() == 0) return absl::OkStatus();
    const int64_t row = count_dims(input.shape(), ids.rank(), input.rank());
    auto in = input.flat<TString>();
    std::vector<std::string> text(static_cast<size_t>(shape.num_elements()));
    std::vector<bool> started(text.size(), false);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < row; ++j) {
        const int64_t to = int_at(ids, i) * row + j;
        if (started[to]) text[to].append(separator_);
        started[to] = true;
        text[to].append(in[i * row + j].data(), in[i * row + j].size());
      }
    }
    auto out = output->flat<TString>();
    for (size_t i = 0; i < text.size(); ++i) out[i].assign(text[i]);
    return absl::OkStatus();
  }
};

}  // namespace

void register_string_join(KernelRegistry* registry) {
  registry->add(KernelDef("StringJoin").kernel<StringJoinKernel>());
  registry->add(KernelDef("ReduceJoin").kernel<ReduceJoinKernel>());
  registry->add(KernelDef("UnsortedSegmentJoin")
                    .types("Tindices", index_types())
                    .types("Tnumsegments", index_types())
                    .kernel<UnsortedSegmentJoinKernel>());
}

}  // namespace troupe
