// Several elements as one, and one as several: batches of all kinds.

#include <algorithm>

#include "devices/cpu/kernels/dataset/call.h"
#include "devices/cpu/kernels/dataset/core.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/shared/tensor_variant.h"

namespace troupe {
namespace {

int64_t batches_of(int64_t n, int64_t size, bool drop_remainder) {
  return n < 0 ? n : n / size + (n % size != 0 && !drop_remainder ? 1 : 0);
}

absl::StatusOr<int64_t> batch_size_of(const KernelContext& context, int i) {
  TROUPE_ASSIGN_OR_RETURN(const int64_t size, input_count(context, i, "batch_size"));
  if (size <= 0) return invalid("Batch size must be greater than zero.");
  return size;
}

using RowCheck = std::function<absl::Status(const Element&)>;

/// Collects up to `size` rows, each of which the check must let pass. `done` is set at the end of the input.
absl::StatusOr<std::vector<Element>> collect(const ElementContext& step, DatasetIterator& input, int64_t size,
                                             const RowCheck& check, bool* done) {
  std::vector<Element> rows;
  while (!*done && static_cast<int64_t>(rows.size()) < size) {
    TROUPE_RETURN_IF_ERROR(step.check());
    TROUPE_ASSIGN_OR_RETURN(std::optional<Element> row, input.next(step));
    if (!row.has_value()) {
      *done = true;
      break;
    }
    if (check != nullptr) TROUPE_RETURN_IF_ERROR(check(*row));
    rows.push_back(*std::move(row));
  }
  return rows;
}

/// A dataset that makes one element of up to `size` rows, with `pack`.
template <class Pack>
std::shared_ptr<Dataset> make_packed(const char* label, const DatasetPtr& input, int64_t size, bool drop,
                                     Pack pack, RowCheck check = nullptr) {
  auto dataset = make_dataset(label, {input}, [input, size, drop, pack, check](const std::string& name) {
    return iterator_of([in = input->iterate(name), size, drop, pack, check,
                        done = false](const ElementContext& step) mutable -> NextElement {
      TROUPE_ASSIGN_OR_RETURN(const std::vector<Element> rows, collect(step, *in, size, check, &done));
      if (rows.empty() || (drop && static_cast<int64_t>(rows.size()) < size)) return std::nullopt;
      return pack(rows);
    });
  });
  dataset->cardinality = batches_of(input->cardinality, size, drop);
  return dataset;
}

/// One batch of an input whose elements are known by their numbers.
Dataset::At batch_at(const DatasetPtr& input, int64_t size) {
  return [input, size](const ElementContext& step, int64_t i) -> absl::StatusOr<Element> {
    std::vector<Element> rows;
    for (int64_t at = i * size; at < input->cardinality && at - i * size < size; ++at) {
      TROUPE_RETURN_IF_ERROR(step.check());
      TROUPE_ASSIGN_OR_RETURN(Element row, input->at(step, at));
      rows.push_back(std::move(row));
    }
    NextElement batch = stack_rows(rows);
    TROUPE_RETURN_IF_ERROR(batch.status());
    return std::move(**batch);
  };
}

/// BatchDataset, BatchDatasetV2 (drop_remainder) and ParallelBatchDataset (num_parallel_calls,
/// drop_remainder).
absl::Status make_batch(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr input, input_dataset(context, 0));
  TROUPE_ASSIGN_OR_RETURN(const int64_t size, batch_size_of(context, 1));
  const int last = context.num_inputs() - 1;
  bool drop = false;
  if (last > 1) {
    TROUPE_ASSIGN_OR_RETURN(drop, input_flag(context, last, "drop_remainder"));
  }
  auto dataset = make_packed(last > 2 ? "ParallelBatch" : "BatchV2", input, size, drop, stack_rows);
  // What TensorFlow does not tell of parallel batches is not told here.
  if (last <= 2) {
    dataset->batch_size = size;
    if (input->at != nullptr) dataset->at = batch_at(input, size);
    if (!drop) {
      dataset->indexable.Update(absl::FailedPreconditionError(absl::StrCat(
          context.node().op->name, " does not support global shuffling with `drop_remainder=False`.")));
    }
  }
  return output_dataset(context, std::move(dataset));
}

/// What rows are padded to, by component.
struct Paddings {
  std::vector<PartialShape> shapes;
  Element values;

  NextElement pack(const std::vector<Element>& rows) const {
    Element batch;
    for (size_t c = 0; c < shapes.size(); ++c) {
      TROUPE_ASSIGN_OR_RETURN(Tensor packed, pack_component(rows, c));
      batch.push_back(std::move(packed));
    }
    return batch;
  }

 private:
  absl::StatusOr<Tensor> pack_component(const std::vector<Element>& rows, size_t c) const {
    const std::vector<int64_t> wanted = shapes[c].dims();
    std::vector<int64_t> dims = {static_cast<int64_t>(rows.size())};
    for (size_t d = 0; d < wanted.size(); ++d) dims.push_back(std::max<int64_t>(wanted[d], 0));
    for (const Element& row : rows) {
      if (c >= row.size() || row[c].dtype() != values[c].dtype()) {
        return invalid("Cannot batch elements of different types in component ", c);
      }
      if (row[c].rank() != static_cast<int>(wanted.size())) {
        return invalid("All elements in a batch must have the same rank as the padded shape for component", c,
                       ": expected rank ", wanted.size(), " but got element with rank ", row[c].rank());
      }
      for (size_t d = 0; d < wanted.size(); ++d) {
        const int64_t size = row[c].dim(static_cast<int>(d));
        if (wanted[d] < 0) dims[d + 1] = std::max(dims[d + 1], size);
        if (size > dims[d + 1]) {
          return absl::DataLossError("Attempted to pad to a smaller size than the input element.");
        }
      }
    }
    TROUPE_ASSIGN_OR_RETURN(const Shape all, Shape::make(dims));
    TROUPE_ASSIGN_OR_RETURN(Tensor out, Tensor::make(values[c].dtype(), all));
    const int64_t stride = count_dims(all, 1, all.rank());
    for (size_t r = 0; r < rows.size(); ++r)
      place(rows[r][c], values[c], static_cast<int64_t>(r) * stride, &out);
    return out;
  }

  /// The row in the corner of its box of `out`, which begins at `at`; the padding value around it.
  static void place(const Tensor& row, const Tensor& value, int64_t at, Tensor* out) {
    const int64_t stride = count_dims(out->shape(), 1, out->rank());
    if (row.num_elements() != stride) {
      for (int64_t i = 0; i < stride; ++i) copy_elements(value, 0, *out, at + i, 1);
    }
    if (row.num_elements() == 0) return;
    const int rank = row.rank();
    const Indices strides = strides_of(out->shape());
    const int64_t run = rank == 0 ? 1 : row.dim(rank - 1);
    Indices index(static_cast<size_t>(rank));
    for (int64_t from = 0; from < row.num_elements(); from += run) {
      int64_t to = at;
      for (int d = 0; d + 1 < rank; ++d)
        to += index[static_cast<size_t>(d)] * strides[static_cast<size_t>(d) + 1];
      copy_elements(row, from, *out, to, run);
      for (int d = rank - 2; d >= 0; --d) {
        if (++index[static_cast<size_t>(d)] < row.dim(d)) break;
        index[static_cast<size_t>(d)] = 0;
      }
    }
  }
};

absl::StatusOr<PartialShape> padded_shape_of(const Tensor& t) {
  if (!is_vector(t)) return invalid("All padded shapes must be vectors");
  std::vector<int64_t> dims;
  for (int64_t i = 0; i < t.num_elements(); ++i) dims.push_back(std::max<int64_t>(int_at(t, i), -1));
  return PartialShape(std::move(dims));
}

absl::Status make_padded_batch(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr input, input_dataset(context, 0));
  TROUPE_ASSIGN_OR_RETURN(const int64_t size, batch_size_of(context, 1));
  TROUPE_ASSIGN_OR_RETURN(const int64_t n, context.node().attrs.get<int64_t>("N"));
  const int width = static_cast<int>(n);
  bool drop = false;
  if (context.num_inputs() > 2 + 2 * width) {
    TROUPE_ASSIGN_OR_RETURN(drop, input_flag(context, 2 + 2 * width, "drop_remainder"));
  }
  if (static_cast<size_t>(width) != input->shapes.size()) {
    return invalid("Number of padded shapes (", width,
                   ") must match the number of components in the input dataset's elements (",
                   input->shapes.size(), ")");
  }
  auto paddings = std::make_shared<Paddings>();
  for (int i = 0; i < width; ++i) {
    TROUPE_ASSIGN_OR_RETURN(PartialShape shape, padded_shape_of(context.input(2 + i)));
    paddings->shapes.push_back(std::move(shape));
    const Tensor& value = context.input(2 + width + i);
    if (!is_scalar(value))
      return invalid("All padding values must be scalars; but got shape: ", value.shape().to_string());
    if (value.dtype() != input->types[static_cast<size_t>(i)]) {
      return invalid("Mismatched type between padding value ", i, " and input dataset's component ", i, ": ",
                     dtype_name(value.dtype()), " vs. ", dtype_name(input->types[static_cast<size_t>(i)]));
    }
    paddings->values.push_back(value);
  }
  auto dataset = make_packed("PaddedBatchV2", input, size, drop,
                             [paddings](const auto& rows) { return paddings->pack(rows); });
  dataset->batch_size = size;
  return output_dataset(context, std::move(dataset));
}

/// InvalidArgument or DataLoss for an element that does not fit into a row of this shape; below 0 anything
/// fits.
absl::Status check_sparse_row(const Element& row, const std::vector<int64_t>& row_shape) {
  if (row.size() != 1) return invalid("DenseToSparseBatchDataset takes elements of one component");
  const auto shapes = [&](const char* what) {
    return absl::StrCat("Input element had shape (", row[0].shape().to_string(), ") that is ", what,
                        " the row shape (", PartialShape(row_shape).to_string(), ").");
  };
  if (row[0].rank() != static_cast<int>(row_shape.size())) return invalid(shapes("incompatible with"));
  for (int d = 0; d < row[0].rank(); ++d) {
    const int64_t limit = row_shape[static_cast<size_t>(d)];
    if (limit >= 0 && row[0].dim(d) > limit) return absl::DataLossError(shapes("larger than"));
  }
  return absl::OkStatus();
}

/// Rows as one sparse tensor: indices, values and shape, as variants. Dimensions of `row_shape` below 0 are
/// as large as the largest row's.
NextElement pack_sparse(const std::vector<Element>& rows, const std::vector<int64_t>& row_shape) {
  const int rank = static_cast<int>(row_shape.size());
  std::vector<int64_t> dims = row_shape;
  for (int64_t& d : dims) d = std::max<int64_t>(d, 0);
  int64_t count = 0;
  for (const Element& row : rows) {
    for (int d = 0; d < rank; ++d) {
      const auto i = static_cast<size_t>(d);
      dims[i] = std::max(dims[i], row[0].dim(d));
    }
    count += row[0].num_elements();
  }
  TROUPE_ASSIGN_OR_RETURN(const Shape index_shape, Shape::make(std::vector<int64_t>{count, rank + 1}));
  TROUPE_ASSIGN_OR_RETURN(Tensor indices, Tensor::make(DataType::kInt64, index_shape));
  Tensor values(rows[0][0].dtype(), Shape{count});
  Tensor shape(DataType::kInt64, Shape{rank + 1});
  int64_t* out = indices.flat<int64_t>().data();
  int64_t at = 0;
  for (size_t r = 0; r < rows.size(); ++r) {
    const Tensor& row = rows[r][0];
    const Indices strides = strides_of(row.shape());
    copy_elements(row, 0, values, at, row.num_elements());
    at += row.num_elements();
    for (int64_t i = 0; i < row.num_elements(); ++i) {
      *out++ = static_cast<int64_t>(r);
      for (int d = 0; d < rank; ++d) *out++ = i / strides[static_cast<size_t>(d)] % row.dim(d);
    }
  }
  shape.flat<int64_t>()[0] = static_cast<int64_t>(rows.size());
  for (int d = 0; d < rank; ++d)
    shape.flat<int64_t>()[static_cast<size_t>(d) + 1] = dims[static_cast<size_t>(d)];
  Tensor parts(DataType::kVariant, Shape{3});
  parts.flat<Variant>()[0] = Variant(std::make_shared<TensorVariant>(std::move(indices)));
  parts.flat<Variant>()[1] = Variant(std::make_shared<TensorVariant>(std::move(values)));
  parts.flat<Variant>()[2] = Variant(std::make_shared<TensorVariant>(std::move(shape)));
  return Element{std::move(parts)};
}

absl::Status make_dense_to_sparse(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr input, input_dataset(context, 0));
  TROUPE_ASSIGN_OR_RETURN(const int64_t size, batch_size_of(context, 1));
  const Tensor& shape = context.input(2);
  if (!is_vector(shape)) return invalid("row_shape must be a vector");
  if (input->types.size() != 1)
    return invalid("DenseToSparseDataset only supports inputs with a single component.");
  std::vector<int64_t> row_shape;
  for (int64_t i = 0; i < shape.num_elements(); ++i)
    row_shape.push_back(std::max<int64_t>(int_at(shape, i), -1));
  auto dataset = make_packed(
      "DenseToSparseBatch", input, size, false,
      [row_shape](const auto& rows) { return pack_sparse(rows, row_shape); },
      [row_shape](const Element& row) { return check_sparse_row(row, row_shape); });
  return output_dataset(context, std::move(dataset));
}

/// InvalidArgument when a row does not fit to the first one.
absl::Status fits(const Element& first, const Element& row) {
  for (size_t c = 0; c < first.size() && c < row.size(); ++c) {
    if (first[c].num_elements() != row[c].num_elements()) {
      return invalid(
          "Cannot add tensor to the batch: number of elements does not match. Shapes are: [tensor]: ",
          row[c].shape().to_string(), ", [batch]: ", first[c].shape().to_string());
    }
  }
  return absl::OkStatus();
}

/// MapAndBatchDataset: batches of what the function makes of elements. A batch with an error in it is lost.
absl::Status make_map_and_batch(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr input, input_dataset(context, 0));
  const int end = context.num_inputs() - 3;
  TROUPE_ASSIGN_OR_RETURN(BoundFunction f, bound_function(context, "f", 1, end));
  TROUPE_ASSIGN_OR_RETURN(const int64_t size, input_count(context, end, "batch_size"));
  TROUPE_ASSIGN_OR_RETURN(const int64_t calls, input_count(context, end + 1, "num_parallel_calls"));
  TROUPE_ASSIGN_OR_RETURN(const bool drop, input_flag(context, end + 2, "drop_remainder"));
  if (size <= 0) return invalid("batch_size must be greater than zero.");
  TROUPE_RETURN_IF_ERROR(check_parallel_calls(calls));
  const bool preserve = context.node().attrs.get_or("preserve_cardinality", false);
  const std::string label = dataset_label(context);
  auto dataset = make_dataset("MapAndBatch", {input}, [=](const std::string& name) {
    return iterator_of([in = input->iterate(name), f, size, drop, preserve, name, label,
                        done = false](const ElementContext& step) mutable -> NextElement {
      std::vector<Element> rows;
      absl::Status status;
      int64_t taken = 0;
      for (; !done && taken < size; ++taken) {
        TROUPE_RETURN_IF_ERROR(step.check());
        TROUPE_ASSIGN_OR_RETURN(std::optional<Element> element, in->next(step));
        if (!element.has_value()) {
          done = true;
          break;
        }
        absl::StatusOr<Element> made = f.call(step, *std::move(element));
        if (made.ok() && !rows.empty() && status.ok()) status.Update(fits(rows[0], *made));
        if (made.ok()) {
          rows.push_back(*std::move(made));
        } else if (absl::IsOutOfRange(made.status()) && !preserve) {
          done = true;
        } else {
          status.Update(in_function_of(label, name, made.status()));
        }
      }
      TROUPE_RETURN_IF_ERROR(status);
      if (rows.empty() || (drop && static_cast<int64_t>(rows.size()) < size)) return std::nullopt;
      return stack_rows(rows);
    });
  });
  dataset->blocks = true;
  dataset->batch_size = size;
  dataset->cardinality = preserve ? batches_of(input->cardinality, size, drop) : kUnknownCardinality;
  return output_dataset(context, std::move(dataset));
}

}  // namespace

void register_dataset_batches(KernelRegistry* registry) {
  const auto add = [registry](std::initializer_list<const char*> ops, KernelFn fn) {
    for (const char* op : ops) registry->add(KernelDef(op).fn(fn, /*cheap=*/true));
  };
  add({"BatchDataset", "BatchDatasetV2", "ParallelBatchDataset"}, make_batch);
  add({"PaddedBatchDataset", "PaddedBatchDatasetV2"}, make_padded_batch);
  add({"DenseToSparseBatchDataset", "ExperimentalDenseToSparseBatchDataset"}, make_dense_to_sparse);
  add({"MapAndBatchDataset", "ExperimentalMapAndBatchDataset"}, make_map_and_batch);
}

}  // namespace troupe
