// StringSplit, StringSplitV2.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "devices/cpu/kernels/string/util.h"

namespace troupe {
namespace {

using Tokens = std::vector<absl::string_view>;

/// Cuts at every byte of `delimiters`; between all bytes when there are none.
void split_at_bytes(absl::string_view s, absl::string_view delimiters, bool skip_empty, Tokens* out) {
  if (delimiters.empty()) {
    for (size_t i = 0; i < s.size(); ++i) out->push_back(s.substr(i, 1));
    return;
  }
  if (s.empty()) return;
  size_t begin = 0;
  while (true) {
    const size_t at = s.find_first_of(delimiters, begin);
    absl::string_view part = s.substr(begin, at == absl::string_view::npos ? at : at - begin);
    if (!skip_empty || !part.empty()) out->push_back(part);
    if (at == absl::string_view::npos) return;
    begin = at + 1;
  }
}

/// Cuts as Python's str.split: at `separator`, or at runs of white space when it is empty; at most `limit` cuts when
/// that is positive.
void split_like_python(absl::string_view s, absl::string_view separator, int64_t limit, Tokens* out) {
  if (limit == 0) {
    out->push_back(s);
    return;
  }
  int64_t cuts = 0;
  if (separator.empty()) {
    s = absl::StripLeadingAsciiWhitespace(s);
    while (!s.empty()) {
      size_t end = 0;
      while (end < s.size() && !absl::ascii_isspace(static_cast<unsigned char>(s[end]))) ++end;
      out->push_back(s.substr(0, end));
      s = absl::StripLeadingAsciiWhitespace(s.substr(end));
      if (++cuts == limit) {
        out->push_back(s);
        return;
      }
    }
    return;
  }
  for (size_t at = s.find(separator); at != absl::string_view::npos; at = s.find(separator)) {
    out->push_back(s.substr(0, at));
    s.remove_prefix(at + separator.size());
    if (++cuts == limit) break;
  }
  out->push_back(s);
}

/// The three outputs of a sparse matrix with row i holding the tokens [ends[i - 1], ends[i]).
absl::Status write_rows(KernelContext& context, const Tokens& tokens, const std::vector<size_t>& ends) {
  const int64_t n = static_cast<int64_t>(tokens.size());
  TROUPE_ASSIGN_OR_RETURN(Tensor * indices, context.allocate_output(0, Shape{n, 2}));
  TROUPE_ASSIGN_OR_RETURN(Tensor * values, context.allocate_output(1, Shape{n}));
  TROUPE_ASSIGN_OR_RETURN(Tensor * shape, context.allocate_output(2, Shape{2}));
  auto index = indices->flat<int64_t>();
  auto value = values->flat<TString>();
  size_t k = 0, widest = 0;
  for (size_t row = 0; row < ends.size(); ++row) {
    const size_t first = k;
    widest = std::max(widest, ends[row] - first);
    for (; k < ends[row]; ++k) {
      index[2 * k] = static_cast<int64_t>(row);
      index[2 * k + 1] = static_cast<int64_t>(k - first);
      value[k] = tokens[k];
    }
  }
  shape->flat<int64_t>()[0] = static_cast<int64_t>(ends.size());
  shape->flat<int64_t>()[1] = static_cast<int64_t>(widest);
  return absl::OkStatus();
}

class StringSplitKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    version_ = c.node().op->name == "StringSplitV2" ? 2 : 1;
    if (version_ == 2) {
      TROUPE_ASSIGN_OR_RETURN(limit_, c.attr<int64_t>("maxsplit"));
    } else {
      TROUPE_ASSIGN_OR_RETURN(skip_empty_, c.attr<bool>("skip_empty"));
    }
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& context) override {
    const Tensor& input = context.input(0);
    const Tensor& separator = context.input(1);
    if (input.rank() != 1) return invalid("input must be a vector, got shape: ", input.shape().to_string());
    if (separator.rank() != 0) {
      return invalid(version_ == 2 ? "sep" : "delimiter",
                     " must be a scalar, got shape: ", separator.shape().to_string());
    }
    absl::string_view by = separator.value<TString>().view();
    auto in = input.flat<TString>();
    Tokens tokens;
    std::vector<size_t> ends;
    ends.reserve(in.size());
    for (const TString& s : in) {
      if (version_ == 2) {
        split_like_python(s.view(), by, limit_, &tokens);
      } else {
        split_at_bytes(s.view(), by, skip_empty_, &tokens);
      }
      ends.push_back(tokens.size());
    }
    return write_rows(context, tokens, ends);
  }

 private:
  int version_ = 1;
  bool skip_empty_ = true;
  int64_t limit_ = -1;
};

}  // namespace

void register_string_split(KernelRegistry* registry) {
  registry->add(KernelDef("StringSplit").kernel<StringSplitKernel>());
  registry->add(KernelDef("StringSplitV2").kernel<StringSplitKernel>());
}

}  // namespace troupe
