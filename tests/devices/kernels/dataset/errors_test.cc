// Errors among the elements of datasets, through sessions. What comes instead is TensorFlow 2.21's.

#include "tests/devices/kernels/dataset/dataset_fixture.h"
#include "tests/support/graph_text.h"

namespace troupe::test {
namespace {

class ErrorsAmong : public DatasetKernels {
 protected:
  ErrorsAmong() {
    using namespace graph_text;
    functions(int64_function("Parts",
                             body("two", "Const", {}, int64_attrs(2)) +
                                 body("ten", "Const", {}, int64_attrs(10)) +
                                 body("s", "Sub", {"x", "two:output:0"}, kT64) +
                                 body("d", "FloorDiv", {"ten:output:0", "s:z:0"}, kT64),
                             "d:z:0") +
              function("Batch9", arg("w", "DT_VARIANT"), "DT_VARIANT",
                       body("n", "Const", {}, int64_attrs(9)) +
                           body("b", "BatchDataset", {"w", "n:output:0"},
                                graph_text::elements("DT_INT64", "dim { size: -1 }")),
                       "b:handle:0"));
  }
  /// 10 / (x - 2): -5, -10, an error, 10, 5, 3.
  int parts(int64_t n) { return mapped("MapDataset", "Parts", range(n), elements()); }
  int mapped(const std::string& kind, const std::string& f, int dataset, const AttrMap& out) {
    return op(kind, with(out, {{"f", FunctionRef{f, nullptr}}, {"Targuments", Types{}}}), {{dataset}});
  }
  int windows(int dataset, int64_t size, int64_t shift) {
    const int no = constant(absl::StrCat("no", graph_.num_ids()), Tensor::scalar<bool>(false));
    const int cut = op("WindowDataset", elements(DataType::kVariant),
                       {{dataset}, {number(size)}, {number(shift)}, {number(1)}, {no}});
    return mapped("FlatMapDataset", "Batch9", cut, elements(DataType::kInt64, PartialShape{-1}));
  }
  /// All elements as text, "!" for an error.
  std::string story(int dataset, const AttrMap& components = elements()) {
    iterate(dataset, components);
    open();
    EXPECT_TRUE(run("make").ok());
    std::string all;
    for (int i = 0; i < 12; ++i) {
      const auto got = next();
      if (absl::IsOutOfRange(got.status())) break;
      if (!all.empty()) all += " ";
      if (!got.ok()) all += "!";
      for (int64_t j = 0; got.ok() && j < (*got)[0].num_elements(); ++j)
        absl::StrAppend(&all, j > 0 ? "," : "", (*got)[0].flat<int64_t>()[static_cast<size_t>(j)]);
    }
    return all;
  }
};
const AttrMap kRows = {{"output_types", Types{DataType::kInt64}},
                       {"output_shapes", Shapes{PartialShape{-1}}}};

TEST_F(ErrorsAmong, are_not_counted_by_take) {
  EXPECT_EQ(story(op("TakeDataset", elements(), {{parts(6)}, {number(4)}})), "-5 -10 ! 10 5");
}
TEST_F(ErrorsAmong, make_skip_begin_again) {
  EXPECT_EQ(story(op("SkipDataset", elements(), {{parts(7)}, {number(3)}})), "! 2");
}
TEST_F(ErrorsAmong, spoil_all_windows_that_they_are_in) {
  EXPECT_EQ(story(windows(parts(6), 2, 1), kRows), "-5,-10 ! ! 10,5 5,3 3");
}
TEST_F(ErrorsAmong, are_left_out_of_sliding_windows) {
  const int sliding = op("SlidingWindowDataset", kRows, {{parts(6)}, {number(2)}, {number(1)}, {number(1)}});
  EXPECT_EQ(story(sliding, kRows), "-5,-10 ! -10,10 10,5 5,3");
}
TEST_F(ErrorsAmong, are_not_missed_between_windows) {
  EXPECT_EQ(story(windows(parts(8), 2, 3), kRows), "-5,-10 10,5 2,2");
}

}  // namespace
}  // namespace troupe::test
