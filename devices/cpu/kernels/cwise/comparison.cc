// Comparisons and logic: results are bools.
#include <utility>

#include "devices/cpu/kernels/cwise/rows.h"

namespace troupe {
namespace {

// kVector: where vector_loops() has the comparison; kTurned: of its operands in the other order.
struct LessOp {
  static constexpr auto kVector = &Comparisons::less;
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return a < b;
  }
};
struct LessEqualOp {
  static constexpr auto kVector = &Comparisons::less_equal;
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return a <= b;
  }
};
struct GreaterOp {
  static constexpr auto kVector = &Comparisons::less;
  static constexpr bool kTurned = true;
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return a > b;
  }
};
struct GreaterEqualOp {
  static constexpr auto kVector = &Comparisons::less_equal;
  static constexpr bool kTurned = true;
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return a >= b;
  }
};
struct EqualOp {
  static constexpr auto kVector = &Comparisons::equal;
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return a == b;
  }
};
struct NotEqualOp {
  static constexpr auto kVector = &Comparisons::not_equal;
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return !(a == b);
  }
};
struct AndOp {
  bool operator()(bool a, bool b) const { return a & b; }
};
struct OrOp {
  bool operator()(bool a, bool b) const { return a | b; }
};
struct NotOp {
  bool operator()(bool a) const { return !a; }
};

template <class T>
const Comparisons& vector_comparisons() {
  const VectorLoops& loops = vector_loops();
  if constexpr (std::is_same_v<T, float>) {
    return loops.float_comparisons;
  } else if constexpr (std::is_same_v<T, double>) {
    return loops.double_comparisons;
  } else if constexpr (std::is_same_v<T, int32_t>) {
    return loops.int_comparisons;
  } else {
    return loops.long_comparisons;
  }
}

template <class Op, class T>
bool comparison_row(const void* a, const void* b, void* out, int64_t n, RowMode mode) {
  if constexpr (has_vector_pairs_v<T>) {
    if (n >= kVectorFrom) {
      if constexpr (requires { Op::kTurned; }) {
        std::swap(a, b);
        mode = mode == RowMode::kScalarA   ? RowMode::kScalarB
               : mode == RowMode::kScalarB ? RowMode::kScalarA
                                           : mode;
      }
      return (vector_comparisons<T>().*Op::kVector)(a, b, out, n, mode);
    }
  }
  return binary_row<Op, T, bool>(a, b, out, n, mode);
}

template <class Op, class... T>
void add_order_of(KernelRegistry* r, const char* op, Types<T...>) {
  (add_cwise(r, op, "T", dtype_of<T>(), binary_factory({comparison_row<Op, T>, nullptr, sizeof(T), 1, 1})),
   ...);
}

template <class Op>
void add_order(KernelRegistry* r, const char* op) {
  add_order_of<Op>(r, op, Floats());
  add_order_of<Op>(r, op, SignedInts());
  add_order_of<Op>(r, op, UnsignedInts());
}

template <class Op, class... T>
void add_equality(KernelRegistry* r, const char* op, bool otherwise, Types<T...>) {
  (add_cwise(r, op, "T", dtype_of<T>(),
             equality_factory({comparison_row<Op, T>, nullptr, sizeof(T), 1, 1}, otherwise)),
   ...);
}

template <class Op>
void add_all_equality(KernelRegistry* r, const char* op, bool otherwise) {
  add_equality<Op>(r, op, otherwise, Floats());
  add_equality<Op>(r, op, otherwise, Complexes());
  add_equality<Op>(r, op, otherwise, SignedInts());
  add_equality<Op>(r, op, otherwise, UnsignedInts());
  add_equality<Op>(r, op, otherwise, Types<bool, TString, QInt8, QUInt8, QInt16, QUInt16, QInt32>());
}

void add_logical(KernelRegistry* r, const char* op, BinaryRow row) {
  KernelDef def(op);
  def.factory = binary_factory({row, nullptr, 1, 1, 1});
  r->add(std::move(def));
}

}  // namespace

void register_cwise_comparison(KernelRegistry* r) {
  add_order<LessOp>(r, "Less");
  add_order<LessEqualOp>(r, "LessEqual");
  add_order<GreaterOp>(r, "Greater");
  add_order<GreaterEqualOp>(r, "GreaterEqual");
  add_all_equality<EqualOp>(r, "Equal", false);
  add_all_equality<NotEqualOp>(r, "NotEqual", true);
  add_logical(r, "LogicalAnd", binary_row<AndOp, bool, bool>);
  add_logical(r, "LogicalOr", binary_row<OrOp, bool, bool>);
  KernelDef logical_not("LogicalNot");
  logical_not.factory = unary_factory({unary_row<NotOp, bool, bool>, 1, 1, 1});
  r->add(std::move(logical_not));
}

}  // namespace troupe
