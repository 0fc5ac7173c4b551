// StringLower, StringUpper, StringStrip, StringLength, Substr.
#include <unicode/locid.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "devices/cpu/kernels/string/util.h"

namespace troupe {
namespace {

/// StringLower and StringUpper: ASCII only, or all of Unicode with encoding "utf-8".
template <bool kUpper>
class CaseKernel final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(std::string encoding, c.attr<std::string>("encoding"));
    if (!encoding.empty() && encoding != "utf-8") {
      return invalid("only utf-8 or '' (no encoding) is supported, received ", encoding);
    }
    auto kernel = std::make_unique<CaseKernel>();
    kernel->utf8_ = !encoding.empty();
    return kernel;
  }

  absl::Status compute(KernelContext& context) override {
    if (!utf8_) {
      return map_strings(context, [](absl::string_view s) {
        return kUpper ? absl::AsciiStrToUpper(s) : absl::AsciiStrToLower(s);
      });
    }
    return map_strings(context, [](absl::string_view s) {
      icu::UnicodeString text = icu::UnicodeString::fromUTF8(
          icu::StringPiece(s.data(), static_cast<int32_t>(std::min<size_t>(s.size(), INT32_MAX))));
      // The root locale: the result must not depend on where the program runs.
      if (kUpper) {
        text.toUpper(icu::Locale::getRoot());
      } else {
        text.toLower(icu::Locale::getRoot());
      }
      std::string out;
      text.toUTF8String(out);
      return out;
    });
  }

 private:
  bool utf8_ = false;
};

absl::Status string_strip(KernelContext& context) {
  return map_strings(context, [](absl::string_view s) { return absl::StripAsciiWhitespace(s); });
}

enum class Unit { kByte, kUtf8 };

absl::StatusOr<Unit> unit_of(const KernelConstruction& c) {
  TROUPE_ASSIGN_OR_RETURN(std::string unit, c.attr<std::string>("unit"));
  if (unit == "BYTE") return Unit::kByte;
  if (unit == "UTF8_CHAR") return Unit::kUtf8;
  return invalid("unit must be one of 'BYTE' or 'UTF8_CHAR', got '", unit, "'");
}

class StringLengthKernel final : public Kernel {
 public:
  explicit StringLengthKernel(Unit unit) : unit_(unit) {}
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(Unit unit, unit_of(c));
    return std::make_unique<StringLengthKernel>(unit);
  }

  absl::Status compute(KernelContext& context) override {
    const Tensor& input = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(Tensor * output, context.allocate_output(0, input.shape()));
    auto in = input.flat<TString>();
    auto out = output->flat<int32_t>();
    for (size_t i = 0; i < in.size(); ++i) {
      absl::string_view s = in[i].view();
      size_t length = s.size();
      if (unit_ == Unit::kUtf8) length -= static_cast<size_t>(std::count_if(s.begin(), s.end(), utf8_trails));
      out[i] = static_cast<int32_t>(length);
    }
    return absl::OkStatus();
  }

 private:
  const Unit unit_;
};

/// The part of `s` from byte `pos` (from the end when negative) on; false when there is no such position. A negative
/// length means all that is left.
bool substr_bytes(absl::string_view s, int64_t pos, int64_t len, absl::string_view* out) {
  const int64_t size = static_cast<int64_t>(s.size());
  if (pos < -size || pos > size) return false;
  if (pos < 0) pos += size;
  *out = s.substr(static_cast<size_t>(pos), len < 0 ? absl::string_view::npos : static_cast<size_t>(len));
  return true;
}

/// The same in characters; a negative length gives nothing, and counted from the end is an error, as in TensorFlow.
bool substr_utf8(absl::string_view s, int64_t pos, int64_t len, absl::string_view* out) {
  size_t begin = 0;
  if (pos >= 0) {
    for (int64_t i = 0; i < pos; ++i) {
      if (begin >= s.size()) return false;
      begin = utf8_next(s, begin);
    }
  } else {
    if (len < 0) return false;
    begin = s.size();
    for (int64_t i = pos; i < 0; ++i) {
      if (begin == 0) return false;
      --begin;
      while (begin > 0 && utf8_trails(s[begin])) --begin;
    }
  }
  size_t end = begin;
  for (int64_t i = 0; i < len && end < s.size(); ++i) end = utf8_next(s, end);
  *out = s.substr(begin, end - begin);
  return true;
}

class SubstrKernel final : public Kernel {
 public:
  explicit SubstrKernel(Unit unit) : unit_(unit) {}
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(Unit unit, unit_of(c));
    return std::make_unique<SubstrKernel>(unit);
  }

  absl::Status compute(KernelContext& context) override {
    const Tensor& input = context.input(0);
    const Tensor& pos = context.input(1);
    const Tensor& len = context.input(2);
    if (!(pos.shape() == len.shape())) {
      return invalid("pos and len should have the same shape, got: ", pos.shape().to_string(), " vs. ",
                     len.shape().to_string());
    }
    TROUPE_ASSIGN_OR_RETURN(Shape shape, broadcast(input.shape(), pos.shape()));
    const bool same = input.shape() == pos.shape(), one_pos = pos.rank() == 0;
    if (!same && !one_pos && shape.rank() > kMaxBroadcastRank) {
      return absl::UnimplementedError(
          absl::StrCat("Substr broadcast not implemented for ", shape.rank(), " dimensions"));
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * output, context.allocate_output(0, shape));
    auto in = input.flat<TString>();
    auto out = output->flat<TString>();
    Indices at(shape.rank(), 0);
    for (size_t i = 0; i < out.size(); ++i) {
      int64_t from = static_cast<int64_t>(i), which = one_pos ? 0 : static_cast<int64_t>(i);
      if (!same && !one_pos) {
        from = element(input.shape(), at);
        which = element(pos.shape(), at);
      }
      absl::string_view s = in[from].view(), part;
      const int64_t p = int_at(pos, which), n = int_at(len, which);
      if (!(unit_ == Unit::kByte ? substr_bytes(s, p, n, &part) : substr_utf8(s, p, n, &part))) {
        const std::string where = same || one_pos || shape.rank() < 2 || unit_ == Unit::kUtf8
                                      ? absl::StrCat(i)
                                      : absl::StrCat("(", absl::StrJoin(at, ", "), ")");
        return unit_ == Unit::kByte
                   ? invalid("pos ", p, " out of range for string b'", s, "' at index ", where)
                   : invalid("pos ", p, " out of range for string at index ", where);
      }
      out[i] = part;
      for (int d = shape.rank() - 1; d >= 0 && ++at[d] == shape.dim(d); --d) at[d] = 0;
    }
    return absl::OkStatus();
  }

 private:
  /// As TensorFlow has it.
  static constexpr int kMaxBroadcastRank = 2;

  static absl::StatusOr<Shape> broadcast(const Shape& a, const Shape& b) {
    Indices dims(std::max(a.rank(), b.rank()), 1);
    const int n = static_cast<int>(dims.size());
    for (int i = 0; i < n; ++i) {
      const int64_t x = i < n - a.rank() ? 1 : a.dim(i - n + a.rank());
      const int64_t y = i < n - b.rank() ? 1 : b.dim(i - n + b.rank());
      if (x != y && x != 1 && y != 1) {
        return invalid("Incompatible shapes: ", a.to_string(), " vs. ", b.to_string());
      }
      dims[i] = x == 1 ? y : x;
    }
    return Shape::make({dims.data(), dims.size()});
  }

  /// Where the element at `at` of the broadcast shape is in a tensor of `shape`.
  static int64_t element(const Shape& shape, const Indices& at) {
    int64_t n = 0;
    const int skip = static_cast<int>(at.size()) - shape.rank();
    for (int i = 0; i < shape.rank(); ++i) n = n * shape.dim(i) + (shape.dim(i) == 1 ? 0 : at[i + skip]);
    return n;
  }

  const Unit unit_;
};

}  // namespace

void register_string_case(KernelRegistry* registry) {
  registry->add(KernelDef("StringLower").kernel<CaseKernel<false>>());
  registry->add(KernelDef("StringUpper").kernel<CaseKernel<true>>());
  registry->add(KernelDef("StringStrip").fn(string_strip));
  registry->add(KernelDef("StringLength").kernel<StringLengthKernel>());
  registry->add(KernelDef("Substr").types("T", index_types()).kernel<SubstrKernel>());
}

}  // namespace troupe
