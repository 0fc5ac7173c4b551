// RegexReplace, RegexFullMatch and their static forms.
#include <re2/re2.h>

#include <memory>
#include <mutex>
#include <string>

#include "devices/cpu/kernels/string/util.h"

namespace troupe {
namespace {

re2::StringPiece piece(absl::string_view s) { return re2::StringPiece(s.data(), s.size()); }

absl::StatusOr<std::shared_ptr<const RE2>> compile(absl::string_view pattern) {
  RE2::Options options;
  options.set_log_errors(false);
  auto regex = std::make_shared<const RE2>(piece(pattern), options);
  if (!regex->ok()) return invalid("Invalid pattern: ", pattern, ", error: ", regex->error());
  return regex;
}

/// The pattern of the last step: patterns that are inputs hardly ever change. Thread-safe.
class PatternCache {
 public:
  absl::StatusOr<std::shared_ptr<const RE2>> get(absl::string_view pattern) {
    {
      std::lock_guard lock(mu_);
      if (regex_ != nullptr && regex_->pattern() == std::string(pattern)) return regex_;
    }
    TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<const RE2> fresh, compile(pattern));
    std::lock_guard lock(mu_);
    regex_ = fresh;
    return fresh;
  }

 private:
  std::mutex mu_;
  std::shared_ptr<const RE2> regex_;
};

absl::Status replace(KernelContext& context, const RE2& regex, absl::string_view rewrite, bool global) {
  return map_strings(context, [&](absl::string_view s) {
    std::string text(s);
    if (global) {
      RE2::GlobalReplace(&text, regex, piece(rewrite));
    } else {
      RE2::Replace(&text, regex, piece(rewrite));
    }
    return text;
  });
}

absl::Status full_match(KernelContext& context, const RE2& regex) {
  const Tensor& input = context.input(0);
  TROUPE_ASSIGN_OR_RETURN(Tensor * output, context.allocate_output(0, input.shape()));
  auto in = input.flat<TString>();
  auto out = output->flat<bool>();
  context.parallel().parallel_for(static_cast<int64_t>(in.size()), 2 * kStringNs,
                                  [&](int64_t begin, int64_t end) {
                                    for (int64_t i = begin; i < end; ++i)
                                      out[i] = RE2::FullMatch(piece(in[i].view()), regex);
                                  });
  return absl::OkStatus();
}

class RegexReplaceKernel final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("replace_global", &global_); }
  absl::Status compute(KernelContext& context) override {
    const Tensor& pattern = context.input(1);
    const Tensor& rewrite = context.input(2);
    if (pattern.rank() != 0)
      return invalid("Pattern must be scalar, but received ", pattern.shape().to_string());
    if (rewrite.rank() != 0)
      return invalid("Rewrite must be scalar, but received ", rewrite.shape().to_string());
    TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<const RE2> regex, patterns_.get(pattern.value<TString>().view()));
    return replace(context, *regex, rewrite.value<TString>().view(), global_);
  }

 private:
  bool global_ = true;
  PatternCache patterns_;
};

class StaticRegexReplaceKernel final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("rewrite", &rewrite_)("replace_global", &global_); }
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(std::string pattern, c.attr<std::string>("pattern"));
    TROUPE_ASSIGN_OR_RETURN(regex_, compile(pattern));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    return replace(context, *regex_, rewrite_, global_);
  }

 private:
  std::shared_ptr<const RE2> regex_;
  std::string rewrite_;
  bool global_ = true;
};

class RegexFullMatchKernel final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction&) {
    return std::make_unique<RegexFullMatchKernel>();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& pattern = context.input(1);
    if (pattern.rank() != 0)
      return invalid("Pattern must be scalar, but received ", pattern.shape().to_string());
    TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<const RE2> regex, patterns_.get(pattern.value<TString>().view()));
    return full_match(context, *regex);
  }

 private:
  PatternCache patterns_;
};

class StaticRegexFullMatchKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(std::string pattern, c.attr<std::string>("pattern"));
    TROUPE_ASSIGN_OR_RETURN(regex_, compile(pattern));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override { return full_match(context, *regex_); }

 private:
  std::shared_ptr<const RE2> regex_;
};

}  // namespace

void register_string_regex(KernelRegistry* registry) {
  registry->add(KernelDef("RegexReplace").kernel<RegexReplaceKernel>());
  registry->add(KernelDef("StaticRegexReplace").kernel<StaticRegexReplaceKernel>());
  registry->add(KernelDef("RegexFullMatch").kernel<RegexFullMatchKernel>());
  registry->add(KernelDef("StaticRegexFullMatch").kernel<StaticRegexFullMatchKernel>());
}

}  // namespace troupe
