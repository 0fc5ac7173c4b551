#include "tests/devices/cuda/kernel_fixture.h"

#include <Eigen/Core>
#include <algorithm>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <random>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "devices/cpu/kernels/register_kernels.h"
#include "devices/cuda/kernels/register_kernels.h"
#include "devices/cuda/virtual_gpu.h"
#include "tests/devices/cuda/emulated_driver.h"
#include "tests/support/run_node.h"

namespace troupe::test {
namespace {

/// Of this program. Never given up, as devices of tests that failed may still use it.
EmulatedDriver& emulated_driver() {
  static auto* const driver = new EmulatedDriver;
  return *driver;
}

std::shared_ptr<VirtualGpu> emulated_gpu() {
  static auto* const parts = [] {
    GpuOptions options;
    options.allow_growth = true;
    auto made = emulated_driver().machine()->parts(options, 1);
    if (!made.ok() || made->empty()) ADD_FAILURE() << "no emulated GPU: " << made.status();
    return new std::vector<std::shared_ptr<VirtualGpu>>(*std::move(made));
  }();
  return parts->front();
}

bool is_host_type(DataType dtype) {
  return dtype == DataType::kString || dtype == DataType::kResource || dtype == DataType::kVariant;
}

/// Which inputs or outputs of a node are in the host's memory.
absl::StatusOr<std::vector<bool>> on_host(const std::vector<ArgDef>& args, const std::vector<DataType>& types, const AttrMap& attrs,
                                          const std::vector<std::string>& host_args) {
  TROUPE_ASSIGN_OR_RETURN(const auto ranges, arg_ranges(args, attrs));
  std::vector<bool> host(types.size());
  for (size_t a = 0; a < args.size(); ++a) {
    const bool named = std::find(host_args.begin(), host_args.end(), args[a].name) != host_args.end();
    for (auto i = static_cast<size_t>(ranges[a].first); i < static_cast<size_t>(ranges[a].second); ++i) {
      host[i] = named || is_host_type(base_type(types[i]));
    }
  }
  return host;
}

absl::StatusOr<Tensor> copied_to_host(CudaDevice& device, const Tensor& from) {
  std::mutex mu;
  std::condition_variable changed;
  absl::StatusOr<Tensor> result = absl::UnknownError("not copied");
  bool finished = false;
  device.copies().to_host(from, [&](absl::StatusOr<Tensor> copy) {
    std::lock_guard lock(mu);
    result = std::move(copy);
    finished = true;
    changed.notify_all();
  });
  std::unique_lock lock(mu);
  changed.wait(lock, [&] { return finished; });
  return result;
}

std::mt19937_64& generator() {
  static std::mt19937_64 random(20261127);
  return random;
}

template <class T>
constexpr bool kIsFloat = std::is_floating_point_v<T> || std::is_same_v<T, Eigen::half> || std::is_same_v<T, Eigen::bfloat16>;

template <class T>
T random_element(double low, double high) {
  if constexpr (std::is_same_v<T, bool>) {
    return generator()() % 2 == 0;
  } else if constexpr (kIsFloat<T>) {
    return static_cast<T>(std::uniform_real_distribution<double>(low, high)(generator()));
  } else if constexpr (std::is_integral_v<T>) {
    const double least = std::max(low, static_cast<double>(std::numeric_limits<T>::min()));
    const double most = std::min(high - 1, static_cast<double>(std::numeric_limits<T>::max()));
    return static_cast<T>(std::uniform_int_distribution<int64_t>(static_cast<int64_t>(least), static_cast<int64_t>(most))(generator()));
  } else {
    using Part = typename T::value_type;
    const Part re = random_element<Part>(low, high);
    return T(re, random_element<Part>(low, high));
  }
}

template <class T>
T odd_element() {
  if constexpr (std::is_same_v<T, bool>) {
    return false;
  } else if constexpr (kIsFloat<T>) {
    constexpr double kInf = std::numeric_limits<double>::infinity();
    const double values[] = {0.0, -0.0, 1, -1, kInf, -kInf, std::numeric_limits<double>::quiet_NaN()};
    const size_t choice = generator()() % 9;
    if (choice >= 7) return choice == 7 ? Eigen::NumTraits<T>::highest() : Eigen::NumTraits<T>::lowest();
    return static_cast<T>(values[choice]);
  } else if constexpr (std::is_integral_v<T>) {
    const T values[] = {0, 1, std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), static_cast<T>(-1)};
    return values[generator()() % 5];
  } else {
    using Part = typename T::value_type;
    const Part values[] = {0, 1, -1};
    return T(values[generator()() % 3], values[generator()() % 3]);
  }
}

/// Calls fn with a null pointer to the element type.
template <class F>
void with_element(DataType dtype, const F& fn) {
  switch (dtype) {
#define TROUPE_ELEMENT(T) \
  case dtype_of<T>(): return fn(static_cast<T*>(nullptr));
    TROUPE_ELEMENT(float) TROUPE_ELEMENT(double) TROUPE_ELEMENT(Eigen::half) TROUPE_ELEMENT(Eigen::bfloat16) TROUPE_ELEMENT(int8_t)
    TROUPE_ELEMENT(int16_t) TROUPE_ELEMENT(int32_t) TROUPE_ELEMENT(int64_t) TROUPE_ELEMENT(uint8_t) TROUPE_ELEMENT(uint16_t)
    TROUPE_ELEMENT(uint32_t) TROUPE_ELEMENT(uint64_t) TROUPE_ELEMENT(bool) TROUPE_ELEMENT(std::complex<float>)
    TROUPE_ELEMENT(std::complex<double>)
#undef TROUPE_ELEMENT
    default: ADD_FAILURE() << "no random " << dtype_name(dtype);
  }
}

}  // namespace

const KernelRegistry& all_kernels() {
  static const auto* const kRegistry = [] {
    auto* registry = new KernelRegistry;
    register_cpu_kernels(registry);
    register_cuda_kernels(registry);
    return registry;
  }();
  return *kRegistry;
}

struct CudaHarness::Impl {
  std::unique_ptr<CudaDevice> device =
      make_cuda_device("/job:localhost/replica:0/task:0", 0, emulated_gpu(), plain_allocator(), serial_runner());
};

CudaHarness::CudaHarness() : impl_(std::make_unique<Impl>()) {}
CudaHarness::~CudaHarness() = default;

CudaDevice& CudaHarness::device() { return *impl_->device; }

absl::StatusOr<std::vector<Tensor>> CudaHarness::run(const std::string& op, std::vector<Tensor> inputs, AttrMap attrs,
                                                     const std::string& node_name) {
  TROUPE_ASSIGN_OR_RETURN(const KernelNode node, make_node(op, inputs, std::move(attrs), node_name));
  TROUPE_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> kernel, all_kernels().create(node, &device()));
  TROUPE_ASSIGN_OR_RETURN(const KernelDef* def, all_kernels().find(op, "GPU", node.attrs));
  TROUPE_ASSIGN_OR_RETURN(const std::vector<bool> host_in,
                          on_host(node.op->inputs, node.input_types, node.attrs, def->host_memory_args));
  TROUPE_ASSIGN_OR_RETURN(const std::vector<bool> host_out,
                          on_host(node.op->outputs, node.output_types, node.attrs, def->host_memory_args));
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (host_in[i]) continue;
    TROUPE_ASSIGN_OR_RETURN(inputs[i], device().copies().to_device(inputs[i], device().allocator()));
  }
  auto outputs = run_node(&device(), kernel.get(), node, std::move(inputs));
  TROUPE_RETURN_IF_ERROR(device().compute().synchronize());
  if (const auto faults = emulated_driver().faults(); !faults.empty()) return absl::InternalError(absl::StrJoin(faults, "; "));
  TROUPE_RETURN_IF_ERROR(outputs.status());
  for (size_t i = 0; i < outputs->size(); ++i) {
    Tensor& output = (*outputs)[i];
    if (!output.initialized()) continue;
    const Allocator* const memory = output.buffer()->allocator();
    if ((memory == nullptr || memory->is_host()) != host_out[i]) {
      return absl::InternalError(absl::StrCat(op, " gave output ", i, " in the memory of the ", host_out[i] ? "GPU" : "host"));
    }
    if (host_out[i]) continue;
    TROUPE_ASSIGN_OR_RETURN(output, copied_to_host(device(), output));
  }
  return outputs;
}

absl::StatusOr<std::vector<Tensor>> run_on_gpu(const std::string& op, std::vector<Tensor> inputs, AttrMap attrs) {
  static auto* const harness = new CudaHarness;
  return harness->run(op, std::move(inputs), std::move(attrs));
}

testing::AssertionResult same_as_cpu(const std::string& op, const std::vector<Tensor>& inputs, const AttrMap& attrs, double rtol,
                                     double atol) {
  static auto* const cpu = new KernelHarness(&all_kernels());
  // Errors that are the same count only where the kernels gave them.
  const auto node = make_node(op, inputs, attrs, "n");
  if (!node.ok()) return testing::AssertionFailure() << "no such node: " << node.status();
  for (const char* device : {"CPU", "GPU"}) {
    const auto def = all_kernels().find(op, device, node->attrs);
    if (!def.ok() || *def == nullptr) return testing::AssertionFailure() << "no kernel of " << op << " for " << device;
  }
  const auto want = cpu->run(op, inputs, attrs);
  const auto got = run_on_gpu(op, inputs, attrs);
  auto failure = [&] {
    std::vector<std::string> texts;
    for (const Tensor& t : inputs) texts.push_back(t.to_string(6));
    return testing::AssertionFailure() << op << "(" << absl::StrJoin(texts, ", ") << "): ";
  };
  if (!want.ok() || !got.ok()) {
    if (want.status() == got.status()) return testing::AssertionSuccess();
    return failure() << "GPU: " << got.status() << " CPU: " << want.status();
  }
  if (want->size() != got->size()) return failure() << got->size() << " outputs for " << want->size();
  for (size_t i = 0; i < want->size(); ++i) {
    if (!(*want)[i].initialized() && !(*got)[i].initialized()) continue;
    if (const auto near = tensors_near((*got)[i], (*want)[i], rtol, atol); !near) {
      return failure() << "output " << i << ": " << near.message();
    }
  }
  return testing::AssertionSuccess();
}

double tolerance_of(DataType dtype) {
  switch (dtype) {
    case DataType::kHalf: return 2e-3;
    case DataType::kBfloat16: return 1.6e-2;
    case DataType::kFloat:
    case DataType::kComplex64: return 1e-5;
    case DataType::kDouble:
    case DataType::kComplex128: return 1e-11;
    default: return 0;
  }
}

Tensor random_tensor(DataType dtype, const Shape& shape, double low, double high) {
  Tensor t(dtype, shape);
  with_element(dtype, [&]<class T>(T*) {
    for (T& x : t.flat<T>()) x = random_element<T>(low, high);
  });
  return t;
}

Tensor odd_tensor(DataType dtype, const Shape& shape) {
  Tensor t = random_tensor(dtype, shape);
  with_element(dtype, [&]<class T>(T*) {
    for (T& x : t.flat<T>()) {
      if (generator()() % 3 == 0) x = odd_element<T>();
    }
  });
  return t;
}

}  // namespace troupe::test
