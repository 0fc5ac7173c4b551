#include "devices/cuda/libraries/cudnn.h"

#include <algorithm>
#include <limits>
#include <mutex>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "devices/cuda/libraries/shared_library.h"

namespace troupe {
namespace {

using namespace cudnn;  // NOLINT: the library's own names

/// Algorithms that want more are not taken: the memory is missed elsewhere.
constexpr size_t kWorkspaceBytes = size_t{1} << 30;
/// Problems that are remembered. A program with more of them, whose shapes change all the time, begins anew now and then.
constexpr size_t kMaxPlans = 4096;
/// As many as any pass has.
constexpr int kMaxAlgorithms = 8;

struct Key {
  LibraryConv conv;
  LibraryOptions options;

  friend bool operator==(const Key&, const Key&) = default;
  template <class H>
  friend H AbslHashValue(H h, const Key& k) {
    return H::combine(std::move(h), k.conv, k.options);
  }
};

bool is_category(cudnnStatus_t status, cudnnStatus_t category) { return status / 1000 == category / 1000; }

cudnnDataType_t type_of(DataType dtype) {
  switch (dtype) {
    case DataType::kDouble: return CUDNN_DATA_DOUBLE;
    case DataType::kHalf: return CUDNN_DATA_HALF;
    case DataType::kBfloat16: return CUDNN_DATA_BFLOAT16;
    default: return CUDNN_DATA_FLOAT;
  }
}

cudnnMathType_t math_of(DataType dtype, const LibraryOptions& options) {
  if (dtype == DataType::kHalf || dtype == DataType::kBfloat16) return CUDNN_TENSOR_OP_MATH;
  return options.tensor_float_32 ? CUDNN_DEFAULT_MATH : CUDNN_FMA_MATH;
}

/// Numbers as the library takes them; `fits` turns false when one is too large for it.
std::vector<int> narrow(std::initializer_list<int64_t> first, const std::array<int64_t, 3>& rest, int count,
                        bool* fits) {
  std::vector<int64_t> wide(first);
  wide.insert(wide.end(), rest.begin(), rest.begin() + count);
  std::vector<int> out;
  for (int64_t v : wide) {
    *fits = *fits && v <= std::numeric_limits<int>::max();
    out.push_back(static_cast<int>(v));
  }
  return out;
}

/// Strides of images whose dimensions are counted channels first, in either layout.
std::vector<int64_t> image_strides(const std::vector<int>& dims, bool channels_last) {
  std::vector<int64_t> strides(dims.size());
  int64_t stride = 1;
  if (channels_last) {
    strides[1] = 1;
    stride = dims[1];
  }
  for (size_t i = dims.size() - 1; i >= 2; --i) {
    strides[i] = stride;
    stride *= dims[i];
  }
  if (!channels_last) {
    strides[1] = stride;
    stride *= dims[1];
  }
  strides[0] = stride;
  return strides;
}

/// A description of one convolution, and the algorithms for it: none when the library does not have it.
class Plan {
 public:
  explicit Plan(const Calls* calls) : calls_(calls) {}
  ~Plan() {
    if (x != nullptr) calls_->cudnnDestroyTensorDescriptor(x);
    if (y != nullptr) calls_->cudnnDestroyTensorDescriptor(y);
    if (w != nullptr) calls_->cudnnDestroyFilterDescriptor(w);
    if (conv != nullptr) calls_->cudnnDestroyConvolutionDescriptor(conv);
  }
  Plan(const Plan&) = delete;

  cudnnTensorDescriptor_t x = nullptr, y = nullptr;
  cudnnFilterDescriptor_t w = nullptr;
  cudnnConvolutionDescriptor_t conv = nullptr;
  /// Best first.
  std::vector<AlgoPerf> algorithms;

 private:
  const Calls* const calls_;
};

class Cudnn final : public ConvLibrary {
 public:
  Cudnn(Gpu& gpu, const Calls& calls) : gpu_(gpu), calls_(calls) {}
  ~Cudnn() override {
    plans_.clear();
    if (handle_ == nullptr || gpu_.is_lost()) return;
    Gpu::Current current(gpu_);
    calls_.cudnnDestroy(handle_);
  }

  absl::Status init() {
    Gpu::Current current(gpu_);
    return check(calls_.cudnnCreate(&handle_), "cudnnCreate");
  }

  absl::StatusOr<bool> has(const LibraryConv& conv, const LibraryOptions& options) override {
    TROUPE_RETURN_IF_ERROR(gpu_.health());
    Gpu::Current current(gpu_);
    std::lock_guard lock(mu_);
    TROUPE_ASSIGN_OR_RETURN(const Plan* plan, find({conv, options}));
    return !plan->algorithms.empty();
  }

  absl::Status convolve(const LibraryConv& conv, void* x, void* w, void* y, LibraryCall& call) override {
    TROUPE_RETURN_IF_ERROR(gpu_.health());
    Gpu::Current current(gpu_);
    // Held during the call, too: the handle is one thread's at a time, and a description is told the arithmetic of the algorithm.
    std::lock_guard lock(mu_);
    TROUPE_ASSIGN_OR_RETURN(const Plan* plan, find({conv, call.options}));
    TROUPE_RETURN_IF_ERROR(check(calls_.cudnnSetStream(handle_, call.stream.handle()), "cudnnSetStream"));
    absl::Status status = absl::UnimplementedError("cuDNN has no such convolution");
    for (const AlgoPerf& algorithm : plan->algorithms) {
      void* workspace = nullptr;
      if (algorithm.memory > 0) {
        absl::StatusOr<void*> memory = call.workspace(algorithm.memory);
        if (absl::IsResourceExhausted(memory.status())) {
          // The next may want less.
          status = memory.status();
          continue;
        }
        TROUPE_RETURN_IF_ERROR(memory.status());
        workspace = *memory;
      }
      TROUPE_RETURN_IF_ERROR(check(calls_.cudnnSetConvolutionMathType(plan->conv, algorithm.mathType),
                                   "cudnnSetConvolutionMathType"));
      const cudnnStatus_t result = run(conv, *plan, algorithm, x, w, y, workspace);
      if (is_category(result, CUDNN_STATUS_NOT_SUPPORTED)) continue;
      call.stream.note_work();
      return check(result, "cudnnConvolution");
    }
    return status;
  }

 private:
  absl::Status check(cudnnStatus_t status, absl::string_view call) const {
    if (status == CUDNN_STATUS_SUCCESS) return absl::OkStatus();
    return absl::InternalError(absl::StrCat(call, ": ", calls_.cudnnGetErrorString(status)));
  }

  absl::StatusOr<const Plan*> find(const Key& key) {
    if (const auto known = plans_.find(key); known != plans_.end()) return known->second.get();
    auto plan = std::make_unique<Plan>(&calls_);
    TROUPE_ASSIGN_OR_RETURN(const bool described, describe(key, plan.get()));
    if (described) TROUPE_RETURN_IF_ERROR(choose(key, plan.get()));
    if (plans_.size() >= kMaxPlans) plans_.clear();
    return (plans_[key] = std::move(plan)).get();
  }

  /// False when the library does not take such tensors.
  absl::StatusOr<bool> describe(const Key& key, Plan* plan) const {
    const LibraryConv& c = key.conv;
    bool fits = c.groups <= std::numeric_limits<int>::max();
    const int rank = c.spatial_rank + 2;
    const std::vector<int> x = narrow({c.batch, c.in_channels}, c.in, c.spatial_rank, &fits);
    const std::vector<int> y = narrow({c.batch, c.out_channels}, c.out, c.spatial_rank, &fits);
    const std::vector<int> w =
        narrow({c.out_channels, c.in_channels / c.groups}, c.kernel, c.spatial_rank, &fits);
    const std::vector<int> pads = narrow({}, c.padding, c.spatial_rank, &fits),
                           strides = narrow({}, c.stride, c.spatial_rank, &fits),
                           dilations = narrow({}, c.dilation, c.spatial_rank, &fits);
    if (!fits) return false;
    TROUPE_RETURN_IF_ERROR(
        check(calls_.cudnnCreateTensorDescriptor(&plan->x), "cudnnCreateTensorDescriptor"));
    TROUPE_RETURN_IF_ERROR(
        check(calls_.cudnnCreateTensorDescriptor(&plan->y), "cudnnCreateTensorDescriptor"));
    TROUPE_RETURN_IF_ERROR(
        check(calls_.cudnnCreateFilterDescriptor(&plan->w), "cudnnCreateFilterDescriptor"));
    TROUPE_RETURN_IF_ERROR(
        check(calls_.cudnnCreateConvolutionDescriptor(&plan->conv), "cudnnCreateConvolutionDescriptor"));
    const cudnnDataType_t type = type_of(c.dtype);
    TROUPE_ASSIGN_OR_RETURN(const bool x_fits, set_images(plan->x, type, x, c.channels_last));
    TROUPE_ASSIGN_OR_RETURN(const bool y_fits, set_images(plan->y, type, y, c.channels_last));
    if (!x_fits || !y_fits) return false;
    const cudnnTensorFormat_t format = c.channels_last ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW;
    TROUPE_ASSIGN_OR_RETURN(const bool filter_fits,
                            taken(calls_.cudnnSetFilterNdDescriptor(plan->w, type, format, rank, w.data()),
                                  "cudnnSetFilterNdDescriptor"));
    const cudnnDataType_t compute = c.dtype == DataType::kDouble ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
    TROUPE_ASSIGN_OR_RETURN(
        const bool conv_fits,
        taken(calls_.cudnnSetConvolutionNdDescriptor(plan->conv, c.spatial_rank, pads.data(), strides.data(),
                                                     dilations.data(), CUDNN_CROSS_CORRELATION, compute),
              "cudnnSetConvolutionNdDescriptor"));
    if (!filter_fits || !conv_fits) return false;
    TROUPE_RETURN_IF_ERROR(check(calls_.cudnnSetConvolutionGroupCount(plan->conv, static_cast<int>(c.groups)),
                                 "cudnnSetConvolutionGroupCount"));
    TROUPE_RETURN_IF_ERROR(
        check(calls_.cudnnSetConvolutionMathType(plan->conv, math_of(c.dtype, key.options)),
              "cudnnSetConvolutionMathType"));
    return true;
  }

  absl::StatusOr<bool> set_images(cudnnTensorDescriptor_t desc, cudnnDataType_t type,
                                  const std::vector<int>& dims, bool channels_last) const {
    std::vector<int> strides;
    for (int64_t stride : image_strides(dims, channels_last)) {
      if (stride > std::numeric_limits<int>::max()) return false;
      strides.push_back(static_cast<int>(stride));
    }
    return taken(calls_.cudnnSetTensorNdDescriptor(desc, type, static_cast<int>(dims.size()), dims.data(),
                                                   strides.data()),
                 "cudnnSetTensorNdDescriptor");
  }

  /// False for what the library does not take: some of it it calls a bad parameter.
  absl::StatusOr<bool> taken(cudnnStatus_t status, absl::string_view call) const {
    if (is_category(status, CUDNN_STATUS_NOT_SUPPORTED) || is_category(status, CUDNN_STATUS_BAD_PARAM))
      return false;
    TROUPE_RETURN_IF_ERROR(check(status, call));
    return true;
  }

  absl::Status choose(const Key& key, Plan* plan) const {
    std::array<AlgoPerf, kMaxAlgorithms> results{};
    int found = 0;
    cudnnStatus_t asked = CUDNN_STATUS_SUCCESS;
    switch (key.conv.pass) {
      case ConvPass::kForward:
        asked = calls_.cudnnGetConvolutionForwardAlgorithm_v7(handle_, plan->x, plan->w, plan->conv, plan->y,
                                                              kMaxAlgorithms, &found, results.data());
        break;
      case ConvPass::kBackwardInput:
        asked = calls_.cudnnGetConvolutionBackwardDataAlgorithm_v7(
            handle_, plan->w, plan->y, plan->conv, plan->x, kMaxAlgorithms, &found, results.data());
        break;
      case ConvPass::kBackwardFilter:
        asked = calls_.cudnnGetConvolutionBackwardFilterAlgorithm_v7(
            handle_, plan->x, plan->y, plan->conv, plan->w, kMaxAlgorithms, &found, results.data());
        break;
    }
    TROUPE_ASSIGN_OR_RETURN(const bool answered, taken(asked, "cudnnGetConvolutionAlgorithm"));
    for (int i = 0; answered && i < std::min(found, kMaxAlgorithms); ++i) {
      const AlgoPerf& r = results[static_cast<size_t>(i)];
      if (r.status != CUDNN_STATUS_SUCCESS || r.memory > kWorkspaceBytes) continue;
      if (key.options.deterministic && r.determinism != CUDNN_DETERMINISTIC) continue;
      plan->algorithms.push_back(r);
    }
    return absl::OkStatus();
  }

  cudnnStatus_t run(const LibraryConv& c, const Plan& plan, const AlgoPerf& algorithm, void* x, void* w,
                    void* y, void* workspace) const {
    const float single[2] = {1, 0};
    const double wide[2] = {1, 0};
    const bool is_double = c.dtype == DataType::kDouble;
    const void* one = is_double ? static_cast<const void*>(&wide[0]) : &single[0];
    const void* zero = is_double ? static_cast<const void*>(&wide[1]) : &single[1];
    switch (c.pass) {
      case ConvPass::kForward:
        return calls_.cudnnConvolutionForward(handle_, one, plan.x, x, plan.w, w, plan.conv, algorithm.algo,
                                              workspace, algorithm.memory, zero, plan.y, y);
      case ConvPass::kBackwardInput:
        return calls_.cudnnConvolutionBackwardData(handle_, one, plan.w, w, plan.y, y, plan.conv,
                                                   algorithm.algo, workspace, algorithm.memory, zero, plan.x,
                                                   x);
      default:
        return calls_.cudnnConvolutionBackwardFilter(handle_, one, plan.x, x, plan.y, y, plan.conv,
                                                     algorithm.algo, workspace, algorithm.memory, zero,
                                                     plan.w, w);
    }
  }

  Gpu& gpu_;
  const Calls calls_;
  cudnnHandle_t handle_ = nullptr;

  std::mutex mu_;
  absl::flat_hash_map<Key, std::unique_ptr<Plan>> plans_;  // guarded by mu_
};

}  // namespace

absl::StatusOr<cudnn::Calls> load_cudnn(const std::vector<std::string>& names) {
  const absl::StatusOr<SharedLibrary> library = SharedLibrary::open(names);
  if (!library.ok()) return absl::UnavailableError(absl::StrCat("cuDNN: ", library.status().message()));
  Calls calls;
#define TROUPE_CUDNN_FIND(name, result, parameters) TROUPE_RETURN_IF_ERROR(library->find(#name, &calls.name));
  TROUPE_CUDNN_CALLS(TROUPE_CUDNN_FIND)
#undef TROUPE_CUDNN_FIND
  return calls;
}

absl::StatusOr<std::unique_ptr<ConvLibrary>> make_cudnn(Gpu& gpu, const cudnn::Calls& calls) {
  auto library = std::make_unique<Cudnn>(gpu, calls);
  TROUPE_RETURN_IF_ERROR(library->init());
  return library;
}

}  // namespace troupe
