// Small ops that belong nowhere else: watches of debuggers, the best elements "approximately".
#include <algorithm>
#include <cmath>
#include <numeric>

#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/loops/elementwise.h"
#include "devices/debug_sink.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

absl::Status fact(KernelContext& context) {
  context.set_output(0, Tensor::string_scalar("0! == 1"));
  return absl::OkStatus();
}

/// Where this device's type stands in the list; its length when it does not.
absl::Status device_index(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(auto names, context.node().attrs.get<std::vector<std::string>>("device_names"));
  const auto at = std::find(names.begin(), names.end(), context.device()->type());
  context.set_output(0, Tensor::scalar(static_cast<int32_t>(at - names.begin())));
  return absl::OkStatus();
}

absl::Status host_const(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(Tensor value, context.node().attrs.get<Tensor>("value"));
  if (value.dtype() != context.output_type(0)) {
    return invalid("HostConst of dtype ", dtype_name(context.output_type(0)), " has a value of dtype ",
                   dtype_name(value.dtype()));
  }
  context.set_output(0, std::move(value));
  return absl::OkStatus();
}

absl::Status debug_identity(KernelContext& context) {
  TROUPE_RETURN_IF_ERROR(publish_watched(context, context.input(0)));
  context.forward_input(0, 0);
  return absl::OkStatus();
}

absl::Status debug_identity_v2(KernelContext& context) {
  context.forward_input(0, 0);
  return absl::OkStatus();
}

template <class T>
absl::Status debug_nan_count(KernelContext& context) {
  int64_t count = 0;
  if constexpr (is_float_v<T>) {
    for (const T& v : context.input(0).flat<T>()) count += !(v == v);
  }
  const Tensor counted = Tensor::from<int64_t>(Shape{1}, std::span<const int64_t>(&count, 1));
  context.set_output(0, counted);
  return publish_watched(context, counted);
}

template <class... T>
void add_nan_counts(KernelRegistry* r) {
  (r->add(KernelDef("DebugNanCount").type<T>("T").fn(debug_nan_count<T>)), ...);
}

}  // namespace

void register_control_misc(KernelRegistry* r) {
  r->add(KernelDef("Fact").fn(fact, true));
  r->add(KernelDef("DeviceIndex").fn(device_index, true));
  r->add(KernelDef("HostConst").fn(host_const, true));
  r->add(KernelDef("DebugIdentity").fn(debug_identity, true));
  r->add(KernelDef("DebugIdentityV2").fn(debug_identity_v2, true));
  r->add(KernelDef("DebugIdentityV3").fn(debug_identity, true));
  add_nan_counts<float, double, Eigen::half, Eigen::bfloat16, int8_t, int16_t, int32_t, int64_t, uint8_t,
                 uint16_t, uint32_t, uint64_t>(r);
}

}  // namespace troupe
