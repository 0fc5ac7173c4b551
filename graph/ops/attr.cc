#include "graph/ops/attr.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace troupe {
namespace {

bool same_tensor(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
  if (a.shares_buffer_with(b)) return true;
  if (a.dtype() == DataType::kString) {
    auto x = a.flat<TString>(), y = b.flat<TString>();
    return std::equal(x.begin(), x.end(), y.begin());
  }
  if (!is_trivial(a.dtype())) return false;
  return a.bytes() == 0 || std::memcmp(a.raw(), b.raw(), a.bytes()) == 0;
}

struct KindOf {
  std::string operator()(std::monostate) const { return "none"; }
  std::string operator()(const std::string&) const { return "string"; }
  std::string operator()(int64_t) const { return "int"; }
  std::string operator()(float) const { return "float"; }
  std::string operator()(bool) const { return "bool"; }
  std::string operator()(DataType) const { return "type"; }
  std::string operator()(const PartialShape&) const { return "shape"; }
  std::string operator()(const Tensor&) const { return "tensor"; }
  std::string operator()(const FunctionRef&) const { return "func"; }
  std::string operator()(const AttrPlaceholder&) const { return "placeholder"; }
  std::string operator()(EmptyList) const { return "list()"; }
  template <class T>
  std::string operator()(const std::vector<T>&) const {
    return absl::StrCat("list(", (*this)(T()), ")");
  }
};

struct TextOf {
  std::string operator()(std::monostate) const { return "<none>"; }
  std::string operator()(const std::string& s) const { return absl::StrCat("\"", s, "\""); }
  std::string operator()(int64_t i) const { return absl::StrCat(i); }
  std::string operator()(float f) const { return absl::StrCat(f); }
  std::string operator()(bool b) const { return b ? "true" : "false"; }
  std::string operator()(DataType t) const {
    std::string s = dtype_name(t);
    std::transform(s.begin(), s.end(), s.begin(), [](char c) { return static_cast<char>(toupper(c)); });
    return "DT_" + s;
  }
  std::string operator()(const PartialShape& s) const { return s.to_string(); }
  std::string operator()(const Tensor& t) const { return t.to_string(); }
  std::string operator()(const FunctionRef& f) const { return f.name; }
  std::string operator()(const AttrPlaceholder& p) const { return "$" + p.name; }
  std::string operator()(EmptyList) const { return "[]"; }
  template <class T>
  std::string operator()(const std::vector<T>& list) const {
    std::string out = "[";
    for (size_t i = 0; i < list.size(); ++i) absl::StrAppend(&out, i > 0 ? ", " : "", (*this)(T(list[i])));
    return out + "]";
  }
};

struct Equal {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return a == b;
  }
  bool operator()(std::monostate, std::monostate) const { return true; }
  bool operator()(const Tensor& a, const Tensor& b) const { return same_tensor(a, b); }
  bool operator()(const std::vector<Tensor>& a, const std::vector<Tensor>& b) const {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_tensor);
  }
  template <class T, class U>
    requires(!std::is_same_v<T, U>)
  bool operator()(const T&, const U&) const { return false; }
};

}  // namespace

bool operator==(const FunctionRef& a, const FunctionRef& b) {
  if (a.name != b.name) return false;
  bool a_empty = a.attrs == nullptr || a.attrs->size() == 0;
  bool b_empty = b.attrs == nullptr || b.attrs->size() == 0;
  if (a_empty || b_empty) return a_empty == b_empty;
  return *a.attrs == *b.attrs;
}

bool operator==(const AttrValue& a, const AttrValue& b) { return std::visit(Equal(), a.value_, b.value_); }

std::string AttrValue::kind() const { return std::visit(KindOf(), value_); }
std::string AttrValue::to_string() const { return std::visit(TextOf(), value_); }

const AttrValue* AttrMap::find(absl::string_view name) const {
  for (const Entry& e : entries_) {
    if (e.first == name) return &e.second;
  }
  return nullptr;
}

void AttrMap::set(absl::string_view name, AttrValue value) {
  auto it = std::lower_bound(entries_.begin(), entries_.end(), name, [](const Entry& e, absl::string_view n) {
    return absl::string_view(e.first) < n;
  });
  if (it != entries_.end() && it->first == name) {
    it->second = std::move(value);
  } else {
    entries_.insert(it, Entry(std::string(name), std::move(value)));
  }
}

void AttrMap::erase(absl::string_view name) {
  entries_.erase(
      std::remove_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.first == name; }),
      entries_.end());
}

absl::Status AttrMap::missing(absl::string_view name) {
  return absl::NotFoundError(absl::StrCat("No attr named '", name, "' in NodeDef"));
}

absl::Status AttrMap::mismatch(absl::string_view name, const AttrValue& value) {
  return absl::InvalidArgumentError(
      absl::StrCat("AttrValue of attr '", name, "' had value with unexpected type '", value.kind(), "'"));
}

absl::Status AttrMap::out_of_range(absl::string_view name, int64_t value) {
  return absl::InvalidArgumentError(
      absl::StrCat("Attr ", name, " has value ", value, " out of range for an int32"));
}

}  // namespace troupe
