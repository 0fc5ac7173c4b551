// Tuples of a queue: checked against its components, cut out of rows and joined to them.
#include <algorithm>

#include "devices/cpu/kernels/queue/tuple_queue.h"
#include "devices/cpu/kernels/shared/array_util.h"

namespace troupe {
namespace {

PartialShape with_leading(int64_t rows, const PartialShape& shape) {
  if (!shape.known_rank()) return shape;
  std::vector<int64_t> dims = shape.dims();
  dims.insert(dims.begin(), rows);
  return PartialShape(std::move(dims));
}

}  // namespace

absl::Status Queue::check_tuple(const Tuple& tuple) const {
  if (tuple.size() != options_.types.size()) {
    return invalid("Wrong number of components in tuple. Expected ", options_.types.size(), ", got ",
                   tuple.size());
  }
  for (size_t i = 0; i < tuple.size(); ++i) {
    if (tuple[i].dtype() != options_.types[i]) {
      return invalid("Type mismatch in tuple component ", i, ". Expected ", dtype_name(options_.types[i]),
                     ", got ", dtype_name(tuple[i].dtype()));
    }
    if (options_.shapes.empty()) continue;
    if (!options_.shapes[i].compatible_with(tuple[i].shape())) {
      return invalid("Shape mismatch in tuple component ", i, ". Expected ", options_.shapes[i].to_string(),
                     ", got ", tuple[i].shape().to_string());
    }
  }
  if (options_.kind == QueueKind::kPriority && !is_scalar(tuple[0])) {
    return invalid("Expected priority element to be a scalar, but received shape: ",
                   tuple[0].shape().to_string());
  }
  return absl::OkStatus();
}

absl::Status Queue::check_rows(const Tuple& rows) const {
  if (rows.size() != options_.types.size()) {
    return invalid("Wrong number of components in tuple. Expected ", options_.types.size(), ", got ",
                   rows.size());
  }
  int64_t count = -1;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].dtype() != options_.types[i]) {
      return invalid("Type mismatch in tuple component ", i, ". Expected ", dtype_name(options_.types[i]),
                     ", got ", dtype_name(rows[i].dtype()));
    }
    const Shape& shape = rows[i].shape();
    const PartialShape any;
    const PartialShape& element = options_.shapes.empty() ? any : options_.shapes[i];
    const int64_t own = shape.rank() > 0 ? shape.dim(0) : -1;
    const int64_t expected = count >= 0 ? count : own;
    const PartialShape wanted = with_leading(expected, element);
    if (shape.rank() == 0 || own != expected || !wanted.compatible_with(shape)) {
      if (!element.known_rank()) {
        return invalid("All input tensors must have the same size in the 0th dimension. Component ", i,
                       " has ", own, ", and should have ", expected);
      }
      return invalid("Shape mismatch in tuple component ", i, ". Expected ", wanted.to_string(), ", got ",
                     shape.to_string());
    }
    count = own;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::deque<Queue::Tuple>> Queue::split_rows(const Tuple& rows) const {
  std::deque<Tuple> tuples(static_cast<size_t>(rows.empty() ? 0 : rows[0].dim(0)));
  for (Tuple& t : tuples) t.reserve(rows.size());
  for (const Tensor& component : rows) {
    Shape row = component.shape();
    row.remove_dim(0);
    int64_t offset = 0;
    for (Tuple& t : tuples) {
      TROUPE_ASSIGN_OR_RETURN(Tensor part, Tensor::make(component.dtype(), row));
      copy_elements(component, offset, part, 0, part.num_elements());
      offset += part.num_elements();
      t.push_back(std::move(part));
    }
  }
  return tuples;
}

absl::StatusOr<Tensor> Queue::join_padded(const std::deque<Tuple>& tuples, size_t component) const {
  std::vector<int64_t> dims = options_.shapes[component].dims();
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] >= 0) continue;
    for (const Tuple& t : tuples) dims[d] = std::max(dims[d], t[component].dim(static_cast<int>(d)));
    dims[d] = std::max<int64_t>(dims[d], 0);
  }
  const std::vector<int64_t> row = dims;
  dims.insert(dims.begin(), static_cast<int64_t>(tuples.size()));
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make(dims));
  TROUPE_ASSIGN_OR_RETURN(Tensor out, Tensor::make(options_.types[component], shape));
  fill_zero(*serial_runner(), out.dtype(), out.raw(), out.num_elements());
  const int64_t step = tuples.empty() ? 0 : out.num_elements() / static_cast<int64_t>(tuples.size());
  int64_t offset = 0;
  for (const Tuple& t : tuples) {
    const Tensor& from = t[component];
    if (from.num_elements() > 0) {
      const Indices from_strides = strides_of(from.shape());
      Box box;
      for (int d = 0; d < from.rank(); ++d) {
        box.add(from.dim(d), from_strides[d], count_dims(shape, d + 2, shape.rank()));
      }
      copy_box(*serial_runner(), from.dtype(), box, from.raw(), element_at(out, offset));
    }
    offset += step;
  }
  return out;
}

absl::StatusOr<Queue::Tuple> Queue::join(const std::deque<Tuple>& tuples) const {
  Tuple joined;
  joined.reserve(options_.types.size());
  for (size_t i = 0; i < options_.types.size(); ++i) {
    if (options_.kind == QueueKind::kPaddingFifo) {
      TROUPE_ASSIGN_OR_RETURN(Tensor out, join_padded(tuples, i));
      joined.push_back(std::move(out));
      continue;
    }
    std::vector<int64_t> dims = options_.shapes[i].dims();
    dims.insert(dims.begin(), static_cast<int64_t>(tuples.size()));
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make(dims));
    TROUPE_ASSIGN_OR_RETURN(Tensor out, Tensor::make(options_.types[i], shape));
    int64_t offset = 0;
    for (const Tuple& t : tuples) {
      copy_elements(t[i], 0, out, offset, t[i].num_elements());
      offset += t[i].num_elements();
    }
    joined.push_back(std::move(out));
  }
  return joined;
}

}  // namespace troupe
