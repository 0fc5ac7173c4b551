#include "tools/troupe/print_array.h"

#include <Eigen/Core>

#include <algorithm>
#include <complex>
#include <functional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/troupe/float_text.h"

namespace troupe {
namespace {

std::string quote_bytes(absl::string_view s) {
  const char quote =
      s.find('\'') != absl::string_view::npos && s.find('"') == absl::string_view::npos ? '"' : '\'';
  std::string out = absl::StrCat("b", std::string(1, quote));
  for (char c : s) {
    const unsigned char u = static_cast<unsigned char>(c);
    if (c == quote || c == '\\')
      out += {'\\', c};
    else if (c == '\n')
      out += "\\n";
    else if (c == '\r')
      out += "\\r";
    else if (c == '\t')
      out += "\\t";
    else if (u < 0x20 || u >= 0x7f)
      absl::StrAppendFormat(&out, "\\x%02x", u);
    else
      out.push_back(c);
  }
  out.push_back(quote);
  return out;
}

bool is_float_like(DataType t) {
  return t == DataType::kFloat || t == DataType::kDouble || t == DataType::kHalf || t == DataType::kBfloat16;
}

double float_at(const Tensor& t, int64_t i) {
  switch (t.dtype()) {
    case DataType::kFloat: return t.flat<float>()[i];
    case DataType::kDouble: return t.flat<double>()[i];
    case DataType::kHalf: return static_cast<float>(t.flat<Eigen::half>()[i]);
    default: return static_cast<float>(t.flat<Eigen::bfloat16>()[i]);
  }
}

std::complex<double> complex_at(const Tensor& t, int64_t i) {
  if (t.dtype() == DataType::kComplex128) return t.flat<std::complex<double>>()[i];
  return std::complex<double>(t.flat<std::complex<float>>()[i]);
}

/// Everything but floats and complex numbers.
std::string plain_text(const Tensor& t, int64_t i) {
  const void* p = t.raw();
  switch (t.dtype()) {
    case DataType::kBool: return t.flat<bool>()[i] ? "True" : "False";
    case DataType::kInt8:
    case DataType::kQint8:
    case DataType::kInt4:
    case DataType::kInt2: return absl::StrCat(static_cast<int>(static_cast<const int8_t*>(p)[i]));
    case DataType::kInt16:
    case DataType::kQint16: return absl::StrCat(static_cast<const int16_t*>(p)[i]);
    case DataType::kInt32:
    case DataType::kQint32: return absl::StrCat(static_cast<const int32_t*>(p)[i]);
    case DataType::kInt64: return absl::StrCat(static_cast<const int64_t*>(p)[i]);
    case DataType::kUint16:
    case DataType::kQuint16: return absl::StrCat(static_cast<const uint16_t*>(p)[i]);
    case DataType::kUint32: return absl::StrCat(static_cast<const uint32_t*>(p)[i]);
    case DataType::kUint64: return absl::StrCat(static_cast<const uint64_t*>(p)[i]);
    case DataType::kString: return quote_bytes(t.flat<TString>()[i].view());
    case DataType::kResource: {
      const ResourceHandle& h = t.flat<ResourceHandle>()[i];
      return absl::StrCat("<resource ", h.container, "/", h.name, " on ", h.device, ">");
    }
    case DataType::kVariant: return "<variant>";
    default: return absl::StrCat(static_cast<int>(static_cast<const uint8_t*>(p)[i]));
  }
}

/// Lays elements out in nested brackets, as wide as the line.
class Layout {
 public:
  Layout(const Tensor& t, const PrintOptions& options)
      : tensor_(t), options_(options), summarise_(t.num_elements() > options.threshold) {
    strides_.assign(t.rank(), 1);
    for (int d = t.rank() - 2; d >= 0; --d) strides_[d] = strides_[d + 1] * t.dim(d + 1);
    collect(0, 0);
    make_format();
  }

  std::string text() { return nested(0, 0, " ", options_.line_width); }

 private:
  bool shortened(int axis) const { return summarise_ && tensor_.dim(axis) > 2 * options_.edge_items; }

  /// The indices along an axis that are shown; -1 stands for the dots.
  std::vector<int64_t> shown_along(int axis) const {
    std::vector<int64_t> out;
    const int64_t n = tensor_.dim(axis);
    for (int64_t i = 0; i < n; ++i) {
      if (shortened(axis) && i == options_.edge_items) {
        out.push_back(-1);
        i = n - options_.edge_items;
      }
      out.push_back(i);
    }
    return out;
  }

  void collect(int axis, int64_t offset) {
    if (axis == tensor_.rank()) {
      shown_.push_back(offset);
      return;
    }
    for (int64_t i : shown_along(axis)) {
      if (i >= 0) collect(axis + 1, offset + i * strides_[axis]);
    }
  }

  void make_format() {
    const DataType t = tensor_.dtype();
    if (is_float_like(t)) {
      std::vector<double> values;
      for (int64_t i : shown_) values.push_back(float_at(tensor_, i));
      format_ = [this, column = FloatColumn(values, shortest_of(t), options_.precision, false)](int64_t i) {
        return column(float_at(tensor_, i));
      };
    } else if (is_complex(t)) {
      std::vector<double> re, im;
      for (int64_t i : shown_) {
        re.push_back(complex_at(tensor_, i).real());
        im.push_back(complex_at(tensor_, i).imag());
      }
      format_ = [this, re_column = FloatColumn(re, shortest_of(t), options_.precision, false),
                 im_column = FloatColumn(im, shortest_of(t), options_.precision, true)](int64_t i) {
        const std::complex<double> v = complex_at(tensor_, i);
        std::string imaginary = im_column(v.imag());
        const size_t end = imaginary.find_last_not_of(' ') + 1;
        imaginary.insert(end, 1, 'j');
        return re_column(v.real()) + imaginary;
      };
    } else {
      size_t width = 0;
      if (t != DataType::kString && t != DataType::kResource) {
        for (int64_t i : shown_) width = std::max(width, plain_text(tensor_, i).size());
        if (t == DataType::kBool) width = 5;
      }
      format_ = [this, width](int64_t i) {
        std::string text = plain_text(tensor_, i);
        if (text.size() < width) text.insert(0, width - text.size(), ' ');
        return text;
      };
    }
  }

  std::string nested(int axis, int64_t offset, const std::string& indent, int width) {
    if (axis == tensor_.rank()) return format_(offset);
    const std::vector<int64_t> along = shown_along(axis);
    std::string out;
    if (axis == tensor_.rank() - 1) {
      std::string line = indent;
      for (size_t k = 0; k < along.size(); ++k) {
        const std::string word = along[k] < 0 ? "..." : format_(offset + along[k]);
        if (line.size() + word.size() > static_cast<size_t>(std::max(width - 1, 0)) &&
            line.size() > indent.size()) {
          while (!line.empty() && line.back() == ' ') line.pop_back();
          absl::StrAppend(&out, line, "\n");
          line = indent;
        }
        line += word;
        if (k + 1 < along.size()) line += ' ';
      }
      out += line;
    } else {
      const std::string separator(tensor_.rank() - axis - 1, '\n');
      for (size_t k = 0; k < along.size(); ++k) {
        absl::StrAppend(&out, indent,
                        along[k] < 0
                            ? "..."
                            : nested(axis + 1, offset + along[k] * strides_[axis], indent + " ", width - 1));
        if (k + 1 < along.size()) out += separator;
      }
    }
    return absl::StrCat("[", out.substr(indent.size()), "]");
  }

  const Tensor& tensor_;
  const PrintOptions options_;
  const bool summarise_;
  std::vector<int64_t> strides_;
  std::vector<int64_t> shown_;
  std::function<std::string(int64_t)> format_;
};

}  // namespace

std::string print_element(const Tensor& t, int64_t index) {
  if (is_float_like(t.dtype())) return scalar_float(float_at(t, index), shortest_of(t.dtype()));
  if (is_complex(t.dtype())) return scalar_complex(complex_at(t, index), shortest_of(t.dtype()));
  return plain_text(t, index);
}

std::string print_array(const Tensor& tensor, const PrintOptions& options) {
  if (!tensor.initialized() && tensor.num_elements() != 0) return "<uninitialized>";
  if (tensor.num_elements() == 0) return "[]";
  if (tensor.rank() == 0) return print_element(tensor, 0);
  return Layout(tensor, options).text();
}

std::string describe(const Tensor& tensor) {
  return absl::StrCat(dtype_name(tensor.dtype()), " ", tensor.shape().to_string());
}

}  // namespace troupe
