// StringNGrams.
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "devices/cpu/kernels/string/util.h"

namespace troupe {
namespace {

/// The most grams or bytes of one row: as everywhere, sizes of a row fit in an int.
constexpr int64_t kMaxRow = std::numeric_limits<int32_t>::max();

class StringNGramsKernel final : public Kernel {
 public:
  void attributes(AttrReader& a) {
    a("separator", &separator_)("ngram_widths", &widths_)("left_pad", &left_)("right_pad", &right_)(
        "pad_width", &pad_)("preserve_short_sequences", &keep_short_);
  }
  absl::Status init(const KernelConstruction&) {
    for (int64_t width : widths_) {
      if (width <= 0) return invalid("ngram_widths must contain positive values");
      if (width > kMaxRow) return invalid("ngram_widths must be less than ", kMaxRow);
    }
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& context) override {
    const Tensor& data = context.input(0);
    const Tensor& splits = context.input(1);
    const int64_t size = data.num_elements(), n = splits.num_elements();
    TROUPE_RETURN_IF_ERROR(check(splits, size));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out_splits, context.allocate_output(1, splits.shape()));
    if (n <= 1) {
      if (n == 1) set_int(out_splits, 0, 0);
      return context.allocate_output(0, n == 0 ? data.shape() : Shape{0}).status();
    }
    set_int(out_splits, 0, 0);
    int64_t total = 0;
    for (int64_t i = 1; i < n; ++i) {
      const int64_t length = int_at(splits, i) - int_at(splits, i - 1);
      int64_t row = 0;
      for (int64_t width : widths_) row += grams(length, width);
      if (row == 0 && keeps(length)) row = 1;
      if (row > kMaxRow || (total += row) > kMaxRow) {
        return invalid("The number of n-grams exceeds ", kMaxRow);
      }
      set_int(out_splits, i, total);
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * output, context.allocate_output(0, Shape{total}));
    auto out = output->flat<TString>();
    for (int64_t i = 1; i < n; ++i) {
      const int64_t first = int_at(splits, i - 1), length = int_at(splits, i) - first;
      auto row = data.flat<TString>().subspan(static_cast<size_t>(first), static_cast<size_t>(length));
      int64_t at = int_at(*out_splits, i - 1);
      for (int64_t width : widths_) {
        const int64_t count = grams(length, width);
        for (int64_t k = 0; k < count; ++k) out[at++].assign(gram(row, k, count, width, padding(width)));
      }
      if (at == int_at(*out_splits, i - 1) && keeps(length)) {
        const int64_t width = length + 2 * std::max<int64_t>(0, pad_);
        out[at].assign(gram(row, 0, 1, width, padding(width)));
      }
    }
    return absl::OkStatus();
  }

 private:
  static absl::Status check(const Tensor& splits, int64_t size) {
    const int64_t n = splits.num_elements();
    if (n == 0) return absl::OkStatus();
    if (int_at(splits, 0) != 0) return invalid("First split value must be 0, got ", int_at(splits, 0));
    int64_t last = 0;
    for (int64_t i = 1; i < n; ++i) {
      const int64_t v = int_at(splits, i);
      if (v < last || v > size) {
        return invalid("Invalid split value ", v, ", must be in [", last, ", ", size, "]");
      }
      last = v;
    }
    if (last != size) return invalid("Last split value must be data size. Expected ", size, ", got ", last);
    return absl::OkStatus();
  }

  /// Pads at each end for grams of this width: never a whole gram of them.
  int64_t padding(int64_t width) const { return pad_ < 0 ? width - 1 : std::min(pad_, width - 1); }

  int64_t grams(int64_t length, int64_t width) const {
    return std::max<int64_t>(0, length + 2 * padding(width) - width + 1);
  }

  /// Whether a row that gives no gram gives one of all its tokens. With dynamic padding there is no such row.
  bool keeps(int64_t length) const {
    return keep_short_ && length > 0 && length + 2 * std::max<int64_t>(0, pad_) <= kMaxRow;
  }

  std::string gram(std::span<const TString> row, int64_t index, int64_t count, int64_t width,
                   int64_t pad) const {
    const int64_t left = std::max<int64_t>(0, pad - index),
                  right = std::max<int64_t>(0, pad - (count - index - 1));
    const int64_t tokens = width - left - right;
    const int64_t first = left > 0 ? 0 : index - pad;
    std::string out;
    const auto add = [&](absl::string_view part, bool separate) {
      if (separate) out.append(separator_);
      out.append(part.data(), part.size());
    };
    for (int64_t i = 0; i < left; ++i) add(left_, i > 0);
    for (int64_t i = 0; i < tokens; ++i) add(row[first + i].view(), left + i > 0);
    for (int64_t i = 0; i < right; ++i) add(right_, left + tokens + i > 0);
    return out;
  }

  std::string separator_, left_, right_;
  std::vector<int64_t> widths_;
  int64_t pad_ = 0;
  bool keep_short_ = false;
};

}  // namespace

void register_string_ngrams(KernelRegistry* registry) {
  registry->add(KernelDef("StringNGrams").types("Tsplits", index_types()).kernel<StringNGramsKernel>());
}

}  // namespace troupe
