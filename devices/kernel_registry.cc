#include "devices/kernel_registry.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace troupe {
namespace {

class FunctionKernel final : public Kernel {
 public:
  FunctionKernel(KernelFn fn, bool cheap) : fn_(fn), cheap_(cheap) {}
  absl::Status compute(KernelContext& context) override { return fn_(context); }
  bool is_expensive() const override { return !cheap_; }

 private:
  const KernelFn fn_;
  const bool cheap_;
};

bool allows(const std::vector<DataType>& allowed, DataType t) {
  return std::find(allowed.begin(), allowed.end(), t) != allowed.end();
}

std::string dt_name(DataType t) {
  std::string upper = absl::StrCat("DT_", dtype_name(t));
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](char c) { return static_cast<char>(toupper(c)); });
  return upper;
}

/// The kernel asks for an attr that the node's op does not have. In the message the kernel is for one type, as TensorFlow's
/// are: that of the node.
absl::Status no_such_attr(const KernelDef& def, const std::string& name, const AttrMap& attrs) {
  std::string constraints;
  for (const auto& [attr, allowed] : def.constraints) {
    const AttrValue* v = attrs.find(attr);
    const DataType* has = v == nullptr ? nullptr : v->get<DataType>();
    const DataType type = has != nullptr ? base_type(*has) : allowed.back();
    absl::StrAppend(&constraints, " constraint { name: \"", attr,
                    "\" allowed_values { list { type: ", dt_name(type), " } } }");
  }
  const std::string values = absl::StrJoin(attrs, ", ", [](std::string* out, const AttrMap::Entry& a) {
    absl::StrAppend(out, a.first, "=", a.second.to_string());
  });
  return absl::InvalidArgumentError(absl::StrCat(
      "OpKernel '", def.op, "' has constraint on attr '", name, "' not in NodeDef '[", values,
      "]', KernelDef: 'op: \"", def.op, "\" device_type: \"", def.device_type, "\"", constraints, "'"));
}

absl::StatusOr<bool> matches(const KernelDef& def, const AttrMap& attrs) {
  for (const auto& [name, allowed] : def.constraints) {
    const AttrValue* v = attrs.find(name);
    if (v == nullptr) {
      return no_such_attr(def, name, attrs);
    }
    if (const DataType* t = v->get<DataType>()) {
      if (!allows(allowed, base_type(*t))) return false;
    } else if (auto list = v->get_list<std::vector<DataType>>()) {
      for (DataType t2 : *list) {
        if (!allows(allowed, base_type(t2))) return false;
      }
    } else {
      return absl::InvalidArgumentError(absl::StrCat("OpKernel '", def.op, "' has constraint on attr '", name,
                                                     "' that has a value of kind ", v->kind()));
    }
  }
  return true;
}

}  // namespace

KernelDef&& KernelDef::fn(KernelFn f, bool cheap) && {
  factory = [f, cheap](const KernelConstruction&) -> absl::StatusOr<std::unique_ptr<Kernel>> {
    return std::make_unique<FunctionKernel>(f, cheap);
  };
  return std::move(*this);
}

void KernelRegistry::add(KernelDef def) {
  auto added = std::make_unique<KernelDef>(std::move(def));
  std::unique_lock lock(mu_);
  added->family = family_;
  defs_[added->op].push_back(std::move(added));
}

void KernelRegistry::add_family(const char* name, void (*family)(KernelRegistry* registry)) {
  auto set_name = [this](const char* n) {
    std::unique_lock lock(mu_);
    family_ = n;
  };
  set_name(name);
  family(this);
  set_name("");
}

std::vector<const KernelDef*> KernelRegistry::of(const std::string& op) const {
  std::vector<const KernelDef*> out;
  std::shared_lock lock(mu_);
  auto it = defs_.find(op);
  if (it == defs_.end()) return out;
  for (const auto& def : it->second) out.push_back(def.get());
  return out;
}

namespace {

constexpr char kCpu[] = "CPU";

/// What moves a value between devices of a process, as a reference: a CPU's kernel serves all types that bring none of their own.
bool is_transfer(absl::string_view op) {
  return op == "_Send" || op == "_Recv" || op == "_HostSend" || op == "_HostRecv";
}

}  // namespace

absl::StatusOr<const KernelDef*> KernelRegistry::find(const std::string& op, const std::string& device_type,
                                                      const AttrMap& attrs) const {
  std::shared_lock lock(mu_);
  auto it = defs_.find(op);
  if (it == defs_.end()) return nullptr;
  std::string label = attrs.get_or<std::string>("_kernel", "");
  const KernelDef* best = nullptr;
  for (const auto& def : it->second) {
    if (def->device_type != device_type || def->label != label) continue;
    TROUPE_ASSIGN_OR_RETURN(bool match, matches(*def, attrs));
    if (!match) continue;
    if (best != nullptr && best->priority == def->priority) {
      return absl::InvalidArgumentError(absl::StrCat("Multiple OpKernel registrations match NodeDef for op '",
                                                     op, "' on '", device_type, "' with priority ",
                                                     def->priority));
    }
    if (best == nullptr || def->priority > best->priority) best = def.get();
  }
  lock.unlock();
  if (best == nullptr && device_type != kCpu && is_transfer(op)) return find(op, kCpu, attrs);
  return best;
}

absl::StatusOr<std::unique_ptr<Kernel>> KernelRegistry::create(const KernelNode& node, Device* device) const {
  TROUPE_ASSIGN_OR_RETURN(const KernelDef* def, find(node.op->name, device->type(), node.attrs));
  if (def == nullptr) {
    bool attrs_did_not_match = false;
    for (const KernelDef* d : of(node.op->name)) attrs_did_not_match |= d->device_type == device->type();
    return absl::NotFoundError(
        absl::StrCat("No registered '", node.op->name, "' OpKernel for '", device->type(),
                     "' devices compatible with node {{node ", node.name, "}}",
                     attrs_did_not_match ? "\n\t (OpKernel was found, but attributes didn't match)" : "",
                     "\n\t.  Registered:\n", list_for_op(node.op->name)));
  }
  KernelConstruction construction(&node, device);
  auto kernel = def->factory(construction);
  if (!kernel.ok()) return annotate(kernel.status(), "", absl::StrCat("\n\t [[{{node ", node.name, "}}]]"));
  return kernel;
}

std::string KernelRegistry::list_for_op(const std::string& op) const {
  const std::vector<const KernelDef*> defs = of(op);
  if (defs.empty()) return "  <no registered kernels>\n";
  std::string out;
  for (const KernelDef* def : defs) {
    absl::StrAppend(&out, "  device='", def->device_type, "'");
    if (!def->label.empty()) absl::StrAppend(&out, "; label='", def->label, "'");
    for (const auto& [name, allowed] : def->constraints) {
      absl::StrAppend(
          &out, "; ", name, " in [",
          absl::StrJoin(allowed, ", ", [](std::string* o, DataType t) { absl::StrAppend(o, dt_name(t)); }),
          "]");
    }
    absl::StrAppend(&out, "\n");
  }
  return out;
}

std::vector<std::string> KernelRegistry::ops() const {
  std::vector<std::string> names;
  std::shared_lock lock(mu_);
  for (const auto& d : defs_) names.push_back(d.first);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace troupe
