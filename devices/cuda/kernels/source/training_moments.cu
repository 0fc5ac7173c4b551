// Optimisers that divide by a moving average of the gradient's size: Adam, RMSProp, Adadelta and their relatives.
#include "devices/cuda/kernels/source/training.h"

namespace troupe::launchable {
namespace {

template <class C>
struct Adam {
  static constexpr int kSlots = 3;
  TROUPE_DEVICE Adam(const C* s, const OptimizerArgs& a)
      : alpha(s[2] * root(C(1) - s[1]) / (C(1) - s[0])), beta1(s[3]), rest1(C(1) - s[3]), rest2(C(1) - s[4]),
        epsilon(s[5]), nesterov(a.flag != 0) {}
  TROUPE_DEVICE void operator()(C& var, C& m, C& v, C grad) const {
    m += (grad - m) * rest1;
    v += (grad * grad - v) * rest2;
    const C step = nesterov ? grad * rest1 + beta1 * m : m;
    var -= step * alpha / (root(v) + epsilon);
  }
  C alpha, beta1, rest1, rest2, epsilon;
  bool nesterov;
};

/// Divides by the largest second moment so far.
template <class C>
struct AdamWithAmsgrad {
  static constexpr int kSlots = 4;
  TROUPE_DEVICE AdamWithAmsgrad(const C* s, const OptimizerArgs&)
      : alpha(s[2] * root(C(1) - s[1]) / (C(1) - s[0])), rest1(C(1) - s[3]), rest2(C(1) - s[4]), epsilon(s[5]) {}
  TROUPE_DEVICE void operator()(C& var, C& m, C& v, C& vhat, C grad) const {
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
  TROUPE_DEVICE AdaMax(const C* s, const OptimizerArgs&)
      : alpha(s[1] / (C(1) - s[0])), rest1(C(1) - s[2]), beta2(s[3]), epsilon(s[4]) {}
  TROUPE_DEVICE void operator()(C& var, C& m, C& v, C grad) const {
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
  TROUPE_DEVICE RmsProp(const C* s, const OptimizerArgs&)
      : lr(s[0]), rest(C(1) - s[1]), momentum(s[2]), epsilon(s[3]) {}
  TROUPE_DEVICE void operator()(C& var, C& ms, C& mom, C grad) const {
    ms += (grad * grad - ms) * rest;
    mom = mom * momentum + grad * lr / root(ms + epsilon);
    var -= mom;
  }
  C lr, rest, momentum, epsilon;
};

/// Divides by the deviation from the mean gradient.
template <class C>
struct CenteredRmsProp {
  static constexpr int kSlots = 4;
  TROUPE_DEVICE CenteredRmsProp(const C* s, const OptimizerArgs&)
      : lr(s[0]), rest(C(1) - s[1]), momentum(s[2]), epsilon(s[3]) {}
  TROUPE_DEVICE void operator()(C& var, C& mg, C& ms, C& mom, C grad) const {
    ms += (grad * grad - ms) * rest;
    mg += (grad - mg) * rest;
    mom = mom * momentum + grad * lr / root((ms - mg * mg) + epsilon);
    var -= mom;
  }
  C lr, rest, momentum, epsilon;
};

template <class C>
struct Adadelta {
  static constexpr int kSlots = 3;
  TROUPE_DEVICE Adadelta(const C* s, const OptimizerArgs&) : lr(s[0]), rho(s[1]), epsilon(s[2]) {}
  TROUPE_DEVICE void operator()(C& var, C& accum, C& accum_update, C grad) const {
    accum = accum * rho + grad * grad * (C(1) - rho);
    const C update = root(accum_update + epsilon) / root(accum + epsilon) * grad;
    var -= update * lr;
    accum_update = accum_update * rho + update * update * (C(1) - rho);
  }
  C lr, rho, epsilon;
};

}  // namespace
}  // namespace troupe::launchable

TROUPE_ANY_OPTIMIZER(Adam, Adam)
TROUPE_REAL_OPTIMIZER(AdamWithAmsgrad, AdamWithAmsgrad)
TROUPE_REAL_OPTIMIZER(AdaMax, AdaMax)
TROUPE_ANY_OPTIMIZER(RMSProp, RmsProp)
TROUPE_ANY_OPTIMIZER(CenteredRMSProp, CenteredRmsProp)
TROUPE_ANY_OPTIMIZER(Adadelta, Adadelta)
