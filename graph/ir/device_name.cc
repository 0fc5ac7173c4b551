#include "graph/ir/device_name.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace troupe {
namespace {

/// Takes a letter and the letters, digits and '_' behind it off the front of `in`.
bool take_identifier(absl::string_view* in, std::optional<std::string>* out) {
  if (in->empty() || !absl::ascii_isalpha((*in)[0])) return false;
  size_t n = 1;
  while (n < in->size() && (absl::ascii_isalnum((*in)[n]) || (*in)[n] == '_')) ++n;
  *out = std::string(in->substr(0, n));
  in->remove_prefix(n);
  return true;
}

bool take_number(absl::string_view* in, std::optional<int>* out) {
  size_t n = 0;
  while (n < in->size() && absl::ascii_isdigit((*in)[n])) ++n;
  int value = 0;
  if (n == 0 || !absl::SimpleAtoi(in->substr(0, n), &value)) return false;
  *out = value;
  in->remove_prefix(n);
  return true;
}

bool take_identifier_or_star(absl::string_view* in, std::optional<std::string>* out) {
  if (!absl::ConsumePrefix(in, "*")) return take_identifier(in, out);
  out->reset();
  return true;
}

bool take_number_or_star(absl::string_view* in, std::optional<int>* out) {
  if (!absl::ConsumePrefix(in, "*")) return take_number(in, out);
  out->reset();
  return true;
}

bool take_component(absl::string_view* in, DeviceName* out) {
  if (absl::ConsumePrefix(in, "/job:")) return take_identifier_or_star(in, &out->job);
  if (absl::ConsumePrefix(in, "/replica:")) return take_number_or_star(in, &out->replica);
  if (absl::ConsumePrefix(in, "/task:")) return take_number_or_star(in, &out->task);
  if (absl::ConsumePrefix(in, "/device:")) {
    out->id.reset();
    if (!take_identifier_or_star(in, &out->type)) return false;
    return !absl::ConsumePrefix(in, ":") || take_number_or_star(in, &out->id);
  }
  for (const char* type : {"CPU", "GPU"}) {
    if (absl::ConsumePrefix(in, absl::StrCat("/", type, ":")) ||
        absl::ConsumePrefix(in, absl::StrCat("/", absl::AsciiStrToLower(type), ":"))) {
      out->type = type;
      return take_number_or_star(in, &out->id);
    }
  }
  return false;
}

template <class T>
bool conflict_in(const std::optional<T>& a, const std::optional<T>& b) {
  return a && b && *a != *b;
}

template <class T>
bool specified_by(const std::optional<T>& less, const std::optional<T>& more) {
  return !less || less == more;
}

absl::Status cannot_merge(absl::string_view what, const DeviceName& a, const DeviceName& b) {
  return absl::InvalidArgumentError(absl::StrCat("Cannot merge devices with incompatible ", what, ": '",
                                                 a.to_string(), "' and '", b.to_string(), "'"));
}

}  // namespace

std::optional<DeviceName> DeviceName::parse(absl::string_view text) {
  DeviceName name;
  if (text == "/") return name;
  while (!text.empty()) {
    if (!take_component(&text, &name)) return std::nullopt;
  }
  return name;
}

std::optional<DeviceName> DeviceName::parse_local(absl::string_view text) {
  DeviceName name;
  if (!take_identifier(&text, &name.type) || !absl::ConsumePrefix(&text, ":") ||
      !take_number(&text, &name.id) || !text.empty()) {
    return std::nullopt;
  }
  return name;
}

std::optional<DeviceName> DeviceName::parse_any(absl::string_view text) {
  if (auto local = parse_local(text)) return local;
  return parse(text);
}

DeviceName DeviceName::full(std::string job, int replica, int task, std::string type, int id) {
  return {std::move(job), replica, task, std::move(type), id};
}

std::string DeviceName::task_string() const {
  std::string out;
  if (job) absl::StrAppend(&out, "/job:", *job);
  if (replica) absl::StrAppend(&out, "/replica:", *replica);
  if (task) absl::StrAppend(&out, "/task:", *task);
  return out;
}

std::string DeviceName::local_string() const {
  if (!type) return "";
  return absl::StrCat("/device:", *type, ":", id ? absl::StrCat(*id) : "*");
}

std::string DeviceName::to_string() const { return absl::StrCat(task_string(), local_string()); }

bool DeviceName::same_address_space(const DeviceName& o) const {
  return has_full_task() && o.has_full_task() && job == o.job && replica == o.replica && task == o.task;
}

bool DeviceName::is_specification_of(const DeviceName& o) const {
  return specified_by(job, o.job) && specified_by(replica, o.replica) && specified_by(task, o.task) &&
         specified_by(type, o.type) && specified_by(id, o.id);
}

bool DeviceName::compatible_with(const DeviceName& o) const {
  return !conflict_in(job, o.job) && !conflict_in(replica, o.replica) && !conflict_in(task, o.task) &&
         !conflict_in(type, o.type) && !conflict_in(id, o.id);
}

absl::Status DeviceName::merge(const DeviceName& o, OnConflict conflict) {
  if (conflict_in(job, o.job)) return cannot_merge("jobs", *this, o);
  if (conflict_in(replica, o.replica)) return cannot_merge("replicas", *this, o);
  if (conflict_in(task, o.task)) return cannot_merge("tasks", *this, o);
  const bool types_differ = conflict_in(type, o.type);
  const bool ids_differ = conflict_in(id, o.id);
  if (conflict == OnConflict::kError) {
    if (types_differ) return cannot_merge("types", *this, o);
    if (ids_differ) return cannot_merge("ids", *this, o);
  }
  if (o.job) job = o.job;
  if (o.replica) replica = o.replica;
  if (o.task) task = o.task;
  if (types_differ && conflict == OnConflict::kDrop) {
    type.reset();
    id.reset();
    return absl::OkStatus();
  }
  if (o.type) type = o.type;
  if (ids_differ && conflict == OnConflict::kDrop) {
    id.reset();
  } else if (types_differ || o.id) {
    id = o.id;
  }
  return absl::OkStatus();
}

void DeviceName::fill_from(const DeviceName& o) {
  if (!job) job = o.job;
  if (!replica) replica = o.replica;
  if (!task) task = o.task;
  if (!type) type = o.type;
  if (!id) id = o.id;
}

absl::StatusOr<std::string> canonical_device_name(absl::string_view text, absl::string_view base) {
  auto from = DeviceName::parse(base);
  if (!from || !from->complete()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Could not parse '", base,
        "' as a complete device name to start from: job, replica, task, type and id are needed"));
  }
  auto name = DeviceName::parse_any(text);
  if (!name) return absl::InvalidArgumentError(absl::StrCat("Could not parse '", text, "' as a device name"));
  name->fill_from(*from);
  return name->to_string();
}

std::optional<std::pair<std::string, std::string>> split_device_name(absl::string_view text) {
  auto name = DeviceName::parse(text);
  if (!name || !name->type || !name->id) return std::nullopt;
  return std::make_pair(name->task_string(), absl::StrCat(*name->type, ":", *name->id));
}

}  // namespace troupe
