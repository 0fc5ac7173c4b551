#include "actors/builtin_debugger.h"

#include <caf/all.hpp>

#include <functional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "actors/debug_files.h"
#include "graph/status.h"

namespace troupe {
namespace {

constexpr absl::string_view kFile = "file://";
constexpr absl::string_view kActor = "actor://";
/// As many letters as the name of a registered actor has room for.
constexpr size_t kLongestName = 10;

class FilesAndActors final : public Debugger {
 public:
  explicit FilesAndActors(caf::actor_system& system) : system_(system) {}

  absl::Status publish_graph(const Graph& graph, const std::string& device,
                             const std::vector<std::string>& urls) override {
    return each(
        urls, [&](const std::string& root) { return dump_graph(root, device, graph); },
        [](const DebugListener&) { /* It gets values, and may ask for the graph. */ });
  }
  absl::Status begin_run(const DebugMetadata& about, const std::vector<std::string>& urls) override {
    return each(
        urls, [&](const std::string& root) { return dump_metadata(root, about); },
        [&](const DebugListener& actor) { caf::anon_send(actor, about); });
  }
  absl::Status publish(const WatchedValue& seen, const std::vector<std::string>& urls) override {
    return each(
        urls, [&](const std::string& root) { return dump_value(root, seen); },
        [&](const DebugListener& actor) { caf::anon_send(actor, seen); });
  }

 private:
  absl::Status each(const std::vector<std::string>& urls,
                    const std::function<absl::Status(const std::string& root)>& write,
                    const std::function<void(const DebugListener& actor)>& tell) {
    for (const std::string& url : urls) {
      absl::string_view rest = url;
      if (absl::ConsumePrefix(&rest, kFile) && !rest.empty()) {
        TROUPE_RETURN_IF_ERROR(write(std::string(rest)));
      } else if (absl::ConsumePrefix(&rest, kActor)) {
        TROUPE_ASSIGN_OR_RETURN(const DebugListener actor, find(std::string(rest)));
        tell(actor);
      } else {
        return absl::InvalidArgumentError(
            absl::StrCat("Unsupported debug URL \"", url, "\": expected file://<folder> or actor://<name>"));
      }
    }
    return absl::OkStatus();
  }

  absl::StatusOr<DebugListener> find(const std::string& name) const {
    if (name.empty() || name.size() > kLongestName) {
      return absl::InvalidArgumentError(absl::StrCat("The actor of a debug URL has a name of 1 to ",
                                                     kLongestName, " letters, but \"", name, "\" has ",
                                                     name.size()));
    }
    const caf::strong_actor_ptr actor = system_.registry().get(caf::atom_from_string(name));
    if (actor == nullptr)
      return absl::NotFoundError(
          absl::StrCat("No actor \"", name, "\" is registered to hear what is watched"));
    return caf::actor_cast<DebugListener>(actor);
  }

  caf::actor_system& system_;
};

}  // namespace

std::shared_ptr<Debugger> make_debugger(caf::actor_system& system) {
  return std::make_shared<FilesAndActors>(system);
}

}  // namespace troupe
