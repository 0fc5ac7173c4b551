#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "tests/support/kernel_harness.h"

namespace troupe::test {

/// A string tensor; a vector unless a shape is given.
inline Tensor strings(const std::vector<std::string>& values, const Shape& shape) {
  Tensor t(DataType::kString, shape);
  for (size_t i = 0; i < values.size(); ++i) t.flat<TString>()[i].assign(values[i]);
  return t;
}
inline Tensor strings(const std::vector<std::string>& values) {
  return strings(values, Shape{static_cast<int64_t>(values.size())});
}

inline Tensor text(absl::string_view s) { return Tensor::string_scalar(s); }

/// The elements of a string tensor.
inline std::vector<std::string> texts(const Tensor& t) {
  std::vector<std::string> out;
  for (const TString& s : t.flat<TString>()) out.push_back(s.str());
  return out;
}
/// The same for the first output of a kernel; the message of an error.
inline std::vector<std::string> texts(const absl::StatusOr<std::vector<Tensor>>& outputs) {
  return outputs.ok() ? texts(outputs->at(0)) : std::vector<std::string>{outputs.status().ToString()};
}

/// The elements of a tensor of T.
template <class T>
std::vector<T> values(const Tensor& t) {
  return {t.flat<T>().begin(), t.flat<T>().end()};
}

/// The message of an error.
inline std::string message(const absl::StatusOr<std::vector<Tensor>>& out) {
  return std::string(out.status().message());
}

/// run_kernel, whose errors lose the name of the node, which only kernels that could not be built add.
inline absl::StatusOr<std::vector<Tensor>> run(const std::string& op, std::vector<Tensor> inputs,
                                               AttrMap attrs = {}) {
  auto out = run_kernel(op, std::move(inputs), std::move(attrs));
  if (out.ok()) return out;
  const absl::string_view message = out.status().message();
  return absl::Status(out.status().code(), message.substr(0, message.find("\n\t [[{{node")));
}

}  // namespace troupe::test
