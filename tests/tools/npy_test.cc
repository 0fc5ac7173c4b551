#include "tools/troupe/npy.h"

#include <Eigen/Core>
#include <gtest/gtest.h>

#include <cstring>

#include "absl/strings/str_cat.h"

namespace troupe {
namespace {

/// A file of version 1 with this dictionary.
std::string file_of(const std::string& dictionary, const std::string& data, int major = 1) {
  std::string out("\x93NUMPY", 6);
  out += {static_cast<char>(major), '\0'};
  const std::string text = dictionary + "\n";
  out += {static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  if (major > 1) out += std::string(2, '\0');
  return out + text + data;
}

template <class T>
std::string bytes_of(std::initializer_list<T> values) {
  return std::string(reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(T));
}

std::string dictionary(const std::string& descr, const std::string& shape,
                       const std::string& fortran = "False") {
  return absl::StrCat("{'descr': '", descr, "', 'fortran_order': ", fortran, ", 'shape': ", shape, ", }");
}

template <class T>
void expect_round_trip(std::initializer_list<T> values) {
  const Tensor t = Tensor::vector<T>(values);
  const absl::StatusOr<std::string> bytes = encode_npy(t);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const absl::StatusOr<Tensor> back = decode_npy(*bytes, t.dtype());
  ASSERT_TRUE(back.ok()) << back.status();
  ASSERT_EQ(back->shape(), t.shape());
  EXPECT_EQ(std::memcmp(back->raw(), t.raw(), t.bytes()), 0) << dtype_name(t.dtype());
}

TEST(Npy, writes_every_number_type_and_reads_it_back) {
  expect_round_trip<float>({1.5f, -2});
  expect_round_trip<double>({1e300, -2});
  expect_round_trip<Eigen::half>({Eigen::half(1.5f), Eigen::half(-2.f)});
  expect_round_trip<Eigen::bfloat16>({Eigen::bfloat16(1.5f), Eigen::bfloat16(-2.f)});
  expect_round_trip<int8_t>({-128, 127});
  expect_round_trip<uint16_t>({0, 65535});
  expect_round_trip<int64_t>({INT64_MIN, INT64_MAX});
  expect_round_trip<uint64_t>({UINT64_MAX, 0});
  expect_round_trip<bool>({true, false});
  expect_round_trip<std::complex<float>>({{1, 2}, {3, -4}});
  expect_round_trip<std::complex<double>>({{1, 2}, {3, -4}});
  expect_round_trip<QInt8>({QInt8{-3}, QInt8{4}});
  expect_round_trip<QInt32>({QInt32{-3}, QInt32{4}});
}

TEST(Npy, writes_strings_as_bytes) {
  const Tensor t = Tensor::vector<TString>({TString("a"), TString("longer"), TString("")});
  const absl::StatusOr<Tensor> back = decode_npy(*encode_npy(t));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->flat<TString>()[1].view(), "longer");
  EXPECT_EQ(back->flat<TString>()[2].view(), "");
}

TEST(Npy, aligns_data_and_keeps_all_ranks) {
  for (const Shape& shape : {Shape(), Shape{1}, Shape{3}, Shape{0, 4}, Shape{2, 1, 3}}) {
    const std::string bytes = *encode_npy(zeros(DataType::kFloat, shape));
    EXPECT_EQ((bytes.size() - shape.num_elements() * 4) % 64, 0u);
    EXPECT_EQ(decode_npy(bytes)->shape(), shape);
  }
}

TEST(Npy, reads_all_versions) {
  const std::string data = bytes_of<int32_t>({7, 8});
  for (int major : {1, 2, 3}) {
    const absl::StatusOr<Tensor> t = decode_npy(file_of(dictionary("<i4", "(2,)"), data, major));
    ASSERT_TRUE(t.ok()) << t.status();
    EXPECT_EQ(t->flat<int32_t>()[1], 8);
  }
  EXPECT_FALSE(decode_npy(file_of(dictionary("<i4", "(2,)"), data, 4)).ok());
}

TEST(Npy, turns_fortran_order_into_rows) {
  // Columns (1,2), (3,4), (5,6).
  const std::string data = bytes_of<float>({1, 2, 3, 4, 5, 6});
  const absl::StatusOr<Tensor> t = decode_npy(file_of(dictionary("<f4", "(2, 3)", "True"), data));
  ASSERT_TRUE(t.ok()) << t.status();
  const std::vector<float> want = {1, 3, 5, 2, 4, 6};
  EXPECT_EQ(std::vector<float>(t->flat<float>().begin(), t->flat<float>().end()), want);
}

TEST(Npy, swaps_big_endian) {
  const absl::StatusOr<Tensor> ints =
      decode_npy(file_of(dictionary(">i2", "(2,)"), std::string("\x01\x02\xff\xfe", 4)));
  ASSERT_TRUE(ints.ok()) << ints.status();
  EXPECT_EQ(ints->flat<int16_t>()[0], 0x102);
  EXPECT_EQ(ints->flat<int16_t>()[1], -2);
  const absl::StatusOr<Tensor> c =
      decode_npy(file_of(dictionary(">c8", "()"), std::string("\x3f\x80\0\0\x40\0\0\0", 8)));
  ASSERT_TRUE(c.ok()) << c.status();
  EXPECT_EQ(c->value<std::complex<float>>(), std::complex<float>(1, 2));
}

TEST(Npy, reads_text_as_utf8) {
  const std::string data = bytes_of<uint32_t>({'a', 0xe9, 0x20ac, 0x1f600});
  const absl::StatusOr<Tensor> t = decode_npy(file_of(dictionary("<U4", "()"), data));
  ASSERT_TRUE(t.ok()) << t.status();
  EXPECT_EQ(t->value<TString>().view(), "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
}

TEST(Npy, refuses_another_dtype_than_asked_for) {
  const std::string bytes = file_of(dictionary("<f8", "(1,)"), bytes_of<double>({1}));
  const absl::StatusOr<Tensor> t = decode_npy(bytes, DataType::kFloat);
  ASSERT_FALSE(t.ok());
  EXPECT_EQ(t.status().message(), "the file holds double, not float");
}

TEST(Npy, refuses_broken_files) {
  const std::string data = bytes_of<int32_t>({7, 8});
  const std::string good = file_of(dictionary("<i4", "(2,)"), data);
  ASSERT_TRUE(decode_npy(good).ok());
  for (size_t n = 0; n < good.size(); ++n) EXPECT_FALSE(decode_npy(good.substr(0, n)).ok()) << n;
  for (const std::string& bad :
       {dictionary("|O", "(2,)"), dictionary("<i3", "(2,)"), dictionary("<f16", "(1,)"),
        dictionary("<i4", "2"), dictionary("<i4", "(-2,)"), dictionary("<i4", "(9223372036854775807, 9)"),
        dictionary("", "(2,)"), dictionary("<M8[ns]", "(1,)"), dictionary("|S0", "(1000000000000,)"),
        dictionary("<i4", "(4611686018427387904,)"),
        std::string("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (2,), }"),
        std::string("{}")}) {
    const absl::StatusOr<Tensor> t = decode_npy(file_of(bad, data));
    EXPECT_FALSE(t.ok()) << bad;
    EXPECT_EQ(t.status().code(), absl::StatusCode::kInvalidArgument) << bad;
  }
}

TEST(Npy, refuses_to_write_resources) { EXPECT_FALSE(encode_npy(Tensor(DataType::kResource, Shape())).ok()); }

TEST(Npy, names_the_file_in_errors) {
  const absl::StatusOr<Tensor> t = read_npy("/nowhere/x.npy");
  EXPECT_EQ(t.status().code(), absl::StatusCode::kNotFound);
  EXPECT_NE(t.status().message().find("/nowhere/x.npy"), absl::string_view::npos);
}

}  // namespace
}  // namespace troupe
