// Skipgram and NegTrain: word vectors learnt from a text (Mikolov et al., "Distributed representations of words and phrases and their
// compositionality", 2013), for graphs older than version 19.
#include <algorithm>
#include <cmath>
#include <mutex>
#include <random>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "devices/checkpoint/file.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/shared/random_stream.h"
#include "devices/common/variable/variable.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// Words are thinned out by the sentence, and examples made by the batch.
constexpr size_t kSentenceWords = 1000;
constexpr size_t kExamplesAtOnce = 3000;

/// The next word of `text`, which moves behind it; empty at its end.
absl::string_view next_word(absl::string_view* text) {
  *text = absl::StripLeadingAsciiWhitespace(*text);
  const size_t n =
      static_cast<size_t>(std::find_if(text->begin(), text->end(), absl::ascii_isspace) - text->begin());
  const absl::string_view word = text->substr(0, n);
  text->remove_prefix(n);
  return word;
}

/// Words by number, the most frequent first, those as frequent in the order of the text; 0 stands for all rare ones.
struct Corpus {
  Tensor words, counts;
  std::vector<int32_t> text;
};

absl::StatusOr<Corpus> read_corpus(const std::string& path, int64_t window, int64_t min_count) {
  TROUPE_ASSIGN_OR_RETURN(const std::string bytes, read_whole_file(path));
  absl::flat_hash_map<absl::string_view, int32_t> places;
  std::vector<std::pair<absl::string_view, int32_t>> found;
  std::vector<int32_t> text;
  absl::string_view rest = bytes;
  for (absl::string_view w = next_word(&rest); !w.empty(); w = next_word(&rest)) {
    const auto [at, is_new] = places.try_emplace(w, static_cast<int32_t>(found.size()));
    if (is_new) found.emplace_back(w, 0);
    ++found[static_cast<size_t>(at->second)].second;
    text.push_back(at->second);
  }
  if (static_cast<int64_t>(text.size()) < window * 10) {
    return invalid("The text file ", path, " contains too little data: ", text.size(), " words");
  }
  std::vector<int32_t> order;
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i].second >= min_count) order.push_back(static_cast<int32_t>(i));
  }
  std::ranges::stable_sort(order, std::greater<>(),
                           [&](int32_t i) { return found[static_cast<size_t>(i)].second; });
  const int64_t size = static_cast<int64_t>(order.size()) + 1;
  Corpus corpus{Tensor(DataType::kString, Shape{size}), Tensor(DataType::kInt32, Shape{size}), {}};
  std::vector<int32_t> numbers(found.size(), 0);
  corpus.words.flat<TString>()[0].assign("UNK");
  int32_t rare = static_cast<int32_t>(text.size());
  for (size_t i = 0; i < order.size(); ++i) {
    const auto& [word, count] = found[static_cast<size_t>(order[i])];
    corpus.words.flat<TString>()[i + 1].assign(word);
    corpus.counts.flat<int32_t>()[i + 1] = count;
    numbers[static_cast<size_t>(order[i])] = static_cast<int32_t>(i + 1);
    rare -= count;
  }
  corpus.counts.flat<int32_t>()[0] = rare;
  for (int32_t& w : text) w = numbers[static_cast<size_t>(w)];
  corpus.text = std::move(text);
  return corpus;
}

class Skipgram final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("batch_size", &batch_); }
  absl::Status init(const KernelConstruction& c) {
    const AttrMap& attrs = c.node().attrs;
    TROUPE_ASSIGN_OR_RETURN(const std::string path, c.attr<std::string>("filename"));
    window_ = attrs.get_or<int64_t>("window_size", 5);
    subsample_ = attrs.get_or<float>("subsample", 1e-3f);
    if (batch_ < 0) return invalid("batch_size must not be negative, got ", batch_);
    if (window_ < 1 || window_ > INT32_MAX) return invalid("window_size must be positive, got ", window_);
    TROUPE_ASSIGN_OR_RETURN(corpus_, read_corpus(path, window_, attrs.get_or<int64_t>("min_count", 5)));
    next_word_ = corpus_.text.size();
    make_examples();
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(Tensor * examples, context.allocate_output(5, Shape{batch_}));
    TROUPE_ASSIGN_OR_RETURN(Tensor * labels, context.allocate_output(6, Shape{batch_}));
    std::lock_guard lock(mu_);
    for (int64_t i = 0; i < batch_; ++i) {
      examples->flat<int32_t>()[i] = examples_[used_].first;
      labels->flat<int32_t>()[i] = examples_[used_].second;
      if (++used_ == examples_.size()) make_examples();
    }
    context.set_output(0, corpus_.words);
    context.set_output(1, corpus_.counts);
    context.set_output(2, Tensor::scalar(static_cast<int64_t>(corpus_.text.size())));
    context.set_output(3, Tensor::scalar(epoch_));
    context.set_output(4, Tensor::scalar(words_processed_));
    return absl::OkStatus();
  }

 private:
  void make_examples() {
    for (auto& e : examples_) e = next_example();
    used_ = 0;
  }
  /// Whether a word stays: the more frequent, the less likely.
  bool keep(int32_t word) {
    if (subsample_ <= 0) return true;
    const float count = static_cast<float>(corpus_.counts.flat<int32_t>()[word]);
    const float wanted = subsample_ * static_cast<float>(corpus_.text.size());
    return uniform_float(bits_()) <= (std::sqrt(count / wanted) + 1) * wanted / count;
  }
  void next_sentence() {
    for (size_t i = 0; i < sentence_.size(); ++next_word_) {
      if (next_word_ >= corpus_.text.size()) {
        ++epoch_;
        next_word_ = 0;
      }
      const int32_t word = corpus_.text[next_word_];
      if (keep(word)) sentence_[i++] = word;
    }
  }
  /// A word and one of those beside it.
  std::pair<int32_t, int32_t> next_example() {
    while (true) {
      if (label_ >= labels_end_) {
        ++words_processed_;
        if (++center_ >= sentence_.size()) {
          center_ = 0;
          next_sentence();
        }
        const size_t reach = 1 + random_below(static_cast<uint32_t>(window_), bits_);
        label_ = center_ > reach ? center_ - reach : 0;
        labels_end_ = std::min(sentence_.size(), center_ + reach + 1);
      }
      if (label_ != center_) return {sentence_[center_], sentence_[label_++]};
      ++label_;
    }
  }

  // Constant once made.
  int64_t batch_ = 0, window_ = 0;
  float subsample_ = 0;
  Corpus corpus_;

  std::mutex mu_;
  // Guarded by mu_.
  Philox generator_;
  PhiloxStream bits_{&generator_};
  int32_t epoch_ = -1;
  int64_t words_processed_ = 0;
  size_t next_word_ = 0, center_ = kSentenceWords, label_ = 0, labels_end_ = 0, used_ = 0;
  std::vector<int32_t> sentence_ = std::vector<int32_t>(kSentenceWords);
  std::vector<std::pair<int32_t, int32_t>> examples_ =
      std::vector<std::pair<int32_t, int32_t>>(kExamplesAtOnce);
};

class NegTrain final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    auto k = std::make_unique<NegTrain>(SharedPhilox::Start(Philox(std::random_device{}(), 0)));
    TROUPE_ASSIGN_OR_RETURN(const auto counts, c.attr<std::vector<int64_t>>("vocab_count"));
    TROUPE_ASSIGN_OR_RETURN(k->samples_, c.attr<int64_t>("num_negative_samples"));
    double sum = 0;
    for (int64_t count : counts) {
      if (count < 0) return invalid("vocab_count must not be negative, got ", count);
      k->sums_.push_back(sum += std::pow(static_cast<double>(count), 0.75));
    }
    if (k->samples_ < 0 || (k->samples_ > 0 && !(sum > 0)))
      return invalid("num_negative_samples: ", k->samples_, " of ", counts.size(), " words that never occur");
    return k;
  }
  explicit NegTrain(SharedPhilox::Start start) : generator_(std::move(start)) {}

  absl::Status compute(KernelContext& context) override {
    const auto &in = context.input_ref(0), &out = context.input_ref(1);
    if (in == out) return invalid("w_in and w_out are one variable, ", in->name);
    std::scoped_lock lock(in->mu, out->mu);
    TROUPE_RETURN_IF_ERROR(check(context, in->tensor, out->tensor));
    for (RefTensor* ref : {in.get(), out.get()})
      TROUPE_RETURN_IF_ERROR(make_unique(&ref->tensor, context.allocator()));
    const auto examples = context.input(2).flat<int32_t>(), labels = context.input(3).flat<int32_t>();
    const float rate = context.input(4).value<float>();
    Philox generator = generator_.reserve_outputs(static_cast<int64_t>(examples.size()) * samples_);
    PhiloxStream bits(&generator);
    for (size_t i = 0; i < examples.size(); ++i) {
      train(row(&in->tensor, examples[i]), &out->tensor, labels[i], rate, bits);
    }
    return absl::OkStatus();
  }

 private:
  absl::Status check(const KernelContext& context, const Tensor& in, const Tensor& out) const {
    const Tensor &examples = context.input(2), &labels = context.input(3);
    if (in.rank() != 2) return invalid("Must be a matrix");
    if (in.shape() != out.shape()) return invalid("w_in.shape == w_out.shape");
    if (!is_vector(examples)) return invalid("Must be a vector");
    if (examples.shape() != labels.shape()) return invalid("examples.shape == labels.shape");
    if (!is_scalar(context.input(4))) return invalid("Must be a scalar");
    const int64_t words = static_cast<int64_t>(sums_.size());
    if (in.dim(0) != words) return invalid("vocab_size mismatches: ", in.dim(0), " vs. ", words);
    for (const Tensor* t : {&examples, &labels}) {
      for (int32_t word : t->flat<int32_t>()) {
        if (word < 0 || word >= words) return invalid("word ", word, " is not in [0, ", words, ")");
      }
    }
    return absl::OkStatus();
  }
  static std::span<float> row(Tensor* t, int64_t i) {
    const size_t n = static_cast<size_t>(t->dim(1));
    return t->flat<float>().subspan(static_cast<size_t>(i) * n, n);
  }
  /// A word drawn by its weight.
  int64_t draw(PhiloxStream& bits) const {
    const uint32_t high = bits();
    const double at = uniform_double(high, bits()) * sums_.back();
    return std::min<int64_t>(std::ranges::upper_bound(sums_, at) - sums_.begin(),
                             static_cast<int64_t>(sums_.size()) - 1);
  }
  /// One example: what stands beside the word moves towards it, and it towards that; what was drawn moves away.
  void train(std::span<float> word, Tensor* out, int32_t label, float rate, PhiloxStream& bits) const {
    std::vector<float> change(word.size(), 0);
    for (int64_t s = -1; s < samples_; ++s) {
      const int64_t other = s < 0 ? label : draw(bits);
      if (s >= 0 && other == label) continue;
      std::span<float> target = row(out, other);
      float dot = 0;
      for (size_t d = 0; d < word.size(); ++d) dot += word[d] * target[d];
      const float step = rate * (s < 0 ? 1 / (std::exp(dot) + 1) : -1 / (std::exp(-dot) + 1));
      for (size_t d = 0; d < word.size(); ++d) {
        change[d] += target[d] * step;
        target[d] += word[d] * step;
      }
    }
    for (size_t d = 0; d < word.size(); ++d) word[d] += change[d];
  }

  int64_t samples_ = 0;
  /// Sums of the weights up to and with each word.
  std::vector<double> sums_;
  SharedPhilox generator_;
};

}  // namespace

void register_nn_word2vec(KernelRegistry* registry) {
  registry->add(KernelDef("Skipgram").kernel<Skipgram>());
  registry->add(KernelDef("NegTrain").kernel<NegTrain>());
}

}  // namespace troupe
