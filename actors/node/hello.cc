#include "actors/node/hello.h"

#include "absl/strings/str_cat.h"
#include "graph/status.h"
#include "proto/node_wire.pb.h"

namespace troupe {
namespace {

constexpr char kMagic[] = "TROUPE";
/// 2: pieces of large messages have 256 KiB.
constexpr uint32_t kVersion = 2;

}  // namespace

absl::Cord pack_hello(const PeerId& me, const std::string& address, const Invitation& invitation) {
  wire::Hello hello;
  hello.set_magic(kMagic);
  hello.set_version(kVersion);
  if (me.task) hello.set_task(me.task->to_string());
  hello.set_incarnation(me.incarnation);
  hello.set_address(address);
  hello.set_cluster(invitation.cluster);
  hello.set_called(invitation.task);
  // Without tensors it cannot fail.
  return *pack(hello);
}

Invitation peek_invitation(absl::string_view first_message) {
  if (first_message.size() < kMessageHeaderBytes) return {};
  wire::Hello hello;
  const absl::Status good = unpack(absl::Cord(first_message.substr(kMessageHeaderBytes)), &hello);
  if (!good.ok() || hello.magic() != kMagic) return {};
  return {hello.cluster(), hello.called()};
}

absl::StatusOr<PeerId> unpack_hello(const absl::Cord& body, std::string* address) {
  wire::Hello hello;
  TROUPE_RETURN_IF_ERROR(unpack(body, &hello));
  if (hello.magic() != kMagic || hello.incarnation() == 0) return absl::InvalidArgumentError("it is no node");
  if (hello.version() != kVersion) {
    return absl::FailedPreconditionError(
        absl::StrCat("it speaks version ", hello.version(), ", we speak ", kVersion));
  }
  if (address != nullptr) *address = hello.address();
  PeerId id;
  id.incarnation = hello.incarnation();
  if (hello.task().empty()) return id;
  id.task = TaskId::parse(hello.task());
  if (!id.task) return absl::InvalidArgumentError(absl::StrCat("it says that it is '", hello.task(), "'"));
  return id;
}

}  // namespace troupe
