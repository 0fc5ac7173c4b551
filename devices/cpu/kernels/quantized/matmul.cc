// Products of quint8 and qint8 matrices, and what is fused with them: bias, Relu, requantisation, dequantisation.
#include <algorithm>

#include "absl/strings/match.h"
#include "devices/cpu/kernels/quantized/scaled.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/primitives/gemm.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// What is added to a product, and what the steps of products and of the output are worth.
struct Epilogue {
  double product = 0;
  double output = 1;
  std::vector<double> bias;
  bool relu = false;

  double at(int32_t sum, size_t column) const {
    const double v = (sum * product + bias[column]) / output;
    return relu ? std::max(v, 0.0) : v;
  }
};

class QuantizedMatMulWithBias final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    const AttrMap& attrs = c.node().attrs;
    transpose_a_ = attrs.get_or<bool>("transpose_a", false);
    transpose_b_ = attrs.get_or<bool>("transpose_b", false);
    const std::string& op = c.node().op->name;
    relu_ = absl::StrContains(op, "Relu");
    // TensorFlow's fusions keep the attr in this op alone.
    scaled_ =
        absl::EndsWith(op, "Dequantize") && attrs.get_or<std::string>("input_quant_mode", "") == "SCALED";
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& context) override {
    const Tensor &a = context.input(0), &b = context.input(1), &bias = context.input(2);
    if (a.rank() != 2 || b.rank() != 2) return invalid("Tensors a and b must be matrices (rank 2)");
    const int64_t m = a.dim(transpose_a_ ? 1 : 0), k = a.dim(transpose_a_ ? 0 : 1),
                  n = b.dim(transpose_b_ ? 0 : 1);
    if (k != b.dim(transpose_b_ ? 1 : 0)) {
      return invalid("Matrix size-incompatible: In[0]: ", a.shape().to_string(),
                     ", In[1]: ", b.shape().to_string());
    }
    if (bias.rank() != 1 || bias.dim(0) != n) {
      return invalid("bias must be a vector with one element per column: ", bias.shape().to_string(), " vs. ",
                     n);
    }
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({{m, n}}));
    const std::vector<int32_t> left = widened<QUInt8>(a), right = widened<QInt8>(b);
    TROUPE_ASSIGN_OR_RETURN(const Epilogue epilogue, make_epilogue(context, right, k, n));
    TROUPE_ASSIGN_OR_RETURN(Tensor sums, context.allocate_temp(DataType::kInt32, shape));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    parallel_gemm<int32_t>(context.parallel(), transpose_a_ ? MatrixOp::kTranspose : MatrixOp::kNone,
                           transpose_b_ ? MatrixOp::kTranspose : MatrixOp::kNone, m, n, k, left.data(),
                           right.data(), sums.flat<int32_t>().data());
    const auto from = sums.flat<int32_t>();
    const auto columns = static_cast<size_t>(n);
    for (size_t i = 0; i < from.size(); ++i) {
      const double v = epilogue.at(from[i], i % columns);
      switch (out->dtype()) {
        case DataType::kFloat: out->flat<float>()[i] = static_cast<float>(v); break;
        case DataType::kQint32: out->flat<QInt32>()[i] = nearest_step<QInt32>(v); break;
        default: out->flat<QUInt8>()[i] = nearest_step<QUInt8>(v); break;
      }
    }
    return set_ranges(context);
  }

 private:
  template <class Q>
  static std::vector<int32_t> widened(const Tensor& t) {
    std::vector<int32_t> out;
    out.reserve(static_cast<size_t>(t.num_elements()));
    for (const Q q : t.flat<Q>()) out.push_back(q.value);
    return out;
  }

  absl::StatusOr<Epilogue> make_epilogue(KernelContext& context, const std::vector<int32_t>& b, int64_t k,
                                         int64_t n) const {
    TROUPE_ASSIGN_OR_RETURN(const QuantRange ra, scalar_range(context, "min_a", "max_a"));
    TROUPE_ASSIGN_OR_RETURN(const QuantRange rb, scalar_range(context, "min_b", "max_b"));
    Epilogue e;
    e.relu = relu_;
    const double width = static_cast<double>(ra.high) - static_cast<double>(ra.low);
    const double step_b = magnitude(rb.low, rb.high) / scaled_steps<QInt8>();
    e.product = (scaled_ ? magnitude(ra.low, ra.high) : width) / scaled_steps<QUInt8>() * step_b;
    if (context.output_type(0) == DataType::kQint32) {
      e.output = e.product;
    } else {
      TROUPE_ASSIGN_OR_RETURN(const QuantRange out,
                              scalar_range(context, "min_freezed_output", "max_freezed_output"));
      if (context.output_type(0) == DataType::kQuint8)
        e.output = magnitude(out.low, out.high) / scaled_steps<QUInt8>();
    }
    const Tensor& bias = context.input(2);
    const double per_step =
        scaled_ ? static_cast<double>(ra.high) / scaled_steps<QUInt8>() * step_b : e.product;
    const double shift =
        scaled_ || ra.low == 0 ? 0 : scaled_steps<QUInt8>() * static_cast<double>(ra.low) / width;
    for (int64_t j = 0; j < n; ++j) {
      const auto at = static_cast<size_t>(j);
      if (bias.dtype() == DataType::kQint32) {
        e.bias.push_back(bias.flat<QInt32>()[at].value * per_step);
      } else {
        e.bias.push_back(static_cast<double>(bias.flat<float>()[at]) + shift * column_sum(b, j, k, n));
      }
    }
    return e;
  }

  double column_sum(const std::vector<int32_t>& b, int64_t column, int64_t k, int64_t n) const {
    double sum = 0;
    for (int64_t i = 0; i < k; ++i)
      sum += b[static_cast<size_t>(transpose_b_ ? column * k + i : i * n + column)];
    return sum;
  }

  static absl::Status set_ranges(KernelContext& context) {
    if (context.output_type(0) == DataType::kFloat) return absl::OkStatus();
    if (context.output_type(0) == DataType::kQuint8) {
      TROUPE_RETURN_IF_ERROR(set_scalar(context, 1, context.input(7).flat<float>()[0]));
      return set_scalar(context, 2, context.input(8).flat<float>()[0]);
    }
    auto range = [&](int i) { return context.input(i).flat<float>()[0]; };
    const float step =
        symmetric_level<QUInt8>(range(3), range(4)) * symmetric_level<QInt8>(range(5), range(6));
    TROUPE_RETURN_IF_ERROR(set_scalar(context, 1, step * static_cast<float>(quant_lowest<QInt32>())));
    return set_scalar(context, 2, step * static_cast<float>(quant_highest<QInt32>()));
  }

  bool transpose_a_ = false, transpose_b_ = false, relu_ = false, scaled_ = false;
};

KernelDef product(const char* op, DataType out) {
  return KernelDef(op)
      .types("T1", {DataType::kQuint8})
      .types("T2", {DataType::kQint8})
      .types("Toutput", {out})
      .kernel<QuantizedMatMulWithBias>();
}

}  // namespace

void register_quantized_matmul(KernelRegistry* r) {
  const std::vector<DataType> biases = {DataType::kFloat, DataType::kQint32};
  r->add(product("QuantizedMatMulWithBias", DataType::kQint32).types("Tbias", biases));
  r->add(product("QuantizedMatMulWithBiasAndRelu", DataType::kQint32));
  for (const char* op :
       {"QuantizedMatMulWithBiasAndRequantize", "QuantizedMatMulWithBiasAndReluAndRequantize"})
    r->add(product(op, DataType::kQuint8).types("Tbias", biases));
  r->add(product("QuantizedMatMulWithBiasAndDequantize", DataType::kFloat).types("Tbias", biases));
}

}  // namespace troupe
