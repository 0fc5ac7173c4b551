#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "devices/cpu/kernels/shared/lookup_table.h"
#include "devices/cpu/kernels/table/text_file.h"
#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;

LookupTable::Options options(LookupTable::Kind kind, DataType key, DataType value,
                             Shape value_shape = Shape()) {
  LookupTable::Options o;
  o.kind = kind;
  o.key_dtype = key;
  o.value_dtype = value;
  o.value_shape = std::move(value_shape);
  return o;
}

absl::StatusOr<Tensor> find(const LookupTable& table, const Tensor& keys, const Tensor& missing) {
  TROUPE_ASSIGN_OR_RETURN(Shape shape, table.found_shape(keys, missing));
  Tensor out(table.options().value_dtype, shape);
  TROUPE_RETURN_IF_ERROR(table.find(keys, missing, &out));
  return out;
}

Tensor strings(std::initializer_list<const char*> all) {
  Tensor t(DataType::kString, Shape{static_cast<int64_t>(all.size())});
  int i = 0;
  for (const char* s : all) t.flat<TString>()[i++] = absl::string_view(s);
  return t;
}

TEST(StaticTable, is_filled_once) {
  LookupTable table(options(LookupTable::Kind::kStatic, DataType::kString, DataType::kInt64));
  const Tensor keys = strings({"a", "b"}), values = Tensor::vector<int64_t>({1, 2}),
               no = Tensor::scalar<int64_t>(-1);
  EXPECT_EQ(find(table, keys, no).status(), absl::FailedPreconditionError("Table not initialized."));
  EXPECT_EQ(table.initialize(strings({"a", "a"}), values),
            absl::FailedPreconditionError(
                "HashTable has different value for same key. Key a has 1 and trying to add value 2"));
  EXPECT_EQ(table.size(), 0);
  ASSERT_TRUE(table.initialize(keys, values).ok());
  EXPECT_TRUE(tensors_near(*find(table, strings({"b", "z"}), no), Tensor::vector<int64_t>({2, -1})));
  EXPECT_TRUE(table.initialize(keys, values).ok());
  EXPECT_EQ(table.initialize(strings({"c"}), Tensor::vector<int64_t>({1})),
            absl::FailedPreconditionError("Table was already initialized with different data."));
  EXPECT_EQ(table.insert(keys, values).code(), absl::StatusCode::kUnimplemented);
}

TEST(MutableTable, keeps_its_entries_together_when_some_go) {
  LookupTable table(options(LookupTable::Kind::kMutable, DataType::kInt64, DataType::kFloat, Shape{2}));
  Tensor keys(DataType::kInt64, Shape{100}), values(DataType::kFloat, Shape{100, 2});
  for (int i = 0; i < 100; ++i) {
    keys.flat<int64_t>()[i] = i * 7;
    values.flat<float>()[2 * i] = values.flat<float>()[2 * i + 1] = static_cast<float>(i);
  }
  ASSERT_TRUE(table.insert(keys, values).ok());
  ASSERT_TRUE(table.remove(Tensor::vector<int64_t>({0, 7, 693, 5})).ok());
  EXPECT_EQ(table.size(), 97);
  auto found = find(table, Tensor::vector<int64_t>({7, 14, 686}), Tensor::vector<float>({-1, -2}));
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_TRUE(tensors_near(*found, Tensor::from<float>(Shape{3, 2}, {-1, -2, 2, 2, 98, 98})));
  ASSERT_TRUE(table.import(Tensor::vector<int64_t>({1}), Tensor::from<float>(Shape{1, 2}, {3, 4})).ok());
  auto all = table.export_all();
  EXPECT_TRUE(tensors_near(all->first, Tensor::vector<int64_t>({1})));
  EXPECT_TRUE(tensors_near(all->second, Tensor::from<float>(Shape{1, 2}, {3, 4})));
}

TEST(MutableTable, refuses_shapes_that_do_not_fit) {
  LookupTable table(options(LookupTable::Kind::kMutable, DataType::kInt64, DataType::kFloat));
  const Tensor keys = Tensor::vector<int64_t>({1, 2, 3});
  EXPECT_EQ(table.insert(keys, Tensor::vector<float>({1, 2})),
            absl::InvalidArgumentError("Expected shape [3] for value, got [2]"));
  EXPECT_EQ(find(table, keys, Tensor::vector<float>({1, 2})).status(),
            absl::InvalidArgumentError("Expected shape [] or [3] for default value, got [2]"));
}

/// A dense table of int64 keys and float values, with 4 buckets.
LookupTable::Options dense_options(Tensor empty, Tensor deleted) {
  LookupTable::Options o = options(LookupTable::Kind::kDense, DataType::kInt64, DataType::kFloat);
  o.key_shape = empty.shape();
  o.empty_key = std::move(empty);
  o.deleted_key = std::move(deleted);
  o.initial_buckets = 4;
  return o;
}

TEST(DenseTable, has_keys_that_no_entry_may_have_and_keys_of_any_shape) {
  auto table =
      *LookupTable::make(dense_options(Tensor::vector<int64_t>({-1, -1}), Tensor::vector<int64_t>({-2, -2})));
  ASSERT_TRUE(
      table->insert(Tensor::from<int64_t>(Shape{2, 2}, {-1, 5, 5, -1}), Tensor::vector<float>({1, 2})).ok());
  auto found = find(*table, Tensor::from<int64_t>(Shape{1, 2}, {5, -1}), Tensor::scalar<float>(0));
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_TRUE(tensors_near(*found, Tensor::vector<float>({2})));
  EXPECT_EQ(table->remove(Tensor::from<int64_t>(Shape{1, 2}, {-2, -2})),
            absl::InvalidArgumentError("Using the deleted_key as a table key is not allowed"));
  EXPECT_EQ(table->insert(Tensor::vector<int64_t>({1, 2, 3}), Tensor::scalar<float>(1)),
            absl::InvalidArgumentError("Input key shape [3] must end with the table's key shape [2]"));
  EXPECT_EQ(find(*table, Tensor::vector<int64_t>({5, -1}), Tensor::scalar<float>(0)).status(),
            absl::InvalidArgumentError("Expected key shape [2,2] got [2]"));
}

TEST(DenseTable, is_exported_as_its_buckets_lie) {
  auto table = *LookupTable::make(dense_options(Tensor::scalar<int64_t>(100), Tensor::scalar<int64_t>(200)));
  ASSERT_TRUE(table->insert(Tensor::vector<int64_t>({11, 12, 13}), Tensor::vector<float>({1, 2, 3})).ok());
  ASSERT_TRUE(table->insert(Tensor::vector<int64_t>({19}), Tensor::vector<float>({4})).ok()) << "it grows";
  ASSERT_TRUE(table->remove(Tensor::vector<int64_t>({12, 99})).ok());
  EXPECT_EQ(table->size(), 3);
  auto all = table->export_all();
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_TRUE(
      tensors_near(all->first, Tensor::from<int64_t>(Shape{8, 1}, {100, 100, 100, 11, 200, 13, 19, 100})));
  EXPECT_TRUE(tensors_near(all->second, Tensor::from<float>(Shape{8, 1}, {0, 0, 0, 1, 2, 3, 4, 0})));
}

TEST(DenseTable, takes_in_an_export_or_any_entries) {
  const auto o = dense_options(Tensor::scalar<int64_t>(100), Tensor::scalar<int64_t>(200));
  auto table = *LookupTable::make(o), other = *LookupTable::make(o);
  ASSERT_TRUE(table->insert(Tensor::vector<int64_t>({11, 12, 13}), Tensor::vector<float>({1, 2, 3})).ok());
  ASSERT_TRUE(table->remove(Tensor::vector<int64_t>({12})).ok());
  auto all = *table->export_all();
  ASSERT_TRUE(other->import(all.first, all.second).ok());
  EXPECT_EQ(other->size(), 2);
  EXPECT_TRUE(tensors_near(other->export_all()->first, all.first)) << "in the same places";
  ASSERT_TRUE(
      other->import(Tensor::vector<int64_t>({1, 2, 3, 5, 7}), Tensor::vector<float>({1, 2, 3, 5, 7})).ok());
  EXPECT_EQ(other->size(), 5);
  EXPECT_TRUE(tensors_near(*find(*other, Tensor::vector<int64_t>({7, 4}), Tensor::scalar<float>(-1)),
                           Tensor::vector<float>({7, -1})));
  EXPECT_FALSE(other->import(Tensor::scalar<int64_t>(1), Tensor::scalar<float>(1)).ok());
}

class VocabularyTest : public testing::Test {
 protected:
  absl::Status load(const std::string& text, LookupTable* table, TableFile file = {}) {
    file.path = testing::TempDir() + "/troupe_vocabulary.txt";
    std::ofstream(file.path, std::ios::binary) << text;
    absl::Status status = initialize_from_file(file, table);
    std::remove(file.path.c_str());
    return status;
  }
  LookupTable table_{options(LookupTable::Kind::kStatic, DataType::kString, DataType::kInt64)};
};

TEST_F(VocabularyTest, numbers_lines) {
  ASSERT_TRUE(load("a\r\nb\nc", &table_).ok());
  EXPECT_TRUE(tensors_near(*find(table_, strings({"c", "a"}), Tensor::scalar<int64_t>(-1)),
                           Tensor::vector<int64_t>({2, 0})));
  EXPECT_TRUE(load("other\n", &table_).ok()) << "late, not wrong";
  EXPECT_EQ(table_.size(), 3);
}

TEST_F(VocabularyTest, counts_lines_from_an_offset) {
  TableFile file;
  file.offset = 5;
  ASSERT_TRUE(load("a\nb\n", &table_, file).ok());
  EXPECT_TRUE(tensors_near(*find(table_, strings({"b", "a"}), Tensor::scalar<int64_t>(-1)),
                           Tensor::vector<int64_t>({6, 5})));
}

TEST_F(VocabularyTest, says_which_line_is_wrong) {
  EXPECT_THAT(load("a\r\nb\n\nc", &table_).message(), HasSubstr(": empty line found at position 6."));
  TableFile columns;
  columns.key_field = 0;
  columns.value_field = 3;
  columns.delimiter = ',';
  EXPECT_THAT(load("a,10\n", &table_, columns).message(),
              HasSubstr("line 0 (a,10) : expected at least 4 got 2"));
  columns.value_field = 1;
  EXPECT_THAT(load("a,xx\n", &table_, columns).message(),
              HasSubstr("Field xx in line 0 is not a valid int64."));
  TableFile longer;
  longer.vocab_size = 5;
  EXPECT_THAT(load("a\nb\n", &table_, longer).message(), HasSubstr(": expected 5 but got 2"));
  longer.path = "/no/such/file";
  EXPECT_EQ(initialize_from_file(longer, &table_),
            absl::NotFoundError("/no/such/file; No such file or directory"));
}

TEST(TableOps, share_a_table_by_name_and_check_its_types) {
  KernelHarness harness;
  const AttrMap named{
      {"key_dtype", DataType::kInt64}, {"value_dtype", DataType::kFloat}, {"shared_name", "t"}};
  Tensor handle = harness.run("MutableHashTableV2", {}, named)->at(0);
  ASSERT_TRUE(
      harness
          .run("LookupTableInsertV2", {handle, Tensor::vector<int64_t>({3}), Tensor::vector<float>({1.5f})})
          .ok());
  Tensor again = harness.run("MutableHashTableV2", {}, named)->at(0);
  EXPECT_EQ(harness.run("LookupTableSizeV2", {again})->at(0).value<int64_t>(), 1);
  EXPECT_THAT(
      harness.run("LookupTableFindV2", {handle, Tensor::vector<int32_t>({3}), Tensor::scalar<float>(0)})
          .status()
          .message(),
      HasSubstr(
          "Signature mismatch, have: resource, int32, float->float expected: resource, int64, float->float"));
  EXPECT_THAT(
      harness.run("InitializeTableV2", {handle, Tensor::vector<int64_t>({3}), Tensor::vector<float>({1})})
          .status()
          .message(),
      HasSubstr("Table localhost t is not initializable"));
}

}  // namespace
}  // namespace troupe::test
