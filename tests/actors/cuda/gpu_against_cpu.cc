#include "tests/actors/cuda/gpu_against_cpu.h"

#include <cmath>
#include <cstring>
#include <random>

namespace troupe::test {
namespace {

template <class T>
testing::AssertionResult are_near(const Tensor& a, const Tensor& b, double tolerance) {
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    const double x = a.flat<T>()[i], y = b.flat<T>()[i];
    if (std::isnan(x) && std::isnan(y)) continue;
    if (!(std::abs(x - y) <= tolerance * (1 + std::abs(y))))
      return testing::AssertionFailure()
             << "element " << i << " is " << x << " on the GPU, " << y << " on the CPU";
  }
  return testing::AssertionSuccess();
}

testing::AssertionResult are_near(const Tensor& a, const Tensor& b, double tolerance) {
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape()))
    return testing::AssertionFailure() << dtype_name(a.dtype()) << a.shape().to_string() << " on the GPU, "
                                       << dtype_name(b.dtype()) << b.shape().to_string() << " on the CPU";
  if (a.dtype() == DataType::kFloat) return are_near<float>(a, b, tolerance);
  if (a.dtype() == DataType::kDouble) return are_near<double>(a, b, tolerance);
  if (std::memcmp(a.raw(), b.raw(), a.bytes()) == 0) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "other bits";
}

}  // namespace

void GpuAgainstCpu::open_both() {
  const auto graph = b.build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  open_both(*graph);
}

void GpuAgainstCpu::open_both(const Graph& graph) {
  if (runtime == nullptr) runtime = Runtime::create(runtime_options);
  for (const bool on_gpu : {true, false}) {
    SessionOptions options;
    if (!on_gpu) {
      options.device_count["GPU"] = 0;
      // What asks for a GPU.
      options.allow_soft_placement = true;
    }
    auto opened = Session::open(*runtime, options);
    ASSERT_TRUE(opened.ok()) << opened.status();
    std::unique_ptr<Session>& to = on_gpu ? session : cpu;
    to = *std::move(opened);
    const absl::Status created = to->create(graph.clone());
    ASSERT_TRUE(created.ok()) << created;
  }
}

testing::AssertionResult GpuAgainstCpu::agree(const std::vector<NamedTensor>& feeds,
                                              const std::vector<std::string>& fetches,
                                              const std::vector<std::string>& targets, double tolerance) {
  const auto have = session->run(feeds, fetches, targets), want = cpu->run(feeds, fetches, targets);
  if (!have.ok()) return testing::AssertionFailure() << "on the GPU: " << have.status();
  if (!want.ok()) return testing::AssertionFailure() << "on the CPU: " << want.status();
  for (size_t i = 0; i < fetches.size(); ++i) {
    if (auto same = are_near(have->at(i), want->at(i), tolerance); !same)
      return same << " (" << fetches[i] << ")";
  }
  return testing::AssertionSuccess();
}

Tensor random_floats(const Shape& shape, uint32_t seed, float least, float most) {
  std::minstd_rand random(seed + 1);
  std::uniform_real_distribution<float> among(least, most);
  Tensor t(DataType::kFloat, shape);
  for (float& v : t.flat<float>()) v = among(random);
  return t;
}

}  // namespace troupe::test
