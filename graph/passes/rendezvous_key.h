#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace troupe {

/// The key under which a tensor waits in a rendezvous, as text:
///   "<source device>;<its incarnation as 16 hex digits>;<destination device>;<tensor name>;<frame>:<iteration>"
struct RendezvousKey {
  std::string src_device;
  uint64_t src_incarnation = 0;
  std::string dst_device;
  std::string tensor_name;
  /// Hash of the frame, 0 for the root.
  uint64_t frame = 0;
  uint64_t iteration = 0;

  std::string to_string() const;
  /// InvalidArgument "Invalid rendezvous key: ..." unless it has exactly these five parts, complete device names, a
  /// hexadecimal incarnation and a name.
  static absl::StatusOr<RendezvousKey> parse(absl::string_view text);
  /// What stays the same from iteration to iteration: all but the last part, ending in ';'. For `_Send` and `_Recv`
  /// kernels, which make it once.
  static std::string prefix(absl::string_view src_device, uint64_t src_incarnation,
                            absl::string_view dst_device, absl::string_view tensor_name);

  /// The destination device in a key's text, which is not checked otherwise.
  static absl::string_view dst_device_of(absl::string_view key);

  friend bool operator==(const RendezvousKey&, const RendezvousKey&) = default;
};

}  // namespace troupe
