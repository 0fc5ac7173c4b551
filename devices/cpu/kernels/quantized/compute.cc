#include <algorithm>

#include "absl/strings/str_cat.h"
#include "devices/common/pool/pooling.h"
#include "devices/cpu/kernels/quantized/conv.h"
#include "devices/cpu/kernels/quantized/math.h"
#include "devices/cpu/kernels/shared/conv_loops.h"
#include "devices/cpu/primitives/gemm.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// Elements less the step that stands for zero.
template <class Q>
std::vector<int32_t> centred(const Tensor& t, QuantRange range) {
  const auto zero =
      static_cast<int32_t>(std::min(2e9, std::max(-2e9, to_level<Q>(0, range.low, range.high))));
  auto from = t.flat<Q>();
  std::vector<int32_t> out(from.size());
  for (size_t i = 0; i < from.size(); ++i) {
    out[i] = static_cast<int32_t>(static_cast<uint32_t>(static_cast<int32_t>(from[i].value)) -
                                  static_cast<uint32_t>(zero));
  }
  return out;
}

template <class A, class B>
absl::Status set_product_range(KernelContext& context, QuantRange a, QuantRange b) {
  float low, high;
  product_range<A, B>(a.low, a.high, b.low, b.high, &low, &high);
  TROUPE_RETURN_IF_ERROR(set_scalar(context, 1, low));
  return set_scalar(context, 2, high);
}

absl::Status quantized_matmul(KernelContext& context) {
  const Tensor &a = context.input(0), &b = context.input(1);
  if (a.rank() != 2 || b.rank() != 2)
    return absl::InvalidArgumentError("Tensors a and b must be matrices (rank 2)");
  TROUPE_ASSIGN_OR_RETURN(QuantRange ra, QuantRange::read(context, 2));
  TROUPE_ASSIGN_OR_RETURN(QuantRange rb, QuantRange::read(context, 4));
  const bool ta = context.node().attrs.get_or<bool>("transpose_a", false),
             tb = context.node().attrs.get_or<bool>("transpose_b", false);
  const int64_t m = a.dim(ta ? 1 : 0), k = a.dim(ta ? 0 : 1), n = b.dim(tb ? 0 : 1);
  if (k != b.dim(tb ? 1 : 0)) {
    return absl::InvalidArgumentError(absl::StrCat("Matrix size-compatible: In[0]: ", a.shape().to_string(),
                                                   ", In[1]: ", b.shape().to_string()));
  }
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({{m, n}}));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  static_assert(sizeof(QInt32) == sizeof(int32_t));
  parallel_gemm<int32_t>(context.parallel(), ta ? MatrixOp::kTranspose : MatrixOp::kNone,
                         tb ? MatrixOp::kTranspose : MatrixOp::kNone, m, n, k, centred<QUInt8>(a, ra).data(),
                         centred<QUInt8>(b, rb).data(), static_cast<int32_t*>(out->raw()));
  return set_product_range<QUInt8, QUInt8>(context, ra, rb);
}

template <class F>
class QuantizedConvKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, WindowAttrs::make(c, 2));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor &input = context.input(0), &filter = context.input(1);
    if (input.rank() != 4 || filter.rank() != 4) {
      return absl::InvalidArgumentError(
          absl::StrCat("input and filter must be 4-dimensional: ", input.shape().to_string(), " and ",
                       filter.shape().to_string()));
    }
    if (input.dim(3) != filter.dim(2)) {
      return absl::InvalidArgumentError(
          absl::StrCat("input and filter must have the same depth: ", input.dim(3), " vs ", filter.dim(2)));
    }
    if (filter.num_elements() == 0) return absl::InvalidArgumentError("filter must not have zero elements");
    TROUPE_ASSIGN_OR_RETURN(QuantRange ri, QuantRange::read(context, 2));
    TROUPE_ASSIGN_OR_RETURN(QuantRange rf, QuantRange::read(context, 4));
    ConvProblem p;
    p.batch = input.dim(0);
    p.in_channels = input.dim(3);
    p.out_channels = filter.dim(3);
    TROUPE_RETURN_IF_ERROR(set_plane(attrs_, input, filter, &p));
    TROUPE_ASSIGN_OR_RETURN(Shape shape, attrs_.layout.shape(p.batch, p.out.data() + 1, p.out_channels));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    if (out->num_elements() > 0) {
      PlainConv<int32_t>(p).forward(context.parallel(), centred<QUInt8>(input, ri).data(),
                                    centred<F>(filter, rf).data(), static_cast<int32_t*>(out->raw()));
    }
    return set_product_range<QUInt8, F>(context, ri, rf);
  }

 private:
  WindowAttrs attrs_;
};

/// QuantizedRelu and QuantizedRelu6.
template <class Q, bool kSix>
absl::Status quantized_relu(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(QuantRange range, QuantRange::read(context, 1));
  const Q zero = quantize<Q>(0, range.low, range.high), six = quantize<Q>(6, range.low, range.high);
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, context.input(0).shape()));
  auto in = context.input(0).flat<Q>();
  std::span<Q> to = out->flat<Q>();
  for (size_t i = 0; i < in.size(); ++i) {
    to[i] = std::max(in[i], zero);
    if (kSix) to[i] = std::min(to[i], six);
  }
  TROUPE_RETURN_IF_ERROR(set_scalar(context, 1, range.low));
  return set_scalar(context, 2, range.high);
}

/// A range wide enough to add two quantised operands in 32 bits without overflow.
QuantRange sum_range(QuantRange a, QuantRange b) {
  const float biggest = std::max({std::abs(a.low), std::abs(a.high), std::abs(b.low), std::abs(b.high)}) *
                        static_cast<float>(1 << 14);
  return {-biggest, biggest};
}

template <class Q>
absl::Status quantized_bias_add(KernelContext& context) {
  const Tensor &x = context.input(0), &bias = context.input(1);
  TROUPE_ASSIGN_OR_RETURN(QuantRange rx, QuantRange::read(context, 2));
  TROUPE_ASSIGN_OR_RETURN(QuantRange rb, QuantRange::read(context, 4));
  if (x.rank() < 2)
    return absl::InvalidArgumentError(
        absl::StrCat("Input tensor must be at least 2D: ", x.shape().to_string()));
  if (bias.rank() != 1)
    return absl::InvalidArgumentError(absl::StrCat("Biases must be 1D: ", bias.shape().to_string()));
  if (x.dim(x.rank() - 1) != bias.dim(0)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Must provide as many biases as the last dimension of the input tensor: ", bias.shape().to_string(),
        " vs. ", x.shape().to_string()));
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, x.shape()));
  const QuantRange total = sum_range(rx, rb);
  auto in = x.flat<Q>(), b = bias.flat<Q>();
  for (size_t i = 0; i < in.size(); ++i) {
    const double sum = static_cast<double>(dequantize(in[i], rx.low, rx.high)) +
                       static_cast<double>(dequantize(b[i % b.size()], rb.low, rb.high));
    out->flat<QInt32>()[i] = quantize<QInt32>(sum, total.low, total.high);
  }
  TROUPE_RETURN_IF_ERROR(set_scalar(context, 1, total.low));
  return set_scalar(context, 2, total.high);
}

/// Calls fn(output element, x element, y element) over the broadcast shape of two shapes.
absl::StatusOr<Shape> broadcast(const Shape& x, const Shape& y,
                                std::vector<std::pair<int64_t, int64_t>>* elements) {
  const int rank = std::max(x.rank(), y.rank());
  std::vector<int64_t> dims(static_cast<size_t>(rank)), xd(dims), yd(dims);
  for (int i = 0; i < rank; ++i) {
    const auto s = static_cast<size_t>(i);
    const int xi = i - (rank - x.rank()), yi = i - (rank - y.rank());
    xd[s] = xi < 0 ? 1 : x.dim(xi);
    yd[s] = yi < 0 ? 1 : y.dim(yi);
    if (xd[s] != yd[s] && xd[s] != 1 && yd[s] != 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("Incompatible shapes: ", x.to_string(), " vs. ", y.to_string()));
    }
    dims[s] = xd[s] == 1 ? yd[s] : xd[s];
  }
  TROUPE_ASSIGN_OR_RETURN(Shape out, Shape::make(dims));
  elements->resize(static_cast<size_t>(out.num_elements()));
  for (size_t e = 0; e < elements->size(); ++e) {
    auto rest = static_cast<int64_t>(e);
    int64_t xs = 1, ys = 1, xe = 0, ye = 0;
    for (int i = rank - 1; i >= 0; --i) {
      const auto s = static_cast<size_t>(i);
      const int64_t at = rest % dims[s];
      rest /= dims[s];
      if (xd[s] != 1) xe += at * xs;
      if (yd[s] != 1) ye += at * ys;
      xs *= xd[s];
      ys *= yd[s];
    }
    (*elements)[e] = {xe, ye};
  }
  return out;
}

template <bool kMul>
absl::Status quantized_binary(KernelContext& context) {
  const Tensor &x = context.input(0), &y = context.input(1);
  TROUPE_ASSIGN_OR_RETURN(QuantRange rx, QuantRange::read(context, 2));
  TROUPE_ASSIGN_OR_RETURN(QuantRange ry, QuantRange::read(context, 4));
  std::vector<std::pair<int64_t, int64_t>> elements;
  TROUPE_ASSIGN_OR_RETURN(Shape shape, broadcast(x.shape(), y.shape(), &elements));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  std::span<QInt32> to = out->flat<QInt32>();
  if constexpr (kMul) {
    const std::vector<int32_t> a = centred<QUInt8>(x, rx), b = centred<QUInt8>(y, ry);
    for (size_t i = 0; i < to.size(); ++i) {
      to[i].value = static_cast<int32_t>(static_cast<uint32_t>(a[static_cast<size_t>(elements[i].first)]) *
                                         static_cast<uint32_t>(b[static_cast<size_t>(elements[i].second)]));
    }
    return set_product_range<QUInt8, QUInt8>(context, rx, ry);
  } else {
    const QuantRange total = sum_range(rx, ry);
    for (size_t i = 0; i < to.size(); ++i) {
      const double sum =
          static_cast<double>(
              dequantize(x.flat<QUInt8>()[static_cast<size_t>(elements[i].first)], rx.low, rx.high)) +
          static_cast<double>(
              dequantize(y.flat<QUInt8>()[static_cast<size_t>(elements[i].second)], ry.low, ry.high));
      to[i] = quantize<QInt32>(sum, total.low, total.high);
    }
    TROUPE_RETURN_IF_ERROR(set_scalar(context, 1, total.low));
    return set_scalar(context, 2, total.high);
  }
}

template <class Q, bool kMax>
class QuantizedPoolKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, PoolAttrs::make(c, 2, true));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& in = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(QuantRange range, QuantRange::read(context, 1));
    TROUPE_ASSIGN_OR_RETURN(PoolProblem p, attrs_.problem(in.shape(), "tensor_in", false));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, p.out));
    using S = QuantStorage<Q>;
    const int64_t pixels = p.out_pixels(), image = p.in_pixels() * p.channels;
    for (int64_t i = 0; p.channels > 0 && i < p.images * pixels; ++i) {
      const Q* from = in.flat<Q>().data() + i / pixels * image;
      Q* to = out->flat<Q>().data() + i * p.channels;
      for (int64_t c = 0; c < p.channels; ++c) {
        int64_t best = std::numeric_limits<S>::lowest(), sum = 0, count = 0;
        p.each_tap(i % pixels, [&](int64_t pixel) {
          const int64_t v = from[pixel * p.channels + c].value;
          best = std::max(best, v);
          sum += v;
          ++count;
        });
        to[c].value = static_cast<S>(kMax ? best : count == 0 ? 0 : sum / count);
      }
    }
    TROUPE_RETURN_IF_ERROR(set_scalar(context, 1, range.low));
    return set_scalar(context, 2, range.high);
  }

 private:
  PoolAttrs attrs_;
};

/// QuantizedReshape: Reshape, with the range passed on.
absl::Status quantized_reshape(KernelContext& context) {
  const Tensor& x = context.input(0);
  TROUPE_ASSIGN_OR_RETURN(QuantRange range, QuantRange::read(context, 2));
  TROUPE_ASSIGN_OR_RETURN(std::vector<int64_t> sizes, int_vector(context.input(1), "sizes input"));
  int64_t known = 1;
  int unknown = -1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == -1) {
      if (unknown >= 0) return absl::InvalidArgumentError("Only one input size may be -1");
      unknown = static_cast<int>(i);
    } else if (sizes[i] < 0 || multiply_overflows(known, sizes[i], &known)) {
      return absl::InvalidArgumentError(absl::StrCat("Size ", i, " must be non-negative, not ", sizes[i]));
    }
  }
  if (unknown >= 0) {
    if (known == 0 || x.num_elements() % known != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("Input to reshape is a tensor with ", x.num_elements(),
                       " values, but the requested shape requires a multiple of ", known));
    }
    sizes[static_cast<size_t>(unknown)] = x.num_elements() / known;
  }
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make(sizes));
  if (shape.num_elements() != x.num_elements()) {
    return absl::InvalidArgumentError(absl::StrCat("Input to reshape is a tensor with ", x.num_elements(),
                                                   " values, but the requested shape has ",
                                                   shape.num_elements()));
  }
  context.set_output(0, x.reshaped(shape));
  TROUPE_RETURN_IF_ERROR(set_scalar(context, 1, range.low));
  return set_scalar(context, 2, range.high);
}

template <class Q>
void add_pools(KernelRegistry* r) {
  r->add(KernelDef("QuantizedMaxPool").type<Q>("T").template kernel<QuantizedPoolKernel<Q, true>>());
  r->add(KernelDef("QuantizedAvgPool").type<Q>("T").template kernel<QuantizedPoolKernel<Q, false>>());
}

template <class Q>
void add_relus(KernelRegistry* r) {
  r->add(
      KernelDef("QuantizedRelu").type<Q>("Tinput").template type<Q>("out_type").fn(quantized_relu<Q, false>));
  r->add(
      KernelDef("QuantizedRelu6").type<Q>("Tinput").template type<Q>("out_type").fn(quantized_relu<Q, true>));
}

}  // namespace

void register_quantized_compute(KernelRegistry* r) {
  auto bytes = [](const char* op) {
    return KernelDef(op).type<QUInt8>("T1").type<QUInt8>("T2").type<QInt32>("Toutput");
  };
  r->add(bytes("QuantizedMatMul").fn(quantized_matmul));
  r->add(bytes("QuantizedMul").fn(quantized_binary<true>));
  r->add(bytes("QuantizedAdd").fn(quantized_binary<false>));
  r->add(KernelDef("QuantizedConv2D")
             .type<QUInt8>("Tinput")
             .type<QUInt8>("Tfilter")
             .type<QInt32>("out_type")
             .kernel<QuantizedConvKernel<QUInt8>>());
  r->add(KernelDef("QuantizedBiasAdd")
             .type<QUInt8>("T1")
             .type<QUInt8>("T2")
             .type<QInt32>("out_type")
             .fn(quantized_bias_add<QUInt8>));
  r->add(KernelDef("QuantizedBiasAdd")
             .type<QInt8>("T1")
             .type<QInt8>("T2")
             .type<QInt32>("out_type")
             .fn(quantized_bias_add<QInt8>));
  add_relus<QUInt8>(r);
  add_relus<QInt32>(r);
  add_pools<QUInt8>(r);
  add_pools<QInt8>(r);
  r->add(
      KernelDef("QuantizedReshape").types("T", {DataType::kQuint8, DataType::kQint32}).fn(quantized_reshape));
}

}  // namespace troupe
