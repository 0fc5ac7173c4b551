#include "devices/cpu/kernels/shared/ragged_value.h"

#include "devices/cpu/kernels/shared/array_util.h"

namespace troupe {

absl::StatusOr<Variant> RaggedValue::zeros(KernelContext& context, const ElementMemory& memory) const {
  TROUPE_ASSIGN_OR_RETURN(Tensor zero, zeros_of(context, memory, values));
  return ragged_variant(splits, std::move(zero));
}

absl::StatusOr<Variant> RaggedValue::plus(KernelContext& context, const ElementMemory& memory,
                                            const VariantValue& other) const {
  const auto& y = static_cast<const RaggedValue&>(other);
  if (values.dtype() != y.values.dtype()) {
    return invalid("Can't add RaggedTensorVariants of different dtypes. One is ", dtype_name(values.dtype()),
                   " and the other is ", dtype_name(y.values.dtype()));
  }
  if (splits.size() != y.splits.size()) {
    return invalid("Can't add RaggedTensorVariants of different ragged rank. One is ", splits.size(),
                   " and the other is ", y.splits.size());
  }
  for (size_t i = 0; i < splits.size(); ++i) {
    if (ints_of(splits[i]) != ints_of(y.splits[i])) {
      return invalid("Can't add RaggedTensorVariants with different row_splits.");
    }
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor sum, sum_of(context, memory, values, y.values));
  return ragged_variant(splits, std::move(sum));
}

absl::StatusOr<std::shared_ptr<VariantValue>> decode_ragged(const std::string&, std::vector<Tensor> tensors) {
  if (tensors.empty()) return invalid("A RaggedTensorVariant needs a tensor of values");
  Tensor values = std::move(tensors.back());
  tensors.pop_back();
  for (const Tensor& splits : tensors) {
    if (splits.rank() != 1 || (splits.dtype() != DataType::kInt32 && splits.dtype() != DataType::kInt64)) {
      return invalid("Row splits of a RaggedTensorVariant must be vectors of integers");
    }
  }
  return std::make_shared<RaggedValue>(std::move(tensors), std::move(values));
}

Variant ragged_variant(std::vector<Tensor> splits, Tensor values) {
  return Variant(std::make_shared<RaggedValue>(std::move(splits), std::move(values)));
}

}  // namespace troupe
