#include "tests/actors/cuda/gpu_session.h"

#include <chrono>
#include <thread>

#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/register_kernels.h"
#include "devices/cuda/kernels/register_kernels.h"
#include "proto/config.pb.h"
#include "proto/graph.pb.h"
#include "tests/actors/cuda/held_kernels.h"

namespace troupe::test {

const OpRegistry& ops_of_all() {
  static const OpRegistry* registry = [] {
    auto* r = new OpRegistry(&builtin_ops());
    add_hold_op(r);
    return r;
  }();
  return *registry;
}

const KernelRegistry& kernels_of_all() {
  static const KernelRegistry* registry = [] {
    auto* r = new KernelRegistry;
    register_cpu_kernels(r);
    register_cuda_kernels(r);
    add_hold_kernel(r);
    return r;
  }();
  return *registry;
}

EmulatedDriver::Options GpuSession::default_machine() {
  EmulatedDriver::Options machine;
  machine.works_alone = true;
  return machine;
}

GpuSession::GpuSession(EmulatedDriver::Options machine)
    : driver(std::make_unique<EmulatedDriver>(machine)), gpus_(machine.gpus) {
  runtime_options.ops = &ops_of_all();
  runtime_options.kernels = &kernels_of_all();
  runtime_options.device_types = {gpu_device_type(driver->machine())};
}

GpuSession::~GpuSession() {
  close();
  runtime_options.device_types.clear();
  for (int gpu = 0; gpu < gpus_; ++gpu) EXPECT_EQ(driver->bytes_in_use(gpu), 0u) << "GPU " << gpu;
  for (const std::string& fault : driver->faults()) ADD_FAILURE() << fault;
}

void GpuSession::close() {
  session.reset();
  runtime.reset();
}

Session& GpuSession::open(const SessionOptions& options) {
  if (runtime == nullptr) runtime = Runtime::create(runtime_options);
  auto opened = Session::open(*runtime, options);
  EXPECT_TRUE(opened.ok()) << opened.status();
  session = *std::move(opened);
  auto graph = b.build();
  EXPECT_TRUE(graph.ok()) << graph.status();
  const absl::Status created = session->create(*std::move(graph));
  EXPECT_TRUE(created.ok()) << created;
  return *session;
}

absl::StatusOr<std::vector<Tensor>> GpuSession::run(const std::vector<NamedTensor>& feeds,
                                                    const std::vector<std::string>& fetches,
                                                    const std::vector<std::string>& targets) {
  if (session == nullptr) open();
  return session->run(feeds, fetches, targets);
}

float GpuSession::value(const std::vector<NamedTensor>& feeds, const std::string& fetch) {
  const auto out = run(feeds, {fetch});
  EXPECT_TRUE(out.ok()) << out.status();
  return out.ok() ? (*out)[0].value<float>() : -1;
}

std::vector<std::string> GpuSession::planned(const std::vector<NamedTensor>& feeds,
                                             const std::vector<std::string>& fetches) {
  RunOptions options;
  options.output_partition_graphs = true;
  RunStats stats;
  const auto out = session->run(feeds, fetches, {}, options, &stats);
  EXPECT_TRUE(out.ok()) << out.status();
  tensorflow::RunMetadata metadata;
  EXPECT_TRUE(metadata.ParseFromString(stats.metadata));
  std::vector<std::string> lines;
  for (const auto& graph : metadata.partition_graphs()) {
    for (const auto& node : graph.node()) {
      lines.push_back(absl::StrCat(node.op(), " ", node.name()));
    }
  }
  return lines;
}

bool GpuSession::becomes_idle() {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (driver->work_open() > 0) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::yield();
  }
  return true;
}

Tensor scalar(float value) { return Tensor::scalar<float>(value); }

Tensor counted(const Shape& shape, float step) {
  Tensor t(DataType::kFloat, shape);
  for (int64_t i = 0; i < t.num_elements(); ++i) t.flat<float>()[i] = static_cast<float>(i) * step;
  return t;
}

}  // namespace troupe::test
