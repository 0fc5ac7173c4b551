#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "graph/ir/device_name.h"
#include "graph/ir/graph.h"
#include "graph/passes/call_resources.h"
#include "graph/passes/device_catalog.h"

namespace troupe {

class CallInspector;

/// Finds a device for the nodes of a graph from `first_id` on whose entry in `where` is -1: joins them to groups that must be
/// together, then chooses for each group. Used once.
///
/// What a call returns is a member of its own for each resource that the function hands out (CallInspector tells which), with
/// an id behind those of the nodes: it goes with what is handed in, or with what the function makes, not with the call.
class Placer {
 public:
  Placer(const DeviceCatalog& devices, bool soft, const Graph& graph, int first_id, std::vector<int>* where);

  /// Left at -1: nodes whose ops have no kernel at all.
  void leave_unknown_ops() { leave_unknown_ops_ = true; }
  /// The graph is to be cut and inlined: nodes with a defect are left at -1, and what hangs on a resource of a function that
  /// cannot be looked into.
  void leave_open_groups() { leave_open_groups_ = inlined_later_ = true; }
  /// Colocation classes that name no node, with a member that has a device; new ones are added by run.
  void remember_classes(absl::flat_hash_map<std::string, int>* classes) { classes_ = classes; }
  /// Where the resources are that calls return; new ones are added by run.
  void remember_made(absl::flat_hash_map<Endpoint, int>* made) { remembered_made_ = made; }
  /// Looks into functions with this one, which outlives the placer, instead of one of its own.
  void share_inspector(CallInspector* inspector) { inspector_ = inspector; }

  absl::Status run();
  /// Of the graph of a function: its groups, without choosing for any. Nothing when one of them cannot be told.
  absl::StatusOr<std::optional<CallResources>> inspect();

 private:
  static constexpr int kNone = -1;

  /// What the members of a group have in common. Wishes and supports are numbers of `wishes_` and `supports_`.
  struct Group {
    int parent = kNone;  // kNone: not to be placed
    int rank = 0;
    /// What its members ask for, and what the variables among them insist on.
    int wish = kNone;
    int resource = kNone;
    int support = 0;
    int device = kNone;
    /// It hangs on a resource of a function that cannot be looked into.
    bool open = false;
    /// Of a node, not of its group: no kernel at all.
    bool unknown = false;
  };
  using Support = KernelPriorities;

  bool is_member(int id) const { return id >= first_ && groups_[id - first_].parent != kNone; }
  bool is_node(int id) const { return id < graph_.num_ids(); }
  Group& own(int id) { return groups_[id - first_]; }
  const Group& own(int id) const { return groups_[id - first_]; }
  int find(int id);
  Group& group_of(int id) { return own(find(id)); }
  /// Of what a call returns: the call.
  const Node& node_of(int id) const {
    return graph_.node(is_node(id) ? id : callers_[id - graph_.num_ids()]);
  }

  absl::Status join();
  absl::Status init(int id);
  absl::Status check_assigned(const Node& n);
  absl::StatusOr<int> wish_of(const Node& n);
  int wish_for(int device);
  absl::StatusOr<int> support_of(const Node& n, bool* unknown);
  bool is_elsewhere(const Node& n, int wish) const;
  int add_wish(DeviceName name);
  int add_support(Support support);
  std::string text_of(int wish) const { return wish == kNone ? "" : wishes_[wish].to_string(); }

  absl::Status enter_calls();
  absl::Status enter_call(int id);
  int add_returned(int call, const CallResources::Group& in, bool stays);
  void remember();

  absl::Status join_resources();
  absl::Status join_inputs(const Node& n);
  absl::Status join_input(Endpoint e, int dst);
  absl::Status join_across_edge(int src, int dst);
  absl::Status anchor_across_edge(int src, int dst);
  absl::Status anchor(int member, int at, int src, int dst);
  void settle(Group* g, int at);
  absl::Status join_classes();
  absl::Status join_class(int id, int leader);
  absl::Status merge(int a, int b);
  Support merge_supports(Support a, Support b) const;
  bool in_same_order(const Support& a, const Support& b) const;
  absl::StatusOr<int> merge_wishes(int a, int b, DeviceName::OnConflict conflict);
  bool compatible(int a, int b) const;

  absl::Status assign_all();
  int preferred_of(int id) const;
  std::vector<int> common_devices(const std::vector<int>& generators) const;
  absl::Status assign(int id, int preferred);
  absl::Status choose(int id, int preferred, Group* g);
  int best(const Group& g, const DeviceName& want, int preferred) const;
  bool better(const Support& support, int a, int b) const;

  static absl::Status malformed_device(const Node& n);
  absl::Status no_kernel(const Node& n) const;
  absl::Status no_such_assigned_device(const Node& n, int at) const;
  absl::Status no_kernel_where_assigned(const Node& n, int at) const;
  absl::Status cannot_colocate(int a, int b, const absl::Status& why) const;
  std::string explain(int a, int b);
  absl::Status incompatible(const char* which, const std::string& of_src, const std::string& of_dst, int src,
                            int dst) const;
  absl::Status no_device_for(int id, const Group& g);
  std::string types_of(const Support& support) const;
  std::string describe_group(int root);

  const DeviceCatalog& devices_;
  const bool soft_;
  const Graph& graph_;
  const int first_;
  std::vector<int>& where_;
  bool leave_unknown_ops_ = false, leave_open_groups_ = false, inlined_later_ = false;
  absl::flat_hash_map<std::string, int>* classes_ = nullptr;
  absl::flat_hash_map<Endpoint, int>* remembered_made_ = nullptr;
  std::shared_ptr<CallInspector> own_inspector_;
  CallInspector* inspector_ = nullptr;  // own_inspector_ or that of another

  std::vector<DeviceName> names_;
  std::vector<Group> groups_;
  std::vector<DeviceName> wishes_;
  absl::flat_hash_map<std::string, int> wish_numbers_;
  std::vector<Support> supports_;
  /// By op and types; second: no kernel at all.
  absl::flat_hash_map<std::string, std::pair<int, bool>> support_numbers_;
  std::string key_;
  /// By member behind the nodes: the call that returns it.
  std::vector<int> callers_;
  /// The members that outputs and inputs of calls are.
  absl::flat_hash_map<Endpoint, int> made_, taken_;
};

}  // namespace troupe
