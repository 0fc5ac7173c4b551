#include "devices/cpu/kernels/shared/optional_value.h"

#include "devices/cpu/kernels/shared/array_util.h"

namespace troupe {

bool OptionalVariant::serialize(std::string* metadata, std::vector<Tensor>* tensors) const {
  metadata->assign(1, values_.has_value() ? '\1' : '\0');
  if (values_.has_value()) *tensors = *values_;
  return true;
}

absl::StatusOr<std::shared_ptr<VariantValue>> decode_optional(const std::string& metadata,
                                                              std::vector<Tensor> tensors) {
  if (metadata.size() != 1) {
    return invalid("An optional in a variant has one byte of metadata, got ", metadata.size());
  }
  if (metadata[0] == '\0') return std::make_shared<OptionalVariant>(std::nullopt);
  return std::make_shared<OptionalVariant>(std::move(tensors));
}

absl::StatusOr<Variant> OptionalVariant::zeros(KernelContext& context, const ElementMemory& memory) const {
  if (!values_.has_value()) return Variant(std::make_shared<OptionalVariant>(std::nullopt));
  std::vector<Tensor> zeros;
  for (const Tensor& t : *values_) {
    TROUPE_ASSIGN_OR_RETURN(Tensor zero, zeros_of(context, memory, t));
    zeros.push_back(std::move(zero));
  }
  return Variant(std::make_shared<OptionalVariant>(std::move(zeros)));
}

absl::StatusOr<Variant> OptionalVariant::plus(KernelContext& context, const ElementMemory& memory,
                                            const VariantValue& other) const {
  const auto& b = static_cast<const OptionalVariant&>(other).values_;
  if (values_.has_value() != b.has_value()) {
    return invalid("Cannot add optionals because one has a value and the other doesn't.");
  }
  if (!b.has_value()) return Variant(std::make_shared<OptionalVariant>(std::nullopt));
  if (values_->size() != b->size()) {
    return invalid("Cannot add optionals because they have different numbers of components (",
                   values_->size(), " vs. ", b->size(), ").");
  }
  std::vector<Tensor> sums;
  for (size_t i = 0; i < b->size(); ++i) {
    TROUPE_ASSIGN_OR_RETURN(Tensor sum, sum_of(context, memory, (*values_)[i], (*b)[i]));
    sums.push_back(std::move(sum));
  }
  return Variant(std::make_shared<OptionalVariant>(std::move(sums)));
}

Tensor optional_tensor(std::optional<std::vector<Tensor>> values) {
  Tensor out(DataType::kVariant, Shape());
  out.flat<Variant>()[0] = Variant(std::make_shared<OptionalVariant>(std::move(values)));
  return out;
}

}  // namespace troupe
