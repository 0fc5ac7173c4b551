#include "graph/ops/op_registry.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_cat.h"

namespace troupe {

OpRegistry::OpRegistry() = default;
OpRegistry::OpRegistry(const OpRegistry* parent) : parent_(parent) {}
OpRegistry::~OpRegistry() = default;

absl::Status OpRegistry::add(std::span<const OpRow> rows) {
  std::lock_guard lock(mu_);
  for (const OpRow& row : rows) {
    if (!slots_.try_emplace(row.name, Slot{.row = &row, .family = family_}).second) {
      return absl::AlreadyExistsError(absl::StrCat("Op with name ", row.name, " is already registered"));
    }
  }
  return absl::OkStatus();
}

absl::Status OpRegistry::add_family(const char* name, absl::Status (*family)(OpRegistry* registry)) {
  auto set_name = [this](const char* n) {
    std::lock_guard lock(mu_);
    family_ = n;
  };
  set_name(name);
  absl::Status status = family(this);
  set_name("");
  return status;
}

absl::Status OpRegistry::add(OpDef op) {
  std::lock_guard lock(mu_);
  std::string name = op.name;
  if (slots_.contains(name)) {
    return absl::AlreadyExistsError(absl::StrCat("Op with name ", name, " is already registered"));
  }
  slots_[name] = Slot{.op = std::make_unique<const OpDef>(std::move(op))};
  return absl::OkStatus();
}

absl::Status OpRegistry::add_shapes(std::span<const ShapeRow> rows) {
  std::lock_guard lock(mu_);
  for (const ShapeRow& row : rows) {
    auto it = slots_.find(row.op);
    if (it == slots_.end() || it->second.row == nullptr) {
      return absl::NotFoundError(absl::StrCat("Shape function of an op that is not registered: ", row.op));
    }
    if (it->second.shape_fn != nullptr || it->second.op != nullptr) {
      return absl::AlreadyExistsError(absl::StrCat("Op ", row.op, " has a shape function already"));
    }
    it->second.shape_fn = row.fn;
  }
  return absl::OkStatus();
}

const OpDef* OpRegistry::find(absl::string_view name) const {
  {
    std::lock_guard lock(mu_);
    auto it = slots_.find(name);
    if (it != slots_.end()) {
      Slot& slot = it->second;
      if (slot.op == nullptr) {
        auto op = parse_op_row(*slot.row);
        if (!op.ok()) {
          // A table that does not parse is a defect of the program; a test walks all rows.
          std::fprintf(stderr, "%s\n", std::string(op.status().message()).c_str());
          std::abort();
        }
        op->family = slot.family;
        if (slot.shape_fn != nullptr) op->shape_fn = slot.shape_fn;
        slot.op = std::make_unique<const OpDef>(*std::move(op));
      }
      return slot.op.get();
    }
  }
  return parent_ == nullptr ? nullptr : parent_->find(name);
}

absl::StatusOr<const OpDef*> OpRegistry::lookup(absl::string_view name) const {
  if (const OpDef* op = find(name)) return op;
  char host[256] = "localhost";
  gethostname(host, sizeof(host) - 1);
  return absl::NotFoundError(absl::StrCat(
      "Op type not registered '", name, "' in binary running on ", host,
      ". Make sure the Op and Kernel are registered in the binary running in this process. Note "
      "that if you are loading a "
      "saved graph which used ops from tf.contrib (e.g. `tf.contrib.resampler`), accessing should be done "
      "before importing the graph, as contrib ops are lazily registered when the module is first accessed."));
}

std::vector<std::string> OpRegistry::names() const {
  std::vector<std::string> out = parent_ == nullptr ? std::vector<std::string>() : parent_->names();
  {
    std::lock_guard lock(mu_);
    for (const auto& s : slots_) out.push_back(s.first);
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace troupe
