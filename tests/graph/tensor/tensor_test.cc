#include "graph/tensor/tensor.h"

#include <Eigen/Core>
#include <gmock/gmock.h>
#include <set>

namespace troupe {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Dtype, knows_every_type_by_name_and_number) {
  std::set<std::string> names;
  for (DataType t : all_dtypes()) {
    EXPECT_TRUE(is_valid_dtype(static_cast<int>(t)));
    EXPECT_TRUE(is_valid_dtype(static_cast<int>(t) + kRefOffset));
    EXPECT_GT(dtype_size(t), 0u);
    EXPECT_EQ(dtype_from_name(dtype_name(t)), t);
    EXPECT_EQ(dtype_from_name(dtype_name(make_ref(t))), make_ref(t));
    EXPECT_EQ(base_type(make_ref(t)), t);
    names.insert(dtype_name(t));
  }
  EXPECT_EQ(names.size(), 32u);
  for (int bad : {-1, 0, 33, 99, 100, 133, 256, 100000}) EXPECT_FALSE(is_valid_dtype(bad)) << bad;
}

TEST(Dtype, takes_common_spellings) {
  EXPECT_EQ(dtype_from_name("DT_FLOAT"), DataType::kFloat);
  EXPECT_EQ(dtype_from_name("float64"), DataType::kDouble);
  EXPECT_EQ(dtype_from_name("float16"), DataType::kHalf);
  EXPECT_FALSE(dtype_from_name("floaty").has_value());
  EXPECT_EQ(dtype_name(static_cast<DataType>(77)), "unknown dtype enum (77)");
}

TEST(Shape, refuses_negative_dimensions_overflow_and_high_ranks) {
  EXPECT_FALSE(Shape::make(std::vector<int64_t>{2, -1}).ok());
  EXPECT_FALSE(Shape::make(std::vector<int64_t>{int64_t{1} << 32, int64_t{1} << 32}).ok());
  EXPECT_FALSE(Shape::make(std::vector<int64_t>(255, 1)).ok());
  EXPECT_TRUE(Shape::make(std::vector<int64_t>(254, 1)).ok());
  EXPECT_EQ(Shape::make(std::vector<int64_t>{0, INT64_MAX, 4})->num_elements(), 0);
}

TEST(Shape, keeps_many_dimensions_through_copies_and_moves) {
  Shape s{1, 2, 3, 4, 5, 6};
  Shape copy = s;
  Shape moved = std::move(s);
  EXPECT_EQ(copy, moved);
  EXPECT_EQ(s.rank(), 0);  // NOLINT: a moved-from shape is a scalar
  copy = Shape{7};
  EXPECT_EQ(copy.to_string(), "[7]");
  copy = moved;
  EXPECT_EQ(copy.num_elements(), 720);
  EXPECT_EQ(copy.num_elements(1, 3), 6);
}

TEST(Shape, changes_dimensions_across_the_inline_limit) {
  Shape s{1, 2, 3, 4};
  s.add_dim(5);
  s.insert_dim(0, 9);
  EXPECT_EQ(s.to_string(), "[9,1,2,3,4,5]");
  s.remove_dim(0);
  s.remove_dim(4);
  s.set_dim(0, 8);
  EXPECT_EQ(s, (Shape{8, 2, 3, 4}));
}

TEST(PartialShape, tells_what_is_known) {
  EXPECT_FALSE(PartialShape().known_rank());
  EXPECT_EQ(PartialShape().to_string(), "<unknown>");
  EXPECT_EQ((PartialShape{2, -1}).to_string(), "[2,?]");
  EXPECT_FALSE((PartialShape{2, -1}).fully_defined());
  EXPECT_EQ((PartialShape{2, 3}).to_shape(), (Shape{2, 3}));
  EXPECT_FALSE((PartialShape{2, -1}).to_shape().has_value());
}

TEST(PartialShape, fits_when_no_known_dimension_differs) {
  EXPECT_TRUE((PartialShape{2, -1}).compatible_with({-1, 3}));
  EXPECT_TRUE(PartialShape().compatible_with({1}));
  EXPECT_FALSE((PartialShape{2}).compatible_with({3}));
  EXPECT_FALSE((PartialShape{2}).compatible_with({2, 1}));
}

TEST(TString, stores_short_and_long_bytes) {
  const std::string longer(1000, 'x');
  for (const std::string& s :
       {std::string(), std::string("a\0b", 3), std::string(22, 'y'), std::string(23, 'z'), longer}) {
    TString t(s);
    TString copy = t;
    TString moved = std::move(t);
    EXPECT_EQ(copy.str(), s);
    EXPECT_EQ(moved.str(), s);
    EXPECT_EQ(t.size(), 0u);  // NOLINT: a moved-from string is empty
  }
}

TEST(TString, assigns_from_a_part_of_itself) {
  TString t(std::string(100, 'a') + "tail");
  t.assign(t.view().substr(100));
  EXPECT_EQ(t.str(), "tail");
  t = t;  // NOLINT
  EXPECT_EQ(t.str(), "tail");
}

TEST(Tensor, shares_memory_when_copied) {
  Tensor a = Tensor::vector<float>({1, 2, 3});
  EXPECT_TRUE(a.unique());
  Tensor b = a;
  EXPECT_FALSE(a.unique());
  EXPECT_TRUE(a.shares_buffer_with(b));
  b = Tensor();
  EXPECT_TRUE(a.unique());
  Tensor c = a.deep_copy();
  c.flat<float>()[0] = 9;
  EXPECT_EQ(a.flat<float>()[0], 1);
}

TEST(Tensor, moves_out_completely) {
  Tensor a = Tensor::scalar<int32_t>(4);
  Tensor b = std::move(a);
  EXPECT_FALSE(a.initialized());  // NOLINT
  EXPECT_EQ(a.dtype(), DataType::kInvalid);
  EXPECT_EQ(b.value<int32_t>(), 4);
}

TEST(Tensor, is_aligned_even_when_empty) {
  for (int64_t n : {0, 1, 7, 1000}) {
    Tensor t(DataType::kInt8, Shape{n});
    EXPECT_TRUE(t.initialized());
    EXPECT_EQ(reinterpret_cast<uintptr_t>(t.raw()) % Allocator::kAlignmentBytes, 0u);
  }
}

class NoMemory final : public Allocator {
 public:
  void* allocate(size_t) override { return nullptr; }
  void deallocate(void*, size_t) override {}
  absl::string_view name() const override { return "none"; }
};

TEST(Tensor, says_when_memory_is_short) {
  NoMemory none;
  auto t = Tensor::make(DataType::kDouble, Shape{int64_t{1} << 50}, &none);
  EXPECT_EQ(t.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(
      std::string(t.status().message()),
      HasSubstr("OOM when allocating tensor with shape[1125899906842624] and type double by allocator none"));
  EXPECT_FALSE(Tensor::make(DataType::kString, Shape{int64_t{1} << 62}).ok());
}

TEST(Tensor, copies_rows_of_strings) {
  Tensor t = Tensor::from<TString>(Shape{3, 2}, {"a", "b", "c", "d", "e", "f"});
  Tensor s = t.slice_rows(1, 3);
  EXPECT_EQ(s.shape(), (Shape{2, 2}));
  EXPECT_THAT(s.flat<TString>(), ElementsAre("c", "d", "e", "f"));
}

TEST(Tensor, keeps_the_memory_that_parts_of_it_lie_in) {
  size_t released = 0;
  float data[6] = {1, 2, 3, 4, 5, 6};
  Tensor part;
  {
    const Tensor whole(DataType::kFloat, Shape{3, 2},
                       Buffer::adopt(
                           data, sizeof(data),
                           [](void*, size_t n, void* arg) { *static_cast<size_t*>(arg) += n; }, &released));
    EXPECT_TRUE(whole.unique());
    part = whole.part(2, Shape{2, 2}).part(1, Shape{3});
    EXPECT_FALSE(whole.unique());
    EXPECT_FALSE(part.shares_buffer_with(whole));
    EXPECT_EQ(&part.buffer()->whole(), whole.buffer());
  }
  EXPECT_EQ(released, 0u);
  EXPECT_FALSE(part.unique());
  EXPECT_THAT(part.flat<float>(), ElementsAre(4, 5, 6));
  EXPECT_EQ(part.buffer()->bytes(), 12u);
  part = Tensor();
  EXPECT_EQ(released, sizeof(data));
}

TEST(Tensor, parts_of_strings_leave_them_to_the_whole) {
  Tensor part;
  {
    const Tensor whole = Tensor::vector<TString>({TString("first"), TString(std::string(100, 'x'))});
    part = whole.part(1, Shape());
  }
  EXPECT_EQ(part.value<TString>().str(), std::string(100, 'x'));
}

TEST(Tensor, reads_the_same_memory_under_another_shape_or_type) {
  Tensor t = Tensor::from<int32_t>(Shape{2, 3}, {1, 2, 3, 4, 5, 6});
  Tensor r = t.reshaped(Shape{6});
  EXPECT_TRUE(r.shares_buffer_with(t));
  EXPECT_EQ(r.flat<int32_t>()[5], 6);
  EXPECT_EQ(t.with_dtype(DataType::kUint32, t.shape()).flat<uint32_t>()[0], 1u);
}

TEST(Tensor, prints_the_first_values) {
  EXPECT_EQ((Tensor::from<float>(Shape{2, 2}, {1, 2, 3, 4})).to_string(),
            "Tensor<type: float shape: [2,2] values: [[1 2] [3 4]]>");
  EXPECT_EQ(Tensor::vector<int32_t>({1, 2, 3}).to_string(2),
            "Tensor<type: int32 shape: [3] values: [1 2...]>");
  EXPECT_EQ(Tensor().to_string(), "Tensor<uninitialized>");
}

void count_release(void*, size_t bytes, void* arg) { *static_cast<size_t*>(arg) += bytes; }

TEST(Buffer, gives_foreign_memory_back_once) {
  size_t released = 0;
  float data[4] = {1, 2, 3, 4};
  {
    Tensor t(DataType::kFloat, Shape{4}, Buffer::adopt(data, sizeof(data), count_release, &released));
    Tensor copy = t;
    EXPECT_EQ(copy.flat<float>()[3], 4);
    EXPECT_EQ(released, 0u);
  }
  EXPECT_EQ(released, sizeof(data));
}

}  // namespace
}  // namespace troupe
