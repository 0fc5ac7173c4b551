// ParseExample, ParseExampleV2, ParseSingleExample.
#include "devices/cpu/kernels/parsing/example.h"

#include "devices/kernel_registry.h"

#include <algorithm>
#include <string>

namespace troupe {
namespace {

enum class Version { kBatch, kBatchOrOne, kOne };

/// What one run of the kernel is asked for. Views point into the inputs or the kernel.
struct Request {
  std::vector<absl::string_view> sparse, dense, ragged;
  int first_default = 0;
  std::span<const TString> serialized;
  std::span<const TString> names;
  bool single = false;
};

/// Says which example and feature an error is about.
class Blame {
 public:
  Blame(const Request& request, size_t row) : request_(request), row_(row) {}

  absl::Status missing(absl::string_view key, DataType dtype) const {
    return invalid(name(), "Feature: ", key, " (data type: ", dtype_name(dtype),
                   ") is required but could not be found.");
  }
  absl::Status dense_dtype(absl::string_view key, DataType want, DataType got) const {
    return invalid(feature(key), "Data types don't match. Data type: ", dtype_name(got),
                   " but expected type: ", dtype_name(want));
  }
  absl::Status dtype(absl::string_view key, DataType want, DataType got) const {
    return invalid(feature(key), "Data types don't match. Expected type: ", dtype_name(want),
                   ", Actual type: ", dtype_name(got));
  }
  absl::Status count(absl::string_view key, DataType dtype, int64_t got, const DenseSpec& spec) const {
    if (request_.single) {
      const char* list = dtype == DataType::kString  ? "bytes_list"
                         : dtype == DataType::kFloat ? "float_list"
                                                     : "int64_list";
      return invalid(feature(key), "Can't parse serialized Example: Some ", list,
                     " slice was not parsed.  Values size: ", got,
                     " but output shape: ", spec.row.to_string());
    }
    return invalid(feature(key), "Number of ", dtype == DataType::kString ? "bytes" : dtype_name(dtype),
                   " values != expected.  Values size: ", got, " but output shape: ", spec.row.to_string());
  }
  absl::Status stride(absl::string_view key, DataType dtype, int64_t got, const DenseSpec& spec) const {
    if (request_.single) {
      return invalid("Error while parsing feature with key ", key,
                     ": number of elements should be divisible by ", spec.elements, ", found ", got,
                     " instead");
    }
    return invalid(feature(key), "Number of ", dtype_name(dtype),
                   " values is not a multiple of stride length. Saw ", got,
                   " values but output shape is: ", spec.declared.to_string());
  }

 private:
  std::string name() const {
    if (request_.single) return "";
    return absl::StrCat("Name: ", request_.names.empty() ? "<unknown>" : request_.names[row_].view(), ", ");
  }
  std::string feature(absl::string_view key) const {
    if (request_.single) return absl::StrCat("Key: ", key, ".  ");
    return absl::StrCat(name(), "Key: ", key, ", Index: ", row_, ".  ");
  }

  const Request& request_;
  const size_t row_;
};

/// A sparse, ragged or variable-length feature: values of all rows and how many each has.
struct Rows {
  explicit Rows(DataType dtype) : values(dtype) {}
  FeatureColumn values;
  std::vector<int64_t> counts;
};

class ParseExampleKernel final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("sparse_types", &sparse_types_)("Tdense", &dense_types_); }
  absl::Status init(const KernelConstruction& c) {
    const std::string& op = c.node().op->name;
    version_ = op == "ParseExampleV2" ? Version::kBatchOrOne
               : op == "ParseExample" ? Version::kBatch
                                      : Version::kOne;
    TROUPE_ASSIGN_OR_RETURN(auto shapes, c.attr<std::vector<PartialShape>>("dense_shapes"));
    if (shapes.size() != dense_types_.size()) return invalid("len(dense_keys) != len(dense_shapes)");
    for (size_t i = 0; i < shapes.size(); ++i) {
      TROUPE_ASSIGN_OR_RETURN(DenseSpec spec, DenseSpec::make(i, shapes[i], true));
      specs_.push_back(std::move(spec));
    }
    int64_t num_sparse = 0, num_dense = static_cast<int64_t>(dense_types_.size());
    if (version_ == Version::kBatch) {
      TROUPE_ASSIGN_OR_RETURN(num_sparse, c.attr<int64_t>("Nsparse"));
      TROUPE_ASSIGN_OR_RETURN(num_dense, c.attr<int64_t>("Ndense"));
    } else {
      TROUPE_ASSIGN_OR_RETURN(num_sparse, c.attr<int64_t>("num_sparse"));
    }
    if (version_ == Version::kBatchOrOne) {
      TROUPE_ASSIGN_OR_RETURN(ragged_types_, c.attr<std::vector<DataType>>("ragged_value_types"));
      TROUPE_ASSIGN_OR_RETURN(auto splits, c.attr<std::vector<DataType>>("ragged_split_types"));
      if (splits.size() != ragged_types_.size())
        return invalid("len(ragged_keys) != len(ragged_split_types)");
    }
    if (version_ == Version::kOne) {
      TROUPE_ASSIGN_OR_RETURN(sparse_keys_, c.attr<std::vector<std::string>>("sparse_keys"));
      TROUPE_ASSIGN_OR_RETURN(dense_keys_, c.attr<std::vector<std::string>>("dense_keys"));
      if (static_cast<int64_t>(sparse_keys_.size()) != num_sparse) {
        return invalid("num_sparse (", num_sparse, ") must match the size of sparse_keys (",
                       sparse_keys_.size(), ")");
      }
      num_dense = static_cast<int64_t>(dense_keys_.size());
    }
    if (static_cast<int64_t>(sparse_types_.size()) != num_sparse) {
      return invalid("len(sparse_keys) != len(sparse_types)");
    }
    if (static_cast<int64_t>(dense_types_.size()) != num_dense) {
      return invalid("len(dense_keys) != len(dense_types)");
    }
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& context) override {
    Request request;
    TROUPE_RETURN_IF_ERROR(read_request(context, &request));
    const size_t rows = request.serialized.size();
    const int64_t batch = static_cast<int64_t>(rows);
    for (size_t i = 0; i < specs_.size(); ++i) {
      TROUPE_RETURN_IF_ERROR(
          check_default(i, specs_[i], context.input(request.first_default + static_cast<int>(i))));
    }

    KeyIndex keys;
    std::vector<Rows> sparse, ragged, dense;
    std::vector<int> sparse_slots, ragged_slots, dense_slots;
    const auto prepare = [&](const std::vector<absl::string_view>& names, const std::vector<DataType>& types,
                             std::vector<int>* slots, std::vector<Rows>* columns) {
      for (size_t i = 0; i < names.size(); ++i) {
        slots->push_back(keys.add(names[i]));
        columns->emplace_back(types[i]);
      }
    };
    prepare(request.sparse, sparse_types_, &sparse_slots, &sparse);
    prepare(request.ragged, ragged_types_, &ragged_slots, &ragged);
    prepare(request.dense, dense_types_, &dense_slots, &dense);

    const int dense_out = 3 * static_cast<int>(sparse.size());
    std::vector<Tensor*> fixed(dense.size(), nullptr);
    for (size_t i = 0; i < dense.size(); ++i) {
      if (specs_[i].variable) continue;
      const int out = dense_out + static_cast<int>(i);
      TROUPE_ASSIGN_OR_RETURN(fixed[i], request.single ? allocate_rows(context, out, {}, specs_[i].row)
                                                       : allocate_rows(context, out, {batch}, specs_[i].row));
    }

    std::vector<FeatureView> features;
    for (size_t row = 0; row < rows; ++row) {
      const Blame blame(request, row);
      absl::string_view bytes = request.serialized[row].view();
      if (!read_features_of(bytes, keys, &features)) return malformed_example(bytes);
      const auto collect = [&](const std::vector<absl::string_view>& names, const std::vector<int>& slots,
                               std::vector<Rows>* columns) -> absl::Status {
        for (size_t i = 0; i < names.size(); ++i) {
          TROUPE_RETURN_IF_ERROR(append_row(features[slots[i]], names[i], blame, bytes, &(*columns)[i]));
        }
        return absl::OkStatus();
      };
      TROUPE_RETURN_IF_ERROR(collect(request.sparse, sparse_slots, &sparse));
      TROUPE_RETURN_IF_ERROR(collect(request.ragged, ragged_slots, &ragged));
      for (size_t i = 0; i < dense.size(); ++i) {
        const FeatureView& feature = features[dense_slots[i]];
        absl::string_view key = request.dense[i];
        const Tensor& fallback = context.input(request.first_default + static_cast<int>(i));
        if (feature.present() && feature.dtype != dense_types_[i]) {
          return blame.dense_dtype(key, dense_types_[i], feature.dtype);
        }
        if (specs_[i].variable) {
          TROUPE_RETURN_IF_ERROR(append_row(feature, key, blame, bytes, &dense[i]));
          if (specs_[i].elements == 0 ? dense[i].counts.back() != 0
                                      : dense[i].counts.back() % specs_[i].elements != 0) {
            return blame.stride(key, dense_types_[i], dense[i].counts.back(), specs_[i]);
          }
          continue;
        }
        const int64_t to = static_cast<int64_t>(row) * specs_[i].elements;
        if (!feature.present()) {
          if (fallback.num_elements() == 0) return blame.missing(key, dense_types_[i]);
          copy_elements(fallback, 0, *fixed[i], to, specs_[i].elements);
          continue;
        }
        dense[i].values.clear();
        if (!feature.append_to(&dense[i].values)) return malformed_example(bytes);
        if (dense[i].values.size() != specs_[i].elements) {
          return blame.count(key, dense_types_[i], dense[i].values.size(), specs_[i]);
        }
        dense[i].values.copy_to(0, specs_[i].elements, fixed[i], to);
      }
    }

    const int num_sparse = static_cast<int>(sparse.size());
    for (int i = 0; i < num_sparse; ++i) {
      TROUPE_RETURN_IF_ERROR(
          write_sparse(context, i, num_sparse, sparse[i].values, sparse[i].counts, request.single));
    }
    for (size_t i = 0; i < dense.size(); ++i) {
      if (!specs_[i].variable) continue;
      const Tensor& padding = context.input(request.first_default + static_cast<int>(i));
      TROUPE_RETURN_IF_ERROR(write_padded(context, dense_out + static_cast<int>(i), specs_[i], dense[i],
                                          padding, request.single));
    }
    const int ragged_out = dense_out + static_cast<int>(dense.size()),
              num_ragged = static_cast<int>(ragged.size());
    for (int i = 0; i < num_ragged; ++i) {
      TROUPE_RETURN_IF_ERROR(write_values(context, ragged_out + i, ragged[i].values));
      const int splits = ragged_out + num_ragged + i;
      // One example has no rows, so no splits.
      TROUPE_RETURN_IF_ERROR(request.single ? context.allocate_output(splits, Shape{0}).status()
                                            : write_splits(context, splits, ragged[i].counts));
    }
    return absl::OkStatus();
  }

 private:
  static absl::Status append_row(const FeatureView& feature, absl::string_view key, const Blame& blame,
                                 absl::string_view bytes, Rows* rows) {
    const int64_t before = rows->values.size();
    if (feature.present()) {
      if (feature.dtype != rows->values.dtype) return blame.dtype(key, rows->values.dtype, feature.dtype);
      if (!feature.append_to(&rows->values)) return malformed_example(bytes);
    }
    rows->counts.push_back(rows->values.size() - before);
    return absl::OkStatus();
  }

  /// A variable-length dense feature: rows filled up with the padding to the longest.
  static absl::Status write_padded(KernelContext& context, int i, const DenseSpec& spec, const Rows& rows,
                                   const Tensor& padding, bool single) {
    int64_t longest = 0;
    for (int64_t n : rows.counts) longest = std::max(longest, n);
    const int64_t steps = spec.elements == 0 ? 0 : longest / spec.elements;
    TROUPE_ASSIGN_OR_RETURN(
        Tensor * out,
        single ? allocate_rows(context, i, {steps}, spec.row)
               : allocate_rows(context, i, {static_cast<int64_t>(rows.counts.size()), steps}, spec.row));
    int64_t from = 0, to = 0;
    for (int64_t n : rows.counts) {
      rows.values.copy_to(from, n, out, to);
      for (int64_t k = n; k < longest; ++k) copy_elements(padding, 0, *out, to + k, 1);
      from += n;
      to += longest;
    }
    return absl::OkStatus();
  }

  static absl::Status read_keys(const Tensor& keys, const char* what, const char* wanted, size_t n,
                                std::vector<absl::string_view>* out) {
    if (keys.rank() != 1)
      return invalid("Expected ", what, " to be a vector, got shape: ", keys.shape().to_string());
    if (static_cast<size_t>(keys.num_elements()) != n) {
      return invalid("Expected len(", what, ") == ", wanted, " but got: ", keys.num_elements(), " vs. ", n);
    }
    for (const TString& key : keys.flat<TString>()) out->push_back(key.view());
    return absl::OkStatus();
  }

  absl::Status read_request(KernelContext& context, Request* request) const {
    const Tensor& serialized = context.input(0);
    request->serialized = serialized.flat<TString>();
    if (version_ == Version::kOne) {
      if (serialized.rank() != 0) {
        return invalid("Expected serialized to be a scalar, got shape: ", serialized.shape().to_string());
      }
      request->single = true;
      request->first_default = 1;
      request->sparse.assign(sparse_keys_.begin(), sparse_keys_.end());
      request->dense.assign(dense_keys_.begin(), dense_keys_.end());
      return absl::OkStatus();
    }
    const Tensor& names = context.input(1);
    if (version_ == Version::kBatch) {
      if (serialized.rank() != 1) {
        return invalid("Expected serialized to be a vector, got shape: ", serialized.shape().to_string());
      }
      int in = 2;
      for (size_t i = 0; i < sparse_types_.size() + dense_types_.size(); ++i, ++in) {
        const Tensor& key = context.input(in);
        if (key.num_elements() != 1) {
          return invalid("Expected a key to be a scalar, got shape: ", key.shape().to_string());
        }
        (i < sparse_types_.size() ? request->sparse : request->dense).push_back(key.value<TString>().view());
      }
      request->first_default = in;
    } else {
      if (serialized.rank() > 1) {
        return invalid("Expected serialized to be a scalar or vector, got shape: ",
                       serialized.shape().to_string());
      }
      TROUPE_RETURN_IF_ERROR(
          read_keys(context.input(2), "sparse_keys", "num_sparse", sparse_types_.size(), &request->sparse));
      TROUPE_RETURN_IF_ERROR(read_keys(context.input(3), "dense_keys", "len(dense_types)",
                                       dense_types_.size(), &request->dense));
      TROUPE_RETURN_IF_ERROR(read_keys(context.input(4), "ragged_keys", "len(ragged_value_types)",
                                       ragged_types_.size(), &request->ragged));
      request->single = serialized.rank() == 0;
      request->first_default = 5;
    }
    if (names.num_elements() > 0 && !(names.shape() == serialized.shape())) {
      return invalid("Expected names have the same shape as serialized: name.shape=",
                     names.shape().to_string(), ", serialized.shape=", serialized.shape().to_string());
    }
    request->names = names.flat<TString>();
    return absl::OkStatus();
  }

  Version version_ = Version::kBatch;
  std::vector<DataType> sparse_types_, dense_types_, ragged_types_;
  std::vector<DenseSpec> specs_;
  std::vector<std::string> sparse_keys_, dense_keys_;
};

}  // namespace

void register_parsing_example(KernelRegistry* registry) {
  for (const char* op : {"ParseExample", "ParseExampleV2", "ParseSingleExample"}) {
    registry->add(KernelDef(op).kernel<ParseExampleKernel>());
  }
}

}  // namespace troupe
