#pragma once

#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace troupe {

/// The name of a device, or a wish for one: any field may be left open. "/job:worker/replica:0/task:1/device:GPU:0" has
/// all of them. A plain value.
struct DeviceName {
  std::optional<std::string> job;
  std::optional<int> replica;
  std::optional<int> task;
  /// "CPU", "GPU", ... as written; the legacy forms /cpu: and /gpu: give upper case.
  std::optional<std::string> type;
  std::optional<int> id;

  /// What happens to type and id when two names that are merged differ there.
  enum class OnConflict { kError, kDrop, kTakeOther };

  /// Components /job: /replica: /task: /device:TYPE[:N] /cpu:N /gpu:N in any order, of which the last of a kind wins;
  /// "*" leaves a field open. "" and "/" are the empty name. Nothing when malformed.
  static std::optional<DeviceName> parse(absl::string_view text);
  /// "TYPE:N".
  static std::optional<DeviceName> parse_local(absl::string_view text);
  /// Either; what a lookup by name accepts.
  static std::optional<DeviceName> parse_any(absl::string_view text);
  static DeviceName full(std::string job, int replica, int task, std::string type, int id);

  /// Only the fields that are set; "/device:GPU:*" without an id.
  std::string to_string() const;
  /// "/job:j/replica:r/task:t".
  std::string task_string() const;
  /// "/device:CPU:0", "" without a type.
  std::string local_string() const;

  bool empty() const { return !job && !replica && !task && !type && !id; }
  bool has_full_task() const { return job && replica && task; }
  bool complete() const { return has_full_task() && type && id; }
  /// Same job, replica and task, all set in both.
  bool same_address_space(const DeviceName& o) const;
  /// Every field set here is equal in `o`.
  bool is_specification_of(const DeviceName& o) const;
  /// No field is set in both and different: some device fits both.
  bool compatible_with(const DeviceName& o) const;

  /// Takes over what `o` says. InvalidArgument "Cannot merge devices with incompatible jobs: 'A' and 'B'" for different
  /// jobs, replicas or tasks always, for types and ids as `conflict` tells; kDrop leaves the field open. Unchanged on
  /// an error.
  absl::Status merge(const DeviceName& o, OnConflict conflict = OnConflict::kError);
  /// Takes from `o` only what is open here.
  void fill_from(const DeviceName& o);

  friend bool operator==(const DeviceName&, const DeviceName&) = default;
  template <class H>
  friend H AbslHashValue(H h, const DeviceName& d) {
    return H::combine(std::move(h), d.job, d.replica, d.task, d.type, d.id);
  }
};

/// `text` with everything that it leaves open taken from `base`. InvalidArgument when `text` is malformed or `base` is
/// not a complete device name.
absl::StatusOr<std::string> canonical_device_name(absl::string_view text, absl::string_view base);

/// "/job:j/replica:r/task:t" and "TYPE:N". Nothing unless type and id are set.
std::optional<std::pair<std::string, std::string>> split_device_name(absl::string_view text);

}  // namespace troupe
