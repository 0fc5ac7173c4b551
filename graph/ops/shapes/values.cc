#include "graph/ops/shapes/values.h"

#include <algorithm>

namespace troupe::shapes {
namespace {

constexpr int64_t kUnknown = KnownInts::kUnknown;

/// Whether an element of this dtype can be `v`; values that wrap are not followed.
bool fits(DataType t, int64_t v) {
  switch (t) {
    case DataType::kInt64: return true;
    case DataType::kInt32:
      return v >= std::numeric_limits<int32_t>::min() && v <= std::numeric_limits<int32_t>::max();
    case DataType::kInt16:
      return v >= std::numeric_limits<int16_t>::min() && v <= std::numeric_limits<int16_t>::max();
    case DataType::kInt8:
      return v >= std::numeric_limits<int8_t>::min() && v <= std::numeric_limits<int8_t>::max();
    case DataType::kUint32: return v >= 0 && v <= std::numeric_limits<uint32_t>::max();
    case DataType::kUint16: return v >= 0 && v <= std::numeric_limits<uint16_t>::max();
    case DataType::kUint8: return v >= 0 && v <= std::numeric_limits<uint8_t>::max();
    default: return false;
  }
}

bool is_followed(DataType t) { return fits(t, 0); }

/// Sets output `i` when there are as many values as its shape says, and any is known.
void set_values(ShapeContext& c, int i, std::vector<int64_t> values) {
  if (i < 0 || i >= c.num_outputs()) return;
  const DataType t = c.output_dtype(i);
  const auto shape = c.output(i).to_shape();
  if (!shape || !is_followed(t) || values.size() > KnownInts::kMaxElements ||
      shape->num_elements() != static_cast<int64_t>(values.size())) {
    return;
  }
  bool any = values.empty();
  for (int64_t& v : values) {
    if (v != kUnknown && !fits(t, v)) v = kUnknown;
    any |= v != kUnknown;
  }
  if (!any) return;
  auto ints = std::make_shared<KnownInts>();
  ints->shape = *shape;
  ints->values = std::move(values);
  c.set_output_ints(i, std::move(ints));
}

/// The elements of input i, or as many unknown ones; nothing when not even their number is known.
std::optional<std::vector<int64_t>> elements(const ShapeContext& c, int i) {
  if (const KnownInts* v = c.known(i).ints.get()) return v->values;
  const int64_t n = num_elements(c.input(i));
  if (n < 0 || n > KnownInts::kMaxElements) return std::nullopt;
  return std::vector<int64_t>(static_cast<size_t>(n), kUnknown);
}

int64_t floor_div(int64_t a, int64_t b) {
  const int64_t q = a / b;
  return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

int64_t combine(absl::string_view op, int64_t a, int64_t b) {
  int64_t r;
  if (op == "Mul" && (a == 0 || b == 0)) return 0;
  if (a == kUnknown || b == kUnknown) return kUnknown;
  if (op == "Add" || op == "AddV2") return __builtin_add_overflow(a, b, &r) ? kUnknown : r;
  if (op == "Sub") return __builtin_sub_overflow(a, b, &r) ? kUnknown : r;
  if (op == "Mul") return __builtin_mul_overflow(a, b, &r) ? kUnknown : r;
  if (op == "Maximum") return std::max(a, b);
  if (op == "Minimum") return std::min(a, b);
  if (b == 0 || b == -1) return kUnknown;
  if (op == "FloorDiv") return floor_div(a, b);
  if (op == "FloorMod") return a - floor_div(a, b) * b;
  if (op == "Div" || op == "TruncateDiv") return a / b;
  return kUnknown;
}

}  // namespace

absl::Status shape_values(ShapeContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) {
    const PartialShape& in = c.input(i);
    if (!in.known_rank()) continue;
    std::vector<int64_t> values = in.dims();
    for (int64_t& v : values) {
      if (v < 0) v = kUnknown;
    }
    set_values(c, i, std::move(values));
  }
  return absl::OkStatus();
}

void set_scalar_value(ShapeContext& c, int64_t value) { set_values(c, 0, {value}); }

absl::Status pass_values(ShapeContext& c) {
  if (const KnownInts* v = c.known(0).ints.get()) set_values(c, 0, v->values);
  return absl::OkStatus();
}

absl::Status concat_values(ShapeContext& c, int begin, int end) {
  if (c.output(0).rank() != 1 || !is_followed(c.output_dtype(0))) return absl::OkStatus();
  std::vector<int64_t> all;
  for (int i = begin; i < end; ++i) {
    auto part = elements(c, i);
    if (!part || all.size() + part->size() > KnownInts::kMaxElements) return absl::OkStatus();
    all.insert(all.end(), part->begin(), part->end());
  }
  set_values(c, 0, std::move(all));
  return absl::OkStatus();
}

absl::Status unpack_values(ShapeContext& c) {
  const KnownInts* v = c.known(0).ints.get();
  if (v == nullptr || v->shape.rank() != 1 || static_cast<int>(v->values.size()) != c.num_outputs()) {
    return absl::OkStatus();
  }
  for (int i = 0; i < c.num_outputs(); ++i) set_values(c, i, {v->values[i]});
  return absl::OkStatus();
}

absl::Status fill_values(ShapeContext& c, int i) {
  const KnownInts* v = c.known(i).ints.get();
  const int64_t n = num_elements(c.output(0));
  if (v == nullptr || v->values.size() != 1 || n < 0 || n > KnownInts::kMaxElements) return absl::OkStatus();
  set_values(c, 0, std::vector<int64_t>(static_cast<size_t>(n), v->values[0]));
  return absl::OkStatus();
}

absl::Status broadcast_args_values(ShapeContext& c) {
  const KnownInts *x = c.known(0).ints.get(), *y = c.known(1).ints.get();
  if (x == nullptr || y == nullptr) return absl::OkStatus();
  const size_t n = std::max(x->values.size(), y->values.size());
  std::vector<int64_t> out(n);
  for (size_t i = 1; i <= n; ++i) {
    const int64_t a = i <= x->values.size() ? x->values[x->values.size() - i] : 1;
    const int64_t b = i <= y->values.size() ? y->values[y->values.size() - i] : 1;
    int64_t& r = out[n - i];
    if (a == b || b == 1) {
      r = a;
    } else if (a == 1) {
      r = b;
    } else {
      r = a != kUnknown && b != kUnknown ? kUnknown : std::max(a, b) > 1 ? std::max(a, b) : kUnknown;
    }
  }
  set_values(c, 0, std::move(out));
  return absl::OkStatus();
}

void take_values(ShapeContext& c, const std::vector<int64_t>& indices) {
  const KnownInts* v = c.known(0).ints.get();
  if (v == nullptr || v->shape.rank() != 1) return;
  std::vector<int64_t> out;
  for (int64_t i : indices) {
    if (i < 0 || i >= static_cast<int64_t>(v->values.size())) return;
    out.push_back(v->values[i]);
  }
  set_values(c, 0, std::move(out));
}

absl::Status product_values(ShapeContext& c) {
  const KnownInts* v = c.known(0).ints.get();
  if (v == nullptr || num_elements(c.output(0)) != 1) return absl::OkStatus();
  int64_t product = 1;
  for (int64_t x : v->values) product = combine("Mul", product, x);
  set_values(c, 0, {product});
  return absl::OkStatus();
}

absl::Status range_values(ShapeContext& c, int64_t start, int64_t delta, int64_t count) {
  if (count < 0 || count > KnownInts::kMaxElements) return absl::OkStatus();
  std::vector<int64_t> out(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) out[i] = combine("Add", start, combine("Mul", i, delta));
  set_values(c, 0, std::move(out));
  return absl::OkStatus();
}

absl::Status unary_values(ShapeContext& c) {
  if (!is_followed(c.output_dtype(0)) || c.known(0).ints == nullptr) return absl::OkStatus();
  std::vector<int64_t> out = c.known(0).ints->values;
  if (c.op().name == "Neg") {
    for (int64_t& v : out) v = combine("Sub", 0, v);
  }
  set_values(c, 0, std::move(out));
  return absl::OkStatus();
}

absl::Status binary_values(ShapeContext& c) {
  const PartialShape& shape = c.output(0);
  if (!is_followed(c.output_dtype(0)) || shape.rank() > 1 || shape.rank() < 0) return absl::OkStatus();
  if (c.known(0).ints == nullptr && c.known(1).ints == nullptr) return absl::OkStatus();
  const auto x = elements(c, 0), y = elements(c, 1);
  if (!x || !y || x->empty() || y->empty()) return absl::OkStatus();
  std::vector<int64_t> out(std::max(x->size(), y->size()));
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = combine(c.op().name, (*x)[x->size() == 1 ? 0 : i], (*y)[y->size() == 1 ? 0 : i]);
  }
  set_values(c, 0, std::move(out));
  return absl::OkStatus();
}

}  // namespace troupe::shapes
