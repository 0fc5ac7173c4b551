#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "graph/ir/device_name.h"
#include "graph/ir/graph.h"
#include "graph/passes/device_catalog.h"

namespace troupe {

/// Finds a device for the nodes of a graph from `first_id` on whose entry in `devices` is -1: joins them to groups that must be
/// together, then chooses for each group. Used once.
class Placer {
 public:
  /// `classes` may be null: only nodes of the graph lead colocation classes. With `for_session`, what a signature may decide
  /// better stays at -1; see Placement::device_of.
  Placer(const DeviceCatalog& devices, bool soft, const Graph& graph, int first_id, std::vector<int>* where);

  /// Left at -1: nodes whose ops have no kernel at all.
  void leave_unknown_ops() { leave_unknown_ops_ = true; }
  /// Left at -1: what hangs on a resource that a function makes, and nodes with a defect.
  void leave_open_groups() { leave_open_groups_ = true; }
  /// Colocation classes that name no node, with a member that has a device; new ones are added by run.
  void remember_classes(absl::flat_hash_map<std::string, int>* classes) { classes_ = classes; }

  absl::Status run();

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
    /// It hangs on a resource that a function makes.
    bool open = false;
    /// Of a node, not of its group: no kernel at all.
    bool unknown = false;
  };
  /// By device of the catalog: the kernel priority of the members, or nothing when one has no kernel there.
  using Support = std::vector<std::optional<int>>;

  bool is_member(int id) const { return id >= first_ && groups_[id - first_].parent != kNone; }
  Group& own(int id) { return groups_[id - first_]; }
  int find(int id);
  Group& group_of(int id) { return own(find(id)); }

  absl::Status init(int id);
  absl::StatusOr<int> wish_of(const Node& n);
  absl::StatusOr<int> support_of(const Node& n, bool* unknown);
  int add_wish(DeviceName name);
  int add_support(Support support);
  std::string text_of(int wish) const { return wish == kNone ? "" : wishes_[wish].to_string(); }

  absl::Status join_resources();
  absl::Status join_across_edge(int src, int dst);
  absl::Status anchor_across_edge(int src, int dst);
  absl::Status join_classes();
  absl::Status join_class(int id, int leader);
  absl::Status merge(int a, int b);
  absl::Status cannot_colocate(int a, int b, const absl::Status& why) const;
  Support merge_supports(Support a, Support b) const;
  bool in_same_order(const Support& a, const Support& b) const;
  absl::StatusOr<int> merge_wishes(int a, int b, DeviceName::OnConflict conflict);
  bool compatible(int a, int b) const;
  absl::Status incompatible(const char* which, const std::string& of_src, const std::string& of_dst, int src,
                            int dst) const;

  absl::Status assign_all();
  bool is_generator(int id);
  int preferred_of(int id) const;
  std::vector<int> common_devices(const std::vector<int>& generators) const;
  absl::Status assign(int id, int preferred);
  absl::Status choose(int id, int preferred, Group* g);
  int best(const Group& g, const DeviceName& want) const;
  bool better(const Support& support, int a, int b) const;
  absl::Status no_device_for(int id, const Group& g) const;

  const DeviceCatalog& devices_;
  const bool soft_;
  const Graph& graph_;
  const int first_;
  std::vector<int>& where_;
  bool leave_unknown_ops_ = false;
  bool leave_open_groups_ = false;
  absl::flat_hash_map<std::string, int>* classes_ = nullptr;

  std::vector<DeviceName> names_;
  std::vector<Group> groups_;
  std::vector<DeviceName> wishes_;
  absl::flat_hash_map<std::string, int> wish_numbers_;
  std::vector<Support> supports_;
  /// By op and types; second: no kernel at all.
  absl::flat_hash_map<std::string, std::pair<int, bool>> support_numbers_;
  std::string key_;
};

}  // namespace troupe
