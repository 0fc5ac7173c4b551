// AsString, StringToNumber.
#include <Eigen/Core>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/charconv.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "devices/cpu/kernels/shared/parse_number.h"
#include "devices/cpu/kernels/string/util.h"

namespace troupe {
namespace {

/// Longest field that AsString pads to or prints after the point: beyond it an attr is a mistake.
constexpr int64_t kMaxFieldWidth = 1 << 20;

bool is_unsigned(DataType t) {
  return t == DataType::kUint8 || t == DataType::kUint16 || t == DataType::kUint32 || t == DataType::kUint64;
}

class AsStringKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(int64_t precision, c.attr<int64_t>("precision"));
    TROUPE_ASSIGN_OR_RETURN(bool scientific, c.attr<bool>("scientific"));
    TROUPE_ASSIGN_OR_RETURN(bool shortest, c.attr<bool>("shortest"));
    TROUPE_ASSIGN_OR_RETURN(int64_t width, c.attr<int64_t>("width"));
    TROUPE_ASSIGN_OR_RETURN(std::string fill, c.attr<std::string>("fill"));
    const DataType dtype = c.input_type(0);
    const bool real = is_floating(dtype), complex = is_complex(dtype), text = dtype == DataType::kString;
    if (!real && !complex && !text) {
      if (scientific || shortest) {
        return invalid("scientific and shortest format not supported for datatype ", dtype_name(dtype));
      }
      if (precision >= 0) return invalid("precision not supported for datatype ", dtype_name(dtype));
    }
    if (scientific && shortest) return invalid("Cannot select both scientific and shortest notation");
    if (fill.size() > 1) return invalid("Fill string must be one or fewer characters");
    if (!fill.empty() && std::string(" +-0#").find(fill) == std::string::npos) {
      return invalid("Fill argument not supported: \"", fill, "\"");
    }
    if (width > kMaxFieldWidth || precision > kMaxFieldWidth) {
      return invalid("width and precision must not exceed ", kMaxFieldWidth);
    }
    // Text is padded with blanks alone; what has no sign shows none.
    if ((text && fill != "-") || (is_unsigned(dtype) && (fill == "+" || fill == " "))) fill.clear();
    std::string format = absl::StrCat("%", fill);
    if (width >= 0) absl::StrAppend(&format, width);
    if (precision >= 0 && !text) absl::StrAppend(&format, ".", precision);
    if (text) {
      format += "s";
    } else if (real || complex) {
      format += shortest ? "g" : scientific ? "e" : "f";
      if (complex) format = absl::StrCat("(", format, ",", format, ")");
    } else {
      format += "d";
    }
    format_ = std::move(format);
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& context) override {
    const Tensor& in = context.input(0);
    switch (in.dtype()) {
      case DataType::kFloat: return numbers<float, double>(context);
      case DataType::kDouble: return numbers<double, double>(context);
      case DataType::kHalf: return numbers<Eigen::half, float>(context);
      case DataType::kBfloat16: return numbers<Eigen::bfloat16, float>(context);
      case DataType::kInt8: return numbers<int8_t, int>(context);
      case DataType::kInt16: return numbers<int16_t, int>(context);
      case DataType::kInt32: return numbers<int32_t, int>(context);
      case DataType::kInt64: return numbers<int64_t, int64_t>(context);
      case DataType::kUint8: return numbers<uint8_t, int>(context);
      case DataType::kUint16: return numbers<uint16_t, int>(context);
      case DataType::kUint32: return numbers<uint32_t, uint32_t>(context);
      case DataType::kUint64: return numbers<uint64_t, uint64_t>(context);
      case DataType::kComplex64: return complexes<std::complex<float>>(context);
      case DataType::kComplex128: return complexes<std::complex<double>>(context);
      case DataType::kString:
        return each<TString>(context, [this](const TString& s) { return print(s.view()); });
      case DataType::kBool:
        return each<bool>(context, [](bool b) { return std::string(b ? "true" : "false"); });
      case DataType::kVariant:
        return each<Variant>(context, [](const Variant& v) {
          return v.empty() ? std::string("Variant<type: >") : v.value()->debug_string();
        });
      default: return invalid("AsString does not take ", dtype_name(in.dtype()));
    }
  }

 private:
  // absl's formatting is printf's but for the locale, which it does not look at.
  template <class... A>
  std::string print(const A&... parts) const {
    std::string out;
    absl::FormatUntyped(&out, absl::UntypedFormatSpec(format_), {absl::FormatArg(parts)...});
    return out;
  }

  template <class T, class F>
  absl::Status each(KernelContext& context, F f) const {
    const Tensor& input = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(Tensor * output, context.allocate_output(0, input.shape()));
    auto in = input.flat<T>();
    auto out = output->flat<TString>();
    context.parallel().parallel_for(static_cast<int64_t>(in.size()), 2 * kStringNs,
                                    [&](int64_t begin, int64_t end) {
                                      for (int64_t i = begin; i < end; ++i) out[i].assign(f(in[i]));
                                    });
    return absl::OkStatus();
  }

  template <class T, class Printed>
  absl::Status numbers(KernelContext& context) const {
    return each<T>(context, [this](const T& x) { return print(static_cast<Printed>(x)); });
  }
  template <class T>
  absl::Status complexes(KernelContext& context) const {
    return each<T>(context, [this](const T& x) { return print(x.real(), x.imag()); });
  }

  std::string format_;
};

bool parse(absl::string_view s, float* out) { return parse_float(s, out); }
bool parse(absl::string_view s, double* out) { return parse_double(s, out); }
template <class T>
  requires std::is_integral_v<T>
bool parse(absl::string_view s, T* out) { return absl::SimpleAtoi(s, out); }

template <class T>
absl::Status string_to_number(KernelContext& context) {
  const Tensor& input = context.input(0);
  TROUPE_ASSIGN_OR_RETURN(Tensor * output, context.allocate_output(0, input.shape()));
  auto in = input.flat<TString>();
  auto out = output->flat<T>();
  for (size_t i = 0; i < in.size(); ++i) {
    if (!parse(in[i].view(), &out[i])) {
      return invalid("StringToNumberOp could not correctly convert string: ", in[i].view());
    }
  }
  return absl::OkStatus();
}

}  // namespace

void register_string_number(KernelRegistry* registry) {
  registry->add(KernelDef("AsString").kernel<AsStringKernel>());
  const std::pair<DataType, KernelFn> kRows[] = {
      {DataType::kFloat, string_to_number<float>},     {DataType::kDouble, string_to_number<double>},
      {DataType::kInt32, string_to_number<int32_t>},   {DataType::kInt64, string_to_number<int64_t>},
      {DataType::kUint32, string_to_number<uint32_t>}, {DataType::kUint64, string_to_number<uint64_t>},
  };
  for (const auto& [dtype, f] : kRows)
    registry->add(KernelDef("StringToNumber").types("out_type", {dtype}).fn(f));
}

}  // namespace troupe
