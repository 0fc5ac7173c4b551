#include <gmock/gmock.h>

#include "tests/graph/ops/shape_testing.h"

namespace troupe {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr DataType kInt = DataType::kInt32;

TEST(ShapeFunctions, multiply_matrices) {
  ShapeGraph g;
  Out a = g.input({2, 3}), b = g.input({-1, 5}), bad = g.input({4, 5});
  EXPECT_EQ(g.shape("MatMul", {a, b}), "[2,5]");
  EXPECT_EQ(g.shape("MatMul", {a, b}, {{"transpose_a", true}}), "[3,5]");
  EXPECT_EQ(g.shape("BatchMatMulV2", {g.input({7, 1, 2, 3}), g.input({4, 3, 5})}), "[7,4,2,5]");
  EXPECT_THAT(g.shape("MatMul", {a, bad}),
              StartsWith("Dimensions must be equal, but are 3 and 4 for '{{node"));
  EXPECT_THAT(g.shape("MatMul", {a, g.input({4})}), StartsWith("Shape must be rank 2 but is rank 1 for"));
}

TEST(ShapeFunctions, reshape_to_what_is_known) {
  ShapeGraph g;
  Out x = g.input({2, 6});
  EXPECT_EQ(g.shape("Reshape", {x, g.ints({3, -1})}), "[3,4]");
  EXPECT_EQ(g.shape("Reshape", {g.input({-1, 6}), g.ints({-1, 3})}), "[?,3]");
  EXPECT_EQ(g.shape("Reshape", {x, g.input({3}, kInt)}), "[?,?,?]");
  EXPECT_THAT(g.shape("Reshape", {x, g.ints({5})}),
              StartsWith("Cannot reshape a tensor with 12 elements to shape [5] (5 elements) for"));
  EXPECT_THAT(g.shape("Reshape", {x, g.ints({5, -1})}),
              StartsWith("Dimension size must be evenly divisible by 5 but is 12 for"));
}

TEST(ShapeFunctions, follow_values_of_shapes) {
  ShapeGraph g;
  Out x = g.input({-1, 4, 5});
  Out shape = g.b.op("Shape", {x});
  Out batch =
      g.b.op("StridedSlice", {shape, g.ints({0}), g.ints({1}), g.ints({1})}, {{"shrink_axis_mask", 1}});
  Out size = g.b.op("Mul", {g.b.constant(4), g.b.constant(5)});
  Out flat = g.b.op("Pack", {std::vector<Out>{batch, size}});
  EXPECT_EQ(g.shape("Reshape", {x, flat}), "[?,20]");
  EXPECT_EQ(g.shape("Fill", {shape, g.b.constant(0.0f)}), "[?,4,5]");
  Out inner = g.b.op("Prod", {g.b.op("Slice", {shape, g.ints({1}), g.ints({-1})}), g.ints({0})});
  EXPECT_EQ(
      g.shape("RandomUniform", {g.b.op("Pack", {std::vector<Out>{inner}})}, {{"dtype", DataType::kFloat}}),
      "[20]");
}

TEST(ShapeFunctions, join_and_cut) {
  ShapeGraph g;
  Out x = g.input({2, 3}), y = g.input({2, -1}), zero = g.b.constant(0), one = g.b.constant(1);
  EXPECT_EQ(g.shape("ConcatV2", {std::vector<Out>{x, x}, zero}), "[4,3]");
  EXPECT_EQ(g.shape("ConcatV2", {std::vector<Out>{x, y}, one}), "[2,?]");
  EXPECT_THAT(
      g.shape("ConcatV2", {std::vector<Out>{x, g.input({5, 3})}, one}),
      StartsWith("Dimension 0 in both shapes must be equal, but are 2 and 5. Shapes are [2] and [5]."));
  EXPECT_EQ(g.shape("Pack", {std::vector<Out>{x, y}}, {{"axis", -1}}), "[2,3,2]");
  EXPECT_EQ(g.shape("Split", {one, x}, {{"num_split", 3}}), "[2,1]");
  EXPECT_THAT(g.shape("Split", {zero, x}, {{"num_split", 3}}),
              StartsWith("Dimension size must be evenly divisible by 3 but is 2\n\tNumber of ways to split"));
  EXPECT_EQ(g.shape("Unpack", {x}, {{"num", 2}}), "[3]");
  EXPECT_EQ(g.shape("Tile", {x, g.ints({2, 3})}), "[4,9]");
  EXPECT_EQ(g.shape("Slice", {x, g.ints({0, 1}), g.ints({-1, 2})}), "[2,2]");
}

TEST(ShapeFunctions, slice_with_strides_and_masks) {
  ShapeGraph g;
  Out x = g.input({10, -1, 6});
  auto slice = [&](std::vector<int> begin, std::vector<int> end, std::vector<int> strides, AttrMap masks) {
    return g.shape("StridedSlice",
                   {x, g.ints({begin.begin(), begin.end()}), g.ints({end.begin(), end.end()}),
                    g.ints({strides.begin(), strides.end()})},
                   std::move(masks));
  };
  EXPECT_EQ(slice({1}, {8}, {3}, {}), "[3,?,6]");
  EXPECT_EQ(slice({-1}, {0}, {-2}, {}), "[5,?,6]");
  EXPECT_EQ(slice({0, 2}, {0, 5}, {1, 1}, {{"ellipsis_mask", 1}}), "[10,?,3]");
  EXPECT_EQ(slice({0, 0}, {0, 0}, {1, 1}, {{"new_axis_mask", 1}, {"shrink_axis_mask", 2}}), "[1,?,6]");
  EXPECT_THAT(slice({10}, {11}, {1}, {{"shrink_axis_mask", 1}}),
              StartsWith("slice index 10 of dimension 0 out of bounds."));
  EXPECT_THAT(slice({0}, {1}, {0}, {}), StartsWith("strides[0] must be non-zero"));
  EXPECT_THAT(slice({0, 0, 0, 0}, {1, 1, 1, 1}, {1, 1, 1, 1}, {}),
              StartsWith("Index out of range using input dim 3; input has only 3 dims"));
}

TEST(ShapeFunctions, gather_and_scatter) {
  ShapeGraph g;
  Out params = g.input({5, 6, 7}), ids = g.input({2, 3}, kInt);
  EXPECT_EQ(g.shape("GatherV2", {params, ids, g.b.constant(1)}), "[5,2,3,7]");
  EXPECT_EQ(g.shape("GatherNd", {params, g.input({4, 2}, kInt)}), "[4,7]");
  EXPECT_THAT(g.shape("GatherNd", {params, g.input({4, 9}, kInt)}), HasSubstr("must be <= params.rank"));
  EXPECT_EQ(g.shape("ScatterNd", {g.input({4, 1}, kInt), g.input({4, 8}), g.ints({10, 8})}), "[10,8]");
  EXPECT_THAT(g.shape("ScatterNd", {g.input({4, 1}, kInt), g.input({4, 9}), g.ints({10, 8})}),
              HasSubstr("must match dimensions [1,2) of updates"));
}

TEST(ShapeFunctions, reduce) {
  ShapeGraph g;
  Out x = g.input({2, 3, 4});
  EXPECT_EQ(g.shape("Sum", {x, g.ints({0, -1})}), "[3]");
  EXPECT_EQ(g.shape("Mean", {x, g.ints({1})}, {{"keep_dims", true}}), "[2,1,4]");
  EXPECT_EQ(g.shape("Max", {x, g.input({1}, kInt)}), "<unknown>");
  EXPECT_EQ(g.shape("ArgMax", {x, g.b.constant(1)}), "[2,4]");
  EXPECT_THAT(g.shape("Sum", {x, g.ints({3})}),
              StartsWith("Invalid reduction dimension 3 for input with 3 dimensions."));
}

TEST(ShapeFunctions, slide_windows) {
  ShapeGraph g;
  Out image = g.input({-1, 28, 28, 3}), filter = g.input({5, 5, 3, 16});
  AttrMap same{{"strides", std::vector<int64_t>{1, 2, 2, 1}}, {"padding", "SAME"}};
  AttrMap valid{{"strides", std::vector<int64_t>{1, 2, 2, 1}}, {"padding", "VALID"}};
  EXPECT_EQ(g.shape("Conv2D", {image, filter}, same), "[?,14,14,16]");
  EXPECT_EQ(g.shape("Conv2D", {image, filter}, valid), "[?,12,12,16]");
  EXPECT_EQ(g.shape("DepthwiseConv2dNative", {image, g.input({3, 3, 3, 2})}, valid), "[?,13,13,6]");
  EXPECT_THAT(g.shape("Conv2D", {image, g.input({5, 5, 4, 16})}, same),
              StartsWith("Depth of input (3) is not a multiple of input depth of filter (4)"));
  EXPECT_THAT(g.shape("Conv2D", {g.input({1, 3, 3, 3}), filter}, valid),
              StartsWith("Negative dimension size caused by subtracting 5 from 3"));
  AttrMap pool = same;
  pool.set("ksize", std::vector<int64_t>{1, 3, 3, 1});
  EXPECT_EQ(g.shape("MaxPool", {image}, pool), "[?,14,14,3]");
  EXPECT_EQ(g.shape("MaxPoolGradGrad", {image, image, image}, pool), "[?,14,14,3]");
}

TEST(ShapeFunctions, of_layers) {
  ShapeGraph g;
  EXPECT_EQ(g.shape("BiasAdd", {g.input({-1, -1}), g.input({7})}), "[?,7]");
  EXPECT_EQ(g.shape("SoftmaxCrossEntropyWithLogits", {g.input({-1, 5}), g.input({3, -1})}), "[3]");
  EXPECT_EQ(g.shape("TopKV2", {g.input({4, 9}), g.b.constant(3)}), "[4,3]");
  EXPECT_THAT(g.shape("TopKV2", {g.input({4, 2}), g.b.constant(3)}),
              StartsWith("input must have last dimension >= k = 3 but is 2"));
}

TEST(ShapeFunctions, read_variables_through_their_handles) {
  ShapeGraph g;
  Out handle = g.b.op("VarHandleOp", {}, {{"dtype", DataType::kFloat}, {"shape", PartialShape{3, -1}}});
  EXPECT_EQ(g.shape("ReadVariableOp", {handle}, {{"dtype", DataType::kFloat}}), "[3,?]");
  EXPECT_EQ(g.shape("ResourceGather", {handle, g.input({5}, kInt)}, {{"dtype", DataType::kFloat}}), "[5,?]");
  EXPECT_THAT(
      g.shape("AssignVariableOp", {handle, g.input({4, 2})}),
      StartsWith("Dimension 0 in both shapes must be equal, but are 3 and 4. Shapes are [3,?] and [4,2]."));
  EXPECT_THAT(g.shape("ReadVariableOp", {handle}, {{"dtype", kInt}}),
              StartsWith("Trying to read variable with wrong dtype. Expected float got int32"));
}

TEST(ShapeFunctions, check_updates_of_variables_by_their_signature) {
  ShapeGraph g;
  auto variable = [&](const PartialShape& shape) {
    return g.b.op("VariableV2", {}, {{"dtype", DataType::kFloat}, {"shape", shape}});
  };
  Out scalar = g.input(PartialShape(std::vector<int64_t>()));
  Out var = variable({2, 3}), accum = variable({-1, 3});
  EXPECT_EQ(g.shape("ApplyMomentum", {var, accum, scalar, g.input({2, 3}), scalar}), "[2,3]");
  EXPECT_THAT(g.shape("ApplyMomentum", {var, accum, scalar, g.input({2, 4}), scalar}),
              StartsWith("Dimension 1 in both shapes must be equal, but are 3 and 4."));
  EXPECT_THAT(g.shape("ApplyMomentum", {var, accum, g.input({1}), g.input({2, 3}), scalar}),
              StartsWith("Shape must be rank 0 but is rank 1"));
  EXPECT_EQ(g.shape("SparseApplyAdagrad", {var, accum, scalar, g.input({5, 3}), g.input({5}, kInt)}),
            "[2,3]");
}

TEST(ShapeFunctions, carry_elements_of_lists_and_arrays) {
  ShapeGraph g;
  Out list =
      g.b.op("TensorListReserve", {g.ints({4, -1}), g.b.constant(3)}, {{"element_dtype", DataType::kFloat}});
  EXPECT_EQ(g.shape("TensorListStack", {list, g.ints({-1, 7})}, {{"element_dtype", DataType::kFloat}}),
            "[?,4,7]");
  Out array = g.b.op("TensorArrayV3", {g.b.constant(3)},
                     {{"dtype", DataType::kFloat}, {"element_shape", PartialShape{8}}});
  Out flow = array[1];
  EXPECT_EQ(g.shape("TensorArrayReadV3", {array, g.b.constant(0), flow}, {{"dtype", DataType::kFloat}}),
            "[8]");
}

TEST(ShapeFunctions, of_lists_leave_to_the_kernels_what_tensorflow_leaves_to_them) {
  ShapeGraph g;
  Out list =
      g.b.op("TensorListReserve", {g.ints({2}), g.b.constant(3)}, {{"element_dtype", DataType::kFloat}});
  EXPECT_EQ(g.shape("TensorListPushBack", {list, g.input({3})}, {{"element_dtype", DataType::kFloat}}), "[]")
      << "the shape of what is appended";
  EXPECT_THAT(g.shape("TensorListPushBack", {list, g.input({2}, kInt)}, {{"element_dtype", kInt}}),
              StartsWith("Trying to push to list with wrong element dtype."));
  EXPECT_EQ(
      g.shape("TensorListSetItem", {list, g.b.constant(0), g.input({2}, kInt)}, {{"element_dtype", kInt}}),
      "[]")
      << "the dtype of what is set";
  EXPECT_THAT(g.shape("TensorListSetItem", {list, g.b.constant(0), g.input({3})},
                      {{"element_dtype", DataType::kFloat}}),
              StartsWith("Dimension 0 in both shapes must be equal"));
}

TEST(ShapeFunctions, of_two_errors_report_the_one_that_shows_without_values) {
  ShapeGraph g;
  // Both the rank and the value of the axis are wrong; TensorFlow looks at values in a second round.
  std::string message = g.shape("Sum", {g.input({2}), g.b.constant(Tensor::from<int32_t>(Shape{1, 1}, {5}))});
  EXPECT_THAT(message, StartsWith("Shape must be at most rank 1 but is rank 2"));
  EXPECT_THAT(message, testing::EndsWith("with input shapes: [2], [1,1]."));
}

TEST(ShapeFunctions, take_bands_of_diagonals_out) {
  ShapeGraph g;
  Out x = g.input({2, 3, 4}), zero = g.b.constant(0.0f);
  for (const char* op : {"MatrixDiagPartV2", "MatrixDiagPartV3"}) {
    auto part = [&](Out in, In k) { return g.shape(op, {in, k, zero}); };
    EXPECT_EQ(part(x, g.ints({-1, 1})), "[2,3,3]") << op;
    EXPECT_EQ(part(x, g.b.constant(-1)), "[2,2]");
    EXPECT_EQ(part(x, g.ints({0})), "[2,3]");
    EXPECT_EQ(part(g.input({-1, 4}), g.ints({-1, 1})), "[3,?]");
    EXPECT_EQ(part(g.input({2, 0, 4}), g.ints({0, 1})), "[2,2,0]");
    EXPECT_EQ(part(x, g.input({2}, kInt)), "<unknown>");
    EXPECT_THAT(part(x, g.ints({1, 0})), StartsWith("lower_diag_index is greater than upper_diag_index for"));
    EXPECT_THAT(part(x, g.ints({-3, 1})), StartsWith("lower_diag_index is out of bound. for"));
    EXPECT_THAT(part(x, g.ints({-1, 7})), StartsWith("upper_diag_index is out of bound. for"));
    EXPECT_THAT(part(x, g.ints({-1, 1, 2})),
                StartsWith("diag_index must be a vector with one or two elements. It has 3 elements. for"));
  }
}

TEST(ShapeFunctions, make_matrices_of_bands_of_diagonals) {
  ShapeGraph g;
  Out zero = g.b.constant(0.0f), any = g.input({}, kInt);
  auto size = [&](int n) { return g.b.constant(n); };
  for (const char* op : {"MatrixDiagV2", "MatrixDiagV3"}) {
    auto matrix = [&](const PartialShape& in, In k, Out rows, Out cols) {
      return g.shape(op, {g.input(in), k, rows, cols, zero});
    };
    const Out band = g.ints({-1, 1}), none = size(-1);
    EXPECT_EQ(matrix({2, 3, 4}, band, none, none), "[2,4,4]") << op;
    EXPECT_EQ(matrix({3, 4}, g.b.constant(-1), none, none), "[3,5,5]");
    EXPECT_EQ(matrix({2, 3, 4}, band, size(5), none), "[2,5,4]");
    EXPECT_EQ(matrix({2, 3, 4}, band, none, size(5)), "[2,4,5]");
    EXPECT_EQ(matrix({2, -1, -1}, band, none, none), "[2,?,?]");
    EXPECT_EQ(matrix({2, 3, 4}, band, any, none), "[2,?,?]");
    EXPECT_EQ(matrix({2, 3, 4}, band, any, size(6)), "[2,4,6]") << "one of both is as small as can be";
    EXPECT_EQ(matrix({2, 3, 4}, band, any, size(4)), "[2,?,4]");
    EXPECT_EQ(matrix({3, 4}, g.input({2}, kInt), none, none), "<unknown>");
    EXPECT_THAT(
        matrix({2, 4}, band, none, none),
        StartsWith("The number of rows of `diagonal` doesn't match the number of diagonals implied from"));
    EXPECT_THAT(matrix({2, 3, 4}, band, size(2), none), StartsWith("num_rows is too small for"));
    EXPECT_THAT(matrix({2, 3, 4}, band, none, size(2)), StartsWith("num_cols is too small. for"));
    EXPECT_THAT(matrix({2, 3, 4}, band, size(5), size(5)),
                HasSubstr("num_rows = 5 != min_num_rows = 4, num_cols = 5 != min_num_cols = 4"));
  }
}

TEST(ShapeFunctions, put_bands_of_diagonals_in) {
  ShapeGraph g;
  for (const char* op : {"MatrixSetDiagV2", "MatrixSetDiagV3"}) {
    auto set = [&](const PartialShape& in, const PartialShape& diagonal, In k) {
      return g.shape(op, {g.input(in), g.input(diagonal), k});
    };
    const Out band = g.ints({-1, 1});
    EXPECT_EQ(set({2, 3, 4}, {2, 3, 3}, band), "[2,3,4]") << op;
    EXPECT_EQ(set({-1, 3, 4}, {2, 3, 3}, band), "[2,3,4]");
    EXPECT_EQ(set({}, {2, 3, 3}, band), "[2,?,?]");
    EXPECT_EQ(set({}, {2, 3}, g.b.constant(1)), "[2,?,?]");
    EXPECT_EQ(set({}, {2, 3}, g.input({2}, kInt)), "<unknown>");
    EXPECT_THAT(set({2, 3, 4}, {2, 3}, band), StartsWith("Shape must be rank 3 but is rank 2 for"));
    EXPECT_THAT(set({2, 3, 4}, {2, 3}, g.b.constant(7)), StartsWith("lower_diag_index is out of bound. for"));
  }
}

TEST(ShapeFunctions, transform_the_axes_that_are_said) {
  ShapeGraph g;
  Out real = g.input({2, 8, 6}), complex = g.input({2, 8, 6}, DataType::kComplex64);
  const Out lengths = g.ints({5, 10}), axes = g.ints({0, -1});
  EXPECT_EQ(g.shape("FFTND", {complex, lengths, axes}), "[5,8,10]");
  EXPECT_EQ(g.shape("IFFTND", {complex, lengths, axes}), "[5,8,10]");
  EXPECT_EQ(g.shape("RFFTND", {real, lengths, axes}), "[5,8,6]");
  EXPECT_EQ(g.shape("IRFFTND", {complex, lengths, axes}), "[5,8,10]");
  EXPECT_EQ(g.shape("RFFTND", {real, g.input({2}, kInt), axes}), "[?,8,?]");
  EXPECT_EQ(g.shape("RFFTND", {real, lengths, g.input({2}, kInt)}), "[?,?,?]");
  EXPECT_EQ(g.shape("RFFTND", {g.input({}), lengths, axes}), "<unknown>");
  EXPECT_EQ(g.shape("RFFTND", {g.input({4}), lengths, g.ints({1, 5})}), "<unknown>")
      << "it fails when it runs";
}

TEST(ShapeFunctions, cut_glimpses) {
  ShapeGraph g;
  Out images = g.input({2, 8, 9, 3});
  for (const char* op : {"ExtractGlimpse", "ExtractGlimpseV2"}) {
    auto cut = [&](Out in, Out size, const PartialShape& offsets) {
      return g.shape(op, {in, size, g.input(offsets)});
    };
    EXPECT_EQ(cut(images, g.ints({4, 5}), {2, 2}), "[2,4,5,3]") << op;
    EXPECT_EQ(cut(g.input({-1, 8, 9, -1}), g.ints({-1, 5}), {3, 2}), "[3,?,5,?]");
    EXPECT_EQ(cut(images, g.input({2}, kInt), {-1, 2}), "[2,?,?,3]");
    EXPECT_THAT(cut(images, g.ints({4, 5}), {3, 2}),
                StartsWith("Dimensions must be equal, but are 2 and 3 for"));
    EXPECT_THAT(cut(images, g.ints({4, 5}), {2, 3}), StartsWith("Dimension must be 2 but is 3 for"));
    EXPECT_THAT(cut(images, g.ints({-2, 5}), {2, 2}), StartsWith("Dimension -2 must be >= 0 for"));
  }
}

}  // namespace
}  // namespace troupe
