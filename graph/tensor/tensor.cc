#include "graph/tensor/tensor.h"

#include <Eigen/Core>
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace troupe {

absl::StatusOr<Tensor> Tensor::make(DataType dtype, const Shape& shape, Allocator* allocator) {
  Buffer* buffer = Buffer::create(allocator, dtype, shape.num_elements());
  if (buffer == nullptr) {
    return absl::ResourceExhaustedError(absl::StrCat("OOM when allocating tensor with shape",
                                                     shape.to_string(), " and type ", dtype_name(dtype),
                                                     " by allocator ", allocator->name()));
  }
  return Tensor(dtype, shape, buffer);
}

Tensor::Tensor(DataType dtype, const Shape& shape, Allocator* allocator)
    : buffer_(Buffer::create(allocator, dtype, shape.num_elements())), shape_(shape), dtype_(dtype) {
  if (buffer_ == nullptr) throw std::bad_alloc();
}

Tensor Tensor::reshaped(Shape shape) const {
  Tensor t(*this);
  t.shape_ = std::move(shape);
  return t;
}

Tensor Tensor::with_dtype(DataType dtype, Shape shape) const {
  Tensor t(*this);
  t.dtype_ = dtype;
  t.shape_ = std::move(shape);
  return t;
}

Tensor Tensor::slice_rows(int64_t begin, int64_t end) const {
  Shape s = shape_;
  s.set_dim(0, end - begin);
  Tensor t(dtype_, s);
  int64_t row = shape_.num_elements(1, rank());
  copy_elements(*this, begin * row, t, 0, (end - begin) * row);
  return t;
}

Tensor Tensor::part(int64_t offset, Shape shape) const {
  const size_t size = dtype_size(dtype_);
  const auto bytes = static_cast<size_t>(shape.num_elements()) * size;
  return Tensor(dtype_, std::move(shape), Buffer::part(buffer_, static_cast<size_t>(offset) * size, bytes));
}

Tensor Tensor::deep_copy(Allocator* allocator) const {
  if (!initialized()) return Tensor();
  Tensor t(dtype_, shape_, allocator);
  copy_elements(*this, 0, t, 0, num_elements());
  return t;
}

void copy_elements(const Tensor& from, int64_t from_offset, Tensor& to, int64_t to_offset, int64_t count) {
  if (count <= 0) return;
  switch (from.dtype()) {
    case DataType::kString:
      std::copy_n(from.flat<TString>().data() + from_offset, count, to.flat<TString>().data() + to_offset);
      return;
    case DataType::kResource:
      std::copy_n(from.flat<ResourceHandle>().data() + from_offset, count,
                  to.flat<ResourceHandle>().data() + to_offset);
      return;
    case DataType::kVariant:
      std::copy_n(from.flat<Variant>().data() + from_offset, count, to.flat<Variant>().data() + to_offset);
      return;
    default: {
      size_t size = dtype_size(from.dtype());
      std::memcpy(static_cast<char*>(to.raw()) + to_offset * size,
                  static_cast<const char*>(from.raw()) + from_offset * size, count * size);
    }
  }
}

Tensor zeros(DataType dtype, const Shape& shape, Allocator* allocator) {
  Tensor t(dtype, shape, allocator);
  if (is_trivial(dtype)) std::memset(t.raw(), 0, t.bytes());
  return t;
}

namespace {

template <class T>
std::string element_text(const T& v) {
  if constexpr (std::is_same_v<T, TString>) {
    return absl::StrCat("\"", absl::CHexEscape(v.view()), "\"");
  } else if constexpr (std::is_same_v<T, bool>) {
    return v ? "1" : "0";
  } else if constexpr (std::is_arithmetic_v<T>) {
    return absl::StrCat(+v);
  } else if constexpr (std::is_same_v<T, Eigen::half> || std::is_same_v<T, Eigen::bfloat16>) {
    return absl::StrCat(static_cast<float>(v));
  } else if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
    return absl::StrCat("(", v.real(), ",", v.imag(), ")");
  } else if constexpr (std::is_same_v<T, ResourceHandle>) {
    return absl::StrCat("<ResourceHandle ", v.container, "/", v.name, ">");
  } else if constexpr (std::is_same_v<T, Variant>) {
    return v.empty() ? "<empty variant>" : v.value()->debug_string();
  } else {
    return absl::StrCat(static_cast<int64_t>(v.value));
  }
}

/// Nested brackets as numpy's, until `*left` entries are used up.
template <class T>
void append_values(const Tensor& t, int dim, int64_t* index, int* left, std::string* out) {
  if (dim == t.rank()) {
    absl::StrAppend(out, element_text(t.flat<T>()[(*index)++]));
    --*left;
    return;
  }
  out->push_back('[');
  for (int64_t i = 0; i < t.dim(dim); ++i) {
    if (*left <= 0) {
      absl::StrAppend(out, "...");
      break;
    }
    if (i > 0) out->push_back(' ');
    append_values<T>(t, dim + 1, index, left, out);
  }
  out->push_back(']');
}

}  // namespace

std::string Tensor::to_string(int max_entries) const {
  if (!initialized()) return "Tensor<uninitialized>";
  std::string out =
      absl::StrCat("Tensor<type: ", dtype_name(dtype_), " shape: ", shape_.to_string(), " values: ");
  int64_t index = 0;
  int left = max_entries;
  switch (dtype_) {
#define TROUPE_DTYPE(number, enumerator, type, text)    \
  case DataType::enumerator:                            \
    append_values<type>(*this, 0, &index, &left, &out); \
    break;
#include "graph/tensor/dtypes.def"
    default: break;
  }
  out.push_back('>');
  return out;
}

}  // namespace troupe
