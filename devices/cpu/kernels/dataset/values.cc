// What is made of a whole dataset at once: a reduction, a single element, a number, a table, a file.

#include "devices/cpu/kernels/dataset/call.h"
#include "devices/cpu/kernels/dataset/core.h"
#include "devices/cpu/kernels/dataset/iterator_resource.h"
#include "devices/cpu/kernels/dataset/iterator_threads.h"
#include "devices/cpu/kernels/dataset/walk.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/shared/lookup_table.h"
#include "devices/cpu/kernels/shared/record_writer.h"
#include "devices/common/variable/resource_access.h"

namespace troupe {
namespace {

/// The function makes a new state of the state and each element; the last state comes out.
absl::Status reduce(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr dataset, input_dataset(context, 0));
  TROUPE_ASSIGN_OR_RETURN(const int width, list_length(context, "Tstate"));
  TROUPE_ASSIGN_OR_RETURN(BoundFunction f, bound_function(context, "f", 1 + width, context.num_inputs()));
  Element state;
  for (int i = 0; i < width; ++i) state.push_back(context.input(1 + i));
  const DatasetWalk walk(context);
  const ElementContext& step = walk.step;
  const IteratorPtr iterator = dataset->iterate("ReduceIterator");
  while (true) {
    TROUPE_RETURN_IF_ERROR(step.check());
    TROUPE_ASSIGN_OR_RETURN(std::optional<Element> element, iterator->next(step));
    if (!element.has_value()) return output_components(context, std::move(state));
    state.insert(state.end(), element->begin(), element->end());
    absl::StatusOr<Element> made = f.call(step, std::move(state));
    if (absl::IsOutOfRange(made.status())) {
      return invalid("Function invocation produced OutOfRangeError: ", made.status().message());
    }
    TROUPE_RETURN_IF_ERROR(made.status());
    state = *std::move(made);
    if (static_cast<int>(state.size()) != width) {
      return invalid("The number of components of `initial_state` and of the reducer's result differ: ",
                     width, " and ", state.size());
    }
  }
}

absl::Status single_element(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr dataset, input_dataset(context, 0));
  const ElementContext step = element_context(context);
  const IteratorPtr iterator = dataset->iterate("SingleElementIterator");
  TROUPE_ASSIGN_OR_RETURN(std::optional<Element> element, iterator->next(step));
  if (!element.has_value()) return invalid("Dataset was empty.");
  TROUPE_ASSIGN_OR_RETURN(const std::optional<Element> more, iterator->next(step));
  if (more.has_value()) return invalid("Dataset had more than one element.");
  return output_components(context, *std::move(element));
}

/// As TensorFlow calls datasets in messages.
std::string described(const Dataset& dataset) {
  return absl::StrCat(dataset.origin == nullptr ? dataset.name : dataset.origin->op, "Op::Dataset");
}

absl::Status element_at(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr dataset, input_dataset(context, 0));
  TROUPE_ASSIGN_OR_RETURN(const int64_t index, input_count(context, 1, "index"));
  const int64_t count = dataset->cardinality;
  if (count < 0) {
    return absl::FailedPreconditionError(absl::StrCat("Dataset of type ", described(*dataset), " has ",
                                                      count == kInfiniteCardinality ? "infinite" : "unknown",
                                                      " cardinality, which does not support random access."));
  }
  if (index < 0 || index >= count) {
    return absl::OutOfRangeError(absl::StrCat("Index out of range [0, ", count, "):", index));
  }
  if (dataset->at == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat("Random access is not implemented for dataset ", described(*dataset)));
  }
  const DatasetWalk walk(context);
  TROUPE_ASSIGN_OR_RETURN(Element element, dataset->at(walk.step, index));
  return output_components(context, std::move(element));
}

absl::Status cardinality(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr dataset, input_dataset(context, 0));
  context.set_output(0, Tensor::scalar<int64_t>(dataset->cardinality));
  return absl::OkStatus();
}

absl::Status get_options(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr dataset, input_dataset(context, 0));
  context.set_output(0, Tensor::string_scalar(dataset->options));
  return absl::OkStatus();
}

absl::Status forward(KernelContext& context) {
  TROUPE_RETURN_IF_ERROR(input_dataset(context, 0).status());
  context.forward_input(0, 0);
  return absl::OkStatus();
}

/// The dataset's elements are keys and values, as scalars or as batches.
absl::Status fill_table(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(auto table, lookup_resource<LookupTable>(context, 0));
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr dataset, input_dataset(context, 1));
  const LookupTable::Options& options = table->options();
  if (dataset->types != std::vector<DataType>{options.key_dtype, options.value_dtype}) {
    return invalid("The dataset must give keys of type ", dtype_name(options.key_dtype),
                   " and values of type ", dtype_name(options.value_dtype));
  }
  if (table->is_initialized()) return absl::OkStatus();
  const DatasetWalk walk(context);
  const ElementContext& step = walk.step;
  const IteratorPtr iterator = dataset->iterate("LookupTable");
  std::vector<Element> rows;
  while (true) {
    TROUPE_RETURN_IF_ERROR(step.check());
    TROUPE_ASSIGN_OR_RETURN(std::optional<Element> element, iterator->next(step));
    if (!element.has_value()) break;
    if ((*element)[0].num_elements() != (*element)[1].num_elements()) {
      return invalid("Keys and values must be as many: ", (*element)[0].num_elements(), " and ",
                     (*element)[1].num_elements());
    }
    for (Tensor& t : *element) t = t.reshaped(Shape{t.num_elements()});
    for (int64_t i = 0; i < (*element)[0].num_elements(); ++i) rows.push_back(slice_of(*element, i));
  }
  if (rows.empty())
    return table->initialize(zeros(options.key_dtype, Shape{0}), zeros(options.value_dtype, Shape{0}));
  const NextElement all = stack_rows(rows);
  TROUPE_RETURN_IF_ERROR(all.status());
  return table->initialize((**all)[0], (**all)[1]);
}

/// Strings as records of a length, its checksum, the bytes and their checksum.
absl::Status write_records(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr dataset, input_dataset(context, 0));
  TROUPE_ASSIGN_OR_RETURN(const std::string path, input_text(context, 1, "filename"));
  TROUPE_ASSIGN_OR_RETURN(const std::string compression, input_text(context, 2, "compression_type"));
  const auto packing = compression_named(compression);
  if (!packing.ok()) return invalid("Unsupported compression_type: ", compression, ".");
  RecordWriter file;
  TROUPE_RETURN_IF_ERROR(file.open(path, *packing));
  const DatasetWalk walk(context);
  const ElementContext& step = walk.step;
  const IteratorPtr iterator = dataset->iterate("ToTFRecordOpIterator");
  while (true) {
    TROUPE_RETURN_IF_ERROR(step.check());
    TROUPE_ASSIGN_OR_RETURN(std::optional<Element> element, iterator->next(step));
    if (!element.has_value()) return file.commit();
    if (element->size() != 1 || (*element)[0].dtype() != DataType::kString || !is_scalar((*element)[0])) {
      return invalid("DatasetToTFRecord writes elements that are string scalars");
    }
    TROUPE_RETURN_IF_ERROR(file.write((*element)[0].value<TString>().view()));
  }
}

}  // namespace

void register_dataset_values(KernelRegistry* registry) {
  add_waiting_kernel(registry, "ReduceDataset", reduce);
  add_waiting_kernel(registry, "DatasetToSingleElement", single_element);
  add_waiting_kernel(registry, "GetElementAtIndex", element_at);
  add_waiting_kernel(registry, "InitializeTableFromDataset", fill_table);
  for (const char* op : {"DatasetToTFRecord", "ExperimentalDatasetToTFRecord"}) {
    add_waiting_kernel(registry, op, write_records);
  }
  for (const char* op : {"DatasetCardinality", "ExperimentalDatasetCardinality"}) {
    registry->add(KernelDef(op).fn(cardinality, /*cheap=*/true));
  }
  registry->add(KernelDef("GetOptions").fn(get_options, /*cheap=*/true));
  for (const char* op : {"WrapDatasetVariant", "UnwrapDatasetVariant"}) {
    registry->add(KernelDef(op).fn(forward, /*cheap=*/true));
  }
}

}  // namespace troupe
