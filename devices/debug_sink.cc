#include "devices/debug_sink.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "devices/device.h"

namespace troupe {

absl::Status publish_watched(const KernelContext& context, const Tensor& value) {
  const AttrMap& attrs = context.node().attrs;
  const std::string name = attrs.get_or<std::string>("tensor_name", "");
  const size_t colon = name.find(':');
  int slot = 0;
  if (colon != std::string::npos && !absl::SimpleAtoi(name.substr(colon + 1), &slot))
    return absl::InvalidArgumentError(absl::StrCat("Failed to parse tensor name: \"", name, "\""));
  const auto urls = attrs.get_or<std::vector<std::string>>("debug_urls", {});
  if (urls.empty()) return absl::OkStatus();
  const auto sink = context.device()->resources().lookup<DebugSink>(DebugSink::kContainer, DebugSink::kName);
  if (!sink.ok()) return absl::OkStatus();
  return (*sink)->publish({context.device()->name(), name.substr(0, colon), slot, context.node().op->name,
                           context.step().step_id, value},
                          urls);
}

}  // namespace troupe
