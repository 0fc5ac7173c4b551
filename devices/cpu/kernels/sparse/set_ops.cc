// Sets in the last dimension: DenseToDenseSetOperation, DenseToSparseSetOperation,
// SparseToSparseSetOperation, SetSize.
#include <map>
#include <string>

#include "absl/strings/ascii.h"
#include "devices/cpu/kernels/sparse/parts.h"

namespace troupe {
namespace {

enum class SetOp { kIntersection, kUnion, kAMinusB, kBMinusA };

absl::StatusOr<SetOp> parse_operation(const std::string& text) {
  const std::string lower = absl::AsciiStrToLower(text);
  if (lower == "intersection") return SetOp::kIntersection;
  if (lower == "union") return SetOp::kUnion;
  if (lower == "a-b") return SetOp::kAMinusB;
  if (lower == "b-a") return SetOp::kBMinusA;
  return invalid("Invalid set_operation ", text, ".");
}

/// A set: sorted values without repetitions.
template <class V>
using Set = std::vector<V>;
/// The sets of an operand by the indices of all dimensions but the last; groups without values may be
/// missing.
template <class V>
using Sets = std::map<std::vector<int64_t>, Set<V>>;

/// Integers of all widths are handled as int64, strings as views of the input.
template <class V>
V value_at(const Tensor& t, int64_t i) {
  if constexpr (std::is_same_v<V, int64_t>) {
    return int_at(t, i);
  } else {
    return t.flat<TString>()[i].view();
  }
}

template <class V>
void tidy(Set<V>* set) {
  std::sort(set->begin(), set->end());
  set->erase(std::unique(set->begin(), set->end()), set->end());
}

template <class V>
Sets<V> dense_sets(const Tensor& t) {
  Sets<V> sets;
  const int groups = t.rank() - 1;
  const int64_t width = t.dim(groups);
  if (t.num_elements() == 0) return sets;
  std::vector<int64_t> key(static_cast<size_t>(groups), 0);
  for (int64_t g = 0; g < t.num_elements() / width; ++g) {
    int64_t rest = g;
    for (int d = groups - 1; d >= 0; --d) {
      key[d] = rest % t.dim(d);
      rest /= t.dim(d);
    }
    Set<V>& set = sets[key];
    for (int64_t i = 0; i < width; ++i) set.push_back(value_at<V>(t, g * width + i));
    tidy(&set);
  }
  return sets;
}

template <class V>
Sets<V> sparse_sets(const Sparse& s) {
  Sets<V> sets;
  std::vector<int64_t> key;
  for (int64_t i = 0; i < s.nnz(); ++i) {
    key.assign(s.row(i), s.row(i) + s.rank() - 1);
    sets[key].push_back(value_at<V>(*s.values, i));
  }
  for (auto& [k, set] : sets) tidy(&set);
  return sets;
}

template <class V>
Set<V> combine(SetOp op, const Set<V>& a, const Set<V>& b) {
  Set<V> out;
  auto to = std::back_inserter(out);
  switch (op) {
    case SetOp::kIntersection: std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), to); break;
    case SetOp::kUnion: std::set_union(a.begin(), a.end(), b.begin(), b.end(), to); break;
    case SetOp::kAMinusB: std::set_difference(a.begin(), a.end(), b.begin(), b.end(), to); break;
    case SetOp::kBMinusA: std::set_difference(b.begin(), b.end(), a.begin(), a.end(), to); break;
  }
  return out;
}

void set_value(Tensor* t, int64_t i, int64_t v) {
  switch (t->dtype()) {
    case DataType::kInt8: t->flat<int8_t>()[i] = static_cast<int8_t>(v); break;
    case DataType::kInt16: t->flat<int16_t>()[i] = static_cast<int16_t>(v); break;
    case DataType::kUint8: t->flat<uint8_t>()[i] = static_cast<uint8_t>(v); break;
    case DataType::kUint16: t->flat<uint16_t>()[i] = static_cast<uint16_t>(v); break;
    default: set_int(t, i, v); break;
  }
}
void set_value(Tensor* t, int64_t i, absl::string_view v) { t->flat<TString>()[i].assign(v); }

/// What even those who want no validation hear of.
absl::Status check_upper_bounds(const Sparse& s) {
  for (int64_t i = 0; i < s.nnz(); ++i) {
    for (int d = 0; d < s.rank(); ++d) {
      if (s.row(i)[d] >= s.dims[d]) {
        return absl::InternalError(
            absl::StrCat("indices[", i, ", ", d, "] expected < ", s.dims[d], ", got ", s.row(i)[d], "."));
      }
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Sparse> read_set(KernelContext& context, int first, bool validate) {
  const Tensor &indices = context.input(first), &values = context.input(first + 1),
               &shape = context.input(first + 2);
  if (is_vector(shape) && shape.dim(0) < 2) return invalid("Invalid rank ", shape.dim(0), ".");
  if (indices.rank() == 2 && is_vector(values) && indices.dim(0) != values.dim(0)) {
    return invalid("indices and values rows (indexing dimension) must match. (indices = ", indices.dim(0),
                   ", values = ", values.dim(0), ")");
  }
  TROUPE_ASSIGN_OR_RETURN(Sparse s, read_sparse(context, first));
  TROUPE_RETURN_IF_ERROR(validate ? check_indices(s.row(0), s.nnz(), s.dims, true) : check_upper_bounds(s));
  return s;
}

/// The shape of the groups: all dimensions but the last.
absl::StatusOr<Indices> group_shape(const Tensor& t) {
  if (t.rank() < 2) return invalid("Shape ", t.shape().to_string(), " has rank ", t.rank(), " < 2");
  return Indices(t.shape().dims().begin(), t.shape().dims().end() - 1);
}
Indices group_shape(const Sparse& s) { return Indices(s.dims.begin(), s.dims.end() - 1); }

enum class Operands { kDenseDense, kDenseSparse, kSparseSparse };

template <Operands kOperands>
class SetOperation final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("validate_indices", &validate_); }
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(std::string text, c.attr<std::string>("set_operation"));
    TROUPE_ASSIGN_OR_RETURN(op_, parse_operation(text));
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& context) override {
    return context.output_type(1) == DataType::kString ? run<absl::string_view>(context)
                                                       : run<int64_t>(context);
  }

 private:
  static constexpr bool kFirstSparse = kOperands == Operands::kSparseSparse;
  static constexpr bool kSecondSparse = kOperands != Operands::kDenseDense;

  template <class V, bool kSparse>
  absl::StatusOr<Sets<V>> read(KernelContext& context, int first, Indices* groups) const {
    if constexpr (kSparse) {
      TROUPE_ASSIGN_OR_RETURN(Sparse s, read_set(context, first, validate_));
      *groups = group_shape(s);
      return sparse_sets<V>(s);
    } else {
      TROUPE_ASSIGN_OR_RETURN(*groups, group_shape(context.input(first)));
      return dense_sets<V>(context.input(first));
    }
  }

  template <class V>
  absl::Status run(KernelContext& context) const {
    Indices groups, other;
    TROUPE_ASSIGN_OR_RETURN(Sets<V> a, (read<V, kFirstSparse>(context, 0, &groups)));
    TROUPE_ASSIGN_OR_RETURN(Sets<V> b, (read<V, kSecondSparse>(context, kFirstSparse ? 3 : 1, &other)));
    if (groups != other) {
      return invalid("Mismatched shapes ", bracketed(groups.data(), static_cast<int>(groups.size())), " vs ",
                     bracketed(other.data(), static_cast<int>(other.size())));
    }
    // Every group of either side, in order.
    for (auto& [key, set] : b) a[key];
    static const Set<V> kNone;
    Sets<V> results;
    int64_t total = 0, widest = 0;
    for (auto& [key, set] : a) {
      auto it = b.find(key);
      Set<V> result = combine(op_, set, it == b.end() ? kNone : it->second);
      total += static_cast<int64_t>(result.size());
      widest = std::max(widest, static_cast<int64_t>(result.size()));
      if (!result.empty()) results.emplace(key, std::move(result));
    }
    return write<V>(context, results, groups, total, widest);
  }

  template <class V>
  absl::Status write(KernelContext& context, const Sets<V>& sets, Indices dims, int64_t total,
                     int64_t widest) const {
    dims.push_back(widest);
    const auto rank = static_cast<int64_t>(dims.size());
    TROUPE_ASSIGN_OR_RETURN(Tensor * indices, context.allocate_output(0, Shape{total, rank}));
    TROUPE_ASSIGN_OR_RETURN(Tensor * values, context.allocate_output(1, Shape{total}));
    int64_t* to = indices->flat<int64_t>().data();
    int64_t at = 0;
    for (const auto& [key, set] : sets) {
      for (size_t i = 0; i < set.size(); ++i, ++at) {
        std::copy(key.begin(), key.end(), to + at * rank);
        to[at * rank + rank - 1] = static_cast<int64_t>(i);
        set_value(values, at, set[i]);
      }
    }
    return output_dims(context, 2, dims);
  }

  SetOp op_ = SetOp::kUnion;
  bool validate_ = true;
};

class SetSize final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("validate_indices", &validate_); }
  absl::Status compute(KernelContext& context) override {
    return context.input_type(1) == DataType::kString ? run<absl::string_view>(context)
                                                      : run<int64_t>(context);
  }

 private:
  template <class V>
  absl::Status run(KernelContext& context) const {
    TROUPE_ASSIGN_OR_RETURN(Sparse s, read_set(context, 0, validate_));
    const Indices groups = group_shape(s);
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({groups.data(), groups.size()}));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    fill_zero(context.parallel(), out->dtype(), out->raw(), out->num_elements());
    const Indices strides = strides_of(shape);
    for (const auto& [key, set] : sparse_sets<V>(s)) {
      if (!within(key.data(), groups)) {
        return invalid("Set index ", bracketed(key.data(), static_cast<int>(key.size())),
                       " is out of bounds of ", shape.to_string());
      }
      int64_t at = 0;
      for (size_t d = 0; d < key.size(); ++d) at += key[d] * strides[d];
      out->flat<int32_t>()[at] = static_cast<int32_t>(set.size());
    }
    return absl::OkStatus();
  }

  bool validate_ = true;
};

}  // namespace

void register_sparse_set_ops(KernelRegistry* registry) {
  const std::vector<DataType> types = {DataType::kInt8,  DataType::kInt16, DataType::kInt32,
                                       DataType::kInt64, DataType::kUint8, DataType::kUint16,
                                       DataType::kString};
  registry->add(
      KernelDef("DenseToDenseSetOperation").types("T", types).kernel<SetOperation<Operands::kDenseDense>>());
  registry->add(KernelDef("DenseToSparseSetOperation")
                    .types("T", types)
                    .kernel<SetOperation<Operands::kDenseSparse>>());
  registry->add(KernelDef("SparseToSparseSetOperation")
                    .types("T", types)
                    .kernel<SetOperation<Operands::kSparseSparse>>());
  registry->add(KernelDef("SetSize").types("T", types).kernel<SetSize>());
}

}  // namespace troupe
