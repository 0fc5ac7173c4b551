// What kernels may ask of where they run: the name of their session, and which of their outputs are wanted.
#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>

#include "proto/graph.pb.h"
#include "tests/actors/session_fixture.h"

namespace troupe::test {
namespace {

const OpRow kOps[] = {
    {"TestSessionName", "", "name:string", "", "stateful"},
    {"TestWantedOutputs", "", "a:int32, b:int32, c:int32, d:int32, e:int32", "", "stateful"},
    {"TestLeavesOut", "x:float", "a:float, b:float", "", ""},
};

/// "name:version", or nothing when the session has no metadata.
absl::Status session_name(KernelContext& c) {
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, c.allocate_output(0, Shape()));
  const SessionMetadata* metadata = c.step().session_metadata;
  if (metadata == nullptr) return absl::OkStatus();
  out->flat<TString>()[0] = TString(metadata->name + ":" + std::to_string(metadata->version));
  return absl::OkStatus();
}

/// Every output: how many are wanted.
absl::Status wanted_outputs(KernelContext& c) {
  int wanted = 0;
  for (int i = 0; i < c.num_outputs(); ++i) wanted += c.output_required(i);
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, Tensor::scalar<int32_t>(wanted));
  return absl::OkStatus();
}

/// x at those outputs that are wanted, and nothing at others.
absl::Status leaves_out(KernelContext& c) {
  for (int i = 0; i < 2; ++i) {
    if (c.output_required(i)) c.set_output(i, c.input(0));
  }
  return absl::OkStatus();
}

/// who is what a kernel of the graph sees, called what one in a function sees; wants and parts as above.
class KernelSurroundings : public SessionTest {
 protected:
  KernelSurroundings() {
    EXPECT_TRUE(ops_->add(kOps).ok());
    kernels_->add(KernelDef("TestSessionName").fn(session_name));
    kernels_->add(KernelDef("TestWantedOutputs").fn(wanted_outputs));
    kernels_->add(KernelDef("TestLeavesOut").fn(leaves_out));
  }

  Session& open_text(const std::string& config = "") {
    tensorflow::GraphDef def;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(R"(
      node { name: 'who' op: 'TestSessionName' }
      node { name: 'called' op: 'StatefulPartitionedCall'
        attr { key: 'Tin' value { list {} } } attr { key: 'Tout' value { list { type: DT_STRING } } }
        attr { key: 'f' value { func { name: 'Who' } } } }
      node { name: 'wants' op: 'TestWantedOutputs' }
      node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }
      node { name: 'parts' op: 'TestLeavesOut' input: 'x' }
      library { function {
        signature { name: 'Who' output_arg { name: 'name' type: DT_STRING } is_stateful: true }
        node_def { name: 'who' op: 'TestSessionName' }
        ret { key: 'name' value: 'who:name:0' }
        attr { key: '_noinline' value { b: true } } } }
      versions { producer: 1882 })",
                                                              &def));
    const auto options = SessionOptions::from_config_text(config);
    EXPECT_TRUE(options.ok()) << options.status();
    auto session = Session::open(*runtime_, *options);
    EXPECT_TRUE(session.ok()) << session.status();
    session_ = *std::move(session);
    const absl::Status created = session_->create(def);
    EXPECT_TRUE(created.ok()) << created;
    return *session_;
  }

  static std::string seen_by(Session& session, const std::string& node) {
    const auto out = session.run({}, {node});
    EXPECT_TRUE(out.ok()) << out.status();
    return out.ok() ? std::string((*out)[0].flat<TString>()[0].view()) : "no answer";
  }

  static constexpr char kNamed[] = "experimental { session_metadata { name: 'model' version: 3 } }";
};

TEST_F(KernelSurroundings, s034_have_no_metadata_in_a_session_without_a_name) {
  EXPECT_EQ(seen_by(open_text(), "who"), "");
}

TEST_F(KernelSurroundings, s035_have_no_metadata_in_functions_of_a_session_without_a_name) {
  EXPECT_EQ(seen_by(open_text(), "called"), "");
}

TEST_F(KernelSurroundings, s036_tell_the_name_and_the_version_of_the_session) {
  EXPECT_EQ(seen_by(open_text(kNamed), "who"), "model:3");
}

TEST_F(KernelSurroundings, s037_tell_functions_the_name_and_the_version_of_the_session) {
  EXPECT_EQ(seen_by(open_text(kNamed), "called"), "model:3");
}

TEST_F(KernelSurroundings, s068_tell_a_stateful_kernel_how_many_outputs_each_signature_wants) {
  Session& s = open_text();
  std::vector<std::string> fetches;
  for (int n = 1; n <= 5; ++n) {
    fetches.push_back("wants:" + std::to_string(n - 1));
    for (int run = 0; run < 2; ++run) {
      const auto out = s.run({}, fetches);
      ASSERT_TRUE(out.ok()) << out.status();
      for (const Tensor& t : *out) EXPECT_EQ(t.value<int32_t>(), n);
    }
  }
  // The kernel is one, what is wanted is each signature's.
  EXPECT_EQ((*s.run({}, {"wants:4"}))[0].value<int32_t>(), 1);
}

TEST_F(KernelSurroundings, have_the_resources_of_their_own_session_whatever_the_container) {
  const AttrMap var{
      {"dtype", DataType::kFloat}, {"shape", PartialShape({})}, {"shared_name", "v"}, {"container", "box"}};
  const int v = add("v", "VarHandleOp", var);
  const int value = placeholder("value");
  add("set", "AssignVariableOp", {{"dtype", DataType::kFloat}}, {{v, 0}, {value, 0}});
  add("read", "ReadVariableOp", {{"dtype", DataType::kFloat}}, {{v, 0}});
  auto opened = [&] {
    auto session = *Session::open(*runtime_, {});
    EXPECT_TRUE(session->create(graph_.clone()).ok());
    return session;
  };
  const auto one = opened();
  const auto other = opened();
  auto set = [](Session& s, float to) {
    EXPECT_TRUE(s.run({{"value", Tensor::scalar<float>(to)}}, {}, {"set"}).ok());
  };
  auto read = [](Session& s) { return (*s.run({}, {"read"}))[0].value<float>(); };
  set(*one, 1);
  EXPECT_EQ(other->run({}, {"read"}).status().code(), absl::StatusCode::kFailedPrecondition);
  set(*other, 2);
  EXPECT_EQ(read(*one), 1);
  EXPECT_EQ(read(*other), 2);
}

TEST_F(KernelSurroundings, let_a_kernel_leave_out_what_nobody_wants) {
  Session& s = open_text();
  for (const char* fetch : {"parts:0", "parts:1"}) {
    const auto out = s.run({{"x", Tensor::scalar<float>(7)}}, {fetch});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ((*out)[0].value<float>(), 7);
  }
}

}  // namespace
}  // namespace troupe::test
