#include "tests/actors/gradients/gradient_check.h"

namespace troupe::test {
namespace {

Input ints64(const std::vector<int64_t>& values, const std::vector<int64_t>& shape = {}) {
  Tensor t(DataType::kInt64, shape.empty() ? Shape{static_cast<int64_t>(values.size())} : Shape(shape));
  std::copy(values.begin(), values.end(), t.flat<int64_t>().begin());
  return fixed(t);
}

Input matrix_ints(const std::vector<int64_t>& shape, const std::vector<int>& values) {
  Input in = fixed_ints(values);
  in.value = in.value.reshaped(Shape(shape));
  return in;
}

/// An op with one list argument first, then others.
testing::AssertionResult list_op(const std::string& op, const std::vector<Input>& list,
                                 const std::vector<Input>& behind = {}, AttrMap attrs = {},
                                 const std::vector<Input>& before = {}) {
  std::vector<Input> all = before;
  all.insert(all.end(), list.begin(), list.end());
  all.insert(all.end(), behind.begin(), behind.end());
  return gradients_match(all, [&](GraphBuilder& b, const std::vector<Out>& in) {
    std::vector<In> args(in.begin(), in.begin() + static_cast<long>(before.size()));
    const auto first = in.begin() + static_cast<long>(before.size());
    args.push_back(std::vector<Out>(first, first + static_cast<long>(list.size())));
    args.insert(args.end(), first + static_cast<long>(list.size()), in.end());
    const Out y = b.op(op, args, attrs);
    std::vector<Out> out;
    for (int i = 0; y.valid() && i < b.graph().node(y.node()).num_outputs(); ++i) {
      if (is_floating(b.type_of(y[i]))) out.push_back(y[i]);
    }
    return out;
  });
}

TEST(ReductionGradients, agree_with_differences) {
  for (const char* op : {"Sum", "Mean", "Max", "Min", "Prod", "EuclideanNorm"}) {
    for (bool keep : {false, true}) {
      const AttrMap attrs{{"keep_dims", keep}};
      EXPECT_TRUE(op_gradients_match(op, {varied({2, 3, 2}, 0.5, 2), fixed_ints({1})}, attrs)) << op;
      EXPECT_TRUE(op_gradients_match(op, {varied({2, 3, 2}, 0.5, 2), fixed_ints({-1, 0})}, attrs)) << op;
      EXPECT_TRUE(op_gradients_match(op, {varied({2, 3}, 0.5, 2), fixed_int(0)}, attrs)) << op;
      EXPECT_TRUE(op_gradients_match(op, {varied({2, 3}, 0.5, 2), ints64({0, 1})}, attrs)) << op;
    }
  }
  const Input zeros{true, Tensor::from<double>(Shape{2, 3}, {0.0, 2.0, 3.0, 0.0, 0.0, 5.0})};
  EXPECT_TRUE(op_gradients_match("Prod", {zeros, fixed_ints({1})})) << "factors that are zero";
}

TEST(ScanGradients, agree_with_differences) {
  for (const char* op : {"Cumsum", "Cumprod", "CumulativeLogsumexp"}) {
    for (bool exclusive : {false, true}) {
      for (bool reverse : {false, true}) {
        const AttrMap attrs{{"exclusive", exclusive}, {"reverse", reverse}};
        EXPECT_TRUE(op_gradients_match(op, {varied({2, 4}, 0.5, 2), fixed_int(1)}, attrs))
            << op << exclusive << reverse;
      }
    }
  }
  EXPECT_TRUE(op_gradients_match("Cumprod", {varied({4}, 0.5, 2, DataType::kComplex128), fixed_int(0)}));
}

TEST(MatrixProductGradients, agree_with_differences) {
  for (bool ta : {false, true}) {
    for (bool tb : {false, true}) {
      auto a = [&](DataType t = DataType::kDouble) {
        return varied(ta ? std::vector<int64_t>{3, 2} : std::vector<int64_t>{2, 3}, -1, 1, t);
      };
      auto b = [&](DataType t = DataType::kDouble) {
        return varied(tb ? std::vector<int64_t>{4, 3} : std::vector<int64_t>{3, 4}, -1, 1, t);
      };
      EXPECT_TRUE(op_gradients_match("MatMul", {a(), b()}, {{"transpose_a", ta}, {"transpose_b", tb}}))
          << ta << tb;
      const AttrMap adj{{"adj_x", ta}, {"adj_y", tb}};
      EXPECT_TRUE(op_gradients_match("BatchMatMul", {a(), b()}, adj)) << ta << tb;
      EXPECT_TRUE(
          op_gradients_match("BatchMatMulV2", {a(DataType::kComplex128), b(DataType::kComplex128)}, adj));
      Input many = varied(ta ? std::vector<int64_t>{2, 1, 3, 2} : std::vector<int64_t>{2, 1, 2, 3});
      EXPECT_TRUE(op_gradients_match("BatchMatMulV2", {many, b()}, adj)) << ta << tb;
      AttrMap v3 = adj;
      v3.set("Tout", DataType::kDouble);
      EXPECT_TRUE(op_gradients_match("BatchMatMulV3", {many, b()}, v3)) << ta << tb;
    }
  }
  const DataType f = DataType::kFloat;
  EXPECT_TRUE(op_gradients_match("SparseMatMul", {varied({2, 3}, -1, 1, f), varied({3, 2}, -1, 1, f)},
                                 {{"a_is_sparse", true}}, {}, {1e-2, 1e-2}));
  EXPECT_TRUE(op_gradients_match("Cross", {varied({2, 3}), varied({2, 3})}));
}

TEST(ShapeGradients, agree_with_differences) {
  const Input x = varied({2, 6});
  EXPECT_TRUE(op_gradients_match("Reshape", {x, fixed_ints({3, -1})}));
  EXPECT_TRUE(op_gradients_match("ExpandDims", {x, fixed_int(1)}));
  EXPECT_TRUE(op_gradients_match("Squeeze", {varied({1, 3, 1})}));
  EXPECT_TRUE(op_gradients_match("Transpose", {varied({2, 3, 4}), fixed_ints({2, 0, 1})}));
  EXPECT_TRUE(op_gradients_match("ConjugateTranspose",
                                 {varied({2, 3}, -1, 1, DataType::kComplex128), fixed_ints({1, 0})}));
  EXPECT_TRUE(op_gradients_match("Tile", {varied({2, 3}), fixed_ints({3, 2})}));
  EXPECT_TRUE(op_gradients_match("BroadcastTo", {varied({2, 1}), fixed_ints({3, 2, 2})}));
  EXPECT_TRUE(op_gradients_match("Fill", {fixed_ints({2, 3}), varied({})}));
  EXPECT_TRUE(op_gradients_match("EnsureShape", {x}, {{"shape", PartialShape({2, -1})}}));
  EXPECT_TRUE(op_gradients_match("PlaceholderWithDefault", {varied({2})}, {{"shape", PartialShape({2})}}));
  EXPECT_TRUE(list_op("IdentityN", {varied({2}), varied({3})}));
}

TEST(ConcatGradients, agree_with_differences) {
  EXPECT_TRUE(list_op("ConcatV2", {varied({2, 1}), varied({2, 3}), varied({2, 2})}, {fixed_int(-1)}));
  EXPECT_TRUE(list_op("Concat", {varied({1, 2}), varied({2, 2})}, {}, {}, {fixed_int(0)}));
  EXPECT_TRUE(list_op("Pack", {varied({2, 2}), varied({2, 2})}, {}, {{"axis", 1}}));
  EXPECT_TRUE(
      list_op("ParallelConcat", {varied({1, 2}), varied({1, 2})}, {}, {{"shape", PartialShape({2, 2})}}));
  EXPECT_TRUE(op_gradients_match("Unpack", {varied({2, 3})}, {{"num", 3}, {"axis", -1}}));
  EXPECT_TRUE(op_gradients_match("Unpack", {varied({2, 3})}, {{"num", 2}}, {1})) << "one output only";
  EXPECT_TRUE(op_gradients_match("Split", {fixed_int(1), varied({2, 4})}, {{"num_split", 2}}));
  EXPECT_TRUE(op_gradients_match("Split", {fixed_int(1), varied({2, 4})}, {{"num_split", 2}}, {0}));
  EXPECT_TRUE(op_gradients_match("Split", {fixed_int(1), varied({2, 4})}, {{"num_split", 1}}));
  EXPECT_TRUE(op_gradients_match("SplitV", {varied({2, 4}), fixed_ints({4}), fixed_int(1)}, {{"num_split", 1}}));
  EXPECT_TRUE(
      op_gradients_match("SplitV", {varied({2, 4}), fixed_ints({1, 3}), fixed_int(1)}, {{"num_split", 2}}));
}

TEST(PadGradients, agree_with_differences) {
  const Input paddings = matrix_ints({2, 2}, {1, 0, 2, 1});
  EXPECT_TRUE(op_gradients_match("Pad", {varied({2, 3}), paddings}));
  EXPECT_TRUE(op_gradients_match("PadV2", {varied({2, 3}), paddings, varied({})}));
  for (const char* mode : {"REFLECT", "SYMMETRIC"}) {
    const Input small = matrix_ints({2, 2}, {1, 0, 2, 1});
    EXPECT_TRUE(op_gradients_match("MirrorPad", {varied({2, 4}), small}, {{"mode", mode}})) << mode;
    EXPECT_TRUE(op_gradients_match("MirrorPadGrad", {varied({4, 7}), small}, {{"mode", mode}})) << mode;
  }
}

TEST(SliceGradients, agree_with_differences) {
  EXPECT_TRUE(op_gradients_match("Slice", {varied({3, 4}), fixed_ints({1, 0}), fixed_ints({-1, 2})}));
  EXPECT_TRUE(op_gradients_match("Slice", {varied({3, 4}), ints64({1, 0}), ints64({2, 2})}));
  EXPECT_TRUE(op_gradients_match(
      "StridedSlice", {varied({3, 5}), fixed_ints({0, 4}), fixed_ints({2, 0}), fixed_ints({1, -2})},
      {{"begin_mask", 1}}));
  EXPECT_TRUE(op_gradients_match("StridedSlice",
                                 {varied({3, 5}), fixed_ints({1, 0}), fixed_ints({2, 3}), fixed_ints({1, 1})},
                                 {{"shrink_axis_mask", 1}}));
  EXPECT_TRUE(
      op_gradients_match("StridedSliceGrad", {fixed_ints({3, 4}), fixed_ints({0, 1}), fixed_ints({3, 3}),
                                              fixed_ints({2, 1}), varied({2, 2})}));
  EXPECT_TRUE(
      op_gradients_match("TensorStridedSliceUpdate", {varied({3, 4}), fixed_ints({0, 1}), fixed_ints({3, 3}),
                                                      fixed_ints({2, 1}), varied({2, 2})}));
  EXPECT_TRUE(op_gradients_match("TopKV2", {varied({2, 2, 5}), fixed_int(2)}));
  EXPECT_TRUE(op_gradients_match("NthElement", {varied({2, 5}), fixed_int(2)}));
}

TEST(GatherGradients, agree_with_differences) {
  const Input some = matrix_ints({2, 2}, {0, 2, 2, 1});
  EXPECT_TRUE(op_gradients_match("Gather", {varied({3, 2}), some}));
  EXPECT_TRUE(op_gradients_match("GatherV2", {varied({3, 2}), some, fixed_int(0)}));
  EXPECT_TRUE(op_gradients_match("GatherV2", {varied({2, 3, 2}), some, fixed_int(1)}));
  EXPECT_TRUE(op_gradients_match("GatherV2", {varied({2, 2, 3}), some, fixed_int(-1)}));
  EXPECT_TRUE(op_gradients_match("GatherV2", {varied({2, 3, 2}), some, fixed_int(1)}, {{"batch_dims", 1}}));
  EXPECT_TRUE(op_gradients_match("GatherV2", {varied({2, 2, 3}), some, fixed_int(2)}, {{"batch_dims", 1}}));
  const Input nd = matrix_ints({3, 2}, {0, 1, 1, 1, 0, 1});
  EXPECT_TRUE(op_gradients_match("GatherNd", {varied({2, 2, 2}), nd}));
  EXPECT_TRUE(op_gradients_match("ScatterNd", {nd, varied({3, 2}), fixed_ints({2, 2, 2})}));
  EXPECT_TRUE(op_gradients_match("ScatterNdNonAliasingAdd", {varied({2, 2}), nd, varied({3})}));
  EXPECT_TRUE(op_gradients_match("TensorScatterAdd", {varied({2, 2}), nd, varied({3})}));
  EXPECT_TRUE(op_gradients_match("TensorScatterSub", {varied({2, 2}), nd, varied({3})}));
  const Input unique = matrix_ints({2, 2}, {0, 1, 1, 1});
  EXPECT_TRUE(op_gradients_match("TensorScatterUpdate", {varied({2, 2}), unique, varied({2})}));
  EXPECT_TRUE(op_gradients_match("TensorScatterMax", {varied({2, 2}), nd, varied({3})}));
  EXPECT_TRUE(op_gradients_match("TensorScatterMin", {varied({2, 2}), nd, varied({3})}));
}

TEST(SegmentGradients, agree_with_differences) {
  const Input ids = fixed_ints({0, 0, 1, 3}), loose = fixed_ints({2, -1, 0, 2}), n = fixed_int(4);
  for (const char* op : {"SegmentSum", "SegmentMean", "SegmentMax", "SegmentMin", "SegmentProd"}) {
    EXPECT_TRUE(op_gradients_match(op, {varied({4, 2}, 0.5, 2), ids})) << op;
  }
  for (const char* op :
       {"UnsortedSegmentSum", "UnsortedSegmentMax", "UnsortedSegmentMin", "UnsortedSegmentProd"}) {
    EXPECT_TRUE(op_gradients_match(op, {varied({4, 2}, 0.5, 2), loose, n})) << op;
  }
  const Input zero{true, Tensor::from<double>(Shape{4}, {0.0, 2.0, 3.0, 0.0})};
  EXPECT_TRUE(op_gradients_match("SegmentProd", {zero, fixed_ints({0, 0, 1, 1})}));
  const Input rows = fixed_ints({2, 0, 2}), segments = fixed_ints({0, 0, 2});
  for (const char* op : {"SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN"}) {
    EXPECT_TRUE(op_gradients_match(op, {varied({3, 2}), rows, segments})) << op;
    EXPECT_TRUE(op_gradients_match(std::string(op) + "WithNumSegments", {varied({3, 2}), rows, segments, n}))
        << op;
  }
}

TEST(MoveGradients, agree_with_differences) {
  EXPECT_TRUE(op_gradients_match("Reverse", {varied({2, 3}), fixed(Tensor::vector<bool>({true, false}))}));
  EXPECT_TRUE(op_gradients_match("ReverseV2", {varied({2, 3}), fixed_ints({1})}));
  EXPECT_TRUE(op_gradients_match("ReverseSequence", {varied({2, 4}), ints64({2, 3})},
                                 {{"seq_dim", 1}, {"batch_dim", 0}}));
  EXPECT_TRUE(op_gradients_match("Roll", {varied({2, 4}), fixed_ints({1, -2}), fixed_ints({0, 1})}));
  const Input none = matrix_ints({2, 2}, {0, 0, 0, 0});
  EXPECT_TRUE(op_gradients_match("SpaceToBatch", {varied({1, 2, 4, 1}), none}, {{"block_size", 2}}));
  EXPECT_TRUE(op_gradients_match("BatchToSpace", {varied({4, 1, 2, 1}), none}, {{"block_size", 2}}));
  EXPECT_TRUE(op_gradients_match("SpaceToBatchND", {varied({1, 2, 4, 1}), fixed_ints({2, 2}), none}));
  EXPECT_TRUE(op_gradients_match("BatchToSpaceND", {varied({4, 1, 2, 1}), fixed_ints({2, 2}), none}));
  EXPECT_TRUE(op_gradients_match("SpaceToDepth", {varied({1, 2, 4, 1})}, {{"block_size", 2}}));
  EXPECT_TRUE(op_gradients_match("DepthToSpace", {varied({1, 1, 2, 4})}, {{"block_size", 2}}));
  const std::vector<int64_t> k{1, 2, 2, 1}, s{1, 1, 2, 1}, one{1, 1, 1, 1};
  for (const char* padding : {"SAME", "VALID"}) {
    EXPECT_TRUE(op_gradients_match("ExtractImagePatches", {varied({2, 3, 4, 2})},
                                   {{"ksizes", k}, {"strides", s}, {"rates", one}, {"padding", padding}}));
    const std::vector<int64_t> k3{1, 2, 2, 1, 1}, s3{1, 1, 2, 1, 1};
    EXPECT_TRUE(op_gradients_match("ExtractVolumePatches", {varied({1, 3, 4, 2, 2})},
                                   {{"ksizes", k3}, {"strides", s3}, {"padding", padding}}));
  }
}

TEST(DiagonalGradients, agree_with_differences) {
  EXPECT_TRUE(op_gradients_match("Diag", {varied({3})}));
  EXPECT_TRUE(op_gradients_match("DiagPart", {varied({3, 3})}));
  EXPECT_TRUE(op_gradients_match("MatrixDiag", {varied({2, 3})}));
  EXPECT_TRUE(op_gradients_match("MatrixDiagPart", {varied({2, 3, 4})}));
  EXPECT_TRUE(op_gradients_match("MatrixSetDiag", {varied({2, 3, 4}), varied({2, 3})}));
  const Input one = fixed(Tensor::scalar<int64_t>(1)), every = fixed(Tensor::scalar<int64_t>(-1));
  EXPECT_TRUE(op_gradients_match("MatrixBandPart", {varied({3, 4}), one, every}));
  const Input k = fixed_ints({-1, 1}), pad = fixed(Tensor::scalar<double>(0)), all = fixed_int(-1);
  for (const char* v : {"V2", "V3"}) {
    const std::string version = v;
    EXPECT_TRUE(op_gradients_match("MatrixDiag" + version, {varied({3, 3}), k, all, all, pad})) << v;
    EXPECT_TRUE(op_gradients_match("MatrixDiagPart" + version, {varied({2, 3, 3}), k, pad})) << v;
    EXPECT_TRUE(op_gradients_match("MatrixSetDiag" + version, {varied({3, 3}), varied({3, 3}), k})) << v;
  }
}

TEST(FlowGradients, of_partition_and_stitch_agree_with_differences) {
  EXPECT_TRUE(op_gradients_match("DynamicPartition", {varied({4, 2}), fixed_ints({1, 0, 1, 1})},
                                 {{"num_partitions", 3}}));
  EXPECT_TRUE(
      gradients_match({varied({2, 2}), varied({1, 2})}, [](GraphBuilder& b, const std::vector<Out>& in) {
        const Out first = b.constant(Tensor::vector<int32_t>({0, 2})),
                  second = b.constant(Tensor::vector<int32_t>({1}));
        return std::vector<Out>{b.op("DynamicStitch", {std::vector<Out>{first, second}, in})};
      }));
}

}  // namespace
}  // namespace troupe::test
