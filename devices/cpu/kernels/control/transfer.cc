#include "absl/strings/str_cat.h"
#include "devices/kernel_registry.h"
#include "graph/passes/rendezvous_key.h"

namespace troupe {
namespace {

/// What Send and Recv nodes know of their edge: all of the key but the iteration.
absl::StatusOr<std::string> key_prefix(const KernelConstruction& c) {
  TROUPE_ASSIGN_OR_RETURN(std::string src, c.attr<std::string>("send_device"));
  TROUPE_ASSIGN_OR_RETURN(int64_t incarnation, c.attr<int64_t>("send_device_incarnation"));
  TROUPE_ASSIGN_OR_RETURN(std::string dst, c.attr<std::string>("recv_device"));
  TROUPE_ASSIGN_OR_RETURN(std::string tensor, c.attr<std::string>("tensor_name"));
  return RendezvousKey::prefix(src, static_cast<uint64_t>(incarnation), dst, tensor);
}

absl::Status no_rendezvous(const KernelContext& c) {
  return absl::InternalError(
      absl::StrCat("Op kernel context needs to provide a rendezvous for ", c.node().op->name));
}

/// Hands its input, dead or alive, to the step's rendezvous.
class Send final : public Kernel {
 public:
  explicit Send(std::string prefix) : prefix_(std::move(prefix)) {}
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(std::string prefix, key_prefix(c));
    return std::make_unique<Send>(std::move(prefix));
  }
  absl::Status compute(KernelContext& c) override {
    if (c.step().rendezvous == nullptr) return no_rendezvous(c);
    return c.step().rendezvous->send(absl::StrCat(prefix_, c.frame_id, ":", c.iteration), c.take_input(0),
                                     c.is_input_dead);
  }
  bool is_expensive() const override { return false; }

 private:
  const std::string prefix_;
};

/// Waits for the value; a dead one leaves the output absent, which makes the consumers dead. The step's end aborts the
/// rendezvous, and so this wait.
class Recv final : public AsyncKernel {
 public:
  explicit Recv(std::string prefix) : prefix_(std::move(prefix)) {}
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(std::string prefix, key_prefix(c));
    return std::make_unique<Recv>(std::move(prefix));
  }
  void compute_async(KernelContext& c, Done done) override {
    if (c.step().rendezvous == nullptr) return done(no_rendezvous(c));
    c.step().rendezvous->recv(absl::StrCat(prefix_, c.frame_id, ":", c.iteration),
                              [&c, done = std::move(done)](absl::Status status, Tensor value, bool is_dead) {
                                if (status.ok() && !is_dead) c.set_output(0, std::move(value));
                                done(std::move(status));
                              });
  }

 private:
  const std::string prefix_;
};

}  // namespace

void register_control_transfer(KernelRegistry* registry) {
  for (const char* op : {"_Send", "_HostSend", "Send"}) registry->add(KernelDef(op).kernel<Send>());
  for (const char* op : {"_Recv", "_HostRecv", "Recv"}) registry->add(KernelDef(op).kernel<Recv>());
}

}  // namespace troupe
