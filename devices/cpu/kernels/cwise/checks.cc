// CheckNumerics: passes a tensor on, or fails when it holds NaN or infinity.
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "devices/cpu/kernels/cwise/rows.h"
#include "devices/cpu/kernels/shared/array_util.h"

namespace troupe {
namespace {

/// kSigned: CheckNumericsV2, which tells the infinities apart.
template <class T, bool kSigned>
class CheckNumerics final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(std::string message, c.attr<std::string>("message"));
    return std::make_unique<CheckNumerics>(std::move(message));
  }
  explicit CheckNumerics(std::string message) : message_(std::move(message)) {}

  absl::Status compute(KernelContext& context) override {
    bool nan = false;
    bool plus = false;
    bool minus = false;
    for (const T& element : context.input(0).flat<T>()) {
      const compute_t<T> v = static_cast<compute_t<T>>(element);
      if (std::isfinite(v)) [[likely]]
        continue;
      nan |= std::isnan(v);
      plus |= std::isinf(v) && v > 0;
      minus |= std::isinf(v) && v < 0;
    }
    if (nan || plus || minus) return invalid(message_, " : Tensor had ", found(nan, plus, minus), " values");
    context.forward_input(0, 0);
    return absl::OkStatus();
  }

 private:
  static std::string found(bool nan, bool plus, bool minus) {
    std::vector<std::string> kinds;
    if (kSigned) {
      if (minus) kinds.push_back("-Inf");
      if (plus) kinds.push_back("+Inf");
    } else if (minus || plus) {
      kinds.push_back("Inf");
    }
    if (nan) kinds.push_back("NaN");
    return kinds.size() == 3 ? "-Inf, +Inf, and NaN" : absl::StrJoin(kinds, " and ");
  }

  const std::string message_;
};

template <class... T>
void add_checks(KernelRegistry* r, Types<T...>) {
  (r->add(KernelDef("CheckNumerics").template type<T>("T").template kernel<CheckNumerics<T, false>>()), ...);
  (r->add(KernelDef("CheckNumericsV2").template type<T>("T").template kernel<CheckNumerics<T, true>>()), ...);
}

}  // namespace

void register_cwise_checks(KernelRegistry* r) { add_checks(r, Floats()); }

}  // namespace troupe
