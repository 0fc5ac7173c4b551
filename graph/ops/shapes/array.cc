// Ops that make arrays or give them another shape without looking into them.

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "graph/ops/shapes/rule.h"
#include "graph/ops/shapes/shapes.h"
#include "graph/ops/shapes/values.h"

namespace troupe::shapes {
namespace {

absl::Status invalid(std::string message) { return absl::InvalidArgumentError(std::move(message)); }

absl::Status constant(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(Tensor value, c.attr<Tensor>("value"));
  Known known;
  known.shape = value.shape();
  known.ints = known_ints(value);
  known.constant = std::move(value);
  c.set_output_known(0, std::move(known));
  return absl::OkStatus();
}

absl::Status placeholder_with_default(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape shape, c.attr<PartialShape>("shape"));
  TROUPE_RETURN_IF_ERROR(merge(c.input(0), shape).status());
  c.set_output(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status ensure_shape(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape shape, c.attr<PartialShape>("shape"));
  PartialShape in = c.input(0);
  if (shape.known_rank()) {
    TROUPE_ASSIGN_OR_RETURN(in, with_rank(in, shape.rank()));
  }
  TROUPE_ASSIGN_OR_RETURN(PartialShape merged, merge(shape, in));
  c.set_output(0, std::move(merged));
  return absl::OkStatus();
}

absl::Status shape(ShapeContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) {
    const PartialShape& in = c.input(i);
    c.set_output(i, PartialShape({in.known_rank() ? in.rank() : kUnknownDim}));
  }
  return shape_values(c);
}

absl::Status size_or_rank(ShapeContext& c) {
  c.set_output(0, PartialShape(Dims()));
  const PartialShape& in = c.input(0);
  if (!in.known_rank()) return absl::OkStatus();
  const int64_t value = c.op().name == "Rank" ? in.rank() : num_elements(in);
  if (value >= 0) set_scalar_value(c, value);
  return absl::OkStatus();
}

/// The product of the dimensions that are known, and which is not; nothing when two are not or it overflows.
struct Product {
  int64_t elements = 1;
  int unknown = -1;
};
std::optional<Product> product_of(const PartialShape& shape) {
  Product p;
  if (num_elements(shape) == 0) return Product{0, -1};
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape.dim(i) < 0) {
      if (p.unknown >= 0) return std::nullopt;
      p.unknown = i;
    } else if (multiply_overflows(p.elements, shape.dim(i), &p.elements)) {
      return std::nullopt;
    }
  }
  return p;
}

absl::Status reshape(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape out, c.input_as_shape(1));
  const PartialShape& in = c.input(0);
  if (out.known_rank() && in.known_rank()) {
    const auto to = product_of(out);
    const auto from = product_of(in);
    if (to && from) {
      if (from->unknown < 0 && to->unknown < 0) {
        if (from->elements != to->elements) {
          return invalid(absl::StrCat("Cannot reshape a tensor with ", from->elements, " elements to shape ",
                                      text(out), " (", to->elements, " elements)"));
        }
      } else if (from->unknown < 0 && to->elements > 0) {
        TROUPE_ASSIGN_OR_RETURN(int64_t dim, divide_dim(from->elements, to->elements, true));
        out = replace_dim(out, to->unknown, dim);
      } else if (to->unknown < 0 && from->elements != 0) {
        TROUPE_RETURN_IF_ERROR(divide_dim(to->elements, from->elements, true).status());
      }
    }
  }
  c.set_output(0, std::move(out));
  return pass_values(c);
}

absl::Status expand_dims(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  const auto axis = c.all_ints(1);
  if (axis && axis->size() != 1) return invalid("'dim' input must be a tensor with a single value");
  if (!axis || !in.known_rank()) return absl::OkStatus();
  int64_t at = (*axis)[0];
  if (at < -1 - in.rank() || at > in.rank()) {
    return invalid(absl::StrCat("dim ", at, " not in the interval [", -1 - in.rank(), ", ", in.rank(), "]."));
  }
  if (at < 0) at += in.rank() + 1;
  Dims dims = in.dims();
  dims.insert(dims.begin() + at, 1);
  c.set_output(0, PartialShape(std::move(dims)));
  return pass_values(c);
}

absl::Status squeeze(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  TROUPE_ASSIGN_OR_RETURN(auto axes, c.attr<std::vector<int64_t>>("squeeze_dims"));
  if (!in.known_rank()) return absl::OkStatus();
  std::vector<bool> named(in.rank(), false);
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = canonical_axis(axes[i], in.rank());
    if (!axis)
      return invalid(absl::StrCat("squeeze_dims[", i, "] not in [", -in.rank(), ",", in.rank(), ")."));
    named[*axis] = true;
  }
  Dims dims;
  for (int i = 0; i < in.rank(); ++i) {
    if (axes.empty()) {
      if (in.dim(i) < 0) return absl::OkStatus();
      if (in.dim(i) == 1) continue;
    } else if (named[i]) {
      if (in.dim(i) < 0 || in.dim(i) == 1) continue;
      return invalid(
          absl::StrCat("Can not squeeze dim[", i, "], expected a dimension of 1, got ", in.dim(i)));
    }
    dims.push_back(in.dim(i));
  }
  c.set_output(0, PartialShape(std::move(dims)));
  return pass_values(c);
}

absl::Status transpose(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  const PartialShape& perm_shape = c.input(1);
  const auto perm = c.all_ints(1);
  const int64_t perm_size = num_elements(perm_shape);
  if (!in.known_rank() && perm_size < 0) return absl::OkStatus();
  const int64_t rank = in.known_rank() ? in.rank() : perm_size;
  if (!in.known_rank() && rank < 2) return absl::OkStatus();
  if (rank > Shape::kMaxRank)
    return invalid(absl::StrCat("Permutation of ", rank, " dimensions is too long"));
  TROUPE_RETURN_IF_ERROR(with_rank(perm_shape, 1).status());
  TROUPE_RETURN_IF_ERROR(with_value(perm_size, rank).status());
  PartialShape out = unknown_of_rank(rank);
  if (perm) {
    Dims dims(static_cast<size_t>(rank), kUnknownDim);
    for (int64_t i = 0; i < rank; ++i) {
      const int64_t from = (*perm)[i];
      if (from >= rank || from < -rank) {
        return invalid(absl::StrCat("perm dim ", from, " is out of range of input rank ", rank));
      }
      dims[i] = dim_of(in, static_cast<int>(from));
    }
    out = PartialShape(std::move(dims));
  }
  c.set_output(0, std::move(out));
  return absl::OkStatus();
}

absl::Status fill(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(0), 1).status());
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(1), 0).status());
  if (const auto dims = c.all_ints(0)) {
    for (int64_t d : *dims) {
      if (d < 0) return invalid("Fill dimensions must be >= 0");
    }
  }
  TROUPE_ASSIGN_OR_RETURN(PartialShape out, c.input_as_shape(0));
  c.set_output(0, std::move(out));
  return fill_values(c, 1);
}

absl::Status tile(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  TROUPE_ASSIGN_OR_RETURN(PartialShape multiples, c.input_as_shape(1));
  if (in.known_rank()) {
    TROUPE_ASSIGN_OR_RETURN(multiples, with_rank(multiples, in.rank()));
    TROUPE_RETURN_IF_ERROR(merge(c.input(1), PartialShape({in.rank()})).status());
  }
  if (!multiples.known_rank()) return absl::OkStatus();
  Dims dims(multiples.rank());
  for (int i = 0; i < multiples.rank(); ++i) {
    TROUPE_ASSIGN_OR_RETURN(dims[i], multiply_dims(dim_of(in, i), multiples.dim(i)));
  }
  c.set_output(0, PartialShape(std::move(dims)));
  return absl::OkStatus();
}

absl::Status pad(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape paddings, with_rank(c.input(1), 2));
  TROUPE_RETURN_IF_ERROR(with_value(dim_of(paddings, 1), 2).status());
  PartialShape in = c.input(0);
  int64_t rank = dim_of(paddings, 0);
  if (rank >= 0) {
    TROUPE_ASSIGN_OR_RETURN(in, with_rank(in, rank));
  } else if (in.known_rank()) {
    rank = in.rank();
  }
  const KnownInts* sizes = c.ints(1);
  if (sizes == nullptr || sizes->values.size() != static_cast<size_t>(2 * rank) || !in.known_rank()) {
    c.set_output(0, unknown_of_rank(rank));
    return absl::OkStatus();
  }
  Dims dims(in.rank());
  for (int i = 0; i < in.rank(); ++i) {
    const int64_t low = sizes->values[2 * i], high = sizes->values[2 * i + 1];
    dims[i] = kUnknownDim;
    if (low == KnownInts::kUnknown || high == KnownInts::kUnknown) continue;
    if (low < 0 || high < 0) return invalid("Paddings must be non-negative");
    TROUPE_ASSIGN_OR_RETURN(int64_t both, add_dims(low, high));
    TROUPE_ASSIGN_OR_RETURN(dims[i], add_dims(in.dim(i), both));
  }
  c.set_output(0, PartialShape(std::move(dims)));
  return absl::OkStatus();
}

absl::Status mirror_pad_grad(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape paddings, with_rank(c.input(1), 2));
  const int64_t rank = dim_of(paddings, 0);
  if (rank < 0) return absl::OkStatus();
  TROUPE_ASSIGN_OR_RETURN(PartialShape in, with_rank(c.input(0), rank));
  TROUPE_RETURN_IF_ERROR(merge(paddings, PartialShape({rank, 2})).status());
  const auto sizes = c.all_ints(1);
  if (!sizes) {
    c.set_output(0, unknown_of_rank(rank));
    return absl::OkStatus();
  }
  Dims dims(in.known_rank() ? in.rank() : 0);
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t low = (*sizes)[2 * i], high = (*sizes)[2 * i + 1];
    if (low < 0 || high < 0) return invalid("Paddings must be non-negative");
    TROUPE_ASSIGN_OR_RETURN(int64_t both, add_dims(low, high));
    TROUPE_ASSIGN_OR_RETURN(dims[i], subtract_dims(in.dim(static_cast<int>(i)), both));
  }
  c.set_output(0, PartialShape(std::move(dims)));
  return absl::OkStatus();
}

absl::Status broadcast_to(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(1), 1).status());
  TROUPE_ASSIGN_OR_RETURN(PartialShape out, c.input_as_shape(1));
  const PartialShape& in = c.input(0);
  if (out.known_rank() && in.known_rank()) {
    TROUPE_RETURN_IF_ERROR(check_rank_at_most(in, out.rank()));
    for (int i = 1; i <= in.rank(); ++i) {
      if (dim_of(in, -i) <= 1) continue;
      TROUPE_ASSIGN_OR_RETURN(int64_t dim, merge_dims(dim_of(in, -i), dim_of(out, -i)));
      out = replace_dim(out, -i, dim);
    }
  }
  c.set_output(0, std::move(out));
  return absl::OkStatus();
}

absl::Status broadcast_args(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape a, with_rank(c.input(0), 1));
  TROUPE_ASSIGN_OR_RETURN(PartialShape b, with_rank(c.input(1), 1));
  const bool known = a.dim(0) >= 0 && b.dim(0) >= 0;
  c.set_output(0, PartialShape({known ? std::max(a.dim(0), b.dim(0)) : kUnknownDim}));
  return broadcast_args_values(c);
}

absl::Status bitcast(ShapeContext& c) {
  const int64_t from = static_cast<int64_t>(dtype_size(c.input_dtype(0)));
  const int64_t to = static_cast<int64_t>(dtype_size(c.output_dtype(0)));
  PartialShape out = c.input(0);
  if (from == 0 || to == 0) return invalid(absl::StrCat("Cannot bitcast types of size ", from, " to ", to));
  if (from < to) {
    TROUPE_RETURN_IF_ERROR(check_rank_at_least(out, 1));
    const int64_t last = dim_of(out, -1);
    if (out.known_rank()) {
      if (last >= 0 && last * from != to) {
        return invalid(absl::StrCat("Cannot bitcast from ", static_cast<int>(c.input_dtype(0)), " to ",
                                    static_cast<int>(c.output_dtype(0)), " due to shape. ", last,
                                    " does not match ", to / from));
      }
      out = subshape(out, 0, -1);
    }
  } else if (from > to) {
    out = append(out, from / to);
  }
  c.set_output(0, std::move(out));
  return absl::OkStatus();
}

absl::Status quantize_and_dequantize(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(int64_t axis, c.attr<int64_t>("axis"));
  TROUPE_ASSIGN_OR_RETURN(PartialShape range, with_rank(c.input(1), axis == -1 ? 0 : 1));
  TROUPE_ASSIGN_OR_RETURN(range, merge(c.input(2), range));
  if (axis < -1) return invalid(absl::StrCat("axis should be at least -1, got ", axis));
  if (axis >= Shape::kMaxRank) return invalid(absl::StrCat("axis is out of range: ", axis));
  if (axis >= 0) {
    TROUPE_RETURN_IF_ERROR(check_rank_at_least(c.input(0), axis + 1));
    TROUPE_RETURN_IF_ERROR(merge_dims(dim_of(range, 0), dim_of(c.input(0), static_cast<int>(axis))).status());
  }
  return unchanged(c);
}

constexpr ShapeRow kRows[] = {
    {"Const", constant},
    {"HostConst", constant},
    {"ImmutableConst", shape_attr},
    {"FakeParam", shape_attr},
    {"Placeholder", shape_attr},
    {"PlaceholderV2", shape_attr},
    {"PlaceholderWithDefault", placeholder_with_default},
    {"EnsureShape", ensure_shape},
    {"Identity", identity},
    {"RefIdentity", identity},
    {"StopGradient", identity},
    {"PreventGradient", identity},
    {"Snapshot", identity},
    {"GuaranteeConst", identity},
    {"DeepCopy", unchanged},
    {"_CopyToDevice", unchanged},
    {"_CopyToHost", unchanged},
    {"IdentityN", identity_n},
    {"CheckNumerics", unchanged},
    {"CheckNumericsV2", unchanged},
    {"DebugGradientIdentity", unchanged},
    {"DebugGradientRefIdentity", unchanged},
    {"Shape", shape},
    {"ShapeN", shape},
    {"Size", size_or_rank},
    {"Rank", size_or_rank},
    {"Reshape", reshape},
    {"ExpandDims", expand_dims},
    {"Squeeze", squeeze},
    {"Transpose", transpose},
    {"ConjugateTranspose", transpose},
    {"InvertPermutation", rule<"[n] -> [n]">},
    {"Fill", fill},
    {"ZerosLike", unchanged},
    {"OnesLike", unchanged},
    {"Empty", shape_from_input<0>},
    {"Tile", tile},
    {"Pad", pad},
    {"PadV2", pad},
    {"MirrorPad", pad},
    {"MirrorPadGrad", mirror_pad_grad},
    {"BroadcastTo", broadcast_to},
    {"BroadcastArgs", broadcast_args},
    {"BroadcastGradientArgs", rule<"[?] [?] -> [?] [?]">},
    {"Bitcast", bitcast},
    {"Dequantize", unchanged},
    {"QuantizeAndDequantizeV2", quantize_and_dequantize},
    {"QuantizeAndDequantizeV4", quantize_and_dequantize},
    {"FakeQuantWithMinMaxArgs", unchanged},
    {"FakeQuantWithMinMaxArgsGradient", unchanged},
    {"FakeQuantWithMinMaxVars", rule<"S [] [] -> S">},
    {"FakeQuantWithMinMaxVarsGradient", rule<"S S [] [] -> S [] []">},
    {"FakeQuantWithMinMaxVarsPerChannel", rule<"[B*,d] [d] [d] -> [B*,d]">},
    {"FakeQuantWithMinMaxVarsPerChannelGradient", rule<"[B*,d] [B*,d] [d] [d] -> [B*,d] [d] [d]">},
};

}  // namespace

absl::Status register_array_shapes(OpRegistry* registry) { return registry->add_shapes(kRows); }

}  // namespace troupe::shapes
