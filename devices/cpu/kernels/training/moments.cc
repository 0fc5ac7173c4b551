// Optimisers that divide by a moving average of the gradient's size: Adam, RMSProp, Adadelta and their
// relatives.
#include "devices/cpu/kernels/training/rules.h"

namespace troupe {
namespace {

template <class C>
struct Adam {
  static constexpr int kSlots = 3;
  Adam(const C* s, const OptimizerCall& call)
      : alpha(s[2] * root(C(1) - s[1]) / (C(1) - s[0])), beta1(s[3]), rest1(C(1) - s[3]), rest2(C(1) - s[4]),
        epsilon(s[5]), nesterov(call.flag) {}
  void operator()(C& var, C& m, C& v, C grad) const {
    m += (grad - m) * rest1;
    v += (grad * grad - v) * rest2;
    const C step = nesterov ? grad * rest1 + beta1 * m : m;
    var -= step * alpha / (root(v) + epsilon);
  }
  bool row(float* const* slots, const float* grad, int64_t n) const {
    vector_loops().updates.adam(slots[0], slots[1], slots[2], grad, alpha, beta1, rest1, rest2, epsilon,
                                nesterov, n);
    return true;
  }
  C alpha, beta1, rest1, rest2, epsilon;
  bool nesterov;
};

/// Divides by the largest second moment so far.
template <class C>
struct AdamWithAmsgrad {
  static constexpr int kSlots = 4;
  AdamWithAmsgrad(const C* s, const OptimizerCall&)
      : alpha(s[2] * root(C(1) - s[1]) / (C(1) - s[0])), rest1(C(1) - s[3]), rest2(C(1) - s[4]),
        epsilon(s[5]) {}
  void operator()(C& var, C& m, C& v, C& vhat, C grad) const {
    m += (grad - m) * rest1;
    v += (grad * grad - v) * rest2;
    vhat = vhat > v ? vhat : v;
    var -= m * alpha / (root(vhat) + epsilon);
  }
  C alpha, rest1, rest2, epsilon;
};

template <class C>
struct AdaMax {
  static constexpr int kSlots = 3;
  AdaMax(const C* s, const OptimizerCall&)
      : alpha(s[1] / (C(1) - s[0])), rest1(C(1) - s[2]), beta2(s[3]), epsilon(s[4]) {}
  void operator()(C& var, C& m, C& v, C grad) const {
    m += (grad - m) * rest1;
    const C decayed = beta2 * v;
    const C size = grad < C(0) ? -grad : grad;
    v = decayed > size ? decayed : size;
    var -= alpha * (m / (v + epsilon));
  }
  C alpha, rest1, beta2, epsilon;
};

template <class C>
struct RmsProp {
  static constexpr int kSlots = 3;
  RmsProp(const C* s, const OptimizerCall&) : lr(s[0]), rest(C(1) - s[1]), momentum(s[2]), epsilon(s[3]) {}
  void operator()(C& var, C& ms, C& mom, C grad) const {
    ms += (grad * grad - ms) * rest;
    mom = mom * momentum + grad * lr / root(ms + epsilon);
    var -= mom;
  }
  bool row(float* const* slots, const float* grad, int64_t n) const {
    vector_loops().updates.rms_prop(slots[0], slots[1], slots[2], grad, lr, rest, momentum, epsilon, n);
    return true;
  }
  C lr, rest, momentum, epsilon;
};

/// The sparse form of the op rounds in another order.
template <class C>
struct SparseRmsProp {
  static constexpr int kSlots = 3;
  SparseRmsProp(const C* s, const OptimizerCall&)
      : lr(s[0]), rho(s[1]), rest(C(1) - s[1]), momentum(s[2]), epsilon(s[3]) {}
  void operator()(C& var, C& ms, C& mom, C grad) const {
    ms = ms * rho + grad * grad * rest;
    mom = mom * momentum + inverse_root(ms + epsilon, true) * lr * grad;
    var -= mom;
  }
  C lr, rho, rest, momentum, epsilon;
};

/// Divides by the deviation from the mean gradient.
template <class C>
struct CenteredRmsProp {
  static constexpr int kSlots = 4;
  CenteredRmsProp(const C* s, const OptimizerCall&)
      : lr(s[0]), rest(C(1) - s[1]), momentum(s[2]), epsilon(s[3]) {}
  void operator()(C& var, C& mg, C& ms, C& mom, C grad) const {
    ms += (grad * grad - ms) * rest;
    mg += (grad - mg) * rest;
    mom = mom * momentum + grad * lr / root((ms - mg * mg) + epsilon);
    var -= mom;
  }
  C lr, rest, momentum, epsilon;
};

template <class C>
struct SparseCenteredRmsProp {
  static constexpr int kSlots = 4;
  SparseCenteredRmsProp(const C* s, const OptimizerCall&)
      : lr(s[0]), rho(s[1]), rest(C(1) - s[1]), momentum(s[2]), epsilon(s[3]) {}
  void operator()(C& var, C& mg, C& ms, C& mom, C grad) const {
    ms = ms * rho + grad * grad * rest;
    mg = mg * rho + grad * rest;
    mom = mom * momentum + inverse_root((ms + epsilon) - mg * mg, true) * lr * grad;
    var -= mom;
  }
  C lr, rho, rest, momentum, epsilon;
};

template <class C>
struct Adadelta {
  static constexpr int kSlots = 3;
  Adadelta(const C* s, const OptimizerCall& call)
      : lr(s[0]), rho(s[1]), epsilon(s[2]), is_sparse(call.rows != nullptr) {}
  void operator()(C& var, C& accum, C& accum_update, C grad) const {
    accum = accum * rho + grad * grad * (C(1) - rho);
    const C update = root(accum_update + epsilon) * inverse_root(accum + epsilon, is_sparse) * grad;
    var -= update * lr;
    accum_update = accum_update * rho + update * update * (C(1) - rho);
  }
  C lr, rho, epsilon;
  bool is_sparse;
};

}  // namespace

void register_training_moments(KernelRegistry* registry) {
  using R = OptimizerRow;
  const OptimizerRow rows[] = {
      {"Adam", R::kBoth, complex_loop<Adam>, nullptr, "use_nesterov"},
      {"AdamWithAmsgrad", R::kResourceDense, float_loop<AdamWithAmsgrad>, nullptr},
      {"AdaMax", R::kBoth, half_loop<AdaMax>, nullptr},
      {"RMSProp", R::kAll, complex_loop<RmsProp>, complex_half_loop<SparseRmsProp>},
      {"CenteredRMSProp", R::kAll, complex_loop<CenteredRmsProp>, complex_half_loop<SparseCenteredRmsProp>},
      {"Adadelta", R::kAll, complex_loop<Adadelta>, complex_loop<Adadelta>},
  };
  for (const OptimizerRow& row : rows) add_optimizer(registry, row);
}

}  // namespace troupe
