#include <unistd.h>

#include <complex>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <snappy.h>

#include "devices/checkpoint/bundle_reader.h"
#include "devices/checkpoint/bundle_writer.h"
#include "devices/checkpoint/coding.h"
#include "devices/checkpoint/crc32c.h"
#include "devices/checkpoint/file.h"
#include "devices/checkpoint/slice_reader.h"
#include "devices/checkpoint/table.h"
#include "devices/checkpoint/tensor_slice.h"
#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {

/// A folder that goes away with the test.
class Checkpoint : public testing::Test {
 protected:
  Checkpoint() {
    std::string name = (std::filesystem::temp_directory_path() / "checkpoint_test_XXXXXX").string();
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  ~Checkpoint() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  std::string bytes(const std::string& file) const { return *read_whole_file(path(file)); }
  absl::Status save(const std::string& prefix, std::vector<std::string> names, std::vector<Tensor> values,
                    std::vector<std::string> slices = {}) {
    slices.resize(names.size());
    std::vector<Tensor> inputs = {Tensor::string_scalar(path(prefix)), strings(names), strings(slices)};
    inputs.insert(inputs.end(), values.begin(), values.end());
    return run_kernel("SaveV2", inputs).status();
  }
  absl::StatusOr<Tensor> restore(const std::string& prefix, const std::string& name, DataType dtype,
                                 const std::string& slice = "") {
    auto out =
        run_kernel("RestoreV2", {Tensor::string_scalar(path(prefix)), strings({name}), strings({slice})},
                   {{"dtypes", std::vector<DataType>{dtype}}});
    if (!out.ok()) return out.status();
    return out->at(0);
  }
  static Tensor strings(const std::vector<std::string>& list) {
    Tensor t(DataType::kString, Shape{static_cast<int64_t>(list.size())});
    for (size_t i = 0; i < list.size(); ++i) t.flat<TString>()[i].assign(list[i]);
    return t;
  }
  Tensor matrix() const { return Tensor::from<float>(Shape{2, 3}, {1, 2, 3, 4, 5, 6}); }

  std::string folder_;
};

TEST(Crc32c, has_the_values_of_the_standard) {
  EXPECT_EQ(crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43u);
  EXPECT_EQ(crc32c_extend(crc32c("hello "), "world"), crc32c("hello world"));
  EXPECT_EQ(crc32c_unmask(crc32c_mask(0x12345678u)), 0x12345678u);
}

TEST(Varint, refuses_numbers_that_are_cut_off_or_too_long) {
  uint64_t value = 0;
  for (uint64_t want : {uint64_t{0}, uint64_t{127}, uint64_t{128}, uint64_t{1} << 63, ~uint64_t{0}}) {
    std::string text;
    put_varint64(&text, want);
    absl::string_view rest = text;
    ASSERT_TRUE(take_varint64(&rest, &value));
    EXPECT_EQ(value, want);
    EXPECT_TRUE(rest.empty());
    rest = absl::string_view(text).substr(0, text.size() - 1);
    EXPECT_FALSE(take_varint64(&rest, &value));
  }
  absl::string_view rest = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02";
  EXPECT_FALSE(take_varint64(&rest, &value));
}

TEST(SliceKey, sorts_as_tensorflow_writes_it) {
  // Taken from a checkpoint of a partitioned variable "w" of TensorFlow: rows 0 to 2 and 200 to 201.
  auto key = [](absl::string_view slice) { return slice_key("w", *TensorSlice::parse(slice)); };
  EXPECT_EQ(key("0,2:-"), std::string("\0w\0\1\1\2\x80\x82\x80\x7f", 10));
  EXPECT_EQ(key("200,1:-"), std::string("\0w\0\1\1\2\xc0\xc8\x81\x80\x7f", 11));
  EXPECT_LT(key("0,2:-"), key("200,1:-"));
}

TEST(TensorSlice, refuses_what_is_none) {
  EXPECT_FALSE(TensorSlice::parse("1").ok());
  EXPECT_FALSE(TensorSlice::parse("a,b").ok());
  EXPECT_FALSE(TensorSlice::parse("-1,2").ok());
  EXPECT_FALSE(TensorSlice::parse("0,0").ok());
  EXPECT_FALSE(TensorSlice::parse("0,9223372036854775807:1,9223372036854775807")->shape_in(Shape{4, 4}).ok());
  EXPECT_FALSE(TensorSlice::parse("3,2")->shape_in(Shape{4}).ok());
  EXPECT_FALSE(TensorSlice::parse("3,1:-")->shape_in(Shape{4}).ok());
}

TEST_F(Checkpoint, table_finds_each_of_many_keys) {
  OutputFile file;
  ASSERT_EQ(file.open(path("t")), absl::OkStatus());
  TableWriter writer(&file);
  auto key = [](int i) { return "some/long/prefix/" + std::to_string(100000 + i); };
  for (int i = 0; i < 5000; ++i)
    ASSERT_EQ(writer.add(key(i), std::string(40, static_cast<char>(i))), absl::OkStatus());
  EXPECT_FALSE(writer.add(key(17), "").ok());
  ASSERT_EQ(writer.finish(), absl::OkStatus());
  EXPECT_FALSE(std::filesystem::exists(path("t")));
  ASSERT_EQ(file.commit(), absl::OkStatus());
  TableReader reader;
  ASSERT_EQ(reader.open(path("t")), absl::OkStatus());
  for (int i : {0, 1, 15, 16, 17, 1999, 4999})
    EXPECT_EQ(**reader.find(key(i)), std::string(40, static_cast<char>(i)));
  for (const char* absent : {"", "some", "some/long/prefix/1000001", "z"})
    EXPECT_FALSE(reader.find(absent)->has_value());
}

TEST_F(Checkpoint, table_reads_blocks_that_snappy_compressed) {
  // One block of one entry, an empty block of filters, the index, the footer.
  std::string file;
  auto add_block = [&file](const std::string& block, bool compress) {
    std::string stored = block;
    if (compress) snappy::Compress(block.data(), block.size(), &stored);
    std::string handle;
    put_varint64(&handle, file.size());
    put_varint64(&handle, stored.size());
    stored.push_back(compress ? 1 : 0);
    put_fixed32(&stored, crc32c_mask(crc32c(stored)));
    file += stored;
    return handle;
  };
  auto block_of = [](const std::string& key, const std::string& value) {
    std::string block(1, '\0');
    put_varint64(&block, key.size());
    put_varint64(&block, value.size());
    block += key + value;
    put_fixed32(&block, 0);
    put_fixed32(&block, 1);
    return block;
  };
  const std::string value(1000, 'v');
  const std::string data = add_block(block_of("key", value), true);
  std::string footer = add_block(std::string("\0\0\0\0\1\0\0\0", 8), false);
  footer += add_block(block_of("key", data), true);
  footer.resize(40, '\0');
  file += footer + "\x57\xfb\x80\x8b\x24\x75\x47\xdb";
  ASSERT_LT(file.size(), value.size());
  ASSERT_EQ(write_whole_file(path("t"), file), absl::OkStatus());
  TableReader reader;
  ASSERT_EQ(reader.open(path("t")), absl::OkStatus());
  EXPECT_EQ(**reader.find("key"), value);
}

TEST_F(Checkpoint, gives_back_what_was_saved_in_every_dtype) {
  const std::vector<std::string> names = {"f", "c", "i8", "b", "s", "scalar", "empty", "u64"};
  const std::vector<Tensor> values = {matrix(),
                                      Tensor::vector<std::complex<double>>({{1, -2}}),
                                      Tensor::vector<int8_t>({-128, 127}),
                                      Tensor::vector<bool>({true, false}),
                                      strings({"", std::string("a\0b", 3), std::string(300, 'x')}),
                                      Tensor::scalar(2.5),
                                      Tensor(DataType::kFloat, Shape{0, 3}),
                                      Tensor::vector<uint64_t>({~uint64_t{0}})};
  ASSERT_EQ(save("ck", names, values), absl::OkStatus());
  for (size_t i = 0; i < names.size(); ++i) {
    auto got = restore("ck", names[i], values[i].dtype());
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_TRUE(tensors_near(*got, values[i], 0, 0)) << names[i];
  }
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) files += entry.exists() ? 1 : 0;
  EXPECT_EQ(files, 2) << "temporary files are left";
}

TEST_F(Checkpoint, reads_parts_of_whole_tensors_and_wholes_of_parts) {
  ASSERT_EQ(save("ck", {"w", "w", "whole"},
                 {Tensor::from<float>(Shape{2, 1}, {1, 4}), Tensor::from<float>(Shape{2, 2}, {2, 3, 5, 6}),
                  matrix()},
                 {"2 3 -:0,1", "2 3 -:1,2", ""}),
            absl::OkStatus());
  EXPECT_TRUE(tensors_near(*restore("ck", "w", DataType::kFloat), matrix(), 0, 0));
  for (const char* name : {"w", "whole"}) {
    EXPECT_TRUE(tensors_near(*restore("ck", name, DataType::kFloat, "2 3 1,1:0,2"),
                             Tensor::from<float>(Shape{1, 2}, {4, 5}), 0, 0));
    EXPECT_EQ(restore("ck", name, DataType::kFloat, "3 3 -:-").status().code(),
              absl::StatusCode::kInvalidArgument);
  }
  ASSERT_EQ(save("half", {"w"}, {Tensor::from<float>(Shape{1, 3}, {1, 2, 3})}, {"2 3 0,1:-"}),
            absl::OkStatus());
  EXPECT_EQ(restore("half", "w", DataType::kFloat).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(Checkpoint, says_what_is_missing) {
  ASSERT_EQ(save("ck", {"a"}, {matrix()}), absl::OkStatus());
  EXPECT_EQ(restore("ck", "b", DataType::kFloat).status(),
            absl::NotFoundError("Key b not found in checkpoint"));
  EXPECT_EQ(restore("ck", "a", DataType::kInt32).status(),
            absl::InvalidArgumentError(
                "tensor_name = a; expected dtype int32 does not equal original dtype float"));
  EXPECT_EQ(
      restore("no", "a", DataType::kFloat).status(),
      absl::NotFoundError(
          "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for " + path("no")));
  EXPECT_EQ(save("x/y/ck", {"a"}, {matrix()}),
            absl::NotFoundError(path("x/y") + "; No such file or directory"));
  EXPECT_EQ(save("ck", {"a", "a"}, {matrix(), matrix()}),
            absl::InvalidArgumentError("Adding duplicate key: a"));
  EXPECT_TRUE(restore("ck", "a", DataType::kFloat).ok()) << "a failed save must leave the old checkpoint";
}

TEST_F(Checkpoint, notices_every_damaged_byte) {
  ASSERT_EQ(save("ck", {"a", "s"}, {matrix(), strings({"text", ""})}), absl::OkStatus());
  for (const std::string file : {"ck.index", "ck.data-00000-of-00001"}) {
    const std::string good = bytes(file);
    for (size_t i = 0; i < good.size(); ++i) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ 0x20);
      ASSERT_EQ(write_whole_file(path(file), bad), absl::OkStatus());
      auto a = restore("ck", "a", DataType::kFloat);
      auto s = restore("ck", "s", DataType::kString);
      // The padding of the footer and the handle of a block that nobody reads do not matter.
      if (a.ok()) {
        EXPECT_TRUE(tensors_near(*a, matrix(), 0, 0)) << file << " byte " << i;
      }
      if (s.ok()) {
        EXPECT_TRUE(tensors_near(*s, strings({"text", ""}))) << file << " byte " << i;
      }
      if (file != "ck.index") {
        EXPECT_FALSE(a.ok() && s.ok()) << "byte " << i;
      }
    }
    for (size_t n = 0; n < good.size(); ++n) {
      ASSERT_EQ(write_whole_file(path(file), good.substr(0, n)), absl::OkStatus());
      auto a = restore("ck", "a", DataType::kFloat);
      auto s = restore("ck", "s", DataType::kString);
      EXPECT_FALSE(a.ok() && s.ok()) << file << " cut at " << n;
      const absl::StatusCode code = (a.ok() ? s : a).status().code();
      EXPECT_TRUE(code == absl::StatusCode::kDataLoss || code == absl::StatusCode::kOutOfRange);
    }
    ASSERT_EQ(write_whole_file(path(file), good), absl::OkStatus());
  }
}

TEST_F(Checkpoint, entries_that_lie_about_sizes_allocate_nothing) {
  ASSERT_EQ(save("ck", {"a"}, {matrix()}), absl::OkStatus());
  BundleReader reader;
  ASSERT_EQ(reader.open(path("ck")), absl::OkStatus());
  ASSERT_EQ(write_whole_file(path("ck.data-00000-of-00001"), "short"), absl::OkStatus());
  EXPECT_EQ(reader.lookup("a").status().code(), absl::StatusCode::kOutOfRange);
}

TEST_F(Checkpoint, merges_shards_into_one) {
  ASSERT_EQ(save("t0/ck", {"a"}, {matrix()}), absl::OkStatus());
  ASSERT_EQ(save("t1/ck", {"b", "c"}, {Tensor::scalar(3.0f), strings({"x"})}), absl::OkStatus());
  const std::vector<Tensor> inputs = {strings({path("t0/ck"), path("t1/ck")}),
                                      Tensor::string_scalar(path("ck"))};
  ASSERT_EQ(run_kernel("MergeV2Checkpoints", inputs).status(), absl::OkStatus());
  EXPECT_TRUE(tensors_near(*restore("ck", "a", DataType::kFloat), matrix(), 0, 0));
  EXPECT_TRUE(tensors_near(*restore("ck", "b", DataType::kFloat), Tensor::scalar(3.0f), 0, 0));
  EXPECT_TRUE(tensors_near(*restore("ck", "c", DataType::kString), strings({"x"})));
  EXPECT_TRUE(std::filesystem::exists(path("ck.data-00001-of-00002")));
  EXPECT_FALSE(std::filesystem::exists(path("t0")));
}

TEST_F(Checkpoint, merges_only_shards_that_are_there) {
  const std::vector<Tensor> inputs = {strings({path("none")}), Tensor::string_scalar(path("ck"))};
  EXPECT_EQ(run_kernel("MergeV2Checkpoints", inputs).status(),
            absl::InvalidArgumentError("allow_missing_files was set to false and " + path("none") +
                                       " did not exist.NOT_FOUND: " + path("none") + " not found"));
}

TEST_F(Checkpoint, has_internal_errors_for_slices_that_do_not_fit) {
  ASSERT_EQ(save("ck", {"w"}, {matrix()}), absl::OkStatus());
  EXPECT_EQ(run_kernel("RestoreV2",
                       {Tensor::string_scalar(path("ck")), strings({"w"}), strings({"2 3 1,2:-"})},
                       {{"dtypes", std::vector<DataType>{DataType::kFloat}}})
                .status(),
            absl::InternalError("Extent in dimension 0 out of bounds: shape = [2,3], slice = 1,2:-"));
  const Tensor file = Tensor::string_scalar(path("old"));
  EXPECT_EQ(run_kernel("Save", {file, strings({"w", "w"}), matrix(), matrix()}).status(),
            absl::InternalError("Overlapping slices: existing slice = -:-, new slice = -:-"));
  EXPECT_EQ(run_kernel("Save", {file, strings({"w"}), Tensor(DataType::kBfloat16, Shape{2})}).status(),
            absl::UnimplementedError("Saving data type bfloat16 not yet supported"));
  ASSERT_EQ(run_kernel("Save", {file, strings({"w"}), matrix()}).status(), absl::OkStatus());
  EXPECT_EQ(
      run_kernel("RestoreSlice", {file, Tensor::string_scalar("w"), Tensor::string_scalar("2 4 -:-")},
                 {{"dt", DataType::kFloat}})
          .status(),
      absl::InvalidArgumentError("Shape in shape_and_slice spec does not match the shape in the save file: "
                                 "[2,4], save file shape: [2,3]"));
}

TEST_F(Checkpoint, the_older_format_goes_both_ways) {
  const Tensor file = Tensor::string_scalar(path("old"));
  ASSERT_EQ(
      run_kernel("SaveSlices", {file, strings({"a", "w", "w"}), strings({"", "2 3 0,1:-", "2 3 1,1:-"}),
                                Tensor::vector<int64_t>({5, -6}), Tensor::from<float>(Shape{1, 3}, {1, 2, 3}),
                                Tensor::from<float>(Shape{1, 3}, {4, 5, 6})})
          .status(),
      absl::OkStatus());
  auto get = [&](const std::string& name, DataType dtype) {
    return run_kernel("Restore", {file, Tensor::string_scalar(name)}, {{"dt", dtype}});
  };
  EXPECT_TRUE(tensors_near(get("w", DataType::kFloat)->at(0), matrix(), 0, 0));
  EXPECT_TRUE(tensors_near(get("a", DataType::kInt64)->at(0), Tensor::vector<int64_t>({5, -6})));
  EXPECT_EQ(get("zz", DataType::kFloat).status(),
            absl::NotFoundError("Tensor name \"zz\" not found in checkpoint files " + path("old")));
  // RestoreV2 understands it too.
  EXPECT_TRUE(tensors_near(*restore("old", "w", DataType::kFloat), matrix(), 0, 0));
}

TEST_F(Checkpoint, files_are_named_listed_read_and_written) {
  auto name = run_kernel("ShardedFilename", {Tensor::string_scalar("m"), Tensor::scalar<int32_t>(2),
                                             Tensor::scalar<int32_t>(10)});
  EXPECT_EQ(name->at(0).value<TString>().view(), "m-00002-of-00010");
  ASSERT_EQ(run_kernel("WriteFile", {Tensor::string_scalar(path("d/x.txt")), Tensor::string_scalar("hello")})
                .status(),
            absl::OkStatus());
  EXPECT_EQ(run_kernel("ReadFile", {Tensor::string_scalar(path("d/x.txt"))})->at(0).value<TString>().view(),
            "hello");
  EXPECT_EQ(run_kernel("ReadFile", {Tensor::string_scalar(path("none"))}).status(),
            absl::NotFoundError(path("none") + "; No such file or directory"));
  EXPECT_EQ(run_kernel("ReadFile", {Tensor::string_scalar(path("d"))}).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(tensors_near(run_kernel("MatchingFiles", {Tensor::string_scalar(path("*/?.t*"))})->at(0),
                           strings({path("d/x.txt")})));
  const std::string other = path("d/a.txt");
  ASSERT_TRUE(run_kernel("WriteFile", {Tensor::string_scalar(other), Tensor::string_scalar("a")}).ok());
  EXPECT_TRUE(tensors_near(run_kernel("MatchingFiles", {strings({path("d/x*"), path("d/a*")})})->at(0),
                           strings({other, path("d/x.txt")})))
      << "in order, whatever the order of the patterns";
}

TEST_F(Checkpoint, takes_file_uris_for_local_paths_and_refuses_other_schemes) {
  const std::string uri = "file://" + folder_, name = uri + "/new/folder/note";
  ASSERT_TRUE(run_kernel("WriteFile", {Tensor::string_scalar(name), Tensor::string_scalar("text")}).ok());
  EXPECT_EQ(bytes("new/folder/note"), "text");
  auto read = run_kernel("ReadFile", {Tensor::string_scalar("file://localhost" + path("new/folder/note"))});
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->at(0).value<TString>().str(), "text");
  auto found = run_kernel("MatchingFiles", {Tensor::string_scalar(uri + "/new/*/n*")});
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_EQ(found->at(0).num_elements(), 1);
  EXPECT_EQ(found->at(0).flat<TString>()[0].str(), name);
  auto foreign = run_kernel("ReadFile", {Tensor::string_scalar("s3://bucket/key")}).status();
  EXPECT_EQ(foreign.code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(foreign.message(), "File system scheme 's3' not implemented (file: 's3://bucket/key')");
}

TEST_F(Checkpoint, saves_and_restores_by_file_uri) {
  const Tensor prefix = Tensor::string_scalar("file://" + path("by_uri/model"));
  ASSERT_TRUE(run_kernel("SaveV2", {prefix, strings({"x"}), strings({""}), matrix()}).ok());
  EXPECT_TRUE(std::filesystem::exists(path("by_uri/model.index")));
  auto back = run_kernel("RestoreV2", {prefix, strings({"x"}), strings({""})},
                         {{"dtypes", std::vector<DataType>{DataType::kFloat}}});
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_TRUE(tensors_near(back->at(0), matrix()));
}

TEST_F(Checkpoint, reads_what_tensorflow_wrote) {
  const char* shared = std::getenv("TROUPE_SHARED");
  const std::string root = shared != nullptr ? shared : std::string(TROUPE_SOURCE_DIR) + "/../shared";
  const std::string prefix = root + "/refcases/save_files/part";
  if (!std::filesystem::exists(prefix + ".index")) GTEST_SKIP() << "no " << prefix;
  BundleReader reader;
  ASSERT_EQ(reader.open(prefix), absl::OkStatus());
  int entries = 0;
  ASSERT_EQ(reader.for_each([&](absl::string_view, const tensorflow::BundleEntryProto&) {
    ++entries;
    return absl::OkStatus();
  }),
            absl::OkStatus());
  EXPECT_GT(entries, 2);
}

}  // namespace
}  // namespace troupe::test
