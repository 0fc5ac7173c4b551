// What is thrown on any thread that kernels run on becomes the error of its step, and the session goes on.
#include <gmock/gmock.h>

#include <stdexcept>
#include <thread>

#include "devices/cpu/kernels/dataset/core.h"
#include "devices/cpu/kernels/dataset/iterator_threads.h"
#include "devices/services.h"
#include "tests/devices/kernels/dataset/dataset_fixture.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;

const OpRow kThrowingOps[] = {
    {"TestThrowInLoop", "x:float", "z:float", "", ""},
    {"TestShortInLoop", "x:float", "z:float", "", ""},
    {"TestThrowAtOnce", "x:float", "z:float", "", ""},
    {"TestThrowHavingAnswered", "x:float", "z:float", "", ""},
    {"TestAnswerTwice", "x:float", "z:float", "", ""},
    {"TestThrowWaiting", "x:float", "z:float", "", ""},
    {"TestHuge", "x:float", "z:float", "", ""},
    {"TestDataset", "", "handle:variant",
     "blocks:bool; output_types:list(type) >= 1; output_shapes:list(shape) >= 1", ""},
};

template <class Exception>
absl::Status throw_in_loop(KernelContext& c) {
  c.parallel().parallel_for(1'000'000, 1000, [](int64_t, int64_t) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if constexpr (std::is_same_v<Exception, std::bad_alloc>) {
      throw std::bad_alloc();
    } else {
      throw Exception("a block failed");
    }
  });
  return absl::OkStatus();
}

struct ThrowAtOnce final : AsyncKernel {
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction&) {
    return std::make_unique<ThrowAtOnce>();
  }
  void compute_async(KernelContext&, Done) override { throw std::runtime_error("asynchronously"); }
};

struct ThrowHavingAnswered final : AsyncKernel {
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction&) {
    return std::make_unique<ThrowHavingAnswered>();
  }
  void compute_async(KernelContext& c, Done done) override {
    c.forward_input(0, 0);
    done(absl::OkStatus());
    throw std::runtime_error("too late");
  }
};

struct AnswerTwice final : AsyncKernel {
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction&) {
    return std::make_unique<AnswerTwice>();
  }
  void compute_async(KernelContext& c, Done done) override {
    c.forward_input(0, 0);
    done(absl::OkStatus());
    done(absl::InternalError("the second answer"));
  }
};

absl::Status throw_waiting(KernelContext&) { throw std::runtime_error("while it waited"); }
/// As kernels do that make a vector of a size that they computed.
absl::Status make_huge(KernelContext& c) {
  std::vector<int64_t> all(static_cast<size_t>(c.input(0).num_elements() - 2));
  return absl::OkStatus();
}

/// 0, 1, then an iterator that throws, then 3, ...
absl::Status throwing_dataset(KernelContext& c) {
  auto dataset = make_dataset("Throwing", {}, [](const std::string&) {
    return iterator_of([at = int64_t{0}](const ElementContext&) mutable -> NextElement {
      const int64_t n = at++;
      if (n == 2) throw std::runtime_error("the third element");
      return Element{Tensor::scalar<int64_t>(n)};
    });
  });
  dataset->blocks = c.node().attrs.get_or<bool>("blocks", false);
  return output_dataset(c, std::move(dataset));
}

class ExceptionTest : public DatasetKernels {
 protected:
  ExceptionTest() {
    EXPECT_TRUE(ops_->add(kThrowingOps).ok());
    kernels_->add(KernelDef("TestThrowInLoop").fn(throw_in_loop<std::runtime_error>));
    kernels_->add(KernelDef("TestShortInLoop").fn(throw_in_loop<std::bad_alloc>));
    kernels_->add(KernelDef("TestThrowAtOnce").kernel<ThrowAtOnce>());
    kernels_->add(KernelDef("TestThrowHavingAnswered").kernel<ThrowHavingAnswered>());
    kernels_->add(KernelDef("TestAnswerTwice").kernel<AnswerTwice>());
    kernels_->add(KernelDef("TestHuge").fn(make_huge));
    kernels_->add(KernelDef("TestDataset").fn(throwing_dataset));
    add_waiting_kernel(kernels_.get(), "TestThrowWaiting", throw_waiting);
    RuntimeOptions options;
    options.inter_op_threads = 2;
    options.intra_op_threads = 4;
    options.ops = ops_.get();
    options.kernels = kernels_.get();
    runtime_ = Runtime::create(options);
  }
  /// Runs a node of this op several times, then one that works.
  void expect_error(const std::string& kind, absl::StatusCode code, const std::string& phrase) {
    const int x = placeholder("x");
    const int bad = add("bad", kind, {}, {{x}});
    add("good", "TestAdd", {}, {{x}, {x}});
    add("after", "TestAdd", {}, {{bad}, {bad}});
    open();
    const Tensor one = Tensor::scalar<float>(0);
    for (int i = 0; i < 5; ++i) {
      const absl::Status got = session_->run({{"x", one}}, {"after"}).status();
      EXPECT_EQ(got.code(), code) << got;
      EXPECT_THAT(std::string(got.message()), HasSubstr(phrase));
      EXPECT_THAT(std::string(got.message()), HasSubstr("{{node bad}}"));
      EXPECT_TRUE(session_->run({{"x", one}}, {"good"}).ok());
    }
  }
};

TEST_F(ExceptionTest, in_a_parallel_loop_is_its_nodes_error) {
  expect_error("TestThrowInLoop", absl::StatusCode::kInternal, "a block failed");
}

TEST_F(ExceptionTest, for_want_of_memory_in_a_parallel_loop_is_resource_exhausted) {
  expect_error("TestShortInLoop", absl::StatusCode::kResourceExhausted, "OOM");
}

TEST_F(ExceptionTest, of_an_asynchronous_kernel_is_its_nodes_error) {
  expect_error("TestThrowAtOnce", absl::StatusCode::kInternal, "asynchronously");
}

TEST_F(ExceptionTest, of_a_kernel_that_waits_is_its_nodes_error) {
  expect_error("TestThrowWaiting", absl::StatusCode::kInternal, "while it waited");
}

TEST_F(ExceptionTest, for_a_size_beyond_all_memory_is_resource_exhausted) {
  expect_error("TestHuge", absl::StatusCode::kResourceExhausted, "OOM");
}

TEST_F(ExceptionTest, after_the_answer_of_a_kernel_changes_nothing) {
  const int x = placeholder("x");
  const int late = add("late", "TestThrowHavingAnswered", {}, {{x}});
  const int twice = add("twice", "TestAnswerTwice", {}, {{late}});
  add("sum", "TestAdd", {}, {{late}, {twice}});
  open();
  for (int i = 0; i < 20; ++i) {
    const auto got = session_->run({{"x", Tensor::scalar<float>(4)}}, {"sum"});
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_EQ((*got)[0].value<float>(), 8);
  }
}

TEST_F(ExceptionTest, of_an_iterator_is_the_error_of_that_element) {
  for (const bool blocks : {false, true}) {
    graph_ = Graph(ops_.get());
    iterate(op("TestDataset", with(elements(), {{"blocks", blocks}}), {}));
    open();
    EXPECT_EQ(walk(), (std::vector<int64_t>{0, 1}));
    EXPECT_EQ(status_.code(), absl::StatusCode::kInternal) << status_;
    EXPECT_THAT(std::string(status_.message()), HasSubstr("the third element"));
    EXPECT_THAT(std::string(status_.message()), HasSubstr("{{node next}}"));
    EXPECT_EQ((*next())[0].value<int64_t>(), 3);
    session_.reset();
  }
}

TEST_F(ExceptionTest, in_a_function_of_a_dataset_is_the_error_of_that_element) {
  functions(
      R"(function { signature { name: 'F' input_arg { name: 'x' type: DT_INT64 } output_arg { name: 'y' type: DT_FLOAT } }
    node_def { name: 'c' op: 'Cast' input: 'x' attr { key: 'SrcT' value { type: DT_INT64 } } attr { key: 'DstT' value { type: DT_FLOAT } } }
    node_def { name: 'bad' op: 'TestThrowWaiting' input: 'c:y:0' } ret { key: 'y' value: 'bad:z:0' } })");
  const AttrMap floats = elements(DataType::kFloat);
  const int mapped =
      op("MapDataset", with(floats, {{"f", FunctionRef{"F", {}}}, {"Targuments", Types{}}}), {{range(3)}});
  iterate(mapped, floats);
  open();
  ASSERT_TRUE(run("make").ok());
  for (int i = 0; i < 3; ++i) {
    const absl::Status got = next().status();
    EXPECT_EQ(got.code(), absl::StatusCode::kInternal) << got;
    EXPECT_THAT(std::string(got.message()), HasSubstr("while it waited"));
  }
  EXPECT_EQ(next().status().code(), absl::StatusCode::kOutOfRange);
}

}  // namespace
}  // namespace troupe::test
