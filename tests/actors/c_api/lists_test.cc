#include <cstring>

#include "tests/actors/c_api/c_graph.h"

using namespace c_test;

namespace {

class CApiDefMap : public testing::Test {
 protected:
  CApiDefMap() : ops_(TF_GetAllOpList()), map_(TF_NewApiDefMap(ops_.get(), status_.get())) {}
  ~CApiDefMap() override { TF_DeleteApiDefMap(map_); }

  TF_Code put(const std::string& text) {
    TF_ApiDefMapPut(map_, text.data(), text.size(), status_.get());
    return TF_GetCode(status_.get());
  }
  std::string get(const std::string& name) {
    BufferPtr found(TF_ApiDefMapGet(map_, name.data(), name.size(), status_.get()));
    return bytes_of(found.get());
  }

  Status status_{TF_NewStatus()};
  BufferPtr ops_;
  TF_ApiDefMap* map_;
};

}  // namespace

TEST_F(CApiDefMap, shows_what_ops_say_themselves) {
  EXPECT_NE(get("MatMul").find("transpose_a"), std::string::npos);
  EXPECT_EQ(get("NoSuchOp"), "");
  EXPECT_EQ(TF_GetCode(status_.get()), TF_OK);
}

TEST_F(CApiDefMap, puts_overrides_over_it) {
  ASSERT_EQ(
      put("op { graph_op_name: 'MatMul' summary: 'multiplies' arg_order: 'b' arg_order: 'a' "
          "in_arg { name: 'a' rename_to: 'left' } description_prefix: 'pre' description_suffix: 'suf' }"),
      TF_OK)
      << TF_Message(status_.get());
  std::string def = get("MatMul");
  EXPECT_NE(def.find("multiplies"), std::string::npos);
  EXPECT_NE(def.find("left"), std::string::npos);
  EXPECT_NE(def.find("pre\nsuf"), std::string::npos);
  EXPECT_EQ(put("op { graph_op_name: 'MatMul' }"), TF_FAILED_PRECONDITION);
  EXPECT_STREQ(TF_Message(status_.get()),
               "TF_ApiDefMapPut cannot be called after TF_ApiDefMapGet has been called.");
}

TEST_F(CApiDefMap, refuses_overrides_that_do_not_fit) {
  EXPECT_EQ(put("op { graph_op_name: 'NoSuchOp' }"), TF_OK);
  EXPECT_EQ(put("garbage"), TF_INVALID_ARGUMENT);
  EXPECT_EQ(put("op { graph_op_name: 'MatMul' in_arg { name: 'zz' } }"), TF_FAILED_PRECONDITION);
  EXPECT_STREQ(TF_Message(status_.get()), "Argument zz not defined in base api for MatMul");
  EXPECT_EQ(put("op { graph_op_name: 'MatMul' attr { name: 'zz' } }"), TF_FAILED_PRECONDITION);
  EXPECT_STREQ(TF_Message(status_.get()), "Attribute zz not defined in base api for MatMul");
  EXPECT_EQ(put("op { graph_op_name: 'MatMul' arg_order: 'b' }"), TF_FAILED_PRECONDITION);
  EXPECT_STREQ(TF_Message(status_.get()), "Invalid number of arguments 1 for MatMul. Expected: 2");
  EXPECT_EQ(put("op { graph_op_name: 'MatMul' arg_order: 'b' arg_order: 'q' }"), TF_FAILED_PRECONDITION);
  EXPECT_STREQ(TF_Message(status_.get()),
               "Invalid arg_order: b, q for MatMul. All elements in arg_order override must match base "
               "arg_order: a, b");
}

TEST_F(CApiDefMap, survives_null) {
  BufferPtr junk = buffer_of("\xff\xff");
  EXPECT_EQ(TF_NewApiDefMap(junk.get(), status_.get()), nullptr);
  EXPECT_EQ(describe(status_), "3: Unparseable OpList");
  EXPECT_EQ(TF_NewApiDefMap(nullptr, status_.get()), nullptr);
  TF_ApiDefMapPut(nullptr, "", 0, status_.get());
  EXPECT_EQ(TF_GetCode(status_.get()), TF_INVALID_ARGUMENT);
  EXPECT_EQ(TF_ApiDefMapGet(nullptr, "", 0, status_.get()), nullptr);
  TF_DeleteApiDefMap(nullptr);
}

TEST(CRegistry, lists_all_ops) {
  BufferPtr ops(TF_GetAllOpList());
  EXPECT_GT(ops->length, 100'000u);
  EXPECT_NE(bytes_of(ops.get()).find("MatMul"), std::string::npos);
}

TEST(CRegistry, lists_kernels) {
  Status s(TF_NewStatus());
  BufferPtr all(TF_GetAllRegisteredKernels(s.get()));
  BufferPtr some(TF_GetRegisteredKernelsForOp("MatMul", s.get()));
  BufferPtr none(TF_GetRegisteredKernelsForOp("NoSuchOp", s.get()));
  BufferPtr null(TF_GetRegisteredKernelsForOp(nullptr, s.get()));
  EXPECT_GT(all->length, some->length);
  EXPECT_NE(bytes_of(some.get())
                .find("MatMul\x12\x03"
                      "CPU"),
            std::string::npos);
  EXPECT_EQ(none->length, 0u);
  EXPECT_EQ(null->length, 0u);
  EXPECT_EQ(TF_GetCode(s.get()), TF_OK);
}

TEST(CFileSystems, are_no_plug_ins) {
  Status s(TF_NewStatus());
  TF_RegisterFilesystemPlugin("x.so", s.get());
  EXPECT_EQ(TF_GetCode(s.get()), TF_UNIMPLEMENTED);
}

TEST(CVersion, is_that_of_the_tensorflow_it_stands_for) { EXPECT_STREQ(TF_Version(), "2.21.0"); }

// Last of its kind: there is no way to take a listener back.
TEST(CLog, goes_to_its_listener) {
  static std::string heard;
  TF_RegisterLogListener(nullptr);
  TF_RegisterLogListener([](const char* text) { heard += text; });
  Graph g;
  TF_Output text = g.placeholder("text", TF_STRING);
  TF_OperationDescription* d = TF_NewOperation(g.get(), "PrintV2", "print");
  TF_AddInput(d, text);
  Status s(TF_NewStatus());
  const TF_Operation* print = TF_FinishOperation(d, s.get());
  ASSERT_EQ(TF_GetCode(s.get()), TF_OK) << TF_Message(s.get());
  TensorPtr hello(TF_AllocateTensor(TF_STRING, nullptr, 0, sizeof(TF_TString)));
  TF_StringCopy(static_cast<TF_TString*>(TF_TensorData(hello.get())), "hello", 5);
  Session session(g.get());
  session.run({{text, hello.get()}}, {}, {print});
  EXPECT_EQ(session.code(), TF_OK) << session.message();
  EXPECT_EQ(heard, "hello\n");
}
