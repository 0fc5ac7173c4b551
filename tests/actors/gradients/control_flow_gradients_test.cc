#include "tests/actors/gradients/gradient_check.h"

namespace troupe::test {
namespace {

using Vars = std::vector<Out>;

Vars repeat(GraphBuilder& b, int times, Vars init, const std::function<Vars(const Vars&)>& body,
            const std::string& name = "while") {
  init.insert(init.begin(), b.constant(0));
  Vars all = b.while_loop(
      init, [&](const Vars& v) { return b.less(v[0], b.constant(times)); },
      [&](const Vars& v) {
        Vars next = body({v.begin() + 1, v.end()});
        next.insert(next.begin(), b.add(v[0], b.constant(1)));
        return next;
      },
      name);
  if (!all.empty()) all.erase(all.begin());
  return all;
}

TEST(CondGradients, agree_with_differences_on_both_sides) {
  for (bool which : {false, true}) {
    auto make = [&](GraphBuilder& b, const Vars& in) {
      return b.cond(
          b.constant(which), [&] { return Vars{b.mul(in[0], in[1])}; },
          [&] { return Vars{b.op("Square", {in[0]})}; });
    };
    if (which) {
      EXPECT_TRUE(gradients_match({varied({3}), varied({3})}, make));
    }
    EXPECT_TRUE(
        gradients_match({varied({3}), {false, Tensor::from<double>(Shape{3}, {1.0, 2.0, 3.0})}}, make))
        << which;
  }
}

TEST(CondGradients, are_zero_where_the_other_side_uses_the_input) {
  auto make = [&](GraphBuilder& b, const Vars& in) {
    return b.cond(
        b.constant(false), [&] { return Vars{b.mul(in[0], in[1])}; },
        [&] { return Vars{b.op("Square", {in[0]})}; });
  };
  EXPECT_TRUE(gradients_match({varied({3}), varied({3})}, make));
}

TEST(LoopGradients, of_linear_bodies_agree_with_differences) {
  EXPECT_TRUE(gradients_match({varied({2})}, [](GraphBuilder& b, const Vars& in) {
    return repeat(b, 4, {in[0]}, [&](const Vars& v) { return Vars{b.add(v[0], v[0])}; });
  }));
}

TEST(LoopGradients, that_need_values_of_iterations_agree_with_differences) {
  EXPECT_TRUE(gradients_match({varied({2}, 0.5, 1)}, [](GraphBuilder& b, const Vars& in) {
    return repeat(b, 3, {in[0]}, [&](const Vars& v) { return Vars{b.op("Sin", {b.mul(v[0], v[0])})}; });
  }));
}

TEST(LoopGradients, of_values_from_outside_are_summed) {
  EXPECT_TRUE(gradients_match({varied({2}), varied({2})}, [](GraphBuilder& b, const Vars& in) {
    return repeat(b, 3, {in[0]}, [&](const Vars& v) { return Vars{b.mul(v[0], b.op("Exp", {in[1]}))}; });
  }));
}

TEST(LoopGradients, of_variables_that_feed_each_other_agree_with_differences) {
  EXPECT_TRUE(gradients_match({varied({2}), varied({2})}, [](GraphBuilder& b, const Vars& in) {
    Vars out = repeat(b, 4, {in[0], in[1]}, [&](const Vars& v) {
      return Vars{b.mul(v[0], v[1]), b.add(v[1], v[0])};
    });
    return Vars{out[0]};
  }));
}

TEST(LoopGradients, go_through_lists_that_loops_fill) {
  const AttrMap element{{"element_dtype", DataType::kDouble}};
  EXPECT_TRUE(gradients_match({varied({2})}, [&](GraphBuilder& b, const Vars& in) {
    const Out shape = b.constant(Tensor::vector<int32_t>({2}));
    const Out list = b.op("EmptyTensorList", {shape, b.constant(-1)}, element);
    Vars out = repeat(b, 3, {in[0], list}, [&](const Vars& v) {
      return Vars{b.mul(v[0], in[0]), b.op("TensorListPushBack", {v[1], b.op("Sin", {v[0]})}, element)};
    });
    return Vars{b.op("Square", {b.op("TensorListStack", {out[1], shape}, element)})};
  }));
}

TEST(LoopGradients, go_through_lists_that_loops_read) {
  const AttrMap element{{"element_dtype", DataType::kDouble}};
  EXPECT_TRUE(gradients_match({varied({2}), varied({3, 2})}, [&](GraphBuilder& b, const Vars& in) {
    const Out shape = b.constant(Tensor::vector<int32_t>({2}));
    const Out list = b.op("TensorListFromTensor", {in[1], shape}, element);
    return repeat(b, 3, {in[0]}, [&](const Vars& v) {
      return Vars{b.mul(v[0], b.op("TensorListGetItem", {list, b.constant(1), shape}, element))};
    });
  })) << "from outside";
  EXPECT_TRUE(gradients_match({varied({2}), varied({3, 2})}, [&](GraphBuilder& b, const Vars& in) {
    const Out shape = b.constant(Tensor::vector<int32_t>({2}));
    const Out list = b.op("TensorListFromTensor", {in[1], shape}, element);
    Vars out = repeat(b, 2, {in[0], list}, [&](const Vars& v) {
      const Out popped = b.op("TensorListPopBack", {v[1], shape}, element);
      return Vars{b.mul(v[0], popped[1]), popped};
    });
    return Vars{out[0]};
  })) << "from the last to the first";
}

TEST(LoopGradients, of_loops_that_never_run_hand_on) {
  EXPECT_TRUE(gradients_match({varied({2})}, [](GraphBuilder& b, const Vars& in) {
    return repeat(b, 0, {in[0]}, [&](const Vars& v) { return Vars{b.mul(v[0], v[0])}; });
  }));
}

TEST(LoopGradients, of_broadcasting_bodies_agree_with_differences) {
  EXPECT_TRUE(gradients_match({varied({2, 2}), varied({2})}, [](GraphBuilder& b, const Vars& in) {
    return repeat(b, 3, {in[0]},
                  [&](const Vars& v) { return Vars{b.op("Tanh", {b.add(b.matmul(v[0], v[0]), in[1])})}; });
  }));
}

TEST(LoopGradients, of_nested_loops_agree_with_differences) {
  EXPECT_TRUE(
      gradients_match({varied({2}, 0.5, 1), varied({2}, 0.5, 1)}, [](GraphBuilder& b, const Vars& in) {
        return repeat(b, 2, {in[0]}, [&](const Vars& v) {
          Vars inner = repeat(
              b, 3, {v[0]}, [&](const Vars& w) { return Vars{b.op("Sin", {b.mul(w[0], in[1])})}; }, "inner");
          return Vars{b.mul(inner[0], v[0])};
        });
      }));
}

TEST(LoopGradients, of_loops_that_run_a_different_number_of_times_inside) {
  EXPECT_TRUE(gradients_match({varied({}, 0.5, 1)}, [](GraphBuilder& b, const Vars& in) {
    const Out zero = b.constant(0);
    Vars out = b.while_loop(
        {zero, in[0]}, [&](const Vars& v) { return b.less(v[0], b.constant(3)); },
        [&](const Vars& v) {
          Vars inner = b.while_loop(
              {b.constant(0), v[1]}, [&](const Vars& w) { return b.less(w[0], v[0]); },
              [&](const Vars& w) {
                return Vars{b.add(w[0], b.constant(1)), b.mul(w[1], w[1])};
              },
              "inner");
          return Vars{b.add(v[0], b.constant(1)), b.op("Cos", {inner[1]})};
        });
    return Vars{out[1]};
  }));
}

TEST(LoopGradients, of_conditionals_inside_agree_with_differences) {
  EXPECT_TRUE(gradients_match({varied({2}, 0.5, 1)}, [](GraphBuilder& b, const Vars& in) {
    const Out zero = b.constant(0);
    Vars out = b.while_loop(
        {zero, in[0]}, [&](const Vars& v) { return b.less(v[0], b.constant(4)); },
        [&](const Vars& v) {
          const Out odd = b.op("Equal", {b.op("FloorMod", {v[0], b.constant(2)}), b.constant(1)});
          Vars side = b.cond(
              odd, [&] { return Vars{b.op("Square", {v[1]})}; }, [&] { return Vars{b.op("Sin", {v[1]})}; });
          return Vars{b.add(v[0], b.constant(1)), side[0]};
        });
    return Vars{out[1]};
  }));
}

TEST(ArrayGradients, of_tensor_arrays_in_loops_agree_with_differences) {
  EXPECT_TRUE(gradients_match({varied({3, 2})}, [](GraphBuilder& b, const Vars& in) {
    const AttrMap attrs{{"dtype", DataType::kDouble}};
    const Out array = b.op("TensorArrayV3", {b.constant(3)}, attrs);
    const Out range = b.constant(Tensor::vector<int32_t>({0, 1, 2}));
    const Out filled = b.op("TensorArrayScatterV3", {array, range, in[0], array[1]});
    const Out result = b.op("TensorArrayV3", {b.constant(3)}, attrs);
    Vars out = b.while_loop(
        {b.constant(0), result[1]}, [&](const Vars& v) { return b.less(v[0], b.constant(3)); },
        [&](const Vars& v) {
          const Out item = b.op("TensorArrayReadV3", {array, v[0], filled}, attrs);
          return Vars{b.add(v[0], b.constant(1)),
                      b.op("TensorArrayWriteV3", {result, v[0], b.op("Sin", {item}), v[1]})};
        });
    return Vars{b.op("TensorArrayGatherV3", {result, range, out[1]}, attrs)};
  }));
}

TEST(ArrayGradients, of_split_and_concat_agree_with_differences) {
  EXPECT_TRUE(gradients_match({varied({5, 2})}, [](GraphBuilder& b, const Vars& in) {
    const AttrMap attrs{{"dtype", DataType::kDouble}};
    AttrMap array_attrs = attrs;
    array_attrs.set("infer_shape", false);
    const Out array = b.op("TensorArrayV3", {b.constant(2)}, array_attrs);
    const Out lengths = b.constant(Tensor::vector<int64_t>({2, 3}));
    const Out flow = b.op("TensorArraySplitV3", {array, b.op("Sin", {in[0]}), lengths, array[1]});
    return Vars{b.op("TensorArrayConcatV3", {array, flow}, attrs)};
  }));
}

TEST(ListGradients, agree_with_differences) {
  const AttrMap element{{"element_dtype", DataType::kDouble}};
  const auto shape = [](GraphBuilder& b) { return b.constant(Tensor::vector<int32_t>({2})); };
  EXPECT_TRUE(gradients_match({varied({3, 2})}, [&](GraphBuilder& b, const Vars& in) {
    const Out list = b.op("TensorListFromTensor", {in[0], shape(b)}, element);
    const Out item = b.op("TensorListGetItem", {list, b.constant(1), shape(b)}, element);
    const Out other = b.op("TensorListSetItem", {list, b.constant(0), b.op("Square", {item})}, element);
    return Vars{b.op("TensorListStack", {other, shape(b)}, element)};
  })) << "from tensor, get, set, stack";
  EXPECT_TRUE(gradients_match({varied({2}), varied({2})}, [&](GraphBuilder& b, const Vars& in) {
    const Out empty = b.op("EmptyTensorList", {shape(b), b.constant(-1)}, element);
    const Out two = b.op("TensorListPushBack", {b.op("TensorListPushBack", {empty, in[0]}), in[1]});
    const Out popped = b.op("TensorListPopBack", {two, shape(b)}, element);
    const Out rest = b.op("TensorListStack", {popped, shape(b)}, element);
    return Vars{b.mul(popped[1], popped[1]), rest};
  })) << "push, pop";
  EXPECT_TRUE(gradients_match({varied({2, 2})}, [&](GraphBuilder& b, const Vars& in) {
    const Out at = b.constant(Tensor::vector<int32_t>({2, 0}));
    const Out list = b.op("TensorListScatterV2", {in[0], at, shape(b), b.constant(3)}, element);
    return Vars{b.op("TensorListGather", {list, at, shape(b)}, element)};
  })) << "scatter, gather";
}

}  // namespace
}  // namespace troupe::test
