#include "actors/debugger.h"

#include <algorithm>

#include "graph/passes/watch_tensors.h"

namespace troupe {

absl::Status Debugger::decorate(std::span<const TensorWatch> watches, const std::string& device,
                                Graph* graph) {
  return watch_tensors(watches, device, graph);
}

absl::Status Debugger::publish_graph(const Graph&, const std::string&, const std::vector<std::string>&) {
  return absl::OkStatus();
}

absl::Status Debugger::begin_run(const DebugMetadata&, const std::vector<std::string>&) {
  return absl::OkStatus();
}

std::vector<std::string> urls_of(std::span<const TensorWatch> watches) {
  std::vector<std::string> urls;
  for (const TensorWatch& w : watches) urls.insert(urls.end(), w.urls.begin(), w.urls.end());
  std::sort(urls.begin(), urls.end());
  urls.erase(std::unique(urls.begin(), urls.end()), urls.end());
  return urls;
}

}  // namespace troupe
