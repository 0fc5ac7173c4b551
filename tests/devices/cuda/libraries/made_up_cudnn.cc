// A library with the calls of cuDNN that Troupe makes, which computes by loops on memory of the host.
#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <numeric>

#include "devices/cuda/libraries/cudnn_abi.h"
#include "tests/devices/cuda/libraries/made_up_libraries.h"

namespace troupe::cudnn {

using test::MadeUpLibrary;
TROUPE_MADE_UP MadeUpLibrary made_up_cudnn;
MadeUpLibrary made_up_cudnn;

struct cudnnContext {
  cudaStream_t stream = nullptr;
};
/// Extents, two for batch and channels (or output and input channels) and three spatial ones, and strides.
struct Layout {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  std::array<int64_t, 5> dims = {1, 1, 1, 1, 1}, strides = {};

  int64_t at(int64_t a, int64_t b, const std::array<int64_t, 3>& s) const {
    return a * strides[0] + b * strides[1] + s[0] * strides[2] + s[1] * strides[3] + s[2] * strides[4];
  }
};
struct cudnnTensorStruct : Layout {};
struct cudnnFilterStruct : Layout {};
struct cudnnConvolutionStruct {
  std::array<int64_t, 3> pads = {0, 0, 0}, strides = {1, 1, 1}, dilations = {1, 1, 1};
  int groups = 1;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
};

namespace {

template <class T>
cudnnStatus_t made(T** out, T* object) {
  ++made_up_cudnn.objects;
  *out = object;
  return CUDNN_STATUS_SUCCESS;
}
template <class T>
cudnnStatus_t destroyed(T* object) {
  --made_up_cudnn.objects;
  delete object;
  return CUDNN_STATUS_SUCCESS;
}

/// Calls fn for every position within extents.
template <class Fn>
void each(const int64_t* extents, Fn fn) {
  std::array<int64_t, 3> at;
  for (at[0] = 0; at[0] < extents[0]; ++at[0]) {
    for (at[1] = 0; at[1] < extents[1]; ++at[1]) {
      for (at[2] = 0; at[2] < extents[2]; ++at[2]) fn(at);
    }
  }
}

/// Calls fn(element of x, of w, of y) for all that are multiplied.
template <class Fn>
void each_product(const Layout& x, const Layout& w, const Layout& y, const cudnnConvolutionStruct& conv,
                  Fn fn) {
  const int64_t group_in = x.dims[1] / conv.groups, group_out = y.dims[1] / conv.groups;
  for (int64_t n = 0; n < y.dims[0]; ++n) {
    for (int64_t k = 0; k < y.dims[1]; ++k) {
      for (int64_t c = 0; c < group_in; ++c) {
        each(&y.dims[2], [&](const std::array<int64_t, 3>& out) {
          each(&w.dims[2], [&](const std::array<int64_t, 3>& tap) {
            std::array<int64_t, 3> in;
            for (size_t d = 0; d < 3; ++d) {
              in[d] = out[d] * conv.strides[d] - conv.pads[d] + tap[d] * conv.dilations[d];
              if (in[d] < 0 || in[d] >= x.dims[d + 2]) return;
            }
            fn(x.at(n, k / group_out * group_in + c, in), w.at(k, c, tap), y.at(n, k, out));
          });
        });
      }
    }
  }
}

int64_t elements(const Layout& layout) {
  return std::accumulate(layout.dims.begin(), layout.dims.end(), int64_t{1},
                         [](int64_t a, int64_t b) { return a * b; });
}

enum class Pass { kForward, kData, kFilter };

template <class T>
void convolve(Pass pass, const Layout& x_layout, const void* x, const Layout& w_layout, const void* w,
              const Layout& y_layout, const void* y, const cudnnConvolutionStruct& conv, void* out) {
  const Layout& out_layout = pass == Pass::kForward ? y_layout : pass == Pass::kData ? x_layout : w_layout;
  std::vector<double> sums(static_cast<size_t>(elements(out_layout)));
  const auto *xs = static_cast<const T*>(x), *ws = static_cast<const T*>(w), *ys = static_cast<const T*>(y);
  each_product(x_layout, w_layout, y_layout, conv, [&](int64_t xi, int64_t wi, int64_t yi) {
    switch (pass) {
      case Pass::kForward:
        sums[static_cast<size_t>(yi)] += static_cast<double>(xs[xi]) * static_cast<double>(ws[wi]);
        break;
      case Pass::kData:
        sums[static_cast<size_t>(xi)] += static_cast<double>(ws[wi]) * static_cast<double>(ys[yi]);
        break;
      case Pass::kFilter:
        sums[static_cast<size_t>(wi)] += static_cast<double>(xs[xi]) * static_cast<double>(ys[yi]);
        break;
    }
  });
  for (size_t i = 0; i < sums.size(); ++i) static_cast<T*>(out)[i] = static_cast<T>(sums[i]);
}

cudnnStatus_t run(cudnnHandle_t handle, Pass pass, const Layout& x_layout, const void* x,
                  const Layout& w_layout, const void* w, const Layout& y_layout, const void* y,
                  const cudnnConvolutionStruct& conv, int algo, void* workspace, void* out) {
  MadeUpLibrary& account = made_up_cudnn;
  if (account.fails) return static_cast<cudnnStatus_t>(5000);
  account.synchronize(handle->stream);
  ++account.computed;
  account.algo = algo;
  account.had_workspace = workspace != nullptr;
  account.compute_type = conv.math;
  account.channels_last = x_layout.strides[1] == 1 && x_layout.dims[1] > 1;
  switch (x_layout.type) {
    case CUDNN_DATA_FLOAT: convolve<float>(pass, x_layout, x, w_layout, w, y_layout, y, conv, out); break;
    case CUDNN_DATA_DOUBLE: convolve<double>(pass, x_layout, x, w_layout, w, y_layout, y, conv, out); break;
    case CUDNN_DATA_HALF:
      convolve<Eigen::half>(pass, x_layout, x, w_layout, w, y_layout, y, conv, out);
      break;
    case CUDNN_DATA_BFLOAT16:
      convolve<Eigen::bfloat16>(pass, x_layout, x, w_layout, w, y_layout, y, conv, out);
      break;
  }
  return CUDNN_STATUS_SUCCESS;
}

/// Two algorithms: 1 wants memory and gives other bits every time, 0 does neither. The extents must be those of a convolution.
cudnnStatus_t ask(const Layout& x, const Layout& w, const Layout& y, const cudnnConvolutionStruct& conv,
                  int asked, int* found, AlgoPerf* results) {
  ++made_up_cudnn.heuristics;
  for (size_t d = 0; d < 3; ++d) {
    const int64_t reach = (w.dims[d + 2] - 1) * conv.dilations[d] + 1;
    if ((x.dims[d + 2] + 2 * conv.pads[d] - reach) / conv.strides[d] + 1 != y.dims[d + 2])
      return CUDNN_STATUS_BAD_PARAM;
  }
  const bool channels_last = x.strides[1] == 1 && x.dims[1] > 1;
  const bool has = !made_up_cudnn.has_nothing && !(channels_last && made_up_cudnn.has_no_channels_last);
  if (!has) return CUDNN_STATUS_NOT_SUPPORTED;
  *found = std::min(asked, 2);
  const AlgoPerf all[2] = {
      {1, CUDNN_STATUS_SUCCESS, 1, made_up_cudnn.workspace_bytes, CUDNN_NON_DETERMINISTIC, conv.math, {}},
      {0, CUDNN_STATUS_SUCCESS, 2, 0, CUDNN_DETERMINISTIC, conv.math, {}}};
  std::copy_n(all, *found, results);
  return CUDNN_STATUS_SUCCESS;
}

/// Two or three spatial dimensions as three: a first one of 1.
size_t place(int rank, int i) { return static_cast<size_t>(i < 2 ? i : i + 5 - rank); }

}  // namespace

TROUPE_MADE_UP size_t cudnnGetVersion() { return 90000; }
TROUPE_MADE_UP const char* cudnnGetErrorString(cudnnStatus_t) { return "made-up error"; }
TROUPE_MADE_UP cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) { return made(handle, new cudnnContext); }
TROUPE_MADE_UP cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) { return destroyed(handle); }
TROUPE_MADE_UP cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUDNN_STATUS_SUCCESS;
}

TROUPE_MADE_UP cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* desc) {
  return made(desc, new cudnnTensorStruct);
}
TROUPE_MADE_UP cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t desc) {
  return destroyed(desc);
}
TROUPE_MADE_UP cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t desc, cudnnDataType_t type,
                                                        int rank, const int* dims, const int* strides) {
  desc->type = type;
  for (int i = 0; i < rank; ++i) {
    desc->dims[place(rank, i)] = dims[i];
    desc->strides[place(rank, i)] = strides[i];
  }
  return CUDNN_STATUS_SUCCESS;
}

TROUPE_MADE_UP cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t* desc) {
  return made(desc, new cudnnFilterStruct);
}
TROUPE_MADE_UP cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t desc) {
  return destroyed(desc);
}
TROUPE_MADE_UP cudnnStatus_t cudnnSetFilterNdDescriptor(cudnnFilterDescriptor_t desc, cudnnDataType_t type,
                                                        cudnnTensorFormat_t format, int rank,
                                                        const int* dims) {
  desc->type = type;
  for (int i = 0; i < rank; ++i) desc->dims[place(rank, i)] = dims[i];
  const auto& d = desc->dims;
  const int64_t taps = d[2] * d[3] * d[4];
  const int64_t tap = format == CUDNN_TENSOR_NHWC ? d[1] : 1;
  desc->strides = {d[1] * taps, format == CUDNN_TENSOR_NHWC ? 1 : taps, d[3] * d[4] * tap, d[4] * tap, tap};
  return CUDNN_STATUS_SUCCESS;
}

TROUPE_MADE_UP cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t* desc) {
  return made(desc, new cudnnConvolutionStruct);
}
TROUPE_MADE_UP cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t desc) {
  return destroyed(desc);
}
TROUPE_MADE_UP cudnnStatus_t cudnnSetConvolutionNdDescriptor(cudnnConvolutionDescriptor_t desc, int spatial,
                                                             const int* pads, const int* strides,
                                                             const int* dilations,
                                                             cudnnConvolutionMode_t mode, cudnnDataType_t) {
  if (mode != CUDNN_CROSS_CORRELATION) return CUDNN_STATUS_NOT_SUPPORTED;
  for (int i = 0; i < spatial; ++i) {
    const size_t at = place(spatial + 2, i + 2) - 2;
    desc->pads[at] = pads[i];
    desc->strides[at] = strides[i];
    desc->dilations[at] = dilations[i];
  }
  return CUDNN_STATUS_SUCCESS;
}
TROUPE_MADE_UP cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t desc,
                                                         cudnnMathType_t type) {
  desc->math = type;
  return CUDNN_STATUS_SUCCESS;
}
TROUPE_MADE_UP cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t desc, int groups) {
  desc->groups = groups;
  return CUDNN_STATUS_SUCCESS;
}

TROUPE_MADE_UP cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(cudnnHandle_t, cudnnTensorDescriptor_t x,
                                                                    cudnnFilterDescriptor_t w,
                                                                    cudnnConvolutionDescriptor_t conv,
                                                                    cudnnTensorDescriptor_t y, int asked,
                                                                    int* found, AlgoPerf* results) {
  return ask(*x, *w, *y, *conv, asked, found, results);
}
TROUPE_MADE_UP cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(
    cudnnHandle_t, cudnnFilterDescriptor_t w, cudnnTensorDescriptor_t dy, cudnnConvolutionDescriptor_t conv,
    cudnnTensorDescriptor_t dx, int asked, int* found, AlgoPerf* results) {
  return ask(*dx, *w, *dy, *conv, asked, found, results);
}
TROUPE_MADE_UP cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(
    cudnnHandle_t, cudnnTensorDescriptor_t x, cudnnTensorDescriptor_t dy, cudnnConvolutionDescriptor_t conv,
    cudnnFilterDescriptor_t dw, int asked, int* found, AlgoPerf* results) {
  return ask(*x, *dw, *dy, *conv, asked, found, results);
}

TROUPE_MADE_UP cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle, const void*,
                                                     cudnnTensorDescriptor_t x_desc, const void* x,
                                                     cudnnFilterDescriptor_t w_desc, const void* w,
                                                     cudnnConvolutionDescriptor_t conv, int algo,
                                                     void* workspace, size_t, const void*,
                                                     cudnnTensorDescriptor_t y_desc, void* y) {
  return run(handle, Pass::kForward, *x_desc, x, *w_desc, w, *y_desc, nullptr, *conv, algo, workspace, y);
}
TROUPE_MADE_UP cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t handle, const void*,
                                                          cudnnFilterDescriptor_t w_desc, const void* w,
                                                          cudnnTensorDescriptor_t dy_desc, const void* dy,
                                                          cudnnConvolutionDescriptor_t conv, int algo,
                                                          void* workspace, size_t, const void*,
                                                          cudnnTensorDescriptor_t dx_desc, void* dx) {
  return run(handle, Pass::kData, *dx_desc, nullptr, *w_desc, w, *dy_desc, dy, *conv, algo, workspace, dx);
}
TROUPE_MADE_UP cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t handle, const void*,
                                                            cudnnTensorDescriptor_t x_desc, const void* x,
                                                            cudnnTensorDescriptor_t dy_desc, const void* dy,
                                                            cudnnConvolutionDescriptor_t conv, int algo,
                                                            void* workspace, size_t, const void*,
                                                            cudnnFilterDescriptor_t dw_desc, void* dw) {
  return run(handle, Pass::kFilter, *x_desc, x, *dw_desc, nullptr, *dy_desc, dy, *conv, algo, workspace, dw);
}

}  // namespace troupe::cudnn
