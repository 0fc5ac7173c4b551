#include <gmock/gmock.h>

#include "build_op.h"

namespace c_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr char kNegOp[] =
    "Op<name=Neg; signature=x:T -> y:T; attr=T:type,allowed=[DT_BFLOAT16, DT_HALF, DT_FLOAT, DT_DOUBLE, "
    "DT_INT8, "
    "DT_INT16, DT_INT32, DT_INT64, DT_COMPLEX64, DT_COMPLEX128]>";

TEST(COperation, tells_what_inputs_are_wrong) {
  GraphPtr owner(TF_NewGraph());
  TF_Graph* g = owner.get();
  Attempt x = placeholder(g, "x"), i = placeholder(g, "i", TF_INT32);
  EXPECT_EQ(build(g, "Neg", "n").error,
            std::string("3: 0 inputs specified of 1 inputs in Op while building NodeDef 'n' using ") +
                kNegOp);
  EXPECT_EQ(build(g, "Neg", "n", {x[0], x[0]}).error,
            std::string("3: More Input() calls than the 1 input_args while building NodeDef 'n' using ") +
                kNegOp);
  EXPECT_THAT(
      build(g, "Add", "n", {x[0], i[0]}).error,
      StartsWith(
          "3: Inconsistent values for attr 'T' DT_FLOAT vs. DT_INT32 while building NodeDef 'n' using "));
  EXPECT_EQ(build(g, "Neg", "n", {x[1]}).error,
            "3: Attempt to add output 1 of x not in range [0, 1) to node with type Neg. Node: {{node x}}");
  EXPECT_EQ(build(g, "Neg", "n", {{nullptr, 0}}).error,
            "3: Attempt to add nullptr Node to node with type Neg");
  EXPECT_THAT(build(g, "Assign", "n", {x[0], x[0]}).error,
              StartsWith("3: Input 'ref' passed float expected ref type while building NodeDef 'n' using "));
  EXPECT_THAT(build(g, "Concat", "n", {i[0], x[0]}).error,
              StartsWith("3: Single tensor passed to 'values', expected list while building NodeDef 'n'"));
  EXPECT_THAT(
      build(g, "Neg", "n", {},
            [&](auto* d) {
              const TF_Output list[] = {x[0]};
              TF_AddInputList(d, list, 1);
            })
          .error,
      StartsWith("3: List provided to input 'x' when single Tensor expected while building NodeDef 'n'"));
  EXPECT_EQ(listing(g).size(), 2u) << "nothing was added";
}

TEST(COperation, takes_no_inputs_of_another_graph) {
  GraphPtr g(TF_NewGraph()), other(TF_NewGraph());
  Attempt w = placeholder(other.get(), "w"), x = placeholder(g.get(), "x");
  EXPECT_THAT(build(g.get(), "Neg", "n", {w[0]}).error, HasSubstr("belongs to a different graph"));
  EXPECT_THAT(build(g.get(), "Neg", "n", {x[0]}, [&](auto* d) { TF_AddControlInput(d, w.oper); }).error,
              HasSubstr("belongs to a different graph"));
}

TEST(COperation, tells_several_errors_at_once) {
  GraphPtr g(TF_NewGraph());
  Attempt x = placeholder(g.get(), "x");
  const std::string error = build(g.get(), "Add", "n", {}, [&](auto* d) {
                              const TF_Output list[] = {x[0], x[0]};
                              TF_AddInputList(d, list, 2);
                            }).error;
  EXPECT_THAT(error, StartsWith("3: 2 errors while building NodeDef 'n' using Op<name=Add;"));
  EXPECT_THAT(error,
              HasSubstr(":\nList provided to input 'x' when single Tensor expected\n1 inputs specified of 2 "
                        "inputs in Op"));
}

TEST(COperation, wants_known_ops_and_free_names) {
  GraphPtr owner(TF_NewGraph());
  TF_Graph* g = owner.get();
  Attempt x = placeholder(g, "x");
  EXPECT_THAT(build(g, "Nope", "a").error,
              StartsWith("3: Op type not registered 'Nope' in binary running on "));
  EXPECT_THAT(build(g, "Nope", "a").error, HasSubstr(" while building NodeDef 'a'"));
  EXPECT_EQ(build(g, "Neg", "x", {x[0]}).error, "3: Duplicate node name in graph: 'x'");
  EXPECT_THAT(
      build(g, "BatchNormWithGlobalNormalization", "old", {x[0], x[0], x[0], x[0], x[0]},
            [](auto* d) {
              TF_SetAttrFloat(d, "variance_epsilon", 0.5f);
              TF_SetAttrBool(d, "scale_after_normalization", 1);
            })
          .error,
      StartsWith("12: Op BatchNormWithGlobalNormalization is not available in GraphDef version 2474. It has "
                 "been removed in version 9."));
}

TEST(COperation, tells_what_attrs_are_wrong) {
  GraphPtr owner(TF_NewGraph());
  TF_Graph* g = owner.get();
  Attempt x = placeholder(g, "x"), b = placeholder(g, "b", TF_BOOL);
  EXPECT_EQ(build(g, "Placeholder", "p").error,
            "3: NodeDef missing attr 'dtype' from Op<name=Placeholder; signature= -> output:dtype; "
            "attr=dtype:type; "
            "attr=shape:shape,default=<unknown>>; NodeDef: {{node p}}");
  EXPECT_THAT(build(g, "Const", "p").error,
              StartsWith("3: NodeDef missing attrs 'dtype', 'value' from Op<name=Const;"));
  EXPECT_EQ(build(g, "Placeholder", "p", {}, [](auto* d) { TF_SetAttrInt(d, "dtype", 1); }).error,
            "3: AttrValue had value with type 'int' when 'type' expected\n\t for attr 'dtype'\n\t; NodeDef: "
            "{{node p}}; "
            "Op<name=Placeholder; signature= -> output:dtype; attr=dtype:type; "
            "attr=shape:shape,default=<unknown>>");
  EXPECT_THAT(
      build(g, "Placeholder", "p", {},
            [](auto* d) { TF_SetAttrType(d, "dtype", static_cast<TF_DataType>(999)); })
          .error,
      StartsWith(
          "3: AttrValue has invalid DataType enum: 999\n\t for attr 'dtype'\n\t; NodeDef: {{node p}}; "));
  EXPECT_THAT(build(g, "Placeholder", "p", {},
                    [](auto* d) { TF_SetAttrType(d, "dtype", static_cast<TF_DataType>(0)); })
                  .error,
              StartsWith("3: AttrValue has invalid DataType\n\t for attr 'dtype'"));
  EXPECT_THAT(
      build(g, "Placeholder", "p", {},
            [](auto* d) {
              TF_SetAttrType(d, "dtype", TF_FLOAT);
              TF_SetAttrType(d, "dtype", TF_INT32);
            })
          .error,
      StartsWith("3: Inconsistent values for attr 'dtype' DT_FLOAT vs. DT_INT32 while building NodeDef 'p'"));
  EXPECT_THAT(
      build(g, "Neg", "p", {b[0]}).error,
      StartsWith(
          "3: Value for attr 'T' of bool is not in the list of allowed values: bfloat16, half, float"));
  EXPECT_THAT(
      build(g, "Unpack", "p", {x[0]}, [](auto* d) { TF_SetAttrInt(d, "num", -1); }).error,
      StartsWith("3: Value for attr 'num' of -1 must be at least minimum 0\n\t; NodeDef: {{node p}}; "));
}

TEST(COperation, runs_the_shape_function) {
  GraphPtr owner(TF_NewGraph());
  TF_Graph* g = owner.get();
  Attempt x = placeholder(g, "x", TF_FLOAT, {2, 3});
  EXPECT_EQ(build(g, "MatMul", "m", {x[0], x[0]}).error,
            "3: Dimensions must be equal, but are 3 and 2 for '{{node m}} = MatMul[T=DT_FLOAT, grad_a=false, "
            "grad_b=false, transpose_a=false, transpose_b=false](x, x)' with input shapes: [2,3], [2,3].");
  EXPECT_EQ(TF_OperationOutputNumConsumers(x[0]), 0) << "no trace is left";
  Attempt again = build(g, "MatMul", "m", {x[0], x[0]}, [](auto* d) { TF_SetAttrBool(d, "transpose_b", 1); });
  ASSERT_NE(again.oper, nullptr) << again.error;
  EXPECT_EQ(shape_of(g, again[0]), "[2,2]");
}

TEST(COperation, reads_back_what_was_built) {
  GraphPtr owner(TF_NewGraph());
  TF_Graph* g = owner.get();
  Status s(TF_NewStatus());
  Attempt x = placeholder(g, "x", TF_FLOAT, {6}), c = placeholder(g, "c");
  Attempt split = build(g, "Split", "s", {int_constant(g, "axis", {0}, {})[0], x[0]}, [&](auto* d) {
    TF_SetAttrInt(d, "num_split", 3);
    TF_SetDevice(d, "/device:CPU:0");
    TF_AddControlInput(d, c.oper);
    TF_AddControlInput(d, c.oper);
  });
  ASSERT_NE(split.oper, nullptr) << split.error;
  EXPECT_STREQ(TF_OperationName(split.oper), "s");
  EXPECT_STREQ(TF_OperationOpType(split.oper), "Split");
  EXPECT_STREQ(TF_OperationDevice(split.oper), "/device:CPU:0");
  EXPECT_EQ(TF_OperationNumInputs(split.oper), 2);
  EXPECT_EQ(TF_OperationNumOutputs(split.oper), 3);
  EXPECT_EQ(TF_OperationInputType({split.oper, 0}), TF_INT32);
  EXPECT_EQ(TF_OperationInputType({split.oper, 7}), 0);
  EXPECT_EQ(TF_OperationOutputType(split[2]), TF_FLOAT);
  EXPECT_EQ(TF_OperationOutputType(split[3]), 0);
  EXPECT_EQ(TF_OperationOutputListLength(split.oper, "output", s.get()), 3);
  EXPECT_EQ(TF_OperationInputListLength(split.oper, "value", s.get()), 1);
  EXPECT_EQ(TF_OperationInputListLength(split.oper, "output", s.get()), -1);
  EXPECT_EQ(describe(s), "3: Input arg 'output' not found");
  EXPECT_EQ(TF_OperationOutputListLength(split.oper, "nope", s.get()), -1);
  EXPECT_EQ(describe(s), "3: Output arg 'nope' not found");
  TF_Output inputs[2];
  TF_OperationAllInputs(split.oper, inputs, 2);
  EXPECT_EQ(inputs[1].oper, x.oper);
  EXPECT_EQ(TF_OperationInput({split.oper, 9}).oper, nullptr);
  TF_Operation* controls[2] = {};
  EXPECT_EQ(TF_OperationGetControlInputs(split.oper, controls, 2), 1);
  EXPECT_EQ(controls[0], c.oper);
  EXPECT_EQ(TF_OperationGetControlOutputs(c.oper, controls, 0), 1);
}

TEST(COperation, lists_consumers) {
  GraphPtr owner(TF_NewGraph());
  TF_Graph* g = owner.get();
  Attempt x = placeholder(g, "x");
  Attempt sum = build(g, "Add", "sum", {x[0], x[0]}), neg = build(g, "Neg", "neg", {x[0]});
  EXPECT_EQ(TF_OperationOutputNumConsumers(x[0]), 3);
  TF_Input users[3] = {};
  EXPECT_EQ(TF_OperationOutputConsumers(x[0], users, 2), 3);
  EXPECT_EQ(users[1].oper, sum.oper);
  EXPECT_EQ(users[1].index, 1);
  EXPECT_EQ(users[2].oper, nullptr) << "only two were asked for";
  TF_OperationOutputConsumers(x[0], users, 3);
  EXPECT_EQ(users[2].oper, neg.oper);
  EXPECT_EQ(TF_OperationOutputNumConsumers(x[1]), 0);
}

TEST(COperation, infers_attrs_of_lists) {
  GraphPtr owner(TF_NewGraph());
  TF_Graph* g = owner.get();
  Status s(TF_NewStatus());
  Attempt x = placeholder(g, "x"), i = placeholder(g, "i", TF_INT32);
  const TF_Output both[] = {x[0], i[0]}, same[] = {x[0], x[0]};
  Attempt mixed = build(g, "IdentityN", "mixed", {}, [&](auto* d) { TF_AddInputList(d, both, 2); });
  TF_DataType types[2];
  TF_OperationGetAttrTypeList(mixed.oper, "T", types, 2, s.get());
  EXPECT_THAT(types, ElementsAre(TF_FLOAT, TF_INT32));
  EXPECT_THAT(build(g, "Concat", "c", {i[0]}, [&](auto* d) { TF_AddInputList(d, both, 2); }).error,
              StartsWith("3: Input 'values' passed int32 expected float while building NodeDef 'c'"));
  EXPECT_THAT(build(g, "Concat", "c", {i[0]}, [&](auto* d) { TF_AddInputList(d, same, 1); }).error,
              StartsWith("3: Value for attr 'N' of 1 must be at least minimum 2\n\t; NodeDef: {{node c}}; "));
  EXPECT_THAT(
      build(g, "IdentityN", "none", {}, [&](auto* d) { TF_AddInputList(d, nullptr, 0); }).error,
      StartsWith("3: Length for attr 'T' of 0 must be at least minimum 1\n\t; NodeDef: {{node none}}; "));
}

TEST(COperation, is_colocated) {
  GraphPtr owner(TF_NewGraph());
  TF_Graph* g = owner.get();
  Status s(TF_NewStatus());
  Attempt a = placeholder(g, "a"), b = placeholder(g, "b");
  Attempt n = build(g, "Neg", "n", {a[0]}, [&](auto* d) {
    TF_ColocateWith(d, b.oper);
    TF_ColocateWith(d, a.oper);
    TF_ColocateWith(d, b.oper);
  });
  TF_AttrMetadata m = TF_OperationGetAttrMetadata(n.oper, "_class", s.get());
  EXPECT_EQ(m.list_size, 2);
  EXPECT_EQ(m.total_size, 12);
  Attempt replaced = build(g, "Neg", "r", {a[0]}, [&](auto* d) {
    TF_ColocateWith(d, b.oper);
    TF_SetAttrValueProto(d, "_class", "", 0, s.get());
  });
  EXPECT_EQ(TF_OperationGetNumAttrs(replaced.oper), 1);
  build(g, "Neg", "x", {a[0]}, [&](auto* d) { TF_SetAttrValueProto(d, "_class", "\x18\x05", 2, s.get()); });
  EXPECT_EQ(describe(s), "3: Expected \"list\" field for \"_class\" attribute");
}

}  // namespace
}  // namespace c_test
