// Comparisons and logic: results are bools.
#include "devices/cpu/kernels/cwise/rows.h"

namespace troupe {
namespace {

struct LessOp {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return a < b;
  }
};
struct LessEqualOp {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return a <= b;
  }
};
struct GreaterOp {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return a > b;
  }
};
struct GreaterEqualOp {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return a >= b;
  }
};
struct EqualOp {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return a == b;
  }
};
struct NotEqualOp {
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

template <class Op>
void add_order(KernelRegistry* r, const char* op) {
  add_comparison<Op>(r, op, Floats());
  add_comparison<Op>(r, op, SignedInts());
  add_comparison<Op>(r, op, UnsignedInts());
}

template <class Op, class... T>
void add_equality(KernelRegistry* r, const char* op, bool otherwise, Types<T...>) {
  (add_cwise(r, op, "T", dtype_of<T>(),
             equality_factory({binary_row<Op, T, bool>, nullptr, sizeof(T), 1, 1}, otherwise)),
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
