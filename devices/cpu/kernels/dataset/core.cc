#include "devices/cpu/kernels/dataset/core.h"

#include "devices/cpu/kernels/shared/array_util.h"

namespace troupe {
namespace {

/// A dataset on an edge.
class DatasetVariant final : public VariantValue {
 public:
  explicit DatasetVariant(DatasetPtr dataset) : dataset_(std::move(dataset)) {}
  std::string type_name() const override { return "tensorflow::DatasetVariantWrapper"; }
  const DatasetPtr& dataset() const { return dataset_; }

 private:
  const DatasetPtr dataset_;
};

}  // namespace

std::shared_ptr<Dataset> make_dataset(std::string name, const std::vector<DatasetPtr>& inputs,
                                      Dataset::Make make) {
  auto dataset = std::make_shared<Dataset>();
  dataset->name = std::move(name);
  dataset->make = std::move(make);
  for (const DatasetPtr& input : inputs) {
    dataset->blocks = dataset->blocks || input->blocks;
    dataset->orders.insert(dataset->orders.end(), input->orders.begin(), input->orders.end());
    dataset->indexable.Update(input->indexable);
  }
  if (!inputs.empty()) dataset->options = inputs[0]->options;
  return dataset;
}

std::shared_ptr<Dataset> make_list_dataset(std::string name, std::vector<Element> elements,
                                           std::vector<DataType> types, std::vector<PartialShape> shapes) {
  auto shared = std::make_shared<const std::vector<Element>>(std::move(elements));
  auto dataset = make_dataset(std::move(name), {}, [shared](const std::string&) {
    return iterator_of([shared, at = size_t{0}](const ElementContext&) mutable -> NextElement {
      if (at == shared->size()) return std::nullopt;
      return (*shared)[at++];
    });
  });
  dataset->cardinality = static_cast<int64_t>(shared->size());
  dataset->at = [shared](const ElementContext&, int64_t i) { return (*shared)[static_cast<size_t>(i)]; };
  dataset->types = std::move(types);
  dataset->shapes = std::move(shapes);
  return dataset;
}

DatasetPtr dataset_of(const Tensor& tensor) {
  if (tensor.dtype() != DataType::kVariant || tensor.num_elements() != 1) return nullptr;
  const DatasetVariant* variant = tensor.flat<Variant>()[0].get<DatasetVariant>();
  return variant == nullptr ? nullptr : variant->dataset();
}

Tensor dataset_tensor(DatasetPtr dataset) {
  Tensor out(DataType::kVariant, Shape());
  out.flat<Variant>()[0] = Variant(std::make_shared<DatasetVariant>(std::move(dataset)));
  return out;
}

absl::StatusOr<DatasetPtr> input_dataset(const KernelContext& context, int i) {
  if (DatasetPtr dataset = dataset_of(context.input(i))) return dataset;
  return invalid("Tensor must be a Dataset object.");
}

absl::StatusOr<std::vector<DatasetPtr>> input_datasets(const KernelContext& context, int begin, int end) {
  std::vector<DatasetPtr> inputs;
  for (int i = begin; i < end; ++i) {
    TROUPE_ASSIGN_OR_RETURN(DatasetPtr input, input_dataset(context, i));
    inputs.push_back(std::move(input));
  }
  return inputs;
}

absl::StatusOr<int64_t> input_count(const KernelContext& context, int i, const char* name) {
  const Tensor& t = context.input(i);
  if (!is_scalar(t)) return invalid(name, " must be a scalar");
  return t.value<int64_t>();
}

absl::Status check_parallel_calls(int64_t calls) {
  if (calls > 0 || calls == -1) return absl::OkStatus();
  return invalid("num_parallel_calls must be greater than zero.");
}

absl::StatusOr<bool> input_flag(const KernelContext& context, int i, const char* name) {
  const Tensor& t = context.input(i);
  if (!is_scalar(t)) return invalid(name, " must be a scalar");
  return t.value<bool>();
}

absl::StatusOr<std::string> input_text(const KernelContext& context, int i, const char* name) {
  const Tensor& t = context.input(i);
  if (!is_scalar(t)) return invalid(name, " must be a scalar");
  return t.value<TString>().str();
}

absl::Status output_dataset(KernelContext& context, std::shared_ptr<Dataset> dataset) {
  const AttrMap& attrs = context.node().attrs;
  const char* types = attrs.find("Toutput_types") != nullptr ? "Toutput_types" : "output_types";
  if (attrs.find(types) != nullptr) {
    TROUPE_ASSIGN_OR_RETURN(dataset->types, attrs.get<std::vector<DataType>>(types));
  }
  if (attrs.find("output_shapes") != nullptr) {
    TROUPE_ASSIGN_OR_RETURN(dataset->shapes, attrs.get<std::vector<PartialShape>>("output_shapes"));
  }
  if (dataset->at == nullptr && dataset->indexable.ok()) {
    dataset->indexable = absl::FailedPreconditionError(
        absl::StrCat(context.node().op->name, " does not support random access."));
  }
  auto origin = std::make_shared<DatasetOrigin>();
  origin->op = context.node().op->name;
  origin->attrs = attrs;
  for (int i = 0; i < context.num_inputs(); ++i) origin->inputs.push_back(context.input(i));
  dataset->origin = std::move(origin);
  context.set_output(0, dataset_tensor(std::move(dataset)));
  return absl::OkStatus();
}

Element slice_of(const Element& components, int64_t row) {
  Element element;
  element.reserve(components.size());
  for (const Tensor& all : components) {
    Shape shape;
    for (int d = 1; d < all.rank(); ++d) shape.add_dim(all.dim(d));
    Tensor slice(all.dtype(), shape);
    copy_elements(all, row * slice.num_elements(), slice, 0, slice.num_elements());
    element.push_back(std::move(slice));
  }
  return element;
}

NextElement stack_rows(const std::vector<Element>& rows) {
  Element batch;
  for (size_t c = 0; c < rows[0].size(); ++c) {
    const Shape& shape = rows[0][c].shape();
    std::vector<int64_t> dims = shape.to_vector();
    dims.insert(dims.begin(), static_cast<int64_t>(rows.size()));
    TROUPE_ASSIGN_OR_RETURN(Shape all, Shape::make(dims));
    TROUPE_ASSIGN_OR_RETURN(Tensor out, Tensor::make(rows[0][c].dtype(), all));
    for (size_t r = 0; r < rows.size(); ++r) {
      if (c >= rows[r].size() || rows[r][c].dtype() != out.dtype()) {
        return invalid("Cannot batch elements of different types in component ", c);
      }
      const Tensor& row = rows[r][c];
      if (row.shape() != shape) {
        return invalid("Cannot batch tensors with different shapes in component ", c,
                       ". First element had shape ", shape.to_string(), " and element ", r, " had shape ",
                       row.shape().to_string(), ".");
      }
      copy_elements(row, 0, out, static_cast<int64_t>(r) * row.num_elements(), row.num_elements());
    }
    batch.push_back(std::move(out));
  }
  return batch;
}

}  // namespace troupe
