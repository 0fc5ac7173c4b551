// UnicodeDecode, UnicodeDecodeWithOffsets, UnicodeEncode, UnicodeTranscode, UnicodeScript.
#include <unicode/ucnv.h>
#include <unicode/ucnv_err.h>
#include <unicode/unistr.h>
#include <unicode/uscript.h>
#include <unicode/utf.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "devices/cpu/kernels/string/util.h"

namespace troupe {
namespace {

constexpr UChar32 kMaxCodePoint = 0x10FFFF;

enum class OnError { kStrict, kReplace, kIgnore };

/// The attrs that say what becomes of characters that are none.
struct ErrorPolicy {
  OnError on_error = OnError::kReplace;
  UChar32 replacement = 0xFFFD;
  bool replace_controls = false;

  static absl::StatusOr<ErrorPolicy> make(const KernelConstruction& c) {
    ErrorPolicy policy;
    TROUPE_ASSIGN_OR_RETURN(std::string errors, c.attr<std::string>("errors"));
    if (errors == "strict") {
      policy.on_error = OnError::kStrict;
    } else if (errors == "ignore") {
      policy.on_error = OnError::kIgnore;
    } else if (errors != "replace") {
      return invalid("errors policy must be one of 'strict', 'replace', or 'ignore'");
    }
    TROUPE_ASSIGN_OR_RETURN(int64_t replacement, c.attr<int64_t>("replacement_char"));
    if (replacement < 0 || replacement > kMaxCodePoint) {
      return invalid("replacement_char out of unicode codepoint range");
    }
    policy.replacement = static_cast<UChar32>(replacement);
    policy.replace_controls = c.node().attrs.get_or<bool>("replace_control_characters", false);
    return policy;
  }
};

/// ICU's converter from an encoding. Used by one thread.
class Decoder {
 public:
  static absl::StatusOr<Decoder> open(const std::string& encoding) {
    UErrorCode status = U_ZERO_ERROR;
    Decoder decoder;
    decoder.converter_.reset(ucnv_open(encoding.c_str(), &status));
    if (U_FAILURE(status) || decoder.converter_ == nullptr) {
      return invalid("Could not create converter for input encoding: ", encoding);
    }
    ucnv_setToUCallBack(decoder.converter_.get(), note_error, decoder.bad_.get(), nullptr, nullptr, &status);
    if (U_FAILURE(status)) return absl::InternalError("Could not set the error callback of a converter");
    return decoder;
  }

  /// Calls f(code point, byte where it starts) for each character of `s` as `policy` wants it. False when the bytes
  /// are not in the encoding and the policy is strict.
  template <class F>
  bool each(absl::string_view s, const ErrorPolicy& policy, F f) {
    UConverter* converter = converter_.get();
    ucnv_reset(converter);
    const char *at = s.data(), *const end = s.data() + s.size();
    while (at < end) {
      const char* start = at;
      *bad_ = false;
      UErrorCode status = U_ZERO_ERROR;
      UChar32 c = ucnv_getNextUChar(converter, &at, end, &status);
      // Nothing came out of the last bytes: a byte order mark, a shift.
      if (status == U_INDEX_OUTOFBOUNDS_ERROR) break;
      if (U_FAILURE(status)) {
        *bad_ = true;
        if (at == start) ++at;
      }
      if (*bad_ || (policy.replace_controls && c <= 0x1F)) {
        if (*bad_ && policy.on_error == OnError::kStrict) return false;
        if (policy.on_error == OnError::kIgnore) continue;
        c = policy.replacement;
      }
      f(c, static_cast<int64_t>(start - s.data()));
    }
    return true;
  }

 private:
  static void note_error(const void* context, UConverterToUnicodeArgs* args, const char* units,
                         int32_t length, UConverterCallbackReason reason, UErrorCode* status) {
    if (reason == UCNV_UNASSIGNED || reason == UCNV_ILLEGAL || reason == UCNV_IRREGULAR) {
      *static_cast<bool*>(const_cast<void*>(context)) = true;
    }
    UCNV_TO_U_CALLBACK_SUBSTITUTE(nullptr, args, units, length, reason, status);
  }

  struct Close {
    void operator()(UConverter* c) const { ucnv_close(c); }
  };
  std::unique_ptr<UConverter, Close> converter_;
  /// Set by the callback, so at an address of its own.
  std::unique_ptr<bool> bad_ = std::make_unique<bool>(false);
};

enum class Encoding { kUtf8, kUtf16Be, kUtf32Be };

absl::StatusOr<Encoding> output_encoding(const KernelConstruction& c) {
  TROUPE_ASSIGN_OR_RETURN(std::string name, c.attr<std::string>("output_encoding"));
  if (name == "UTF-8") return Encoding::kUtf8;
  if (name == "UTF-16-BE") return Encoding::kUtf16Be;
  if (name == "UTF-32-BE") return Encoding::kUtf32Be;
  return invalid("output encoding must be one of {'UTF-8', 'UTF-16-BE', 'UTF-32-BE'}");
}

void put_big_endian(uint32_t value, int bytes, std::string* out) {
  for (int k = bytes - 1; k >= 0; --k) out->push_back(static_cast<char>(value >> (8 * k) & 255));
}

/// Appends one code point; halves of surrogate pairs, which UTF-8 and UTF-32 cannot hold, as U+FFFD.
void append(UChar32 c, Encoding encoding, std::string* out) {
  if (encoding != Encoding::kUtf16Be && U_IS_SURROGATE(c)) c = 0xFFFD;
  switch (encoding) {
    case Encoding::kUtf8: {
      char bytes[U8_MAX_LENGTH];
      int32_t n = 0;
      U8_APPEND_UNSAFE(bytes, n, c);
      out->append(bytes, static_cast<size_t>(n));
      break;
    }
    case Encoding::kUtf16Be:
      if (U_IS_BMP(c)) {
        put_big_endian(static_cast<uint32_t>(c), 2, out);
      } else {
        put_big_endian(U16_LEAD(c), 2, out);
        put_big_endian(U16_TRAIL(c), 2, out);
      }
      break;
    case Encoding::kUtf32Be: put_big_endian(static_cast<uint32_t>(c), 4, out); break;
  }
}

class UnicodeDecodeKernel final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("input_encoding", &encoding_); }
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(policy_, ErrorPolicy::make(c));
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(Decoder decoder, Decoder::open(encoding_));
    const Tensor& input = context.input(0);
    auto in = input.flat<TString>();
    TROUPE_ASSIGN_OR_RETURN(Tensor * splits, context.allocate_output(0, Shape{input.num_elements() + 1}));
    std::vector<int32_t> chars;
    std::vector<int64_t> starts;
    set_int(splits, 0, 0);
    for (size_t i = 0; i < in.size(); ++i) {
      const bool good = decoder.each(in[i].view(), policy_, [&](UChar32 c, int64_t start) {
        chars.push_back(c);
        if (context.num_outputs() > 2) starts.push_back(start);
      });
      if (!good) return invalid("Invalid formatting on input string");
      set_int(splits, static_cast<int64_t>(i) + 1, static_cast<int64_t>(chars.size()));
    }
    const int64_t n = static_cast<int64_t>(chars.size());
    TROUPE_ASSIGN_OR_RETURN(Tensor * values, context.allocate_output(1, Shape{n}));
    std::copy(chars.begin(), chars.end(), values->flat<int32_t>().begin());
    if (context.num_outputs() > 2) {
      TROUPE_ASSIGN_OR_RETURN(Tensor * offsets, context.allocate_output(2, Shape{n}));
      std::copy(starts.begin(), starts.end(), offsets->flat<int64_t>().begin());
    }
    return absl::OkStatus();
  }

 private:
  ErrorPolicy policy_;
  std::string encoding_;
};

class UnicodeTranscodeKernel final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("input_encoding", &from_); }
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(policy_, ErrorPolicy::make(c));
    TROUPE_ASSIGN_OR_RETURN(to_, output_encoding(c));
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(Decoder decoder, Decoder::open(from_));
    const Tensor& input = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(Tensor * output, context.allocate_output(0, input.shape()));
    auto in = input.flat<TString>();
    auto out = output->flat<TString>();
    std::string text;
    for (size_t i = 0; i < in.size(); ++i) {
      text.clear();
      if (!decoder.each(in[i].view(), policy_, [&](UChar32 c, int64_t) { append(c, to_, &text); })) {
        return invalid("Invalid formatting on input string");
      }
      out[i].assign(text);
    }
    return absl::OkStatus();
  }

 private:
  ErrorPolicy policy_;
  std::string from_;
  Encoding to_ = Encoding::kUtf8;
};

class UnicodeEncodeKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(policy_, ErrorPolicy::make(c));
    TROUPE_ASSIGN_OR_RETURN(to_, output_encoding(c));
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& context) override {
    const Tensor& values = context.input(0);
    const Tensor& splits = context.input(1);
    TROUPE_RETURN_IF_ERROR(check(values, splits));
    const int64_t n = splits.num_elements() - 1;
    TROUPE_ASSIGN_OR_RETURN(Tensor * output, context.allocate_output(0, Shape{n}));
    auto in = values.flat<int32_t>();
    auto out = output->flat<TString>();
    std::string text;
    for (int64_t i = 0; i < n; ++i) {
      text.clear();
      for (int64_t k = int_at(splits, i); k < int_at(splits, i + 1); ++k) {
        UChar32 c = in[k];
        if (c < 0 || c > kMaxCodePoint || U_IS_SURROGATE(c)) {
          if (policy_.on_error == OnError::kStrict) {
            return invalid("Code point is out of range for Unicode, or is a surrogate.");
          }
          if (policy_.on_error == OnError::kIgnore) continue;
          c = policy_.replacement;
        }
        append(c, to_, &text);
      }
      out[i].assign(text);
    }
    return absl::OkStatus();
  }

 private:
  static absl::Status check(const Tensor& values, const Tensor& splits) {
    if (values.rank() != 1 || splits.rank() != 1) {
      return invalid("Both the input_tensor and input_splits should be of rank 1. ");
    }
    const int64_t n = splits.num_elements();
    if (n == 0) return invalid("Input_splits should contain elements, but given input_values has 0 elements");
    if (int_at(splits, 0) != 0) return invalid("First value in input_splits must be zero.");
    if (int_at(splits, n - 1) != values.num_elements()) {
      return invalid("Last value in input_splits must be equal to length of input_tensor.");
    }
    for (int64_t i = 1; i < n; ++i) {
      if (int_at(splits, i) < int_at(splits, i - 1)) {
        return invalid("Values in input_splits must be equal or in ascending order.");
      }
    }
    return absl::OkStatus();
  }

  ErrorPolicy policy_;
  Encoding to_ = Encoding::kUtf8;
};

absl::Status unicode_script(KernelContext& context) {
  const Tensor& input = context.input(0);
  TROUPE_ASSIGN_OR_RETURN(Tensor * output, context.allocate_output(0, input.shape()));
  auto in = input.flat<int32_t>();
  auto out = output->flat<int32_t>();
  for (size_t i = 0; i < in.size(); ++i) {
    UErrorCode status = U_ZERO_ERROR;
    const UScriptCode script = uscript_getScript(in[i], &status);
    out[i] = U_SUCCESS(status) && in[i] >= 0 && in[i] <= kMaxCodePoint ? static_cast<int32_t>(script) : -1;
  }
  return absl::OkStatus();
}

}  // namespace

void register_string_unicode(KernelRegistry* registry) {
  registry->add(KernelDef("UnicodeDecode").types("Tsplits", index_types()).kernel<UnicodeDecodeKernel>());
  registry->add(
      KernelDef("UnicodeDecodeWithOffsets").types("Tsplits", index_types()).kernel<UnicodeDecodeKernel>());
  registry->add(KernelDef("UnicodeTranscode").kernel<UnicodeTranscodeKernel>());
  registry->add(KernelDef("UnicodeEncode").types("Tsplits", index_types()).kernel<UnicodeEncodeKernel>());
  registry->add(KernelDef("UnicodeScript").fn(unicode_script));
}

}  // namespace troupe
