#include "devices/cuda/libraries/cublaslt.h"

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "devices/cuda/libraries/shared_library.h"

namespace troupe {
namespace {

using namespace cublaslt;  // NOLINT: the library's own names

/// What NVIDIA recommends for Hopper; older GPUs need less.
constexpr uint64_t kWorkspaceBytes = uint64_t{32} << 20;
/// Problems that are remembered. A program with more of them, whose shapes change all the time, begins anew now and then.
constexpr size_t kMaxPlans = 4096;
/// Memory that is aligned better gains nothing.
constexpr uintptr_t kMaxAlignmentBytes = 256;

uint32_t alignment_of(const void* p) {
  const auto address = reinterpret_cast<uintptr_t>(p) | kMaxAlignmentBytes;
  return uint32_t{1} << std::countr_zero(address);
}

struct Key {
  MatrixProduct product;
  LibraryOptions options;
  uint32_t a_alignment, b_alignment, c_alignment;
  uint32_t epilogue;

  friend bool operator==(const Key&, const Key&) = default;
  template <class H>
  friend H AbslHashValue(H h, const Key& k) {
    return H::combine(std::move(h), k.product, k.options, k.a_alignment, k.b_alignment, k.c_alignment,
                      k.epilogue);
  }
};

uint32_t epilogue_of(const ProductEnd& end) {
  uint32_t flags = end.bias == nullptr ? 0U : uint32_t{CUBLASLT_EPILOGUE_BIAS};
  if (end.activation == ProductEnd::kRelu) flags |= uint32_t{CUBLASLT_EPILOGUE_RELU};
  if (end.activation == ProductEnd::kGeluApproximate) flags |= uint32_t{CUBLASLT_EPILOGUE_GELU};
  return flags == 0 ? uint32_t{CUBLASLT_EPILOGUE_DEFAULT} : flags;
}

/// The types of a product's elements, of its sums, and of the factors alpha and beta.
struct Types {
  cudaDataType_t element;
  cublasComputeType_t compute;
  cudaDataType_t scale;
};

std::optional<Types> types_of(DataType dtype, bool tf32) {
  const cublasComputeType_t single = tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  switch (dtype) {
    case DataType::kFloat: return Types{CUDA_R_32F, single, CUDA_R_32F};
    case DataType::kDouble: return Types{CUDA_R_64F, CUBLAS_COMPUTE_64F, CUDA_R_64F};
    case DataType::kHalf: return Types{CUDA_R_16F, CUBLAS_COMPUTE_32F, CUDA_R_32F};
    case DataType::kBfloat16: return Types{CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F};
    case DataType::kComplex64: return Types{CUDA_C_32F, single, CUDA_C_32F};
    case DataType::kComplex128: return Types{CUDA_C_64F, CUBLAS_COMPUTE_64F, CUDA_C_64F};
    default: return std::nullopt;
  }
}

/// 1 and 0 in every type that alpha and beta may have: a complex number begins with its real part.
struct Scales {
  std::array<float, 2> single_one = {1, 0}, single_zero = {0, 0};
  std::array<double, 2> double_one = {1, 0}, double_zero = {0, 0};

  const void* one(cudaDataType_t t) const {
    return t == CUDA_R_64F || t == CUDA_C_64F ? static_cast<const void*>(double_one.data())
                                              : single_one.data();
  }
  const void* zero(cudaDataType_t t) const {
    return t == CUDA_R_64F || t == CUDA_C_64F ? static_cast<const void*>(double_zero.data())
                                              : single_zero.data();
  }
};
constexpr Scales kScales;

cublasOperation_t operation_of(MatrixForm form) {
  return form == MatrixForm::kPlain        ? CUBLAS_OP_N
         : form == MatrixForm::kTransposed ? CUBLAS_OP_T
                                           : CUBLAS_OP_C;
}

/// A description of one product, and the algorithm for it. cuBLAS counts columns first: it is told of C^T = op(B)^T op(A)^T, in which
/// every operand is what lies in memory.
class Plan {
 public:
  explicit Plan(const Calls* calls) : calls_(calls) {}
  ~Plan() {
    for (cublasLtMatrixLayout_t layout : {left, right, result}) {
      if (layout != nullptr) calls_->cublasLtMatrixLayoutDestroy(layout);
    }
    if (desc != nullptr) calls_->cublasLtMatmulDescDestroy(desc);
  }
  Plan(const Plan&) = delete;

  cublasLtMatmulDesc_t desc = nullptr;
  cublasLtMatrixLayout_t left = nullptr, right = nullptr, result = nullptr;
  cudaDataType_t scale = CUDA_R_32F;
  /// None: the library does not have that product.
  std::optional<cublasLtMatmulAlgo_t> algo;
  size_t workspace_bytes = 0;

 private:
  const Calls* const calls_;
};

class Cublaslt final : public ProductLibrary {
 public:
  Cublaslt(Gpu& gpu, const Calls& calls) : gpu_(gpu), calls_(calls) {}
  ~Cublaslt() override {
    plans_.clear();
    if (handle_ == nullptr || gpu_.is_lost()) return;
    Gpu::Current current(gpu_);
    calls_.cublasLtDestroy(handle_);
  }

  absl::Status init() {
    Gpu::Current current(gpu_);
    return check(calls_.cublasLtCreate(&handle_), "cublasLtCreate");
  }

  absl::Status multiply(const MatrixProduct& p, const void* a, const void* b, void* c, const ProductEnd& end,
                        LibraryCall& call) override {
    TROUPE_RETURN_IF_ERROR(gpu_.health());
    const Key key{p, call.options, alignment_of(a), alignment_of(b), alignment_of(c), epilogue_of(end)};
    Gpu::Current current(gpu_);
    // Held during the call, too: a plan is given the bias of each call, and the work goes to one stream anyway.
    std::lock_guard lock(mu_);
    TROUPE_ASSIGN_OR_RETURN(Plan * plan, find(key, end));
    if (!plan->algo) return absl::UnimplementedError("cuBLASLt has no such product");
    void* workspace = nullptr;
    if (plan->workspace_bytes > 0) {
      TROUPE_ASSIGN_OR_RETURN(workspace, call.workspace(plan->workspace_bytes));
    }
    if (end.bias != nullptr)
      TROUPE_RETURN_IF_ERROR(set(plan->desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, end.bias));
    const cublasStatus_t status =
        calls_.cublasLtMatmul(handle_, plan->desc, kScales.one(plan->scale), b, plan->left, a, plan->right,
                              kScales.zero(plan->scale), c, plan->result, c, plan->result, &*plan->algo,
                              workspace, plan->workspace_bytes, call.stream.handle());
    if (status == CUBLAS_STATUS_NOT_SUPPORTED)
      return absl::UnimplementedError("cuBLASLt has no such product");
    call.stream.note_work();
    return check(status, "cublasLtMatmul");
  }

 private:
  absl::Status check(cublasStatus_t status, absl::string_view call) const {
    if (status == CUBLAS_STATUS_SUCCESS) return absl::OkStatus();
    return absl::InternalError(absl::StrCat(call, ": ", calls_.cublasLtGetStatusString(status)));
  }

  template <class T>
  absl::Status set(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute,
                   const T& value) const {
    return check(calls_.cublasLtMatmulDescSetAttribute(desc, attribute, &value, sizeof(value)),
                 "cublasLtMatmulDescSetAttribute");
  }

  absl::StatusOr<Plan*> find(const Key& key, const ProductEnd& end) {
    if (const auto known = plans_.find(key); known != plans_.end()) return known->second.get();
    TROUPE_ASSIGN_OR_RETURN(std::unique_ptr<Plan> plan, make(key, end));
    if (plans_.size() >= kMaxPlans) plans_.clear();
    return (plans_[key] = std::move(plan)).get();
  }

  absl::StatusOr<cublasLtMatrixLayout_t> layout(cudaDataType_t type, int64_t rows, int64_t cols,
                                                int64_t batch, int64_t stride) const {
    cublasLtMatrixLayout_t made = nullptr;
    TROUPE_RETURN_IF_ERROR(check(calls_.cublasLtMatrixLayoutCreate(&made, type, static_cast<uint64_t>(rows),
                                                                   static_cast<uint64_t>(cols), rows),
                                 "cublasLtMatrixLayoutCreate"));
    if (batch == 1) return made;
    const auto count = static_cast<int32_t>(batch);
    cublasStatus_t status = calls_.cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
                                                                    &count, sizeof(count));
    if (status == CUBLAS_STATUS_SUCCESS)
      status = calls_.cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                                       &stride, sizeof(stride));
    if (status != CUBLAS_STATUS_SUCCESS) calls_.cublasLtMatrixLayoutDestroy(made);
    TROUPE_RETURN_IF_ERROR(check(status, "cublasLtMatrixLayoutSetAttribute"));
    return made;
  }

  absl::StatusOr<std::unique_ptr<Plan>> make(const Key& key, const ProductEnd& end) const {
    const MatrixProduct& p = key.product;
    auto plan = std::make_unique<Plan>(&calls_);
    const std::optional<Types> types = types_of(p.dtype, key.options.tensor_float_32);
    if (!types || p.batch > INT32_MAX) return plan;
    plan->scale = types->scale;
    TROUPE_RETURN_IF_ERROR(check(calls_.cublasLtMatmulDescCreate(&plan->desc, types->compute, types->scale),
                                 "cublasLtMatmulDescCreate"));
    TROUPE_RETURN_IF_ERROR(set(plan->desc, CUBLASLT_MATMUL_DESC_TRANSA, int32_t{operation_of(p.b)}));
    TROUPE_RETURN_IF_ERROR(set(plan->desc, CUBLASLT_MATMUL_DESC_TRANSB, int32_t{operation_of(p.a)}));
    TROUPE_RETURN_IF_ERROR(set(plan->desc, CUBLASLT_MATMUL_DESC_EPILOGUE, key.epilogue));
    // The heuristics want to see one where there will be one.
    if (end.bias != nullptr)
      TROUPE_RETURN_IF_ERROR(set(plan->desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, end.bias));
    const bool plain_a = p.a == MatrixForm::kPlain, plain_b = p.b == MatrixForm::kPlain;
    TROUPE_ASSIGN_OR_RETURN(
        plan->left, layout(types->element, plain_b ? p.n : p.k, plain_b ? p.k : p.n, p.batch, p.b_stride));
    TROUPE_ASSIGN_OR_RETURN(
        plan->right, layout(types->element, plain_a ? p.k : p.m, plain_a ? p.m : p.k, p.batch, p.a_stride));
    TROUPE_ASSIGN_OR_RETURN(plan->result, layout(types->element, p.n, p.m, p.batch, p.m * p.n));
    TROUPE_RETURN_IF_ERROR(choose(key, plan.get()));
    return plan;
  }

  absl::Status choose(const Key& key, Plan* plan) const {
    cublasLtMatmulPreference_t preference = nullptr;
    TROUPE_RETURN_IF_ERROR(
        check(calls_.cublasLtMatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate"));
    auto prefer = [&](cublasLtMatmulPreferenceAttributes_t attribute, auto value) {
      return check(calls_.cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof(value)),
                   "cublasLtMatmulPreferenceSetAttribute");
    };
    absl::Status status = prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, kWorkspaceBytes);
    status.Update(prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, key.b_alignment));
    status.Update(prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, key.a_alignment));
    status.Update(prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, key.c_alignment));
    status.Update(prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, key.c_alignment));
    if (key.options.deterministic) {
      status.Update(prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
                           uint32_t{CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE} |
                               uint32_t{CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE}));
    }
    if (status.ok()) {
      cublasLtMatmulHeuristicResult_t best{};
      int found = 0;
      const cublasStatus_t asked =
          calls_.cublasLtMatmulAlgoGetHeuristic(handle_, plan->desc, plan->left, plan->right, plan->result,
                                                plan->result, preference, 1, &best, &found);
      if (asked != CUBLAS_STATUS_NOT_SUPPORTED) status = check(asked, "cublasLtMatmulAlgoGetHeuristic");
      if (asked == CUBLAS_STATUS_SUCCESS && found > 0 && best.state == CUBLAS_STATUS_SUCCESS) {
        plan->algo = best.algo;
        plan->workspace_bytes = best.workspaceSize;
      }
    }
    calls_.cublasLtMatmulPreferenceDestroy(preference);
    return status;
  }

  Gpu& gpu_;
  const Calls calls_;
  cublasLtHandle_t handle_ = nullptr;

  std::mutex mu_;
  absl::flat_hash_map<Key, std::unique_ptr<Plan>> plans_;  // guarded by mu_
};

}  // namespace

absl::StatusOr<cublaslt::Calls> load_cublaslt(const std::vector<std::string>& names) {
  const absl::StatusOr<SharedLibrary> library = SharedLibrary::open(names);
  if (!library.ok()) return absl::UnavailableError(absl::StrCat("cuBLASLt: ", library.status().message()));
  Calls calls;
#define TROUPE_CUBLASLT_FIND(name, result, parameters) \
  TROUPE_RETURN_IF_ERROR(library->find(#name, &calls.name));
  TROUPE_CUBLASLT_CALLS(TROUPE_CUBLASLT_FIND)
#undef TROUPE_CUBLASLT_FIND
  return calls;
}

absl::StatusOr<std::unique_ptr<ProductLibrary>> make_cublaslt(Gpu& gpu, const cublaslt::Calls& calls) {
  auto library = std::make_unique<Cublaslt>(gpu, calls);
  TROUPE_RETURN_IF_ERROR(library->init());
  return library;
}

}  // namespace troupe
