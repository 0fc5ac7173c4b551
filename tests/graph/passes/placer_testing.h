#pragma once

#include <gmock/gmock.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/ir/device_name.h"
#include "graph/ir/graph_builder.h"
#include "graph/passes/place.h"

namespace troupe::test {

/// Devices and kernels that a test makes up.
class FakeCatalog final : public DeviceCatalog {
 public:
  /// By device type: the priority of the kernel there.
  using Kernels = std::map<std::string, int>;

  /// Two FakeCPUs and two FakeGPUs; GPUs are preferred.
  static FakeCatalog cpus_and_gpus() {
    FakeCatalog c;
    for (int i : {0, 1}) c.add(absl::StrCat("/job:a/replica:0/task:0/device:FakeCPU:", i), 60);
    for (int i : {0, 1}) c.add(absl::StrCat("/job:a/replica:0/task:0/device:FakeGPU:", i), 210);
    return c;
  }
  void add(const std::string& name, int priority, bool local = true) {
    entries_.push_back({.name = name,
                        .type = *DeviceName::parse(name)->type,
                        .incarnation = entries_.size() + 1,
                        .priority = priority,
                        .local = local});
  }

  const std::vector<Entry>& entries() const override { return entries_; }
  int client_device() const override { return 0; }
  absl::StatusOr<Support> kernel_support(const OpDef& op, const AttrMap&,
                                         const std::string& type) const override {
    auto known = kernels.find(op.name);
    if (known == kernels.end()) return Support{true, 0};
    auto there = known->second.find(type);
    return there == known->second.end() ? Support{} : Support{true, there->second};
  }
  std::string kernels_of(const std::string& op) const override {
    auto known = kernels.find(op);
    if (known == kernels.end() || known->second.empty()) return "  <no registered kernels>\n";
    std::string all;
    for (const auto& [type, priority] : known->second) absl::StrAppend(&all, "  device='", type, "'\n");
    return all;
  }

  /// Ops that are not named have a kernel for every type.
  std::map<std::string, Kernels> kernels;

 private:
  std::vector<Entry> entries_;
};

inline const FakeCatalog::Kernels kOnCpu{{"FakeCPU", 0}}, kOnGpu{{"FakeGPU", 0}};

/// A graph of these ops, placed. Each comes with a kernel for both types, or for one where its name says so.
inline constexpr OpRow kPlacerOps[] = {
    {"Input", "", "a:float, b:float", "", ""},
    {"Generator", "", "o:float", "", ""},
    {"GeneratorCPU", "", "o:float", "", ""},
    {"Relu1", "i:float", "o:float", "", ""},
    {"Relu1CPU", "i:float", "o:float", "", ""},
    {"Relu1GPU", "i:float", "o:float", "", ""},
    {"Both", "a:float, b:float", "o:float", "", ""},
    {"Var", "", "o:Ref(float)", "", "stateful"},
    {"VarCPU", "", "o:Ref(float)", "", "stateful"},
    {"VarGPU", "", "o:Ref(float)", "", "stateful"},
    {"Set", "v:Ref(float), x:float", "o:Ref(float)", "", ""},
    {"SetCPU", "v:Ref(float), x:float", "o:Ref(float)", "", ""},
    {"SetGPU", "v:Ref(float), x:float", "o:Ref(float)", "", ""},
    {"Handle", "", "o:resource", "", "stateful"},
    {"HandleCPU", "", "o:resource", "", "stateful"},
    {"HandleGPU", "", "o:resource", "", "stateful"},
    {"Use", "h:resource", "o:float", "", "stateful"},
    {"UseCPU", "h:resource", "o:float", "", "stateful"},
    {"UseGPU", "h:resource", "o:float", "", "stateful"},
    {"UseTwo", "h:resource, i:resource", "o:float", "", "stateful"},
    {"Pass", "h:resource", "o:resource", "", ""},
    {"PassCPU", "h:resource", "o:resource", "", ""},
    {"Join", "h:resource, i:resource", "o:resource", "", ""},
};

class PlacerTest : public testing::Test {
 protected:
  PlacerTest() : ops_(&builtin_ops()) {
    EXPECT_TRUE(ops_.add(kPlacerOps).ok());
    for (const OpRow& row : kPlacerOps) {
      if (absl::EndsWith(row.name, "CPU")) devices.kernels[row.name] = kOnCpu;
      if (absl::EndsWith(row.name, "GPU")) devices.kernels[row.name] = kOnGpu;
    }
    begin_anew();
  }
  void begin_anew() {
    b.emplace(&ops_);
    assigned_.clear();
  }

  /// A node that asks for `device`, in the colocation groups of `together`.
  Out node(const std::string& name, const std::string& op, const std::vector<In>& inputs = {},
           const std::string& device = "", const std::vector<std::string>& together = {}) {
    AttrMap attrs;
    std::vector<std::string> classes;
    for (const std::string& of : together) classes.push_back("loc:@" + of);
    if (!classes.empty()) attrs.set("_class", classes);
    auto there = b->device(device);
    return b->op(op, inputs, std::move(attrs), name);
  }
  /// The node is on that device before the placer comes.
  void assign(const std::string& name, int device) { assigned_[name] = device; }

  absl::Status decide(bool soft = false) {
    EXPECT_TRUE(b->status().ok()) << b->status();
    graph = b->graph().clone();
    for (const auto& [name, device] : assigned_) graph.find(name)->device = device;
    PlanOptions options;
    options.allow_soft_placement = soft;
    return place(devices, options, &graph).status();
  }
  std::string refused(bool soft = false) { return message_of(decide(soft)); }
  static std::string message_of(const absl::Status& refused) {
    EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument) << refused;
    return std::string(refused.message());
  }
  /// "FakeGPU:0"
  std::string text_of(int device) const {
    if (device < 0) return "nowhere";
    const DeviceName full = *DeviceName::parse(devices.entries()[device].name);
    return absl::StrCat(*full.type, ":", *full.id);
  }
  std::string at(const std::string& name) const { return text_of(graph.find(name)->device); }

  FakeCatalog devices = FakeCatalog::cpus_and_gpus();
  OpRegistry ops_;
  std::optional<GraphBuilder> b;
  Graph graph;

 private:
  std::map<std::string, int> assigned_;
};

}  // namespace troupe::test
