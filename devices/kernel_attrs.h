#pragma once

#include <type_traits>
#include <utility>

#include "devices/kernel.h"

namespace troupe {

/// Reads the attrs that a kernel says it has into its members, one after the other; after the first error it does nothing:
///   void attributes(AttrReader& a) { a("transpose_a", &transpose_a_)("transpose_b", &transpose_b_); }
class AttrReader {
 public:
  explicit AttrReader(const KernelConstruction& c) : construction_(c) {}

  /// An int attr goes into any integer type that holds it, a float one into any floating point type. InvalidArgument when the attr is
  /// not there, or of another kind.
  template <class T>
  AttrReader& operator()(const char* name, T* to) {
    if (!status_.ok()) return *this;
    if (auto value = construction_.attr<Read<T>>(name); value.ok()) {
      *to = static_cast<T>(*std::move(value));
    } else {
      status_ = value.status();
    }
    return *this;
  }

  const absl::Status& status() const { return status_; }

 private:
  /// As which type an attr is read.
  template <class T>
  using Read = std::conditional_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, int64_t,
                                  std::conditional_t<std::is_floating_point_v<T>, float, T>>;

  const KernelConstruction& construction_;
  absl::Status status_;
};

/// Makes a kernel ready: `void attributes(AttrReader&)`, then `absl::Status init(const KernelConstruction&)`; each where K has it.
template <class K>
absl::Status make_ready(const KernelConstruction& c, K* kernel) {
  if constexpr (requires(AttrReader reader) { kernel->attributes(reader); }) {
    AttrReader reader(c);
    kernel->attributes(reader);
    TROUPE_RETURN_IF_ERROR(reader.status());
  }
  if constexpr (requires { kernel->init(c); }) return kernel->init(c);
  return absl::OkStatus();
}

}  // namespace troupe
