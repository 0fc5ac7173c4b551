// Iterators for several consumers, and iterators that are saved. Through sessions.

#include <future>
#include <thread>

#include "tests/devices/kernels/dataset/dataset_fixture.h"

namespace troupe::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// --- iterators for several consumers ---

class MultiDevice : public DatasetKernels {
 protected:
  /// "init" and "0", "1", "2": what is next for shard 0, 1 and, though there are but two, 2.
  void open_shards(int dataset) {
    const int handle = add(
        "multi", "MultiDeviceIterator",
        with(elements(), {{"devices", Names{"/cpu:0", "/cpu:0"}}, {"shared_name", ""}, {"container", ""}}));
    add("init", "MultiDeviceIteratorInit", {}, {{dataset}, {handle}, {number(1)}});
    const int round = placeholder("round", DataType::kInt64);
    int first = -1;
    for (int32_t i = 0; i < 3; ++i) {
      const int shard = constant(absl::StrCat("shard", i), Tensor::scalar<int32_t>(i));
      if (i == 0) first = shard;
      add(absl::StrCat("get", i), "MultiDeviceIteratorGetNextFromShard", elements(),
          {{handle}, {shard}, {round}});
    }
    const int name = add("name", "MultiDeviceIteratorToStringHandle", {}, {{handle}});
    const int again = add("again", "MultiDeviceIteratorFromStringHandle", elements(), {{name}});
    add("same", "MultiDeviceIteratorGetNextFromShard", elements(), {{again}, {first}, {round}});
    add("other", "MultiDeviceIteratorFromStringHandle", elements(DataType::kFloat), {{name}});
    open();
  }
  int64_t init() { return (*session_->run({}, {"init"}))[0].value<int64_t>(); }
  /// -1 at the end, -2 for an error, which stands in `status_`.
  int64_t get(const std::string& node, int64_t round) {
    const auto got = session_->run({{"round", Tensor::scalar<int64_t>(round)}}, {node});
    status_ = got.status();
    if (got.ok()) return (*got)[0].value<int64_t>();
    return absl::IsOutOfRange(status_) ? -1 : -2;
  }
};

TEST_F(MultiDevice, give_each_shard_every_second_element) {
  open_shards(range(5));
  EXPECT_EQ(get("get0", 1), -2);
  EXPECT_EQ(status_.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(init(), 1);
  EXPECT_EQ(get("get1", 1), 1) << "shard 1 first";
  EXPECT_EQ(get("get0", 1), 0);
  EXPECT_EQ(get("same", 1), 2);
  EXPECT_EQ(get("get0", 1), 4);
  EXPECT_EQ(get("get0", 1), -1);
  EXPECT_EQ(get("get1", 1), 3) << "kept for it";
  EXPECT_EQ(get("get1", 1), -1);
  EXPECT_EQ(init(), 2);
  EXPECT_EQ(get("get0", 2), 0);
}

TEST_F(MultiDevice, refuse_other_rounds_shards_and_elements) {
  open_shards(range(5));
  ASSERT_EQ(init(), 1);
  EXPECT_EQ(get("get0", 77), -2);
  EXPECT_THAT(std::string(status_.message()), HasSubstr("Invalid incarnation id. Provided: 77; Expected: 1"));
  EXPECT_EQ(get("get2", 1), -2);
  EXPECT_EQ(status_.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(run("other").message()),
              HasSubstr("Data type mismatch at component 0: expected float but got int64."));
}

TEST_F(MultiDevice, serve_consumers_that_ask_at_once) {
  open_shards(op("ExperimentalSleepDataset", elements(), {{range(40)}, {number(200)}}));
  ASSERT_EQ(init(), 1);
  auto all_of = [this](const std::string& node) {
    std::vector<int64_t> all;
    while (true) {
      const auto got = session_->run({{"round", Tensor::scalar<int64_t>(1)}}, {node});
      if (!got.ok()) return all;
      all.push_back((*got)[0].value<int64_t>());
    }
  };
  auto odd = std::async(std::launch::async, all_of, "get1");
  const auto even = all_of("get0");
  const auto rest = odd.get();
  ASSERT_EQ(even.size(), 20u);
  ASSERT_EQ(rest.size(), 20u);
  for (size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(even[i], static_cast<int64_t>(2 * i));
    EXPECT_EQ(rest[i], static_cast<int64_t>(2 * i + 1));
  }
}

TEST_F(MultiDevice, end_when_cancelled_while_an_element_takes_its_time) {
  open_shards(op("ExperimentalSleepDataset", elements(), {{range(3)}, {number(INT64_MAX)}}));
  ASSERT_EQ(init(), 1);
  std::vector<std::future<absl::Status>> steps;
  for (const char* node : {"get0", "get1"}) {
    steps.push_back(std::async(std::launch::async, [this, node] {
      return session_->run({{"round", Tensor::scalar<int64_t>(1)}}, {node}).status();
    }));
  }
  while (session_->counters().running_steps < 2) std::this_thread::yield();
  ASSERT_TRUE(session_->cancel("enough").ok());
  for (auto& step : steps) EXPECT_EQ(step.get().code(), absl::StatusCode::kCancelled);
}

// --- iterators that are saved ---

class SavedIterators : public DatasetKernels {
 protected:
  /// "save" writes the iterator's state to a checkpoint, "restore" reads it from there.
  void open_saved(int dataset) {
    const int next = iterate(dataset);
    const Endpoint it = graph_.node(next).inputs[0];
    const int prefix = text(folder_ + "checkpoint");
    const int name = constant("names", strings({"it"}));
    const int slices = constant("slices", strings({""}));
    const int state = op("SerializeIterator", {{"external_state_policy", 0}}, {it});
    add("save", "SaveV2", {{"dtypes", Types{DataType::kVariant}}}, {{prefix}, {name}, {slices}, {state}});
    const int read = op("RestoreV2", {{"dtypes", Types{DataType::kVariant}}}, {{prefix}, {name}, {slices}});
    add("restore", "DeserializeIterator", {}, {it, {read}});
    open();
  }
  std::vector<int64_t> take(size_t count) {
    std::vector<int64_t> all;
    for (size_t i = 0; i < count; ++i) {
      const auto got = next();
      EXPECT_TRUE(got.ok()) << got.status();
      if (got.ok()) all.push_back((*got)[0].value<int64_t>());
    }
    return all;
  }
  void reopen() {
    session_ = nullptr;
    open();
  }
};

TEST_F(SavedIterators, go_on_where_they_were) {
  open_saved(range(6));
  ASSERT_TRUE(run("make").ok());
  EXPECT_THAT(take(2), ElementsAre(0, 1));
  ASSERT_TRUE(run("save").ok()) << run("save");
  EXPECT_THAT(take(2), ElementsAre(2, 3));
  ASSERT_TRUE(run("restore").ok()) << run("restore");
  EXPECT_THAT(numbers(), ElementsAre(2, 3, 4, 5));
  ASSERT_TRUE(run("save").ok());
  reopen();
  ASSERT_TRUE(run("make").ok());
  ASSERT_TRUE(run("restore").ok());
  EXPECT_THAT(numbers(), testing::IsEmpty()) << "it was at the end";
}

TEST_F(SavedIterators, keep_a_random_order_that_nobody_chose) {
  const int mixed =
      op("ShuffleDatasetV3", with(elements(), {{"reshuffle_each_iteration", true}}),
         {{range(30)}, {number(20)}, {number(0)}, {number(0)}, {add("g", "DummySeedGenerator", {}, {})}});
  open_saved(op("RepeatDataset", elements(), {{mixed}, {number(-1)}}));
  ASSERT_TRUE(run("make").ok());
  const auto before = take(40);
  ASSERT_TRUE(run("save").ok());
  const auto after = take(60);
  ASSERT_TRUE(run("restore").ok());
  EXPECT_EQ(take(60), after);
  reopen();
  ASSERT_TRUE(run("make").ok());
  EXPECT_NE(take(40), before) << "another order";
  ASSERT_TRUE(run("restore").ok());
  EXPECT_EQ(take(60), after);
}

TEST_F(SavedIterators, have_to_begin_first) {
  open_saved(range(6));
  EXPECT_EQ(run("save").code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(run("save").message()),
              HasSubstr("Save() failed because the iterator has not been initialized."));
  ASSERT_TRUE(run("make").ok());
  ASSERT_TRUE(run("save").ok());
  reopen();
  EXPECT_THAT(std::string(run("restore").message()),
              HasSubstr("Restore() failed because the iterator has not been initialized."));
}

TEST_F(SavedIterators, are_of_one_dataset) {
  open_saved(range(6));
  const int wrong = op("RestoreV2", {{"dtypes", Types{DataType::kVariant}}},
                       {{text(folder_ + "checkpoint")},
                        {constant("it_name", strings({"it"}))},
                        {constant("all", strings({""}))}});
  const int other = add("other_it", "IteratorV2", with(elements(), {{"shared_name", ""}, {"container", ""}}));
  add("make_other", "MakeIterator", {},
      {{op("TakeDataset", elements(), {{range(6)}, {number(2)}})}, {other}});
  add("restore_other", "DeserializeIterator", {}, {{other}, {wrong}});
  add("restore_list", "DeserializeIterator", {},
      {{other},
       {op("EmptyTensorList", {{"element_dtype", DataType::kString}, {"shape_type", DataType::kInt32}},
           {{constant("unknown", Tensor::scalar<int32_t>(-1))},
            {constant("most", Tensor::scalar<int32_t>(-1))}})}});
  session_ = nullptr;
  open();
  ASSERT_TRUE(run("make").ok());
  ASSERT_TRUE(run("save").ok());
  ASSERT_TRUE(run("make_other").ok());
  const absl::Status refused = run("restore_other");
  EXPECT_EQ(refused.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("Make sure the dataset definition has not changed"));
  EXPECT_EQ(run("restore_list").code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace troupe::test
