// Shares of datasets among workers, through sessions.

#include "tests/devices/kernels/dataset/dataset_fixture.h"
#include "tests/support/graph_text.h"

namespace troupe::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Shares : public DatasetKernels {
 protected:
  Shares() {
    using namespace graph_text;
    functions(function("Lines", arg("name", "DT_STRING"), "DT_VARIANT",
                       body("none", "Const", {}, constant_attrs("DT_STRING", "", "string_val: ''")) +
                           body("zero", "Const", {}, int64_attrs(0)) +
                           body("l", "TextLineDataset", {"name", "none:output:0", "zero:output:0"}),
                       "l:handle:0"));
  }
  static constexpr int64_t kFile = 1, kHint = 3;

  int auto_shard(int input, int64_t workers, int64_t index, int64_t policy,
                 DataType type = DataType::kString) {
    return op("AutoShardDataset", with(elements(type), {{"auto_shard_policy", policy}}),
              {{input}, {number(workers)}, {number(index)}});
  }
  /// Two lines of each of three files.
  int lines() {
    Names files;
    for (const char* name : {"a", "b", "c"}) {
      files.push_back(folder_ + name);
      std::ofstream(files.back()) << name << "1\n" << name << "2\n";
    }
    const int all = constant("files", strings(files));
    const int names =
        op("TensorSliceDataset",
           {{"Toutput_types", Types{DataType::kString}}, {"output_shapes", Shapes{kScalar}}}, {{all}});
    return op("FlatMapDataset",
              with(elements(DataType::kString),
                   {{"f", FunctionRef{"Lines", std::make_shared<AttrMap>()}}, {"Targuments", Types{}}}),
              {{names}});
  }
  Names texts() {
    Names all;
    for (status_ = run("make"); status_.ok();) {
      const auto got = next();
      status_ = got.status();
      if (got.ok()) all.push_back((*got)[0].value<TString>().str());
    }
    return all;
  }
};

TEST_F(Shares, of_files_are_whole_files) {
  iterate(auto_shard(lines(), 2, 0, 0), elements(DataType::kString));
  open();
  EXPECT_THAT(texts(), ElementsAre("a1", "a2", "c1", "c2")) << status_;
}

TEST_F(Shares, of_too_few_files_are_an_error) {
  iterate(auto_shard(lines(), 5, 1, kFile), elements(DataType::kString));
  add("numbers", "DatasetCardinality", {}, {{auto_shard(range(4), 2, 0, kFile, DataType::kInt64)}});
  add("workers", "DatasetCardinality", {}, {{auto_shard(range(4), 0, 0, 0, DataType::kInt64)}});
  open();
  EXPECT_THAT(texts(), IsEmpty());
  EXPECT_THAT(std::string(status_.message()), HasSubstr("Could not apply FILE based sharding"));
  EXPECT_EQ(run("numbers").code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(run("numbers").message()), HasSubstr("Found an unshardable source dataset"));
  EXPECT_THAT(std::string(run("workers").message()), HasSubstr("num_workers must be greater than zero."));
}

TEST_F(Shares, stand_where_hints_ask_for_them) {
  const int hint = op("ShardDataset", elements(), {{range(6)}, {number(-1)}, {number(-1)}});
  iterate(auto_shard(hint, 2, 1, kHint, DataType::kInt64));
  const int it = add("it2", "IteratorV2", with(elements(), {{"shared_name", ""}, {"container", ""}}));
  add("make2", "MakeIterator", {}, {{hint}, {it}});
  add("next2", "IteratorGetNext", elements(), {{it}});
  open();
  EXPECT_THAT(walk(), ElementsAre(1, 3, 5)) << status_;
  ASSERT_TRUE(run("make2").ok());
  EXPECT_EQ(run("next2").code(), absl::StatusCode::kFailedPrecondition) << run("next2");
}

}  // namespace
}  // namespace troupe::test
