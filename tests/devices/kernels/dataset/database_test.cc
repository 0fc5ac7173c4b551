// Datasets of databases, through sessions.

#include <sqlite3.h>

#include <cstring>

#include "tests/devices/kernels/dataset/dataset_fixture.h"

namespace troupe::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// --- SQL ---

class Databases : public DatasetKernels {
 protected:
  Databases() : path_(folder_ + "t.db") {
    sqlite3* db = nullptr;
    EXPECT_EQ(sqlite3_open(path_.c_str(), &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db,
                           "create table s(id integer, name text, rate real);"
                           "insert into s values (1, 'a', 1.5), (300, 'b', -2.25), (3, null, null)",
                           nullptr, nullptr, nullptr),
              SQLITE_OK);
    sqlite3_close(db);
  }
  static AttrMap row(const Types& types) {
    return {{"output_types", types}, {"output_shapes", Shapes(types.size(), kScalar)}};
  }
  void query(const std::string& sql, const Types& types, const std::string& path) {
    graph_ = Graph(&graph_.ops());
    iterate(op("SqlDataset", row(types), {{text("sqlite")}, {text(path)}, {text(sql)}}), row(types));
    open();
    status_ = run("make");
    if (status_.ok()) status_ = next().status();
  }

  const std::string path_;
};

TEST_F(Databases, give_the_rows_of_a_query) {
  const AttrMap attrs = row({DataType::kInt8, DataType::kString, DataType::kDouble, DataType::kBool});
  iterate(op("SqlDataset", attrs,
             {{text("sqlite")}, {text(path_)}, {text("select id, name, rate, id from s order by id")}}),
          attrs);
  open();
  ASSERT_TRUE(run("make").ok()) << run("make");
  const auto fetch = [this] { return session_->run({}, {"next:0", "next:1", "next:2", "next:3"}); };
  auto got = fetch();
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ((*got)[0].value<int8_t>(), 1);
  EXPECT_EQ((*got)[1].value<TString>().str(), "a");
  EXPECT_EQ((*got)[2].value<double>(), 1.5);
  EXPECT_EQ((*got)[3].value<bool>(), true);
  got = fetch();
  ASSERT_TRUE(got.ok());
  EXPECT_EQ((*got)[1].value<TString>().str(), "") << "null";
  EXPECT_EQ((*got)[2].value<double>(), 0);
  got = fetch();
  ASSERT_TRUE(got.ok());
  EXPECT_EQ((*got)[0].value<int8_t>(), 44) << "300, cut";
  EXPECT_EQ(fetch().status().code(), absl::StatusCode::kOutOfRange);
}

TEST_F(Databases, report_what_is_wrong_with_a_query) {
  query("select id, name from s", {DataType::kInt64}, path_);
  EXPECT_THAT(
      std::string(status_.message()),
      HasSubstr("The number of columns in query (2) must match the number of elements in output_types (1)."));
  query("select id from nowhere", {DataType::kInt64}, path_);
  EXPECT_EQ(status_.code(), absl::StatusCode::kUnknown) << status_;
  EXPECT_THAT(std::string(status_.message()), HasSubstr("no such table: nowhere"));
  query("select id from s", {DataType::kFloat}, path_);
  EXPECT_EQ(status_.code(), absl::StatusCode::kInvalidArgument) << status_;
  query("select id from s", {DataType::kInt64}, folder_ + "none/t.db");
  EXPECT_EQ(status_.code(), absl::StatusCode::kInvalidArgument) << status_;
  query("", {DataType::kInt64}, path_);
  EXPECT_EQ(status_.code(), absl::StatusCode::kInvalidArgument) << status_;
}

// --- LMDB ---

/// A database of one leaf page: pairs in order.
std::string lmdb_of(const std::vector<std::pair<std::string, std::string>>& pairs) {
  constexpr size_t kPage = 4096;
  std::string file(3 * kPage, '\0');
  const auto put = [&file](size_t at, auto value) { std::memcpy(file.data() + at, &value, sizeof value); };
  for (uint64_t i = 0; i < 2; ++i) {
    const size_t meta = i * kPage;
    put(meta + 10, uint16_t{8});
    put(meta + 16, uint32_t{0xBEEFC0DE});
    put(meta + 20, uint32_t{1});
    put(meta + 40, static_cast<uint32_t>(kPage));
    put(meta + 128, i == 0 ? ~uint64_t{0} : uint64_t{2});
    put(meta + 144, i);
  }
  const size_t leaf = 2 * kPage;
  size_t end = kPage, list = 16;
  for (const auto& [key, value] : pairs) {
    end -= (8 + key.size() + value.size() + 1) & ~size_t{1};
    put(leaf + end, static_cast<uint32_t>(value.size()));
    put(leaf + end + 6, static_cast<uint16_t>(key.size()));
    std::memcpy(file.data() + leaf + end + 8, key.data(), key.size());
    std::memcpy(file.data() + leaf + end + 8 + key.size(), value.data(), value.size());
    put(leaf + list, static_cast<uint16_t>(end));
    list += 2;
  }
  put(leaf + 10, uint16_t{2});
  put(leaf + 12, static_cast<uint16_t>(list));
  put(leaf + 14, static_cast<uint16_t>(end));
  return file;
}

class Lmdb : public DatasetKernels {
 protected:
  void walk_file(const std::string& bytes) {
    std::ofstream(folder_ + "data.mdb", std::ios::binary) << bytes;
    const AttrMap pair = {{"output_types", Types{DataType::kString, DataType::kString}},
                          {"output_shapes", Shapes{kScalar, kScalar}}};
    graph_ = Graph(&graph_.ops());
    iterate(op("LMDBDataset", pair, {{text(folder_)}}), pair);
    open();
    status_ = run("make");
    found_.clear();
    while (status_.ok() && found_.size() < 1000) {
      const auto got = session_->run({}, {"next:0", "next:1"});
      status_ = got.status();
      if (got.ok()) {
        found_.push_back((*got)[0].value<TString>().str() + "=" + (*got)[1].value<TString>().str());
      }
    }
  }
  Names found_;
};

TEST_F(Lmdb, gives_keys_and_values) {
  walk_file(lmdb_of({{"a", "one"}, {"b", ""}, {"key", "three"}}));
  EXPECT_THAT(found_, ElementsAre("a=one", "b=", "key=three"));
  EXPECT_EQ(status_.code(), absl::StatusCode::kOutOfRange) << status_;
}

TEST_F(Lmdb, that_is_damaged_is_an_error) {
  walk_file("no database");
  EXPECT_EQ(status_.code(), absl::StatusCode::kInvalidArgument) << status_;
  const std::string sound = lmdb_of({{"a", "one"}, {"b", "two"}});
  // Every byte that matters, wrong in turn: errors or other values, but no crash.
  for (const size_t page : {size_t{0}, size_t{4096}, size_t{8192}}) {
    for (size_t i = 0; i < (page == 8192 ? 24 : 152); ++i) {
      std::string bytes = sound;
      bytes[page + i] = static_cast<char>(0xff);
      walk_file(bytes);
      EXPECT_FALSE(status_.ok());
    }
  }
  walk_file(sound.substr(0, 8192 + 100));
  EXPECT_FALSE(absl::IsOutOfRange(status_)) << status_;
}

TEST_F(Lmdb, is_read_by_a_reader_too) {
  std::ofstream(folder_ + "data.mdb", std::ios::binary) << lmdb_of({{"a", "one"}, {"b", "two"}});
  const int queue = add("q", "FIFOQueue", {{"component_types", Types{DataType::kString}}});
  add("fill", "QueueEnqueue", {{"Tcomponents", Types{DataType::kString}}}, {{queue}, {text(folder_)}});
  add("close", "QueueClose", {}, {{queue}});
  add("read", "ReaderRead", {}, {{add("reader", "LMDBReader", {})}, {queue}});
  open();
  ASSERT_TRUE(run("fill").ok());
  ASSERT_TRUE(run("close").ok());
  for (const std::string expected : {"a=one", "b=two"}) {
    const auto got = session_->run({}, {"read:0", "read:1"});
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_EQ((*got)[0].value<TString>().str() + "=" + (*got)[1].value<TString>().str(), expected);
  }
  const absl::Status end = session_->run({}, {"read:0", "read:1"}).status();
  EXPECT_EQ(end.code(), absl::StatusCode::kOutOfRange) << end;
}

}  // namespace
}  // namespace troupe::test
