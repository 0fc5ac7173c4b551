#include "devices/cpu/kernels/control/summarize.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace troupe {
namespace {

/// The shorter of two precisions that reads back as the same number.
std::string float_text(double value, bool single) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.*g", single ? 6 : 15, value);
  if (std::isfinite(value)) {
    const bool same = single ? std::strtof(text, nullptr) == static_cast<float>(value)
                             : std::strtod(text, nullptr) == value;
    if (!same) std::snprintf(text, sizeof(text), "%.*g", single ? 9 : 17, value);
  } else if (std::isnan(value)) {
    return "nan";
  }
  return text;
}

/// Appends rows of dimension `dim` on until `*left` elements are out.
void append_rows(const Tensor& t, int dim, int64_t* index, int64_t limit, std::string* out) {
  if (*index >= limit) return;
  const int64_t count = t.dim(dim);
  if (dim == t.rank() - 1) {
    for (int64_t i = 0; i < count; ++i) {
      if (*index >= limit) {
        if (dim != 0) out->append("...");
        return;
      }
      if (i > 0) out->push_back(' ');
      out->append(element_text(t, (*index)++));
    }
    return;
  }
  for (int64_t i = 0; i < count && *index < limit; ++i) {
    out->push_back('[');
    append_rows(t, dim + 1, index, limit, out);
    out->push_back(']');
  }
}

struct EdgePrinter {
  const Tensor& t;
  const int64_t edge;
  std::string out{};

  void separate(int dim) {
    const int below = t.rank() - dim - 1;
    if (below == 0) {
      out.push_back(' ');
      return;
    }
    out.append(static_cast<size_t>(below), '\n');
    out.append(static_cast<size_t>(dim) + 1, ' ');
  }

  void print(int dim, int64_t offset) {
    if (dim == t.rank()) {
      if (t.dtype() == DataType::kString) {
        // Letters beyond ASCII stay what they are, unlike in the older summary.
        const TString& text = t.flat<TString>()[static_cast<size_t>(offset)];
        absl::StrAppend(&out, "\"", absl::Utf8SafeCEscape(text.view()), "\"");
      } else {
        out.append(element_text(t, offset));
      }
      return;
    }
    const int64_t count = t.dim(dim);
    const int64_t stride = t.shape().num_elements(dim + 1, t.rank());
    out.push_back('[');
    for (int64_t i = 0; i < std::min(edge, count); ++i) {
      if (i > 0) separate(dim);
      print(dim + 1, offset + i * stride);
    }
    if (count - edge > edge) {
      separate(dim);
      out.append("...");
    }
    for (int64_t i = std::max(edge, count - edge); i < count; ++i) {
      separate(dim);
      print(dim + 1, offset + i * stride);
    }
    out.push_back(']');
  }
};

bool printable(const Tensor& t) { return t.initialized() || t.num_elements() == 0; }

std::string not_initialized(const Tensor& t) {
  return absl::StrCat("uninitialized Tensor of ", t.num_elements(), " elements of type ",
                      static_cast<int>(t.dtype()));
}

}  // namespace

std::string element_text(const Tensor& t, int64_t i) {
  const size_t k = static_cast<size_t>(i);
  switch (t.dtype()) {
    case DataType::kFloat: return float_text(t.flat<float>()[k], true);
    case DataType::kDouble: return float_text(t.flat<double>()[k], false);
    case DataType::kHalf: return float_text(static_cast<float>(t.flat<Eigen::half>()[k]), true);
    case DataType::kBfloat16: return float_text(static_cast<float>(t.flat<Eigen::bfloat16>()[k]), true);
    case DataType::kInt8: return absl::StrCat(t.flat<int8_t>()[k]);
    case DataType::kInt16: return absl::StrCat(t.flat<int16_t>()[k]);
    case DataType::kInt32: return absl::StrCat(t.flat<int32_t>()[k]);
    case DataType::kInt64: return absl::StrCat(t.flat<int64_t>()[k]);
    case DataType::kUint8: return absl::StrCat(t.flat<uint8_t>()[k]);
    case DataType::kUint16: return absl::StrCat(t.flat<uint16_t>()[k]);
    case DataType::kUint32: return absl::StrCat(t.flat<uint32_t>()[k]);
    case DataType::kUint64: return absl::StrCat(t.flat<uint64_t>()[k]);
    case DataType::kQint8: return absl::StrCat(t.flat<QInt8>()[k].value);
    case DataType::kQuint8: return absl::StrCat(t.flat<QUInt8>()[k].value);
    case DataType::kQint16: return absl::StrCat(t.flat<QInt16>()[k].value);
    case DataType::kQuint16: return absl::StrCat(t.flat<QUInt16>()[k].value);
    case DataType::kQint32: return absl::StrCat(t.flat<QInt32>()[k].value);
    case DataType::kBool: return t.flat<bool>()[k] ? "1" : "0";
    case DataType::kString: return absl::CEscape(t.flat<TString>()[k].view());
    case DataType::kResource: {
      const ResourceHandle& h = t.flat<ResourceHandle>()[k];
      return absl::StrCat("device: ", h.device, " container: ", h.container, " name: ", h.name);
    }
    case DataType::kVariant: {
      const Variant& v = t.flat<Variant>()[k];
      return v.empty() ? "Variant<type: >" : v.value()->debug_string();
    }
    default: return "?";
  }
}

std::string summarize(const Tensor& t, int64_t max_elements) {
  if (!printable(t)) return not_initialized(t);
  const int64_t count = t.num_elements();
  const int64_t limit = max_elements < 0 ? count : std::min(max_elements, count);
  std::string out;
  if (t.rank() == 0) {
    if (limit > 0) out = element_text(t, 0);
  } else {
    int64_t index = 0;
    append_rows(t, 0, &index, limit, &out);
  }
  if (count > limit) out.append("...");
  return out;
}

std::string summarize_edges(const Tensor& t, int64_t edge_elements) {
  if (!printable(t)) return not_initialized(t);
  const int64_t count = t.num_elements();
  EdgePrinter printer{t, edge_elements < 0 ? count : std::min(edge_elements, count)};
  printer.print(0, 0);
  return std::move(printer.out);
}

}  // namespace troupe
