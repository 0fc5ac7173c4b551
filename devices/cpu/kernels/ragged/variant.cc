// RaggedTensorToVariant, RaggedTensorFromVariant, RaggedTensorToVariantGradient.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/shared/ragged_value.h"
#include "devices/kernel_registry.h"
#include "graph/tensor/tensor_proto.h"

namespace troupe {
namespace {

/// The rows that splits divide `rows` rows into.
absl::Status check_splits(const Tensor& splits, int64_t rows) {
  constexpr char kBad[] = "Invalid ragged splits: ";
  if (splits.rank() != 1)
    return invalid(kBad, "ragged splits must be a vector, but got shape ", splits.shape().to_string());
  const int64_t n = splits.num_elements();
  if (n == 0) return invalid(kBad, "ragged splits must have at least one splits, but is empty");
  if (int_at(splits, 0) != 0)
    return invalid(kBad, "first element of ragged splits must be 0 but is ", int_at(splits, 0));
  for (int64_t i = 1; i < n; ++i) {
    if (int_at(splits, i) < int_at(splits, i - 1)) {
      return invalid(kBad, "ragged splits must be monotonically increasing, but ragged_splits[", i,
                     "]=", int_at(splits, i), " is smaller than row_splits[", i - 1,
                     "]=", int_at(splits, i - 1));
    }
  }
  if (int_at(splits, n - 1) != rows) {
    return invalid(kBad, "last element of ragged splits must be the number of ragged values(", rows,
                   ") but is ", int_at(splits, n - 1));
  }
  return absl::OkStatus();
}

class RaggedToVariantKernel final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("batched_input", &batched_); }

  absl::Status compute(KernelContext& context) override {
    const int rank = context.num_inputs() - 1;
    const Tensor& values = context.input(rank);
    if (rank > 0 && values.rank() < 1) return invalid("Ragged values must have a rank of at least 1");
    std::vector<Tensor> splits;
    for (int i = 0; i < rank; ++i) {
      const int64_t rows = i + 1 < rank ? context.input(i + 1).num_elements() - 1 : values.dim(0);
      TROUPE_RETURN_IF_ERROR(check_splits(context.input(i), rows));
      splits.push_back(context.input(i));
    }
    if (!batched_) {
      TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape()));
      out->flat<Variant>()[0] = Variant(std::make_shared<RaggedValue>(std::move(splits), values));
      return absl::OkStatus();
    }
    if (rank == 0 && values.rank() == 0) return invalid("Can't unbatch rank-0 tensor.");
    const int64_t batch = rank == 0 ? values.dim(0) : splits[0].num_elements() - 1;
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape{batch}));
    for (int64_t row = 0; row < batch; ++row) {
      out->flat<Variant>()[row] =
          Variant(rank == 0 ? dense_row(values, row) : ragged_row(splits, values, row));
    }
    return absl::OkStatus();
  }

 private:
  static std::shared_ptr<RaggedValue> dense_row(const Tensor& values, int64_t row) {
    Shape shape = values.shape();
    shape.remove_dim(0);
    return std::make_shared<RaggedValue>(std::vector<Tensor>(),
                                         values.slice_rows(row, row + 1).reshaped(shape));
  }

  /// One row of a ragged tensor: the outermost splits say where it lies, the others are cut and start from 0.
  static std::shared_ptr<RaggedValue> ragged_row(const std::vector<Tensor>& splits, const Tensor& values,
                                                 int64_t row) {
    int64_t begin = int_at(splits[0], row), end = int_at(splits[0], row + 1);
    std::vector<Tensor> inner;
    for (size_t level = 1; level < splits.size(); ++level) {
      Tensor cut(splits[level].dtype(), Shape{end - begin + 1});
      const int64_t first = int_at(splits[level], begin), last = int_at(splits[level], end);
      for (int64_t i = begin; i <= end; ++i) set_int(&cut, i - begin, int_at(splits[level], i) - first);
      inner.push_back(std::move(cut));
      begin = first;
      end = last;
    }
    return std::make_shared<RaggedValue>(std::move(inner), values.slice_rows(begin, end));
  }

  bool batched_ = false;
};

/// All elements of a variant tensor, which must be ragged tensors of `rank` (any when negative).
absl::StatusOr<std::vector<const RaggedValue*>> elements_of(const Tensor& encoded, int rank,
                                                            DataType values) {
  std::vector<const RaggedValue*> out;
  for (const Variant& v : encoded.flat<Variant>()) {
    const auto* element = v.get<RaggedValue>();
    if (element == nullptr) {
      return invalid("Input Variant element at index ", out.size(),
                     " doesn't hold a RaggedTensorVariant: ", v.empty() ? "empty" : v.value()->type_name());
    }
    if (rank >= 0 && static_cast<int>(element->splits.size()) != rank) {
      return invalid("Encoded input RaggedTensorVariant has ragged_rank=", element->splits.size(),
                     ".  Expected ragged_rank=", rank, ".");
    }
    if (element->values.dtype() != values) {
      return invalid("Expected values Tensor dtype: ", dtype_name(values),
                     ", found: ", dtype_name(element->values.dtype()));
    }
    out.push_back(element);
  }
  return out;
}

/// The values of all elements, one behind the other along dimension 0, to output `index`.
absl::Status write_joined(KernelContext& context, int index,
                          const std::vector<const RaggedValue*>& elements) {
  Shape shape = elements.empty() ? Shape{0} : elements[0]->values.shape();
  int64_t rows = 0;
  for (size_t i = 0; i < elements.size(); ++i) {
    const Shape& s = elements[i]->values.shape();
    bool same = s.rank() == shape.rank() && s.rank() > 0;
    for (int d = 1; same && d < s.rank(); ++d) same = s.dim(d) == shape.dim(d);
    if (!same) {
      return invalid("All flat_values must have compatible shapes.  Shape at index 0: ",
                     elements[0]->values.shape().to_string(), ".  Shape at index ", i, ": ", s.to_string());
    }
    rows += s.dim(0);
  }
  if (!elements.empty()) {
    std::vector<int64_t> dims = shape.to_vector();
    dims[0] = rows;
    TROUPE_ASSIGN_OR_RETURN(shape, Shape::make(dims));
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(index, shape));
  int64_t at = 0;
  for (const RaggedValue* e : elements) {
    copy_elements(e->values, 0, *out, at, e->values.num_elements());
    at += e->values.num_elements();
  }
  return absl::OkStatus();
}

class RaggedFromVariantKernel final : public Kernel {
 public:
  void attributes(AttrReader& a) {
    a("input_ragged_rank", &input_rank_)("output_ragged_rank", &output_rank_)("Tsplits", &splits_type_);
  }

  absl::Status compute(KernelContext& context) override {
    const Tensor encoded = context.input(0);
    const int outer = encoded.rank();
    int64_t rank = input_rank_;
    if (rank < 0) {
      rank = output_rank_ - outer;
      if (rank < 0) {
        return invalid(
            "Inferred input_ragged_rank (output_ragged_rank - encoded_variant.dims()) must be >= 0, found "
            "output_ragged_rank: ",
            output_rank_, ", encoded_variant.dims(): ", outer, ", inferred input_ragged_rank: ", rank);
      }
    }
    if (output_rank_ != rank + outer) {
      return invalid(
          "output_ragged_rank must be equal to input_ragged_rank + encoded_ragged.dims(); "
          "output_ragged_rank: ",
          output_rank_, ", input_ragged_rank: ", rank, ", encoded_variant.dims(): ", outer, ".");
    }
    const int values_out = static_cast<int>(output_rank_);
    TROUPE_ASSIGN_OR_RETURN(auto elements,
                            elements_of(encoded, static_cast<int>(rank), context.output_type(values_out)));
    for (const RaggedValue* e : elements) {
      for (const Tensor& splits : e->splits) {
        if (splits.dtype() != splits_type_) {
          return invalid("Expected row_splits Tensor dtype: ", dtype_name(splits_type_),
                         ", found: ", dtype_name(splits.dtype()));
        }
      }
    }
    if (outer == 0) {
      for (int64_t i = 0; i < rank; ++i) context.set_output(static_cast<int>(i), elements[0]->splits[i]);
      context.set_output(values_out, elements[0]->values);
      return absl::OkStatus();
    }
    for (int d = 0; d + 1 < outer; ++d) TROUPE_RETURN_IF_ERROR(write_uniform(context, d, encoded.shape()));
    TROUPE_RETURN_IF_ERROR(write_element_splits(context, outer - 1, elements));
    for (int64_t level = 0; level < rank; ++level) {
      TROUPE_RETURN_IF_ERROR(write_inner_splits(context, outer + static_cast<int>(level), elements, level));
    }
    return write_joined(context, values_out, elements);
  }

 private:
  /// The splits of a dimension of the variant tensor itself: all rows alike.
  static absl::Status write_uniform(KernelContext& context, int dim, const Shape& shape) {
    const int64_t rows = count_dims(shape, 0, dim + 1), length = shape.dim(dim + 1);
    TROUPE_ASSIGN_OR_RETURN(Shape splits, Shape::make(std::vector<int64_t>{rows + 1}));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(dim, splits));
    for (int64_t i = 0; i <= rows; ++i) set_int(out, i, i * length);
    return absl::OkStatus();
  }

  /// How many rows each element has.
  static absl::Status write_element_splits(KernelContext& context, int index,
                                           const std::vector<const RaggedValue*>& elements) {
    TROUPE_ASSIGN_OR_RETURN(Tensor * out,
                            context.allocate_output(index, Shape{static_cast<int64_t>(elements.size()) + 1}));
    set_int(out, 0, 0);
    int64_t sum = 0;
    for (size_t i = 0; i < elements.size(); ++i) {
      const RaggedValue& e = *elements[i];
      if (e.splits.empty() && e.values.rank() == 0)
        return invalid("Values of a ragged row must have a rank of at least 1");
      sum += e.splits.empty() ? e.values.dim(0) : e.splits[0].num_elements() - 1;
      set_int(out, static_cast<int64_t>(i) + 1, sum);
    }
    return absl::OkStatus();
  }

  /// The splits of one level of all elements, each shifted by what comes before.
  static absl::Status write_inner_splits(KernelContext& context, int index,
                                         const std::vector<const RaggedValue*>& elements, int64_t level) {
    int64_t total = 1;
    for (const RaggedValue* e : elements) {
      if (e->splits[level].num_elements() == 0)
        return invalid("Row splits of a RaggedTensorVariant must not be empty");
      total += e->splits[level].num_elements() - 1;
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(index, Shape{total}));
    set_int(out, 0, 0);
    int64_t at = 1, offset = 0;
    for (const RaggedValue* e : elements) {
      const Tensor& splits = e->splits[level];
      const int64_t n = splits.num_elements();
      for (int64_t i = 1; i < n; ++i) set_int(out, at++, offset + int_at(splits, i));
      offset += int_at(splits, n - 1);
    }
    return absl::OkStatus();
  }

  int64_t input_rank_ = -1;
  int64_t output_rank_ = 0;
  DataType splits_type_ = DataType::kInt64;
};

/// The gradient of RaggedTensorToVariant: the values of all rows, joined again.
absl::Status ragged_to_variant_gradient(KernelContext& context) {
  const Tensor encoded = context.input(0);
  const Tensor& wanted = context.input(2);
  if (wanted.rank() != 1)
    return invalid("dense_values_shape must be a vector, got shape ", wanted.shape().to_string());
  const Indices dims = ints_of(wanted);
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({dims.data(), dims.size()}));
  TROUPE_ASSIGN_OR_RETURN(auto elements, elements_of(encoded, -1, context.output_type(0)));
  int64_t total = 0;
  for (const RaggedValue* e : elements) total += e->values.num_elements();
  if (total != shape.num_elements()) {
    return invalid("Gradients of ", total, " values do not fit the dense_values_shape ", shape.to_string());
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  int64_t at = 0;
  for (const RaggedValue* e : elements) {
    copy_elements(e->values, 0, *out, at, e->values.num_elements());
    at += e->values.num_elements();
  }
  return absl::OkStatus();
}

}  // namespace

void register_ragged_variant(KernelRegistry* registry) {
  register_variant_decoder(RaggedValue::kTypeName, decode_ragged);
  const std::vector<DataType> types =
      with(every_type(),
           {DataType::kQint8, DataType::kQuint8, DataType::kQint16, DataType::kQuint16, DataType::kQint32});
  registry->add(KernelDef("RaggedTensorToVariant").types("Tvalues", types).kernel<RaggedToVariantKernel>());
  registry->add(
      KernelDef("RaggedTensorFromVariant").types("Tvalues", types).kernel<RaggedFromVariantKernel>());
  registry->add(
      KernelDef("RaggedTensorToVariantGradient").types("Tvalues", types).fn(ragged_to_variant_gradient));
}

}  // namespace troupe
