#include "tests/actors/session_fixture.h"

#include <thread>

#include "devices/cpu/kernels/register_kernels.h"

namespace troupe::test {
namespace {

const OpRow kTestOps[] = {
    {"TestAdd", "x:float, y:float", "z:float", "", ""}, {"TestTrue", "x:float", "z:bool", "", ""},
    {"TestLess", "x:float, y:float", "z:bool", "", ""}, {"TestSleep", "x:float", "z:float", "micros:int", ""},
    {"TestFail", "x:float", "z:float", "", ""},         {"TestThrow", "x:float", "z:float", "", ""},
    {"TestHang", "x:float", "z:float", "", ""},         {"TestDeaf", "x:float", "z:float", "micros:int", ""},
    {"TestHold", "x:float", "z:float", "", ""},
};

absl::Status sum(KernelContext& c) {
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, c.forward_or_allocate_output({0, 1}, 0, c.input(0).shape()));
  float total = c.input(0).value<float>() + c.input(1).value<float>();
  out->flat<float>()[0] = total;
  return absl::OkStatus();
}

absl::Status always(KernelContext& c) {
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, c.allocate_output(0, Shape()));
  out->flat<bool>()[0] = true;
  return absl::OkStatus();
}

absl::Status less(KernelContext& c) {
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, c.allocate_output(0, Shape()));
  out->flat<bool>()[0] = c.input(0).value<float>() < c.input(1).value<float>();
  return absl::OkStatus();
}

absl::Status sleep(KernelContext& c) {
  auto micros = c.node().attrs.get<int64_t>("micros");
  TROUPE_RETURN_IF_ERROR(micros.status());
  auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(*micros);
  while (std::chrono::steady_clock::now() < end) {
    if (c.cancellation().cancelled()) return c.cancellation().reason();
    std::this_thread::sleep_for(std::min<std::chrono::steady_clock::duration>(
        std::chrono::milliseconds(1), end - std::chrono::steady_clock::now()));
  }
  c.forward_input(0, 0);
  return absl::OkStatus();
}

absl::Status fail(KernelContext&) { return absl::InvalidArgumentError("told to fail"); }
absl::Status throws(KernelContext&) { throw std::runtime_error("told to throw"); }

}  // namespace

class SessionTest::Hang final : public AsyncKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction&) {
    return std::make_unique<Hang>();
  }
  void compute_async(KernelContext& c, Done done) override {
    auto shared = std::make_shared<Done>(std::move(done));
    CancellationToken* token = &c.cancellation();
    auto id = token->register_callback([shared] { (*shared)(absl::CancelledError("hang was cancelled")); });
    ++hung;
    if (!id) (*shared)(absl::CancelledError("hang was cancelled"));
  }
};

absl::Status SessionTest::deaf(KernelContext& c) {
  auto micros = c.node().attrs.get<int64_t>("micros");
  TROUPE_RETURN_IF_ERROR(micros.status());
  ++deafened;
  std::this_thread::sleep_for(std::chrono::microseconds(*micros));
  c.forward_input(0, 0);
  return absl::OkStatus();
}

absl::Status SessionTest::hold(KernelContext& c) {
  ++held;
  while (!let_go) {
    if (c.cancellation().cancelled()) return c.cancellation().reason();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  c.forward_input(0, 0);
  return absl::OkStatus();
}

SessionTest::SessionTest()
    : ops_(std::make_unique<OpRegistry>(&builtin_ops())), kernels_(std::make_unique<KernelRegistry>()),
      graph_(ops_.get()) {
  held = 0;
  hung = 0;
  deafened = 0;
  let_go = false;
  EXPECT_TRUE(ops_->add(kTestOps).ok());
  register_cpu_kernels(kernels_.get());
  kernels_->add(KernelDef("TestAdd").fn(sum, true));
  kernels_->add(KernelDef("TestTrue").fn(always, true));
  kernels_->add(KernelDef("TestLess").fn(less, true));
  kernels_->add(KernelDef("TestSleep").fn(sleep));
  kernels_->add(KernelDef("TestDeaf").fn(deaf));
  kernels_->add(KernelDef("TestHold").fn(hold));
  kernels_->add(KernelDef("TestFail").fn(fail));
  kernels_->add(KernelDef("TestThrow").fn(throws));
  kernels_->add(KernelDef("TestHang").kernel<Hang>());
  RuntimeOptions options;
  options.inter_op_threads = 2;
  options.intra_op_threads = 1;
  options.ops = ops_.get();
  options.kernels = kernels_.get();
  runtime_ = Runtime::create(options);
}

SessionTest::~SessionTest() {
  let_go = true;
  session_.reset();
  runtime_.reset();
}

int SessionTest::add(const std::string& name, const std::string& op, AttrMap attrs,
                     std::vector<Endpoint> inputs, std::vector<int> controls, const std::string& device) {
  auto node = graph_.add_node(name, op, std::move(attrs), std::move(inputs), std::move(controls), device);
  EXPECT_TRUE(node.ok()) << node.status();
  return node.ok() ? (*node)->id : -1;
}

int SessionTest::constant(const std::string& name, Tensor value, std::vector<int> controls) {
  DataType dtype = value.dtype();
  return add(name, "Const", {{"dtype", dtype}, {"value", std::move(value)}}, {}, std::move(controls));
}

int SessionTest::placeholder(const std::string& name, DataType dtype) {
  return add(name, "Placeholder", {{"dtype", dtype}});
}

void SessionTest::endless_loop(const std::string& name) {
  int zero = constant(name + "/zero", Tensor::scalar<float>(0));
  AttrMap enter{{"T", DataType::kFloat}, {"frame_name", name}};
  int in = add(name + "/enter", "Enter", enter, {{zero, 0}});
  int merge = add(name + "/merge", "Merge", {{"T", DataType::kFloat}, {"N", 2}}, {{in, 0}, {in, 0}});
  int go = add(name + "/true", "TestTrue", {}, {{merge, 0}});
  int cond = add(name + "/cond", "LoopCond", {}, {{go, 0}});
  int sw = add(name + "/switch", "Switch", {{"T", DataType::kFloat}}, {{merge, 0}, {cond, 0}});
  int one = constant(name + "/one", Tensor::scalar<float>(1), {sw});
  int body = add(name + "/add", "TestAdd", {}, {{sw, 1}, {one, 0}});
  int next = add(name + "/next", "NextIteration", {{"T", DataType::kFloat}}, {{body, 0}});
  graph_.node(merge).inputs[1] = {next, 0};
  add(name, "Exit", {{"T", DataType::kFloat}}, {{sw, 0}});
}

Session& SessionTest::open(SessionOptions options) {
  auto session = Session::open(*runtime_, options);
  EXPECT_TRUE(session.ok()) << session.status();
  session_ = *std::move(session);
  absl::Status created = session_->create(graph_.clone());
  EXPECT_TRUE(created.ok()) << created;
  return *session_;
}

}  // namespace troupe::test
