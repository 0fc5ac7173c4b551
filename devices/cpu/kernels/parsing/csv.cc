// DecodeCSV.
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "devices/cpu/kernels/parsing/example.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/shared/parse_number.h"

namespace troupe {
namespace {

class DecodeCsvKernel final : public Kernel {
 public:
  void attributes(AttrReader& a) {
    a("use_quote_delim", &quotes_)("na_value", &na_value_)("select_cols", &columns_);
  }
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(std::string delimiter, c.attr<std::string>("field_delim"));
    if (delimiter.size() != 1) return invalid("field_delim should be only 1 char");
    delimiter_ = delimiter[0];
    if (!columns_.empty() && static_cast<int>(columns_.size()) != c.num_outputs()) {
      return invalid("select_cols should match output size");
    }
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i] < 0) return invalid("select_cols should be non-negative indices");
      if (i > 0 && columns_[i] <= columns_[i - 1]) {
        return invalid("select_cols should be strictly increasing indices");
      }
    }
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& context) override {
    const Tensor& records = context.input(0);
    const int fields = context.num_outputs();
    for (int f = 0; f < fields; ++f) {
      const Tensor& fallback = context.input(f + 1);
      if (fallback.rank() > 1) return invalid("Each record default should be at most rank 1");
      if (fallback.num_elements() > 1) {
        return invalid("There should only be 1 default per field but field ", f, " has ",
                       fallback.num_elements());
      }
    }
    std::vector<Tensor*> outputs;
    for (int f = 0; f < fields; ++f) {
      TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(f, records.shape()));
      outputs.push_back(out);
    }
    auto in = records.flat<TString>();
    std::vector<std::string> found;
    for (size_t i = 0; i < in.size(); ++i) {
      TROUPE_RETURN_IF_ERROR(split(in[i].view(), &found));
      if (static_cast<int>(found.size()) != fields) {
        return invalid("Expect ", fields, " fields but have ", found.size(), " in record ", i);
      }
      for (int f = 0; f < fields; ++f) {
        TROUPE_RETURN_IF_ERROR(store(context.input(f + 1), f, i, found[f], outputs[f]));
      }
    }
    return absl::OkStatus();
  }

 private:
  template <class T, class Parse>
  static absl::Status number(const std::string& field, int f, size_t record, Parse parse, Tensor* out) {
    if (parse(field, &out->flat<T>()[record])) return absl::OkStatus();
    return invalid("Field ", f, " in record ", record, " is not a valid ", dtype_name(out->dtype()), ": ",
                   field);
  }

  absl::Status store(const Tensor& fallback, int f, size_t record, const std::string& field,
                     Tensor* out) const {
    if (field.empty() || field == na_value_) {
      if (fallback.num_elements() != 1) {
        return invalid("Field ", f, " is required but missing in record ", record, "!");
      }
      copy_elements(fallback, 0, *out, static_cast<int64_t>(record), 1);
      return absl::OkStatus();
    }
    switch (out->dtype()) {
      case DataType::kInt32: return number<int32_t>(field, f, record, absl::SimpleAtoi<int32_t>, out);
      case DataType::kInt64: return number<int64_t>(field, f, record, absl::SimpleAtoi<int64_t>, out);
      case DataType::kFloat: return number<float>(field, f, record, parse_float, out);
      case DataType::kDouble: return number<double>(field, f, record, parse_double, out);
      case DataType::kString: out->flat<TString>()[record].assign(field); return absl::OkStatus();
      default: return invalid("csv: data type ", dtype_name(out->dtype()), " not supported in field ", f);
    }
  }

  /// The fields of one record that are asked for. Quotes make a delimiter or line end part of a field, and a quote
  /// when doubled.
  absl::Status split(absl::string_view s, std::vector<std::string>* out) const {
    out->clear();
    // A line end alone is no record.
    if (s.empty() || s == "\n" || s == "\r" || s == "\r\n") return absl::OkStatus();
    size_t at = 0, selected = 0;
    for (int64_t column = 0;; ++column) {
      const bool wanted = columns_.empty() || (selected < columns_.size() && columns_[selected] == column);
      std::string field;
      if (quotes_ && at < s.size() && s[at] == '"') {
        TROUPE_RETURN_IF_ERROR(read_quoted(s, &at, &field));
      } else {
        const size_t begin = at;
        for (; at < s.size() && s[at] != delimiter_; ++at) {
          if (wanted && ((quotes_ && s[at] == '"') || s[at] == '\n' || s[at] == '\r')) {
            return invalid("Unquoted fields cannot have quotes/CRLFs inside");
          }
        }
        if (wanted) field.assign(s.data() + begin, at - begin);
      }
      if (wanted) {
        out->push_back(std::move(field));
        ++selected;
      }
      if (at >= s.size() || (!columns_.empty() && selected == columns_.size())) return absl::OkStatus();
      ++at;
    }
  }

  absl::Status read_quoted(absl::string_view s, size_t* at, std::string* field) const {
    size_t i = *at + 1;
    while (i < s.size()) {
      if (s[i] != '"') {
        field->push_back(s[i++]);
      } else if (i + 1 == s.size() || s[i + 1] == delimiter_) {
        *at = i + 1;
        return absl::OkStatus();
      } else if (s[i + 1] == '"') {
        field->push_back('"');
        i += 2;
      } else {
        return invalid("Quote inside a string has to be escaped by another quote");
      }
    }
    return invalid("Quoted field has to end with quote followed by delim or end");
  }

  char delimiter_ = ',';
  bool quotes_ = true;
  std::string na_value_;
  std::vector<int64_t> columns_;
};

}  // namespace

void register_parsing_csv(KernelRegistry* registry) {
  registry->add(KernelDef("DecodeCSV").kernel<DecodeCsvKernel>());
}

}  // namespace troupe
