#include "devices/cpu/primitives/compiled_conv.h"

#include <omp.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"

namespace troupe::onednn {

void use_one_openmp_thread() {
  thread_local const bool once = (omp_set_num_threads(1), true);
  (void)once;
}

const dnnl::engine& engine() {
  static const auto* e = new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return *e;
}

dnnl::stream& stream() {
  use_one_openmp_thread();
  thread_local dnnl::stream s(engine());
  return s;
}

namespace {

using dnnl::memory;

/// Compiled primitives kept; a network has tens, shapes that vary with the batch some more.
constexpr size_t kMaxCachedPrimitives = 1024;

struct Key {
  ConvProblem problem;
  Pass pass;
  friend bool operator==(const Key&, const Key&) = default;
  template <class H>
  friend H AbslHashValue(H h, const Key& k) {
    return H::combine(std::move(h), k.problem, static_cast<int>(k.pass));
  }
};

memory::dims dims_of(std::initializer_list<int64_t> head, const std::array<int64_t, 3>& spatial,
                     int64_t rank) {
  memory::dims d(head);
  for (int64_t i = 0; i < rank; ++i) d.push_back(spatial[static_cast<size_t>(i)]);
  return d;
}

/// The beginning of the name of the implementation that is faster than oneDNN's first choice, by measurement (README); null: there is none. Not by a
/// measurement of its own: results would differ in the last bits from one process to the next.
const char* better_implementation(const ConvProblem& p, Pass pass) {
  const bool is_forward = pass == Pass::kForward || pass == Pass::kForwardBias;
  if (is_forward && p.groups > 1 && p.groups == p.in_channels && p.groups == p.out_channels) return "jit_dw:";
  if (p.groups > 1 || p.kernel[0] * p.kernel[1] * p.kernel[2] == 1) return nullptr;
  if (is_forward && (p.in_channels == 1 || p.in_channels == 3)) return "jit:";
  if (pass == Pass::kBackwardInput && p.in_channels <= 3 && p.out_channels >= 16) return "x64:gemm";
  return nullptr;
}

/// The description that `make` gives, of the implementation whose name begins so where there is one.
template <class Make>
auto describe(const Make& make, const char* implementation) {
  if (implementation == nullptr) return make();
  auto description = make();
  do {
    if (absl::StartsWith(description.impl_info_str(), implementation)) return description;
  } while (description.next_impl());
  return make();
}

std::shared_ptr<const Conv> compile(const ConvProblem& p, Pass pass) {
  use_one_openmp_thread();
  const bool three_d = p.spatial_rank == 3;
  const auto f32 = memory::data_type::f32;
  using tag = memory::format_tag;
  tag image = p.channels_last ? (three_d ? tag::ndhwc : tag::nhwc) : (three_d ? tag::ncdhw : tag::nchw);
  tag plain = p.groups > 1 ? (three_d ? tag::dhwigo : tag::hwigo) : (three_d ? tag::dhwio : tag::hwio);
  memory::dims src = dims_of({p.batch, p.in_channels}, p.in, p.spatial_rank);
  memory::dims dst = dims_of({p.batch, p.out_channels}, p.out, p.spatial_rank);
  memory::dims weights =
      p.groups > 1
          ? dims_of({p.groups, p.out_channels / p.groups, p.in_channels / p.groups}, p.kernel, p.spatial_rank)
          : dims_of({p.out_channels, p.in_channels}, p.kernel, p.spatial_rank);
  memory::dims strides = dims_of({}, p.stride, p.spatial_rank),
               dilates = dims_of({}, p.dilation, p.spatial_rank);
  for (auto& d : dilates) --d;
  memory::dims before = dims_of({}, p.pad_before, p.spatial_rank),
               after = dims_of({}, p.pad_after, p.spatial_rank);

  auto conv = std::make_shared<Conv>();
  conv->image_in = memory::desc(src, f32, image);
  conv->image_out = memory::desc(dst, f32, image);
  conv->plain_filter = memory::desc(weights, f32, plain);
  conv->bias = memory::desc({p.out_channels}, f32, tag::x);
  memory::desc any_filter(weights, f32, tag::any);
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  const auto algorithm = dnnl::algorithm::convolution_direct;
  const auto forward_kind = dnnl::prop_kind::forward_inference;
  // What a description is made of stays while one asks for the next implementation: it is not copied.
  const auto forward_desc =
      pass == Pass::kForwardBias
          ? dnnl::convolution_forward::desc(forward_kind, algorithm, conv->image_in, any_filter, conv->bias,
                                            conv->image_out, strides, dilates, before, after)
          : dnnl::convolution_forward::desc(dnnl::prop_kind::forward_training, algorithm, conv->image_in,
                                            any_filter, conv->image_out, strides, dilates, before, after);
  const char* const implementation = better_implementation(p, pass);
  const auto make_forward = [&] {
    return dnnl::convolution_forward::primitive_desc(forward_desc, attr, engine());
  };
  memory::desc from, to;
  if (pass == Pass::kForward || pass == Pass::kForwardBias) {
    const auto forward = describe(make_forward, implementation);
    conv->forward = dnnl::convolution_forward(forward);
    conv->filter = forward.weights_desc();
    conv->scratchpad = forward.scratchpad_desc();
    from = conv->plain_filter;
    to = conv->filter;
  } else if (pass == Pass::kBackwardInput) {
    const dnnl::convolution_backward_data::desc backward_desc(
        algorithm, conv->image_in, any_filter, conv->image_out, strides, dilates, before, after);
    const auto forward = make_forward();
    const auto make_backward = [&] {
      return dnnl::convolution_backward_data::primitive_desc(backward_desc, attr, engine(), forward);
    };
    const auto backward = describe(make_backward, implementation);
    conv->backward_input = dnnl::convolution_backward_data(backward);
    conv->filter = backward.weights_desc();
    conv->scratchpad = backward.scratchpad_desc();
    from = conv->plain_filter;
    to = conv->filter;
  } else {
    dnnl::convolution_backward_weights::primitive_desc backward(
        dnnl::convolution_backward_weights::desc(algorithm, conv->image_in, any_filter, conv->image_out,
                                                 strides, dilates, before, after),
        attr, engine(), make_forward());
    conv->backward_filter = dnnl::convolution_backward_weights(backward);
    conv->filter = backward.diff_weights_desc();
    conv->scratchpad = backward.scratchpad_desc();
    from = conv->filter;
    to = conv->plain_filter;
  }
  conv->reorders_filter = from != to;
  if (conv->reorders_filter) {
    conv->filter_reorder = dnnl::reorder(dnnl::reorder::primitive_desc(engine(), from, engine(), to));
  }
  return conv;
}

/// Compiled convolutions by problem. When full, the ones used longest ago go, a quarter at a time.
class Cache {
 public:
  std::shared_ptr<const Conv> find(const ConvProblem& p, Pass pass) {
    Key key{p, pass};
    {
      std::lock_guard lock(mu_);
      if (auto it = entries_.find(key); it != entries_.end()) {
        it->second.last_use = ++clock_;
        return it->second.conv;
      }
    }
    auto conv = compile(p, pass);
    std::lock_guard lock(mu_);
    if (entries_.size() >= kMaxCachedPrimitives) evict();
    entries_[key] = {conv, ++clock_};
    return conv;
  }
  int64_t size() {
    std::lock_guard lock(mu_);
    return static_cast<int64_t>(entries_.size());
  }

 private:
  struct Entry {
    std::shared_ptr<const Conv> conv;
    uint64_t last_use = 0;
  };
  void evict() {
    std::vector<uint64_t> uses;
    for (const auto& [key, entry] : entries_) uses.push_back(entry.last_use);
    auto quarter = uses.begin() + static_cast<std::ptrdiff_t>(uses.size() / 4);
    std::nth_element(uses.begin(), quarter, uses.end());
    const uint64_t limit = *quarter;
    absl::erase_if(entries_, [limit](const auto& e) { return e.second.last_use <= limit; });
  }

  std::mutex mu_;
  absl::flat_hash_map<Key, Entry> entries_;
  uint64_t clock_ = 0;
};

Cache& cache() {
  static auto* c = new Cache;
  return *c;
}

}  // namespace

std::shared_ptr<const Conv> find_conv(const ConvProblem& p, Pass pass) { return cache().find(p, pass); }

int64_t num_compiled_convs() { return cache().size(); }

}  // namespace troupe::onednn
