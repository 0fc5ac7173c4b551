#include "devices/cpu/primitives/onednn.h"

#include <dnnl.hpp>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "devices/cpu/primitives/compiled_conv.h"

namespace troupe::onednn {
namespace {

using dnnl::memory;

/// A block of work that is worth handing to another thread, in floating-point operations.
constexpr double kMinBlockFlops = 4e6;
/// Scratch memory that a thread keeps between calls, in bytes.
constexpr size_t kMaxKeptScratchBytes = size_t{64} << 20;
/// What one core does, in operations per nanosecond: only for the estimate that parallel_for wants.
constexpr double kFlopsPerNs = 50;

/// Aligned memory of the thread that grows on demand. `slot` tells apart what is needed at the same time.
class Scratch {
 public:
  enum Slot { kScratchpad, kFilter, kResult, kSlots };
  ~Scratch() {
    for (int i = 0; i < kSlots; ++i) std::free(data_[i]);
  }
  void* get(Slot slot, size_t bytes) {
    if (bytes > bytes_[slot]) {
      std::free(data_[slot]);
      size_t rounded = (bytes + 4095) / 4096 * 4096;
      data_[slot] = std::aligned_alloc(64, rounded);
      bytes_[slot] = data_[slot] == nullptr ? 0 : rounded;
    }
    return data_[slot];
  }
  void trim() {
    for (int i = 0; i < kSlots; ++i) {
      if (bytes_[i] > kMaxKeptScratchBytes) {
        std::free(data_[i]);
        data_[i] = nullptr;
        bytes_[i] = 0;
      }
    }
  }

 private:
  void* data_[kSlots] = {};
  size_t bytes_[kSlots] = {};
};

Scratch& scratch() {
  thread_local Scratch s;
  return s;
}

memory wrap(const memory::desc& desc, const void* data) {
  return memory(desc, engine(), const_cast<void*>(data));
}

/// The filter in the layout that `conv` wants, in this thread's scratch unless TensorFlow's layout will do.
const float* pack_filter(const Conv& conv, const float* filter) {
  if (!conv.reorders_filter) return filter;
  void* to_data = scratch().get(Scratch::kFilter, conv.filter.get_size());
  if (to_data == nullptr) throw std::bad_alloc();
  memory from = wrap(conv.plain_filter, filter), to = wrap(conv.filter, to_data);
  conv.filter_reorder.execute(stream(), from, to);
  return static_cast<const float*>(to_data);
}

void* scratchpad(const Conv& conv) {
  size_t bytes = conv.scratchpad.get_size();
  void* data = scratch().get(Scratch::kScratchpad, std::max<size_t>(bytes, 64));
  if (data == nullptr) throw std::bad_alloc();
  return data;
}

absl::Status guarded(absl::FunctionRef<void()> fn) {
  try {
    fn();
    return absl::OkStatus();
  } catch (const dnnl::error& e) {
    std::string text = absl::StrCat("oneDNN: ", e.what());
    return e.status == dnnl_out_of_memory ? absl::ResourceExhaustedError(text)
                                          : absl::UnimplementedError(text);
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("OOM when allocating scratch memory of a convolution");
  }
}

/// Collects the first error of blocks that run at once.
class FirstError {
 public:
  void add(absl::Status s) {
    if (s.ok()) return;
    std::lock_guard lock(mu_);
    if (status_.ok()) status_ = std::move(s);
  }
  absl::Status take() { return std::move(status_); }

 private:
  std::mutex mu_;
  absl::Status status_;
};

}  // namespace

struct PackedFilter::Copies {
  /// Layouts kept; blocks of one convolution hardly ever want different ones.
  static constexpr size_t kMaxLayouts = 4;
  struct Copy {
    memory::desc layout;
    std::unique_ptr<float, decltype(&std::free)> data{nullptr, &std::free};
  };
  std::mutex mu;
  std::vector<Copy> copies;  // guarded by mu; data does not move
};

PackedFilter::PackedFilter() : copies_(std::make_unique<Copies>()) {}
PackedFilter::~PackedFilter() = default;

/// Finds or makes the copy of a filter for a compiled convolution.
struct FilterPacker {
  static const float* pack(const Conv& conv, const float* filter, PackedFilter* packed) {
    if (!conv.reorders_filter || packed == nullptr) return pack_filter(conv, filter);
    PackedFilter::Copies& all = *packed->copies_;
    std::lock_guard lock(all.mu);
    for (const auto& copy : all.copies) {
      if (copy.layout == conv.filter) return copy.data.get();
    }
    if (all.copies.size() >= PackedFilter::Copies::kMaxLayouts) return pack_filter(conv, filter);
    PackedFilter::Copies::Copy copy;
    copy.layout = conv.filter;
    copy.data.reset(static_cast<float*>(std::aligned_alloc(64, (conv.filter.get_size() + 63) / 64 * 64)));
    if (copy.data == nullptr) throw std::bad_alloc();
    memory from = wrap(conv.plain_filter, filter), to = wrap(conv.filter, copy.data.get());
    conv.filter_reorder.execute(stream(), from, to);
    all.copies.push_back(std::move(copy));
    return all.copies.back().data.get();
  }
};

namespace {

/// How many blocks are worth having.
int64_t wanted_blocks(const ConvProblem& p, ParallelRunner& runner) {
  double flops = p.flops_per_image() * static_cast<double>(p.batch);
  double by_work = flops / kMinBlockFlops;
  int64_t threads = runner.num_threads();
  return by_work < 2 ? 1 : std::min<int64_t>(threads, static_cast<int64_t>(by_work));
}

/// Runs fn(first, last) over [0, total) in `blocks` parts of equal size (the last may be smaller).
absl::Status run_blocks(ParallelRunner& runner, int64_t total, int64_t blocks, double flops,
                        absl::FunctionRef<absl::Status(int64_t, int64_t)> fn) {
  if (blocks <= 1) return fn(0, total);
  const int64_t size = (total + blocks - 1) / blocks;
  const int64_t parts = (total + size - 1) / size;
  FirstError error;
  auto cost = static_cast<int64_t>(flops / kFlopsPerNs / static_cast<double>(parts)) + 1;
  runner.parallel_for(parts, cost, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) error.add(fn(i * size, std::min(total, (i + 1) * size)));
  });
  return error.take();
}

absl::Status forward_block(const ConvProblem& p, const float* input, const float* filter, const float* bias,
                           float* output, PackedFilter* packed_filter) {
  return guarded([&] {
    auto conv = find_conv(p, bias == nullptr ? Pass::kForward : Pass::kForwardBias);
    const float* packed = FilterPacker::pack(*conv, filter, packed_filter);
    std::unordered_map<int, memory> args = {{DNNL_ARG_SRC, wrap(conv->image_in, input)},
                                            {DNNL_ARG_WEIGHTS, wrap(conv->filter, packed)},
                                            {DNNL_ARG_DST, wrap(conv->image_out, output)},
                                            {DNNL_ARG_SCRATCHPAD, wrap(conv->scratchpad, scratchpad(*conv))}};
    if (bias != nullptr) args.emplace(DNNL_ARG_BIAS, wrap(conv->bias, bias));
    conv->forward.execute(stream(), args);
    scratch().trim();
  });
}

absl::Status backward_input_block(const ConvProblem& p, const float* filter, const float* out_backprop,
                                  float* in_backprop) {
  return guarded([&] {
    auto conv = find_conv(p, Pass::kBackwardInput);
    const float* packed = pack_filter(*conv, filter);
    conv->backward_input.execute(stream(),
                                 {{DNNL_ARG_DIFF_DST, wrap(conv->image_out, out_backprop)},
                                  {DNNL_ARG_WEIGHTS, wrap(conv->filter, packed)},
                                  {DNNL_ARG_DIFF_SRC, wrap(conv->image_in, in_backprop)},
                                  {DNNL_ARG_SCRATCHPAD, wrap(conv->scratchpad, scratchpad(*conv))}});
    scratch().trim();
  });
}

absl::Status backward_filter_block(const ConvProblem& p, const float* input, const float* out_backprop,
                                   float* filter_backprop) {
  return guarded([&] {
    auto conv = find_conv(p, Pass::kBackwardFilter);
    float* result = filter_backprop;
    if (conv->reorders_filter) {
      result = static_cast<float*>(scratch().get(Scratch::kFilter, conv->filter.get_size()));
      if (result == nullptr) throw std::bad_alloc();
    }
    conv->backward_filter.execute(stream(),
                                  {{DNNL_ARG_SRC, wrap(conv->image_in, input)},
                                   {DNNL_ARG_DIFF_DST, wrap(conv->image_out, out_backprop)},
                                   {DNNL_ARG_DIFF_WEIGHTS, wrap(conv->filter, result)},
                                   {DNNL_ARG_SCRATCHPAD, wrap(conv->scratchpad, scratchpad(*conv))}});
    if (conv->reorders_filter) {
      memory from = wrap(conv->filter, result), to = wrap(conv->plain_filter, filter_backprop);
      conv->filter_reorder.execute(stream(), from, to);
    }
    scratch().trim();
  });
}

/// The part of one image that makes the output rows [first, last) of the outermost spatial dimension; nothing when
/// those rows read padding only.
bool row_block(const ConvProblem& whole, int64_t first, int64_t last, ConvProblem* part, int64_t* input_row) {
  *part = whole;
  int64_t begin = first * whole.stride[0] - whole.pad_before[0];
  int64_t end =
      (last - 1) * whole.stride[0] + (whole.kernel[0] - 1) * whole.dilation[0] + 1 - whole.pad_before[0];
  part->pad_before[0] = std::max<int64_t>(0, -begin);
  part->pad_after[0] = std::max<int64_t>(0, end - whole.in[0]);
  begin = std::max<int64_t>(begin, 0);
  end = std::min(end, whole.in[0]);
  part->in[0] = end - begin;
  part->out[0] = last - first;
  *input_row = begin;
  return end > begin;
}

}  // namespace

void sgemm(bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k, float alpha, const float* a,
           int64_t lda, const float* b, int64_t ldb, float beta, float* c, int64_t ldc) {
  use_one_openmp_thread();
  dnnl_sgemm(transpose_a ? 'T' : 'N', transpose_b ? 'T' : 'N', m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

absl::Status conv_forward(const ConvProblem& p, ParallelRunner& runner, const float* input,
                          const float* filter, const float* bias, float* output, PackedFilter* packed) {
  const int64_t blocks = wanted_blocks(p, runner);
  // The blocks share one copy.
  std::optional<PackedFilter> shared;
  if (packed == nullptr && blocks > 1) packed = &shared.emplace();
  const double flops = p.flops_per_image() * static_cast<double>(p.batch);
  const int64_t in_row = p.in_image() / p.in[0], out_row = p.out_image() / p.out[0];
  if (blocks > 1 && p.batch < blocks && p.channels_last && p.out[0] >= blocks) {
    // Few images: cut each into bands of rows.
    bool possible = true;
    const int64_t size = (p.out[0] + blocks - 1) / blocks;
    ConvProblem part = p;
    int64_t row;
    for (int64_t r = 0; r < p.out[0]; r += size)
      possible &= row_block(p, r, std::min(p.out[0], r + size), &part, &row);
    if (possible) {
      for (int64_t image = 0; image < p.batch; ++image) {
        TROUPE_RETURN_IF_ERROR(run_blocks(runner, p.out[0], blocks, flops, [&](int64_t first, int64_t last) {
          ConvProblem band;
          int64_t input_row;
          row_block(p, first, last, &band, &input_row);
          band.batch = 1;
          return forward_block(band, input + image * p.in_image() + input_row * in_row, filter, bias,
                               output + image * p.out_image() + first * out_row, packed);
        }));
      }
      return absl::OkStatus();
    }
  }
  return run_blocks(runner, p.batch, std::min(blocks, p.batch), flops, [&](int64_t first, int64_t last) {
    ConvProblem part = p;
    part.batch = last - first;
    return forward_block(part, input + first * p.in_image(), filter, bias, output + first * p.out_image(),
                         packed);
  });
}

absl::Status conv_backward_input(const ConvProblem& p, ParallelRunner& runner, const float* filter,
                                 const float* out_backprop, float* in_backprop) {
  const double flops = p.flops_per_image() * static_cast<double>(p.batch);
  return run_blocks(runner, p.batch, std::min(wanted_blocks(p, runner), p.batch), flops,
                    [&](int64_t first, int64_t last) {
                      ConvProblem part = p;
                      part.batch = last - first;
                      return backward_input_block(part, filter, out_backprop + first * p.out_image(),
                                                  in_backprop + first * p.in_image());
                    });
}

absl::Status conv_backward_filter(const ConvProblem& p, ParallelRunner& runner, const float* input,
                                  const float* out_backprop, float* filter_backprop) {
  const double flops = p.flops_per_image() * static_cast<double>(p.batch);
  const int64_t blocks = std::min(wanted_blocks(p, runner), p.batch);
  if (blocks <= 1) return backward_filter_block(p, input, out_backprop, filter_backprop);
  // Each block sums over its images into memory of its own; the sums are added up in order afterwards.
  const int64_t size = (p.batch + blocks - 1) / blocks;
  const int64_t parts = (p.batch + size - 1) / size;
  std::vector<float> partial;
  const int64_t count = p.filter_size();
  partial.resize(static_cast<size_t>((parts - 1) * count));
  TROUPE_RETURN_IF_ERROR(run_blocks(runner, p.batch, blocks, flops, [&](int64_t first, int64_t last) {
    ConvProblem part = p;
    part.batch = last - first;
    int64_t index = first / size;
    float* into = index == 0 ? filter_backprop : partial.data() + (index - 1) * count;
    return backward_filter_block(part, input + first * p.in_image(), out_backprop + first * p.out_image(),
                                 into);
  }));
  for (int64_t i = 0; i + 1 < parts; ++i) {
    const float* from = partial.data() + i * count;
    for (int64_t j = 0; j < count; ++j) filter_backprop[j] += from[j];
  }
  return absl::OkStatus();
}

int64_t cached_primitives() { return num_compiled_convs(); }

}  // namespace troupe::onednn
