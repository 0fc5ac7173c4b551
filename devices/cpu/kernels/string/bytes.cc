// EncodeBase64, DecodeBase64: the web-safe alphabet.
#include <algorithm>
#include <array>
#include <string>

#include "devices/cpu/kernels/string/util.h"

namespace troupe {
namespace {

constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr uint8_t kNoDigit = 255;

constexpr std::array<uint8_t, 256> make_digits() {
  std::array<uint8_t, 256> digits{};
  for (auto& d : digits) d = kNoDigit;
  for (uint8_t i = 0; i < 64; ++i) digits[static_cast<unsigned char>(kAlphabet[i])] = i;
  return digits;
}
constexpr std::array<uint8_t, 256> kDigits = make_digits();

std::string encode(absl::string_view s, bool pad) {
  std::string out;
  out.reserve((s.size() + 2) / 3 * 4);
  for (size_t i = 0; i < s.size(); i += 3) {
    const size_t n = std::min<size_t>(3, s.size() - i);
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; ++k) bits = bits << 8 | (k < n ? static_cast<unsigned char>(s[i + k]) : 0u);
    for (size_t k = 0; k <= n; ++k) out.push_back(kAlphabet[bits >> (18 - 6 * k) & 63]);
    if (pad) out.append(3 - n, '=');
  }
  return out;
}

absl::Status decode(absl::string_view s, std::string* out) {
  out->clear();
  // Padding is optional, but only whole: it fills the last group of four.
  if (s.size() % 4 == 0) {
    for (int k = 0; k < 2 && !s.empty() && s.back() == '='; ++k) s.remove_suffix(1);
  }
  out->reserve(s.size() / 4 * 3 + 2);
  uint32_t bits = 0;
  int have = 0;
  for (size_t i = 0; i < s.size(); ++i) {
    if (i % 4 == 0 && i + 1 == s.size()) return invalid("Base64 string length cannot be 1 modulo 4.");
    const uint8_t digit = kDigits[static_cast<unsigned char>(s[i])];
    if (digit == kNoDigit) return invalid("Invalid character found in base64.");
    bits = bits << 6 | digit;
    have += 6;
    if (have >= 8) {
      have -= 8;
      out->push_back(static_cast<char>(bits >> have & 255));
    }
  }
  return absl::OkStatus();
}

class EncodeBase64Kernel final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("pad", &pad_); }
  absl::Status compute(KernelContext& context) override {
    return map_strings(context, [this](absl::string_view s) { return encode(s, pad_); });
  }

 private:
  bool pad_ = false;
};

absl::Status decode_base64(KernelContext& context) {
  const Tensor& input = context.input(0);
  TROUPE_ASSIGN_OR_RETURN(Tensor * output, context.allocate_output(0, input.shape()));
  auto in = input.flat<TString>();
  auto out = output->flat<TString>();
  std::string text;
  for (size_t i = 0; i < in.size(); ++i) {
    TROUPE_RETURN_IF_ERROR(decode(in[i].view(), &text));
    out[i].assign(text);
  }
  return absl::OkStatus();
}

}  // namespace

void register_string_bytes(KernelRegistry* registry) {
  registry->add(KernelDef("EncodeBase64").kernel<EncodeBase64Kernel>());
  registry->add(KernelDef("DecodeBase64").fn(decode_base64));
}

}  // namespace troupe
