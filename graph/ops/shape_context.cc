#include "graph/ops/shape_context.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace troupe {
namespace {

const Known& nothing() {
  static const Known* const kNothing = new Known;
  return *kNothing;
}

uint64_t bit(int i) { return i >= 0 && i < 64 ? uint64_t{1} << i : 0; }

/// Inputs beyond the 64th are always shown.
bool shows(uint64_t mask, int i) { return bit(i) == 0 || (mask & bit(i)) != 0; }

template <class T>
std::shared_ptr<const KnownInts> read_ints(const Tensor& t) {
  auto ints = std::make_shared<KnownInts>();
  ints->shape = t.shape();
  auto flat = t.flat<T>();
  ints->values.assign(flat.begin(), flat.end());
  return ints;
}

}  // namespace

bool KnownInts::all_known() const {
  return std::find(values.begin(), values.end(), kUnknown) == values.end();
}

std::shared_ptr<const KnownInts> known_ints(const Tensor& constant) {
  if (!constant.initialized() || constant.num_elements() > KnownInts::kMaxElements) return nullptr;
  switch (constant.dtype()) {
    case DataType::kInt8: return read_ints<int8_t>(constant);
    case DataType::kInt16: return read_ints<int16_t>(constant);
    case DataType::kInt32: return read_ints<int32_t>(constant);
    case DataType::kInt64: return read_ints<int64_t>(constant);
    case DataType::kUint8: return read_ints<uint8_t>(constant);
    case DataType::kUint16: return read_ints<uint16_t>(constant);
    case DataType::kUint32: return read_ints<uint32_t>(constant);
    default: return nullptr;
  }
}

ShapeContext::ShapeContext(const OpDef* op, const AttrMap* attrs, std::span<const Known* const> inputs,
                           std::span<Known> outputs)
    : op_(op), attrs_(attrs), inputs_(inputs), outputs_(outputs) {
  for (Known& out : outputs_) out = Known();
}

DataType ShapeContext::input_dtype(int i) const {
  if (!types_) {
    types_.emplace();
    if (!op_types(*op_, *attrs_, &types_->first, &types_->second).ok()) types_.emplace();
  }
  return i >= 0 && i < static_cast<int>(types_->first.size()) ? base_type(types_->first[i])
                                                              : DataType::kInvalid;
}

DataType ShapeContext::output_dtype(int i) const {
  input_dtype(0);
  return i >= 0 && i < static_cast<int>(types_->second.size()) ? base_type(types_->second[i])
                                                               : DataType::kInvalid;
}

const Known& ShapeContext::known(int i) const {
  if (i < 0 || i >= num_inputs() || inputs_[i] == nullptr) return nothing();
  return *inputs_[i];
}

int64_t ShapeContext::input_dim(int i, int d) const {
  const PartialShape& shape = input(i);
  if (!shape.known_rank()) return PartialShape::kUnknownDim;
  if (d < 0) d += shape.rank();
  return d >= 0 && d < shape.rank() ? shape.dim(d) : PartialShape::kUnknownDim;
}

void ShapeContext::set_output(int i, PartialShape shape) {
  if (i >= 0 && i < num_outputs()) outputs_[i].shape = std::move(shape);
}

void ShapeContext::set_output_ints(int i, std::shared_ptr<const KnownInts> ints) {
  if (i < 0 || i >= num_outputs() || ints == nullptr) return;
  outputs_[i].ints = std::move(ints);
}

void ShapeContext::set_output_handle(int i, HandleShapes shapes) {
  if (i >= 0 && i < num_outputs())
    outputs_[i].handle = std::make_shared<const HandleShapes>(std::move(shapes));
}

void ShapeContext::set_output_known(int i, Known known) {
  if (i >= 0 && i < num_outputs()) outputs_[i] = std::move(known);
}

const Tensor* ShapeContext::constant(int i) const {
  asked_.elements |= bit(i);
  const Known& k = known(i);
  return k.constant.initialized() && shows(shown_.elements, i) ? &k.constant : nullptr;
}

const KnownInts* ShapeContext::ints(int i) const {
  asked_.elements |= bit(i);
  return shows(shown_.elements, i) ? known(i).ints.get() : nullptr;
}

std::optional<std::vector<int64_t>> ShapeContext::all_ints(int i) const {
  const KnownInts* v = ints(i);
  if (v == nullptr || !v->all_known()) return std::nullopt;
  return v->values;
}

std::optional<int64_t> ShapeContext::constant_int(int i) const {
  const KnownInts* v = ints(i);
  if (v == nullptr || v->values.size() != 1 || v->values[0] == KnownInts::kUnknown) return std::nullopt;
  return v->values[0];
}

absl::StatusOr<PartialShape> ShapeContext::input_as_shape(int i, bool scalar_is_unknown) const {
  asked_.shapes |= bit(i);
  const PartialShape& shape = input(i);
  const KnownInts* v = shows(shown_.shapes, i) ? known(i).ints.get() : nullptr;
  if (scalar_is_unknown) {
    if (shape.rank() > 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("Shape must be at most rank 1 but is rank ", shape.rank()));
    }
    if (shape.rank() == 0) {
      if (v == nullptr || v->values.size() != 1 || v->values[0] == -1 ||
          v->values[0] == KnownInts::kUnknown) {
        return PartialShape();
      }
      return absl::InvalidArgumentError(
          absl::StrCat("Received an invalid shape scalar with a static value that is not '-1': Tensor<type: ",
                       dtype_name(input_dtype(i)), " shape: [] values: ", v->values[0], ">"));
    }
  }
  if (shape.known_rank() && shape.rank() != 1) {
    return absl::InvalidArgumentError(absl::StrCat("Shape must be rank 1 but is rank ", shape.rank()));
  }
  if (v != nullptr && v->shape.rank() == 1) {
    std::vector<int64_t> dims;
    for (int64_t d : v->values) {
      if (d < -1 && d != KnownInts::kUnknown) {
        return absl::InvalidArgumentError(absl::StrCat("Invalid value in tensor used for shape: ", d));
      }
      dims.push_back(d < 0 ? PartialShape::kUnknownDim : d);
    }
    if (dims.size() > Shape::kMaxRank) {
      return absl::InvalidArgumentError(
          absl::StrCat("Shape of rank ", dims.size(), " exceeds the maximum rank of ", Shape::kMaxRank));
    }
    return PartialShape(std::move(dims));
  }
  if (shape.known_rank() && shape.dim(0) >= 0 && shape.dim(0) <= Shape::kMaxRank) {
    return PartialShape(std::vector<int64_t>(static_cast<size_t>(shape.dim(0)), PartialShape::kUnknownDim));
  }
  return PartialShape();
}

}  // namespace troupe
