// Runs the ops of the plug-in in plugin/, which is written in C against the plug-in headers. Texts are
// TensorFlow's, which was given the same plug-in.
#include <gmock/gmock.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <thread>

#include "tensorflow/c/tf_tstring.h"
#include "tests/actors/c_api/c_graph.h"
#include "tests/actors/c_api/plugin_library.h"

using namespace c_test;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

using Configure = std::function<void(TF_OperationDescription*)>;

/// With the plug-in loaded, a graph to put nodes into.
class Plugin : public testing::Test {
 protected:
  Plugin() { ops_ = load(plugin_file("troupe_test_plugin")); }

  TF_Output node(const char* op, const char* name, const std::vector<TF_Output>& inputs = {},
                 const Configure& configure = nullptr) {
    TF_OperationDescription* d = TF_NewOperation(graph_.get(), op, name);
    for (TF_Output input : inputs) TF_AddInput(d, input);
    if (configure) configure(d);
    return {TF_FinishOperation(d, status_.get()), 0};
  }
  /// The same, which must succeed.
  TF_Output good(const char* op, const char* name, const std::vector<TF_Output>& inputs = {},
                 const Configure& configure = nullptr) {
    TF_Output made = node(op, name, inputs, configure);
    EXPECT_EQ(TF_GetCode(status_.get()), TF_OK) << describe(status_);
    return made;
  }
  TF_Output placeholder(const char* name, std::vector<int64_t> dims) {
    return good("Placeholder", name, {}, [&](TF_OperationDescription* d) {
      TF_SetAttrType(d, "dtype", TF_FLOAT);
      TF_SetAttrShape(d, "shape", dims.data(), static_cast<int>(dims.size()));
    });
  }
  std::string shape_of(TF_Output output) {
    int rank = TF_GraphGetTensorNumDims(graph_.get(), output, status_.get());
    if (rank < 0) return "?";
    std::vector<int64_t> dims(static_cast<size_t>(rank));
    TF_GraphGetTensorShape(graph_.get(), output, dims.data(), rank, status_.get());
    std::string text = "[";
    for (int64_t d : dims) text += std::to_string(d) + ",";
    return text + "]";
  }
  /// The fetched ints, floats as ints; or the error.
  std::string run(const std::vector<std::pair<TF_Output, TF_Tensor*>>& feeds,
                  const std::vector<TF_Output>& fetches) {
    Session session(graph_.get());
    auto values = session.run(feeds, fetches);
    if (session.code() != TF_OK) return describe(session.status());
    std::string text;
    for (const TensorPtr& t : values) {
      for (int64_t i = 0; i < TF_TensorElementCount(t.get()); ++i) {
        const void* data = TF_TensorData(t.get());
        text += std::to_string(TF_TensorType(t.get()) == TF_FLOAT
                                   ? static_cast<int>(static_cast<const float*>(data)[i])
                                   : static_cast<const int32_t*>(data)[i]) +
                " ";
      }
    }
    return text;
  }
  /// A string scalar.
  std::string run_text(const std::vector<std::pair<TF_Output, TF_Tensor*>>& feeds, TF_Output fetch,
                       const std::string& config = "") {
    Session session(graph_.get(), config);
    auto values = session.run(feeds, {fetch});
    if (session.code() != TF_OK) return describe(session.status());
    const auto* text = static_cast<const TF_TString*>(TF_TensorData(values[0].get()));
    return {TF_StringGetDataPointer(text), TF_StringGetSize(text)};
  }

  Graph graph_;
  Status status_{TF_NewStatus()};
  std::string ops_;
  TensorPtr pair_ = float_tensor({2}, {1, 2});
};

TEST_F(Plugin, is_listed_with_its_ops) {
  EXPECT_THAT(ops_, HasSubstr("PlugTwice"));
  EXPECT_THAT(ops_, HasSubstr("PlugFlags"));
  EXPECT_THAT(ops_, HasSubstr("it is a test"));
  EXPECT_THAT(ops_, testing::Not(HasSubstr("MatMul")));
  BufferPtr all(TF_GetAllOpList());
  EXPECT_THAT(bytes_of(all.get()), HasSubstr("PlugTwice"));
  EXPECT_THAT(bytes_of(all.get()), HasSubstr("MatMul"));
}

TEST_F(Plugin, lists_the_same_ops_when_loaded_again) {
  EXPECT_FALSE(ops_.empty());
  EXPECT_EQ(load(plugin_file("troupe_test_plugin")), ops_);
}

TEST_F(Plugin, computes) {
  TF_Output x = graph_.placeholder("x");
  TF_Output y = good("PlugTwice", "y", {x});
  EXPECT_EQ(run({{x, pair_.get()}}, {y}), "2 4 ");
  EXPECT_EQ(shape_of(y), "?");
  EXPECT_EQ(shape_of(good("PlugTwice", "z", {placeholder("p", {-1, 3})})), "[-1,3,]");
}

TEST_F(Plugin, checks_allowed_types) {
  node("PlugTwice", "y", {graph_.placeholder("x", TF_DOUBLE)});
  EXPECT_THAT(
      describe(status_),
      StartsWith("3: Value for attr 'T' of double is not in the list of allowed values: float, int32"));
}

TEST_F(Plugin, writes_into_an_input_that_nobody_else_needs) {
  TF_Output x = graph_.placeholder("x");
  TF_Output other = graph_.placeholder("other");
  TF_Output temporary = good("PlugTwice", "temporary", {x});
  TF_Output y = good("PlugForward", "y", {temporary, other});
  EXPECT_EQ(run({{x, pair_.get()}, {other, pair_.get()}}, {y, {y.oper, 1}}), "3 5 0 ");
}

TEST_F(Plugin, never_writes_into_what_was_fed) {
  TF_Output x = graph_.placeholder("x");
  TF_Output other = graph_.placeholder("other");
  TF_Output y = good("PlugForward", "y", {x, other});
  EXPECT_EQ(run({{x, pair_.get()}, {other, pair_.get()}}, {y, {y.oper, 1}}), "2 3 -1 ");
  EXPECT_EQ(floats(pair_.get()), (std::vector<float>{1, 2}));
}

TEST_F(Plugin, reads_attrs_of_all_kinds_when_a_kernel_is_made) {
  EXPECT_EQ(
      run_text({}, good("PlugAttrs", "attrs")),
      "name attrs\nnode 1\nsize i -1 -1 ok\nsize s -1 5 ok\nsize shape -1 2 ok\nsize types 2 -1 ok\n"
      "size ints 3 -1 ok\nsize floats 1 -1 ok\nsize bools 2 -1 ok\nsize strings 3 5 ok\nsize shapes 2 1 ok\n"
      "size v -1 -1 ok\nsize call -1 -1 ok\n"
      "size absent -1 -1 3:Operation 'attrs' has no attr named 'absent'.\n"
      "t 9\ni 5\nbig 9876543210\nf 2.5\nb 1\ns word\nv 1 2 2 ok\ncall f ok\ntypes 1 7\nints 1 2 3\nints 1 0\n"
      "floats 0.5\nbools 1 0\nstrings 2 0 3 cde ok\n"
      "short 3:Not enough storage to hold the requested list of strings\n"
      "tensors 1 3 ok\n"
      "no tensors 3:AttrValue had value with type 'list(int)' when 'list(tensor)' expected\n"
      "absent 5:No attr named 'absent' in NodeDef:\n\t [[{{node attrs}}]]\n"
      "big 1 3:Attr big has value 9876543210 out of range for an int32\n"
      "wrong 1 3:AttrValue had value with type 'int' when 'float' expected\n"
      "list 3:AttrValue had value with type 'list(int)' when 'int' expected\nhas 1\nhas 0 ok\n");
}

TEST_F(Plugin, reads_attrs_that_the_node_sets) {
  TF_Output attrs = good("PlugAttrs", "attrs", {}, [](TF_OperationDescription* d) {
    const int64_t ints[] = {7, 8};
    TF_SetAttrIntList(d, "ints", ints, 2);
    TF_SetAttrFloat(d, "f", 0.25f);
    TF_SetAttrString(d, "s", "", 0);
  });
  const std::string text = run_text({}, attrs);
  EXPECT_THAT(text, HasSubstr("\nsize s -1 0 ok\n"));
  EXPECT_THAT(text, HasSubstr("\nsize ints 2 -1 ok\n"));
  EXPECT_THAT(text, HasSubstr("\nf 0.25\n"));
}

TEST_F(Plugin, sees_where_it_runs_when_it_computes) {
  TF_Output x = graph_.placeholder("x");
  TF_Output n = graph_.placeholder("n", TF_INT32);
  TF_Output context = good("PlugContext", "context", {x}, [&](TF_OperationDescription* d) {
    const TF_Output rest[] = {n, n};
    const TF_Output mixed[] = {x, n};
    TF_AddInputList(d, rest, 2);
    TF_AddInputList(d, mixed, 2);
  });
  TensorPtr seven(TF_AllocateTensor(TF_INT32, nullptr, 0, sizeof(int32_t)));
  *static_cast<int32_t*>(TF_TensorData(seven.get())) = 7;
  // GraphDef { library { function { signature { name: "F" } } } }
  BufferPtr function =
      buffer_of(std::string("\x12\x07\x0a\x05\x0a\x03\x0a\x01"
                            "F",
                            9));
  TF_ImportGraphDefOptions* options = TF_NewImportGraphDefOptions();
  TF_GraphImportGraphDef(graph_.get(), function.get(), options, status_.get());
  TF_DeleteImportGraphDefOptions(options);
  ASSERT_EQ(TF_GetCode(status_.get()), TF_OK) << describe(status_);
  // ConfigProto { inter_op_parallelism_threads: 2 }
  const std::string config("\x28\x02", 2);
  EXPECT_EQ(
      run_text({{x, pair_.get()}, {n, seven.get()}}, context, config),
      "inputs 5 outputs 2\ntype 1\ntype 3\ntype 3\ntype 1\ntype 3\nexpected 7\nexpected 1\n"
      "after 11:input index out of range\nbefore 11:input index out of range\n"
      "range a 0 1 ok\nrange rest 1 3 ok\nrange mixed 3 5 ok\nrange none -1 -1 3:Unknown input name: none\n"
      "name context\ndevice /job:localhost/replica:0/task:0/device:CPU:0 0\ncontainer localhost\nstep 1 1\n"
      "frame 0 iteration 0\nproducer 1\nhost in 0 0 ok\nhost in 1 1 ok\nhost in 2 1 ok\nhost out 0 1 ok\n"
      "host out 1 0 ok\nhost out 2 -1 11:output index out of range\n"
      "from '_arg_x_0_1'\nfrom '_arg_n_0_0'\nfrom '_arg_n_0_0'\nfrom '_arg_x_0_1'\nfrom '_arg_n_0_0'\n"
      "from ''\nconfig ok 28 02\nlibrary ok 0a 05 0a 03 0a 01 46\n"
      "handle 3:Input 0 is no resource handle, but a tensor of float\nrendezvous 0\n"
      "stream 0 9:Accessing device stream is not supported for a CPU device.\ntemp 2 48 ok\n"
      "no temp 1 3:TF_AllocatorAttributes struct size member must be set to "
      "TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE\n"
      "no output 1 13:allocate_output with bad index=9 num_outputs=2 kernel=context\n"
      "set 11:output index out of range\nset ok\nmutable 1 ok\nmutable 0 11:output index out of range\n");
  EXPECT_EQ(run({{x, pair_.get()}, {n, seven.get()}}, {{context.oper, 1}}), "1 2 ");
}

TEST_F(Plugin, fails_with_its_status_and_the_name_of_the_node) {
  TF_Output x = graph_.placeholder("x");
  auto outcome = [&](const char* where) {
    TF_Output y = good("PlugFail", where, {x}, [&](TF_OperationDescription* d) {
      TF_SetAttrString(d, "where", where, std::strlen(where));
    });
    return run({{x, pair_.get()}}, {y});
  };
  EXPECT_EQ(outcome("create"), "9: told to fail when made\n\t [[{{node create}}]]");
  EXPECT_EQ(outcome("compute"), "15: told to fail\n\t [[{{node compute}}]]");
  EXPECT_EQ(outcome("twice"), "10: first\n\t [[{{node twice}}]]");
  EXPECT_EQ(outcome("bad_output"), "11: output index out of range\n\t [[{{node bad_output}}]]");
  EXPECT_THAT(outcome("type"), HasSubstr("utput 0 of type int32 does not match declared output type float"));
}

TEST_F(Plugin, infers_shapes) {
  TF_Output matrix = placeholder("matrix", {4, 5});
  auto shapes = [&](const char* name, TF_Output a, TF_Output b) {
    TF_Output out = node("PlugShapes", name, {a, b});
    if (out.oper == nullptr) return describe(status_);
    std::string text;
    for (int i = 0; i < 4; ++i) text += shape_of({out.oper, i});
    return text;
  };
  EXPECT_EQ(shapes("known", matrix, placeholder("vector", {6})), "[4,][5,][4,6,][]");
  EXPECT_EQ(shapes("unknown", graph_.placeholder("x"), placeholder("vector_2", {6})), "?[-1,][-1,6,][]");
  EXPECT_EQ(shapes("both_unknown", matrix, graph_.placeholder("y")), "[4,][5,]??");
  EXPECT_EQ(shapes("cube", placeholder("cube_in", {1, 2, 3}), placeholder("vector_3", {6})),
            "3: Shape must be rank 2 but is rank 3 for '{{node cube}} = PlugShapes[](cube_in, vector_3)' "
            "with input "
            "shapes: [1,2,3], [6].");
  EXPECT_THAT(shapes("scalar", matrix, placeholder("scalar_in", {})),
              StartsWith("3: Shape must be at least rank 1 but is rank 0"));
  EXPECT_THAT(shapes("large", matrix, placeholder("large_in", {1, 2, 3, 4})),
              StartsWith("3: Shape must be at most rank 3 but is rank 4"));
}

TEST_F(Plugin, infers_shapes_by_type) {
  EXPECT_EQ(shape_of(good("PlugShapeByType", "f", {graph_.placeholder("x")})), "[]");
  EXPECT_EQ(shape_of(good("PlugShapeByType", "i", {graph_.placeholder("n", TF_INT32)})), "?");
  node("PlugBadShape", "bad", {graph_.placeholder("y")});
  EXPECT_THAT(describe(status_), StartsWith("3: output index out of range for '{{node bad}}"));
}

TEST_F(Plugin, makes_a_stateful_kernel_once_per_session_and_deletes_it) {
  TF_Output count = good("PlugCount", "count");
  const std::vector<TF_Output> all = {count, {count.oper, 1}, {count.oper, 2}};
  auto ints = [&](Session& s) {
    auto values = s.run({}, all);
    EXPECT_EQ(s.code(), TF_OK) << s.message();
    std::vector<int> out;
    for (const TensorPtr& t : values) out.push_back(*static_cast<const int32_t*>(TF_TensorData(t.get())));
    return out;
  };
  std::vector<int> first, second;
  {
    Session session(graph_.get());
    first = ints(session);
    second = ints(session);
  }
  EXPECT_EQ(second[0], first[0]) << "made again for the second step";
  EXPECT_EQ(second[1], first[1] + 1);
  EXPECT_EQ(second[2], first[2]);
  Session other(graph_.get());
  const std::vector<int> last = ints(other);
  EXPECT_EQ(last[2], second[2] + 1) << "not deleted when TF_DeleteSession returned";
  EXPECT_EQ(last[0], second[0] + 1);
}

TEST_F(Plugin, ends_asynchronous_kernels_from_another_thread) {
  TF_Output x = graph_.placeholder("x");
  TF_Output y = good("PlugLater", "y", {x});
  TF_Output z = good("PlugTwice", "z", {y});
  EXPECT_EQ(run({{x, pair_.get()}}, {z}), "6 12 ");
  TF_Output bad =
      good("PlugLater", "bad", {x}, [](TF_OperationDescription* d) { TF_SetAttrBool(d, "fail", 1); });
  EXPECT_EQ(
      run({{x, pair_.get()}}, {bad}),
      "13: told to fail later\n\t [[{{node bad}}]]\nExecuting non-communication op <bad> originally returned "
      "UnavailableError, and was replaced by InternalError to avoid invoking TF network error handling "
      "logic.");
}

TEST_F(Plugin, waits_for_deferred_work) {
  TF_Output x = graph_.placeholder("x");
  EXPECT_EQ(run({{x, pair_.get()}}, {good("PlugDefer", "y", {x})}), "4 8 ");
}

TEST_F(Plugin, chooses_kernels_by_device_type_label_and_priority) {
  auto chosen = [&](const char* name, const Configure& configure) {
    return run({}, {good("PlugChoice", name, {}, configure)});
  };
  EXPECT_EQ(chosen("float", nullptr), "2 ");
  EXPECT_EQ(chosen("int", [](TF_OperationDescription* d) { TF_SetAttrType(d, "T", TF_INT32); }), "1 ");
  EXPECT_EQ(chosen("label", [](TF_OperationDescription* d) { TF_SetAttrString(d, "_kernel", "third", 5); }),
            "3 ");
  EXPECT_THAT(run({}, {good("PlugNoKernel", "bare")}),
              HasSubstr("Registered kernels:\n  <no registered kernels>\n"));
  // From here on the graph has a node that no session can place.
  const std::string none =
      chosen("none", [](TF_OperationDescription* d) { TF_SetAttrString(d, "_kernel", "none", 4); });
  EXPECT_THAT(none,
              StartsWith("3: No OpKernel was registered to support Op 'PlugChoice' used by {{node none}}"));
  EXPECT_THAT(none, HasSubstr("  device='PLUG_DEVICE'\n"));
  EXPECT_THAT(none, HasSubstr("  device='CPU'; label='third'\n"));
}

TEST_F(Plugin, keeps_flags_and_deprecation_of_ops) {
  node("PlugFlags", "flags", {graph_.placeholder("x")});
  EXPECT_THAT(describe(status_),
              HasSubstr("Input 'x' passed float expected float_ref while building NodeDef 'flags' using "
                        "Op<name=PlugFlags; signature=x:Ref(float) -> y:Ref(float); is_commutative=true; "
                        "is_aggregate=true; allows_uninitialized_input=true>"));
  TF_Output variable = good("VariableV2", "v", {}, [](TF_OperationDescription* d) {
    TF_SetAttrType(d, "dtype", TF_FLOAT);
    TF_SetAttrShape(d, "shape", nullptr, 0);
  });
  node("PlugFlags", "flags_2", {variable});
  EXPECT_THAT(describe(status_), HasSubstr("Op PlugFlags is not available in GraphDef version"));
  EXPECT_THAT(describe(status_), HasSubstr("It has been removed in version 8. it is a test."));
}

TEST_F(Plugin, has_ops_that_graphs_can_be_imported_with) {
  TF_Output x = graph_.placeholder("x");
  good("PlugTwice", "y", {x});
  BufferPtr bytes(TF_NewBuffer());
  TF_GraphToGraphDef(graph_.get(), bytes.get(), status_.get());
  Graph copy;
  TF_ImportGraphDefOptions* options = TF_NewImportGraphDefOptions();
  TF_GraphImportGraphDef(copy.get(), bytes.get(), options, status_.get());
  TF_DeleteImportGraphDefOptions(options);
  ASSERT_EQ(TF_GetCode(status_.get()), TF_OK) << describe(status_);
  Session session(copy.get());
  TF_Output y{TF_GraphOperationByName(copy.get(), "y"), 0};
  auto values = session.run({{{TF_GraphOperationByName(copy.get(), "x"), 0}, pair_.get()}}, {y});
  ASSERT_EQ(session.code(), TF_OK) << session.message();
  EXPECT_EQ(floats(values[0].get()), (std::vector<float>{2, 4}));
}

TEST_F(Plugin, runs_in_many_threads) {
  TF_Output x = graph_.placeholder("x");
  TF_Output y = good("PlugTwice", "y", {good("PlugLater", "later", {x})});
  Session session(graph_.get());
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      Status status(TF_NewStatus());
      for (int i = 0; i < 20; ++i) {
        TF_Tensor* in = pair_.get();
        TF_Tensor* out = nullptr;
        TF_SessionRun(session.get(), nullptr, &x, &in, 1, &y, &out, 1, nullptr, 0, nullptr, status.get());
        if (out != nullptr && static_cast<const float*>(TF_TensorData(out))[1] == 12) ++right;
        TF_DeleteTensor(out);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(right, 160);
}

}  // namespace
