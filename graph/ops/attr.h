#pragma once

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "graph/status.h"
#include "graph/tensor/tensor.h"

namespace troupe {

class AttrMap;

/// A function by name, with the attrs that instantiate it.
struct FunctionRef {
  std::string name;
  std::shared_ptr<const AttrMap> attrs;
  friend bool operator==(const FunctionRef& a, const FunctionRef& b);
};

/// `$T` inside a function body: to be replaced by the attr of that name of the instantiation.
struct AttrPlaceholder {
  std::string name;
  friend bool operator==(const AttrPlaceholder&, const AttrPlaceholder&) = default;
};

/// An empty list whose element kind the wire does not tell.
struct EmptyList {
  friend bool operator==(EmptyList, EmptyList) { return true; }
};

/// What an attr may hold. std::monostate: the wire had no value.
using AttrVariant =
    std::variant<std::monostate, std::string, int64_t, float, bool, DataType, PartialShape, Tensor,
                 FunctionRef, AttrPlaceholder, EmptyList, std::vector<std::string>, std::vector<int64_t>,
                 std::vector<float>, std::vector<bool>, std::vector<DataType>, std::vector<PartialShape>,
                 std::vector<Tensor>, std::vector<FunctionRef>>;

/// One attr value. A plain value type; tensors inside are shared and never written.
class AttrValue {
 public:
  AttrValue() = default;
  template <class T>
    requires(!std::is_same_v<std::decay_t<T>, AttrValue>)
  AttrValue(T&& v) : value_(normal(std::forward<T>(v))) {}  // NOLINT: implicit, attrs read as literals

  template <class T>
  const T* get() const {
    return std::get_if<T>(&value_);
  }
  /// Like get, but an EmptyList reads as an empty vector of any kind. T is a std::vector.
  template <class T>
  std::optional<T> get_list() const {
    if (const T* v = get<T>()) return *v;
    if (get<EmptyList>() != nullptr) return T();
    return std::nullopt;
  }
  const AttrVariant& variant() const { return value_; }
  /// "int", "list(type)", ...: the kind as OpDefs write it.
  std::string kind() const;
  /// Short text for messages: `DT_FLOAT`, `[1,2]`, `"SAME"`.
  std::string to_string() const;

  friend bool operator==(const AttrValue& a, const AttrValue& b);

 private:
  template <class T>
  static AttrVariant normal(T&& v) {
    using D = std::decay_t<T>;
    if constexpr (std::is_same_v<D, bool> || std::is_same_v<D, DataType>) {
      return AttrVariant(v);
    } else if constexpr (std::is_integral_v<D>) {
      return AttrVariant(static_cast<int64_t>(v));
    } else if constexpr (std::is_floating_point_v<D>) {
      return AttrVariant(static_cast<float>(v));
    } else if constexpr (std::is_same_v<D, Shape>) {
      return AttrVariant(PartialShape(v));
    } else if constexpr (std::is_same_v<D, const char*> || std::is_same_v<D, char*> ||
                         std::is_same_v<D, absl::string_view>) {
      return AttrVariant(std::string(v));
    } else {
      return AttrVariant(std::forward<T>(v));
    }
  }
  AttrVariant value_;
};

/// Attrs of a node by name, in name order; small, so a sorted vector.
class AttrMap {
 public:
  using Entry = std::pair<std::string, AttrValue>;

  AttrMap() = default;
  AttrMap(std::initializer_list<Entry> entries) {
    for (const Entry& e : entries) set(e.first, e.second);
  }
  const AttrValue* find(absl::string_view name) const;
  bool contains(absl::string_view name) const { return find(name) != nullptr; }
  void set(absl::string_view name, AttrValue value);
  void erase(absl::string_view name);

  /// NotFound "No attr named 'x'", or InvalidArgument when it is of another kind than T, or an int that does not fit. A
  /// vector T also takes an empty list.
  template <class T>
  absl::StatusOr<T> get(absl::string_view name) const {
    const AttrValue* v = find(name);
    if (v == nullptr) return missing(name);
    if constexpr (std::is_same_v<T, int> || std::is_same_v<T, int32_t>) {
      if (const int64_t* i = v->get<int64_t>()) {
        if (*i != static_cast<int>(*i)) return out_of_range(name, *i);
        return static_cast<int>(*i);
      }
    } else if constexpr (is_vector<T>::value) {
      if (auto list = v->get_list<T>()) return *std::move(list);
    } else {
      if (const T* x = v->get<T>()) return *x;
    }
    return mismatch(name, *v);
  }
  template <class T>
  T get_or(absl::string_view name, T fallback) const {
    auto v = get<T>(name);
    return v.ok() ? *std::move(v) : std::move(fallback);
  }

  size_t size() const { return entries_.size(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  auto begin() { return entries_.begin(); }
  auto end() { return entries_.end(); }
  friend bool operator==(const AttrMap&, const AttrMap&) = default;

 private:
  template <class T>
  struct is_vector : std::false_type {};
  template <class T>
  struct is_vector<std::vector<T>> : std::true_type {};
  static absl::Status missing(absl::string_view name);
  static absl::Status mismatch(absl::string_view name, const AttrValue& value);
  static absl::Status out_of_range(absl::string_view name, int64_t value);

  std::vector<Entry> entries_;
};

}  // namespace troupe
