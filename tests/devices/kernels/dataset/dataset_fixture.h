#pragma once

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "absl/strings/str_cat.h"
#include "graph/ir/function_library.h"
#include "proto/function.pb.h"
#include "proto/pb.h"
#include "tests/actors/session_fixture.h"
#include "tests/support/string_tensors.h"

namespace troupe::test {

using Types = std::vector<DataType>;
using Shapes = std::vector<PartialShape>;
using Names = std::vector<std::string>;

inline const PartialShape kScalar(std::vector<int64_t>{});

/// A session over datasets, and a folder that is empty at first and gone at the end.
class DatasetKernels : public SessionTest {
 protected:
  DatasetKernels() : folder_(absl::StrCat(testing::TempDir(), "dataset_kernels_", ::getpid(), "/")) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~DatasetKernels() override { std::filesystem::remove_all(folder_); }

  int number(int64_t n) { return constant(absl::StrCat("n", graph_.num_ids()), Tensor::scalar<int64_t>(n)); }
  int text(const std::string& s) {
    return constant(absl::StrCat("s", graph_.num_ids()), Tensor::string_scalar(s));
  }
  static AttrMap elements(DataType type = DataType::kInt64, const PartialShape& shape = kScalar) {
    return {{"output_types", Types{type}}, {"output_shapes", Shapes{shape}}};
  }
  static AttrMap with(AttrMap attrs, const AttrMap& more) {
    for (const auto& [name, value] : more) attrs.set(name, value);
    return attrs;
  }
  int op(const std::string& kind, const AttrMap& attrs, std::vector<Endpoint> inputs) {
    return add(absl::StrCat("op", graph_.num_ids()), kind, attrs, std::move(inputs));
  }
  int range(int64_t n) { return op("RangeDataset", elements(), {{number(0)}, {number(n)}, {number(1)}}); }
  /// "it", "make" and "next" over the dataset; the last of them.
  int iterate(int dataset, const AttrMap& components = elements()) {
    const int it = add("it", "IteratorV2", with(components, {{"shared_name", ""}, {"container", ""}}));
    add("make", "MakeIterator", {}, {{dataset}, {it}});
    return add("next", "IteratorGetNext", components, {{it}});
  }
  void functions(const std::string& proto_text) {
    pb::FunctionDefLibrary proto;
    ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(proto_text, &proto));
    auto library = std::make_shared<FunctionLibrary>();
    const absl::Status added = library->add(proto);
    ASSERT_TRUE(added.ok()) << added;
    graph_.set_library(library);
  }
  absl::Status run(const std::string& target) { return session_->run({}, {}, {target}).status(); }
  absl::StatusOr<std::vector<Tensor>> next(const std::string& name = "next") {
    return session_->run({}, {name});
  }
  /// Numbers to the end, or to an error, which stands in `status_`.
  std::vector<int64_t> numbers(const std::string& name = "next") {
    std::vector<int64_t> all;
    while (true) {
      const auto got = next(name);
      status_ = got.status();
      if (!got.ok()) return all;
      all.insert(all.end(), (*got)[0].flat<int64_t>().begin(), (*got)[0].flat<int64_t>().end());
    }
  }
  std::vector<int64_t> walk() {
    status_ = run("make");
    return status_.ok() ? numbers() : std::vector<int64_t>();
  }
  std::string bytes_of(const std::string& path) const {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const std::string folder_;
  absl::Status status_;
};

}  // namespace troupe::test
