// Assert, Print and the formatting of tensors as text.

#include <atomic>
#include <cstdio>
#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "devices/cpu/kernels/control/summarize.h"
#include "devices/cpu/kernels/shared/print_listeners.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

class AssertKernel final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(int64_t n, c.attr<int64_t>("summarize"));
    return std::make_unique<AssertKernel>(n);
  }
  explicit AssertKernel(int64_t summarize_count) : count_(summarize_count) {}
  absl::Status compute(KernelContext& context) override {
    const Tensor& condition = context.input(0);
    if (condition.rank() != 0) {
      return absl::InvalidArgumentError("In[0] should be a scalar: " + condition.shape().to_string());
    }
    if (condition.value<bool>()) return absl::OkStatus();
    std::string message = "assertion failed: ";
    for (int i = 1; i < context.num_inputs(); ++i) {
      absl::StrAppend(&message, "[", summarize(context.input(i), count_), "]");
      if (i < context.num_inputs() - 1) message.push_back(' ');
    }
    return absl::InvalidArgumentError(message);
  }
  bool is_expensive() const override { return false; }

 private:
  const int64_t count_;
};

void write_to(std::FILE* file, absl::string_view text) {
  std::fwrite(text.data(), 1, text.size(), file);
  std::fflush(file);
}

class PrintKernel final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("message", &message_)("first_n", &first_n_)("summarize", &count_); }
  absl::Status compute(KernelContext& context) override {
    context.forward_input(0, 0);
    if (first_n_ >= 0 && calls_.fetch_add(1, std::memory_order_relaxed) >= first_n_) return absl::OkStatus();
    std::string line = message_;
    for (int i = 1; i < context.num_inputs(); ++i) {
      absl::StrAppend(&line, "[", summarize(context.input(i), count_), "]");
    }
    line.push_back('\n');
    write_to(stderr, line);
    return absl::OkStatus();
  }

 private:
  std::string message_;
  int64_t first_n_ = -1;
  int64_t count_ = 3;
  std::atomic<int64_t> calls_{0};
};

class PrintV2Kernel final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("output_stream", &stream_)("end", &end_); }
  absl::Status init(const KernelConstruction&) {
    const std::string& s = stream_;
    if (absl::StartsWith(s, "file://")) {
      path_ = s.substr(7);
    } else if (s != "stdout" && s != "stderr" && s != "log(info)" && s != "log(warning)" &&
               s != "log(error)") {
      return absl::InvalidArgumentError(
          absl::StrCat("Unknown output stream: ", s,
                       ", valid streams are: stdout, stderr, log(info), log(warning), log(error)"));
    }
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& text = context.input(0);
    if (text.rank() != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("Input is expected to be scalar, but got ", text.shape().to_string()));
    }
    const std::string line = absl::StrCat(text.value<TString>().view(), end_);
    if (print_to_listeners(line)) return absl::OkStatus();
    if (!path_.empty()) {
      std::ofstream file(path_, std::ios::app | std::ios::binary);
      file << line;
      file.close();
      if (!file) return absl::FailedPreconditionError(absl::StrCat("Could not append to file ", path_));
      return absl::OkStatus();
    }
    write_to(stream_ == "stdout" ? stdout : stderr, line);
    return absl::OkStatus();
  }

 private:
  std::string stream_;
  std::string path_;
  std::string end_;
};

class StringFormatKernel final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("summarize", &count_); }
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(std::string text, c.attr<std::string>("template"));
    TROUPE_ASSIGN_OR_RETURN(std::string placeholder, c.attr<std::string>("placeholder"));
    // An empty placeholder stands between any two characters, as in TensorFlow.
    parts_ = absl::StrSplit(text, placeholder);
    if (parts_.size() != static_cast<size_t>(c.num_inputs()) + 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("num placeholders in template and num inputs must match: ", parts_.size() - 1, " vs. ",
                       c.num_inputs()));
    }
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    std::string out = parts_[0];
    for (int i = 0; i < context.num_inputs(); ++i) {
      absl::StrAppend(&out, summarize_edges(context.input(i), count_), parts_[static_cast<size_t>(i) + 1]);
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * result, context.allocate_output(0, Shape()));
    result->flat<TString>()[0] = absl::string_view(out);
    return absl::OkStatus();
  }

 private:
  std::vector<std::string> parts_;
  int64_t count_ = 3;
};

}  // namespace

void register_control_print(KernelRegistry* registry) {
  registry->add(KernelDef("Assert").kernel<AssertKernel>());
  registry->add(KernelDef("Print").kernel<PrintKernel>());
  registry->add(KernelDef("PrintV2").kernel<PrintV2Kernel>());
  registry->add(KernelDef("StringFormat").kernel<StringFormatKernel>());
}

}  // namespace troupe
