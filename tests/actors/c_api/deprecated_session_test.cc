#include "tests/actors/c_api/c_graph.h"

using namespace c_test;

namespace {

/// The bytes of a GraphDef with y = x + 3, by way of a graph.
std::string add_three_bytes() {
  Graph g;
  TF_Output x = g.placeholder("x");
  g.binary("AddV2", "y", x, g.constant("three", 3));
  BufferPtr bytes(TF_NewBuffer());
  Status s(TF_NewStatus());
  TF_GraphToGraphDef(g.get(), bytes.get(), s.get());
  EXPECT_EQ(TF_GetCode(s.get()), TF_OK) << TF_Message(s.get());
  return bytes_of(bytes.get());
}

class CDeprecatedSession : public testing::Test {
 protected:
  void SetUp() override {
    session_ = TF_NewDeprecatedSession(nullptr, status_.get());
    ASSERT_NE(session_, nullptr);
  }
  void TearDown() override {
    TF_DeleteDeprecatedSession(session_, status_.get());
    EXPECT_EQ(TF_GetCode(status_.get()), TF_OK);
  }
  void extend(const std::string& bytes) {
    TF_ExtendGraph(session_, bytes.data(), bytes.size(), status_.get());
  }
  /// Feeds x, when it is not null, and fetches one name.
  TensorPtr run(TF_Tensor* x, const char* fetch, TF_Buffer* metadata = nullptr) {
    const char* input = "x";
    TF_Tensor* out = reinterpret_cast<TF_Tensor*>(8);
    TF_Run(session_, nullptr, &input, &x, x == nullptr ? 0 : 1, &fetch, &out, 1, nullptr, 0, metadata,
           status_.get());
    return TensorPtr(out);
  }

  Status status_{TF_NewStatus()};
  TF_DeprecatedSession* session_ = nullptr;
};

}  // namespace

TEST_F(CDeprecatedSession, runs_what_it_is_extended_by) {
  TensorPtr one = float_scalar(1);
  EXPECT_EQ(run(one.get(), "y"), nullptr);
  EXPECT_EQ(describe(status_), "3: Session was not created with a graph before Run()!");
  extend(add_three_bytes());
  ASSERT_EQ(TF_GetCode(status_.get()), TF_OK) << TF_Message(status_.get());
  EXPECT_EQ(floats(run(one.get(), "y").get()), std::vector<float>{4});
  EXPECT_EQ(floats(run(one.get(), "y:0").get()), std::vector<float>{4});
  EXPECT_EQ(floats(one.get()), std::vector<float>{1});
}

TEST_F(CDeprecatedSession, refuses_graphs_that_are_none_and_nodes_that_exist) {
  extend("\xff\xff");
  EXPECT_EQ(describe(status_), "3: Invalid GraphDef");
  extend(add_three_bytes());
  extend(add_three_bytes());
  EXPECT_EQ(TF_GetCode(status_.get()), TF_INVALID_ARGUMENT);
  EXPECT_NE(std::string(TF_Message(status_.get())).find("created by a previous call to Create or Extend"),
            std::string::npos);
}

TEST_F(CDeprecatedSession, reports_errors_of_runs_as_tensorflow_does) {
  extend(add_three_bytes());
  TensorPtr one = float_scalar(1);
  EXPECT_EQ(run(one.get(), "nope"), nullptr);
  EXPECT_EQ(describe(status_),
            "3: Tensor nope:0, specified in either feed_devices or fetch_devices was not found in the Graph");
  EXPECT_EQ(run(one.get(), "y:3"), nullptr);
  EXPECT_EQ(TF_GetCode(status_.get()), TF_OUT_OF_RANGE) << TF_Message(status_.get());
  BufferPtr metadata(TF_NewBuffer());
  EXPECT_EQ(run(nullptr, "y", metadata.get()), nullptr);
  EXPECT_NE(metadata->data, nullptr);
  EXPECT_EQ(run(nullptr, nullptr), nullptr);
  EXPECT_EQ(TF_GetCode(status_.get()), TF_INVALID_ARGUMENT);
}

TEST_F(CDeprecatedSession, runs_in_parts) {
  extend(add_three_bytes());
  const char *x = "x", *y = "y:0", *handle = nullptr;
  TF_PRunSetup(session_, &x, 1, &y, 1, nullptr, 0, &handle, status_.get());
  ASSERT_EQ(TF_GetCode(status_.get()), TF_OK) << TF_Message(status_.get());
  TensorPtr one = float_scalar(1);
  TF_Tensor* value = one.get();
  TF_Tensor* out = nullptr;
  TF_PRun(session_, handle, &x, &value, 1, &y, &out, 1, nullptr, 0, status_.get());
  EXPECT_EQ(floats(out), std::vector<float>{4}) << TF_Message(status_.get());
  TF_DeleteTensor(out);
  TF_PRun(session_, handle, &x, &value, 1, &y, &out, 1, nullptr, 0, status_.get());
  EXPECT_EQ(TF_GetCode(status_.get()), TF_INVALID_ARGUMENT);
  TF_DeletePRunHandle(handle);
}

TEST_F(CDeprecatedSession, lists_its_devices) {
  TF_DeviceList* list = TF_DeprecatedSessionListDevices(session_, status_.get());
  EXPECT_EQ(TF_DeviceListCount(list), 1);
  TF_DeleteDeviceList(list);
  EXPECT_EQ(TF_DeprecatedSessionListDevices(nullptr, status_.get()), nullptr);
}

TEST_F(CDeprecatedSession, is_closed_with_all_others_by_a_reset) {
  extend(add_three_bytes());
  TensorPtr one = float_scalar(1);
  EXPECT_NE(run(one.get(), "y"), nullptr);
  OptionsPtr options(TF_NewSessionOptions());
  TF_Reset(options.get(), nullptr, 0, status_.get());
  EXPECT_EQ(TF_GetCode(status_.get()), TF_OK) << TF_Message(status_.get());
  EXPECT_EQ(run(one.get(), "y"), nullptr);
  EXPECT_EQ(describe(status_), "1: Session has been closed.");
  TF_SetTarget(options.get(), "foo://bar");
  TF_Reset(options.get(), nullptr, 0, status_.get());
  EXPECT_EQ(TF_GetCode(status_.get()), TF_NOT_FOUND);
}

TEST_F(CDeprecatedSession, refuses_runs_after_it_was_closed) {
  extend(add_three_bytes());
  TF_CloseDeprecatedSession(session_, status_.get());
  EXPECT_EQ(TF_GetCode(status_.get()), TF_OK);
  TensorPtr one = float_scalar(1);
  EXPECT_EQ(run(one.get(), "y"), nullptr);
  EXPECT_EQ(describe(status_), "1: Session has been closed.");
  TF_CloseDeprecatedSession(nullptr, status_.get());
  EXPECT_EQ(TF_GetCode(status_.get()), TF_INVALID_ARGUMENT);
}
