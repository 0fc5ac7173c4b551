// ParseSequenceExample, ParseSequenceExampleV2, ParseSingleSequenceExample.
#include <algorithm>
#include <string>
#include <vector>

#include "devices/cpu/kernels/parsing/example.h"

namespace troupe {
namespace {

enum class Version { kKeysInAttrs, kKeysInInputs, kOne };

/// Context features and feature lists that one run is asked for.
struct SequenceRequest {
  std::vector<absl::string_view> context_sparse, context_dense, context_ragged;
  std::vector<absl::string_view> list_sparse, list_dense, list_ragged;
  /// Of each dense list: whether it may be missing.
  std::vector<bool> may_miss;
  int first_default = 0;
  std::span<const TString> serialized;
  std::span<const TString> names;
  bool single = false;
};

/// Values of a feature list over the batch: how many steps each example has and how many values each step.
struct Steps {
  explicit Steps(DataType dtype) : values(dtype) {}
  FeatureColumn values;
  std::vector<int64_t> steps;
  std::vector<int64_t> counts;
};

/// The same of a context feature: one step an example.
struct ContextRows {
  explicit ContextRows(DataType dtype) : values(dtype) {}
  FeatureColumn values;
  std::vector<int64_t> counts;
  std::vector<bool> found;
};

template <class T>
absl::Status attr_or_empty(const KernelConstruction& c, const char* name, std::vector<T>* out) {
  if (!c.node().attrs.contains(name)) return absl::OkStatus();
  TROUPE_ASSIGN_OR_RETURN(*out, c.attr<std::vector<T>>(name));
  return absl::OkStatus();
}

absl::Status read_specs(const std::vector<PartialShape>& shapes, std::vector<DenseSpec>* specs) {
  for (size_t i = 0; i < shapes.size(); ++i) {
    TROUPE_ASSIGN_OR_RETURN(DenseSpec spec, DenseSpec::make(i, shapes[i], false));
    specs->push_back(std::move(spec));
  }
  return absl::OkStatus();
}

class ParseSequenceKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    const std::string& op = c.node().op->name;
    version_ = op == "ParseSequenceExample"     ? Version::kKeysInAttrs
               : op == "ParseSequenceExampleV2" ? Version::kKeysInInputs
                                                : Version::kOne;
    TROUPE_RETURN_IF_ERROR(read_attrs(c));
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& context) override {
    SequenceRequest request;
    TROUPE_RETURN_IF_ERROR(read_request(context, &request));
    KeyIndex context_keys, list_keys;
    std::vector<ContextRows> context_rows;
    std::vector<Steps> lists;
    std::vector<int> context_slots, list_slots;
    const auto want_context = [&](const std::vector<absl::string_view>& keys,
                                  const std::vector<DataType>& types) {
      for (size_t i = 0; i < keys.size(); ++i) {
        context_slots.push_back(context_keys.add(keys[i]));
        context_rows.emplace_back(types[i]);
      }
    };
    const auto want_lists = [&](const std::vector<absl::string_view>& keys,
                                const std::vector<DataType>& types) {
      for (size_t i = 0; i < keys.size(); ++i) {
        list_slots.push_back(list_keys.add(keys[i]));
        lists.emplace_back(types[i]);
      }
    };
    // Sparse, dense, ragged: the order of the columns from here on.
    want_context(request.context_sparse, context_sparse_types_);
    want_context(request.context_dense, context_dense_types_);
    want_context(request.context_ragged, context_ragged_types_);
    want_lists(request.list_sparse, list_sparse_types_);
    want_lists(request.list_dense, list_dense_types_);
    want_lists(request.list_ragged, list_ragged_types_);

    std::vector<FeatureView> features;
    std::vector<FeatureListView> views;
    for (size_t row = 0; row < request.serialized.size(); ++row) {
      absl::string_view bytes = request.serialized[row].view();
      if (!read_features_of(bytes, context_keys, &features) ||
          !read_feature_lists_of(bytes, list_keys, &views)) {
        return invalid("Invalid protocol message input, example id: ",
                       request.names.empty() ? "<unknown>" : request.names[row].view());
      }
      for (size_t i = 0; i < context_rows.size(); ++i) {
        TROUPE_RETURN_IF_ERROR(
            add_context(request, row, i, features[context_slots[i]], bytes, &context_rows[i]));
      }
      for (size_t i = 0; i < lists.size(); ++i) {
        TROUPE_RETURN_IF_ERROR(add_list(request, row, i, views[list_slots[i]], bytes, &lists[i]));
      }
    }
    return write(context, request, context_rows, lists);
  }

 private:
  absl::Status read_attrs(const KernelConstruction& c) {
    TROUPE_RETURN_IF_ERROR(attr_or_empty(c, "context_sparse_types", &context_sparse_types_));
    TROUPE_RETURN_IF_ERROR(attr_or_empty(c, "Tcontext_dense", &context_dense_types_));
    TROUPE_RETURN_IF_ERROR(attr_or_empty(c, "context_ragged_value_types", &context_ragged_types_));
    TROUPE_RETURN_IF_ERROR(attr_or_empty(c, "feature_list_sparse_types", &list_sparse_types_));
    TROUPE_RETURN_IF_ERROR(attr_or_empty(c, "feature_list_dense_types", &list_dense_types_));
    TROUPE_RETURN_IF_ERROR(attr_or_empty(c, "feature_list_ragged_value_types", &list_ragged_types_));
    std::vector<PartialShape> context_shapes, list_shapes;
    TROUPE_RETURN_IF_ERROR(attr_or_empty(c, "context_dense_shapes", &context_shapes));
    TROUPE_RETURN_IF_ERROR(attr_or_empty(c, "feature_list_dense_shapes", &list_shapes));
    TROUPE_RETURN_IF_ERROR(read_specs(context_shapes, &context_specs_));
    TROUPE_RETURN_IF_ERROR(read_specs(list_shapes, &list_specs_));
    if (context_specs_.size() != context_dense_types_.size()) {
      return invalid("len(context_dense_keys) != len(context_dense_shapes)");
    }
    if (list_specs_.size() != list_dense_types_.size()) {
      return invalid("len(feature_list_dense_keys) != len(feature_list_dense_shapes)");
    }
    TROUPE_RETURN_IF_ERROR(check_splits(c, "context_ragged_split_types", context_ragged_types_.size()));
    TROUPE_RETURN_IF_ERROR(check_splits(c, "feature_list_ragged_split_types", list_ragged_types_.size()));
    TROUPE_RETURN_IF_ERROR(check_count(c, "Ncontext_sparse", context_sparse_types_.size()));
    TROUPE_RETURN_IF_ERROR(check_count(c, "Nfeature_list_sparse", list_sparse_types_.size()));
    TROUPE_RETURN_IF_ERROR(check_count(c, "Nfeature_list_dense", list_dense_types_.size()));
    TROUPE_RETURN_IF_ERROR(check_count(c, "Ncontext_dense", context_dense_types_.size()));
    if (version_ != Version::kKeysInAttrs) return absl::OkStatus();
    TROUPE_RETURN_IF_ERROR(attr_or_empty(c, "context_sparse_keys", &context_sparse_keys_));
    TROUPE_RETURN_IF_ERROR(attr_or_empty(c, "context_dense_keys", &context_dense_keys_));
    TROUPE_RETURN_IF_ERROR(attr_or_empty(c, "feature_list_sparse_keys", &list_sparse_keys_));
    TROUPE_RETURN_IF_ERROR(attr_or_empty(c, "feature_list_dense_keys", &list_dense_keys_));
    TROUPE_RETURN_IF_ERROR(attr_or_empty(c, "feature_list_dense_missing_assumed_empty", &may_miss_));
    if (context_sparse_keys_.size() != context_sparse_types_.size()) {
      return invalid("len(context_sparse_keys) != len(context_sparse_types)");
    }
    if (context_dense_keys_.size() != context_dense_types_.size()) {
      return invalid("len(context_dense_keys) != len(context_dense_types)");
    }
    if (list_sparse_keys_.size() != list_sparse_types_.size()) {
      return invalid("len(feature_list_sparse_keys) != len(feature_list_sparse_types)");
    }
    if (list_dense_keys_.size() != list_dense_types_.size()) {
      return invalid("len(feature_list_dense_keys) != len(feature_list_dense_types)");
    }
    return absl::OkStatus();
  }

  static absl::Status check_splits(const KernelConstruction& c, const char* name, size_t values) {
    std::vector<DataType> splits;
    TROUPE_RETURN_IF_ERROR(attr_or_empty(c, name, &splits));
    if (splits.size() == values) return absl::OkStatus();
    return invalid(name, " must have as many types as there are ragged features: ", splits.size(), " vs. ",
                   values);
  }

  static absl::Status check_count(const KernelConstruction& c, const char* name, size_t types) {
    const int64_t n = c.node().attrs.get_or<int64_t>(name, static_cast<int64_t>(types));
    if (n == static_cast<int64_t>(types)) return absl::OkStatus();
    return invalid(name, " (", n, ") must match the number of types (", types, ")");
  }

  absl::Status read_request(KernelContext& context, SequenceRequest* request) const {
    const Tensor& serialized = context.input(0);
    request->serialized = serialized.flat<TString>();
    request->single = serialized.rank() == 0;
    if (version_ == Version::kOne && !request->single) {
      return invalid("Expected serialized to be a scalar, got shape: ", serialized.shape().to_string());
    }
    if (serialized.rank() > 1) {
      return invalid("Expected serialized to be a scalar or vector, got shape: ",
                     serialized.shape().to_string());
    }
    switch (version_) {
      case Version::kKeysInAttrs: read_attr_request(request); break;
      case Version::kKeysInInputs: TROUPE_RETURN_IF_ERROR(read_input_request(context, request)); break;
      case Version::kOne: return read_one_request(context, request);
    }
    const Tensor& names = context.input(1);
    if (names.num_elements() > 0 && names.num_elements() != serialized.num_elements()) {
      return invalid("example_names must be empty or have the correct number of elements");
    }
    request->names = names.flat<TString>();
    return absl::OkStatus();
  }

  void read_attr_request(SequenceRequest* request) const {
    request->context_sparse.assign(context_sparse_keys_.begin(), context_sparse_keys_.end());
    request->context_dense.assign(context_dense_keys_.begin(), context_dense_keys_.end());
    request->list_sparse.assign(list_sparse_keys_.begin(), list_sparse_keys_.end());
    request->list_dense.assign(list_dense_keys_.begin(), list_dense_keys_.end());
    for (const std::string& key : list_dense_keys_) {
      request->may_miss.push_back(std::find(may_miss_.begin(), may_miss_.end(), key) != may_miss_.end());
    }
    request->first_default = 2;
  }

  absl::Status read_input_request(KernelContext& context, SequenceRequest* request) const {
    const auto keys = [&](int input, const char* what, size_t n,
                          std::vector<absl::string_view>* out) -> absl::Status {
      const Tensor& t = context.input(input);
      if (static_cast<size_t>(t.num_elements()) != n) {
        return invalid("Expected len(", what, ") to be ", n, " but got: ", t.num_elements());
      }
      for (const TString& key : t.flat<TString>()) out->push_back(key.view());
      return absl::OkStatus();
    };
    TROUPE_RETURN_IF_ERROR(
        keys(2, "context_sparse_keys", context_sparse_types_.size(), &request->context_sparse));
    TROUPE_RETURN_IF_ERROR(
        keys(3, "context_dense_keys", context_dense_types_.size(), &request->context_dense));
    TROUPE_RETURN_IF_ERROR(
        keys(4, "context_ragged_keys", context_ragged_types_.size(), &request->context_ragged));
    TROUPE_RETURN_IF_ERROR(
        keys(5, "feature_list_sparse_keys", list_sparse_types_.size(), &request->list_sparse));
    TROUPE_RETURN_IF_ERROR(
        keys(6, "feature_list_dense_keys", list_dense_types_.size(), &request->list_dense));
    TROUPE_RETURN_IF_ERROR(
        keys(7, "feature_list_ragged_keys", list_ragged_types_.size(), &request->list_ragged));
    const Tensor& may_miss = context.input(8);
    if (static_cast<size_t>(may_miss.num_elements()) != list_dense_types_.size()) {
      return invalid("Expected len(feature_list_dense_missing_assumed_empty to match Nfeature_list_dense");
    }
    for (bool b : may_miss.flat<bool>()) request->may_miss.push_back(b);
    request->first_default = 9;
    return absl::OkStatus();
  }

  absl::Status read_one_request(KernelContext& context, SequenceRequest* request) const {
    int in = 2;
    const auto keys = [&](size_t n, std::vector<absl::string_view>* out) -> absl::Status {
      for (size_t i = 0; i < n; ++i, ++in) {
        const Tensor& t = context.input(in);
        if (t.rank() != 0)
          return invalid("Expected a key to be a scalar, got shape: ", t.shape().to_string());
        out->push_back(t.value<TString>().view());
      }
      return absl::OkStatus();
    };
    TROUPE_RETURN_IF_ERROR(keys(context_sparse_types_.size(), &request->context_sparse));
    TROUPE_RETURN_IF_ERROR(keys(context_dense_types_.size(), &request->context_dense));
    TROUPE_RETURN_IF_ERROR(keys(list_sparse_types_.size(), &request->list_sparse));
    TROUPE_RETURN_IF_ERROR(keys(list_dense_types_.size(), &request->list_dense));
    request->first_default = in;
    const Tensor& name = context.input(in + static_cast<int>(context_dense_types_.size()));
    if (name.rank() != 0)
      return invalid("Expected debug_name to be a scalar, got shape: ", name.shape().to_string());
    request->names = name.flat<TString>();
    const Tensor& missing = context.input(1);
    if (missing.rank() != 1) {
      return invalid("Expected feature_list_dense_missing_assumed_empty to be a vector, got shape: ",
                     missing.shape().to_string());
    }
    auto may_miss = missing.flat<TString>();
    for (absl::string_view key : request->list_dense) {
      request->may_miss.push_back(
          std::any_of(may_miss.begin(), may_miss.end(), [&](const TString& s) { return s.view() == key; }));
    }
    return absl::OkStatus();
  }

  static std::string blame(const SequenceRequest& request, size_t row) {
    return absl::StrCat("Name: ", request.names.empty() ? "<unknown>" : request.names[row].view(), ", ");
  }

  absl::string_view context_key(const SequenceRequest& request, size_t i) const {
    const size_t sparse = request.context_sparse.size(), dense = request.context_dense.size();
    if (i < sparse) return request.context_sparse[i];
    return i < sparse + dense ? request.context_dense[i - sparse]
                              : request.context_ragged[i - sparse - dense];
  }
  absl::string_view list_key(const SequenceRequest& request, size_t i) const {
    const size_t sparse = request.list_sparse.size(), dense = request.list_dense.size();
    if (i < sparse) return request.list_sparse[i];
    return i < sparse + dense ? request.list_dense[i - sparse] : request.list_ragged[i - sparse - dense];
  }

  absl::Status add_context(const SequenceRequest& request, size_t row, size_t i, const FeatureView& feature,
                           absl::string_view bytes, ContextRows* rows) const {
    const int64_t before = rows->values.size();
    if (feature.present()) {
      if (feature.dtype != rows->values.dtype) {
        return invalid(blame(request, row), "Context feature: ", context_key(request, i),
                       ".  Data types don't match. Expected type: ", dtype_name(rows->values.dtype));
      }
      if (!feature.append_to(&rows->values)) return malformed_example(bytes);
    }
    rows->counts.push_back(rows->values.size() - before);
    rows->found.push_back(feature.present());
    return absl::OkStatus();
  }

  absl::Status add_list(const SequenceRequest& request, size_t row, size_t i, const FeatureListView& list,
                        absl::string_view bytes, Steps* out) const {
    const size_t sparse = request.list_sparse.size();
    const bool dense = i >= sparse && i < sparse + request.list_dense.size();
    if (dense && !list.present && !request.may_miss[i - sparse]) {
      return invalid(blame(request, row), "Feature list '", list_key(request, i),
                     "' is required but could not be found.  Did you mean to include it in "
                     "feature_list_dense_missing_assumed_empty or feature_list_dense_defaults?");
    }
    for (size_t t = 0; t < list.steps.size(); ++t) {
      const FeatureView& feature = list.steps[t];
      const int64_t before = out->values.size();
      if (feature.present() ? feature.dtype != out->values.dtype : dense && version_ == Version::kOne) {
        return invalid(blame(request, row), "Feature list: ", list_key(request, i), ", Index: ", t,
                       ".  Data types don't match. Expected type: ", dtype_name(out->values.dtype));
      }
      if (feature.present() && !feature.append_to(&out->values)) return malformed_example(bytes);
      out->counts.push_back(out->values.size() - before);
    }
    out->steps.push_back(static_cast<int64_t>(list.steps.size()));
    return absl::OkStatus();
  }

  absl::Status write(KernelContext& context, const SequenceRequest& request,
                     const std::vector<ContextRows>& context_rows, const std::vector<Steps>& lists) const {
    int out = 0;
    size_t column = 0;
    const int sparse = static_cast<int>(request.context_sparse.size());
    for (int i = 0; i < sparse; ++i, ++column) {
      TROUPE_RETURN_IF_ERROR(write_sparse(context, out + i, sparse, context_rows[column].values,
                                          context_rows[column].counts, request.single));
    }
    out += 3 * sparse;
    for (size_t i = 0; i < request.context_dense.size(); ++i, ++column, ++out) {
      TROUPE_RETURN_IF_ERROR(write_context_dense(context, out, request, i, context_rows[column]));
    }
    const int ragged = static_cast<int>(request.context_ragged.size());
    for (int i = 0; i < ragged; ++i, ++column) {
      TROUPE_RETURN_IF_ERROR(write_values(context, out + i, context_rows[column].values));
      TROUPE_RETURN_IF_ERROR(
          write_outer(context, out + ragged + i, context_rows[column].counts, request.single));
    }
    out += 2 * ragged;
    column = 0;
    const int list_sparse = static_cast<int>(request.list_sparse.size());
    for (int i = 0; i < list_sparse; ++i, ++column) {
      TROUPE_RETURN_IF_ERROR(write_list_sparse(context, out + i, list_sparse, lists[column], request.single));
    }
    out += 3 * list_sparse;
    const int dense = static_cast<int>(request.list_dense.size());
    for (int i = 0; i < dense; ++i, ++column) {
      const int lengths = version_ == Version::kOne ? -1 : out + dense + i;
      TROUPE_RETURN_IF_ERROR(write_list_dense(context, out + i, lengths, request, i, lists[column]));
    }
    out += version_ == Version::kOne ? dense : 2 * dense;
    const int list_ragged = static_cast<int>(request.list_ragged.size());
    for (int i = 0; i < list_ragged; ++i, ++column) {
      TROUPE_RETURN_IF_ERROR(write_values(context, out + i, lists[column].values));
      TROUPE_RETURN_IF_ERROR(
          write_outer(context, out + list_ragged + i, lists[column].steps, request.single));
      TROUPE_RETURN_IF_ERROR(write_splits(context, out + 2 * list_ragged + i, lists[column].counts));
    }
    return absl::OkStatus();
  }

  /// Splits over the batch; one example has none to split, which is a scalar zero.
  static absl::Status write_outer(KernelContext& context, int i, std::span<const int64_t> counts,
                                  bool single) {
    if (!single) return write_splits(context, i, counts);
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(i, Shape()));
    set_int(out, 0, 0);
    return absl::OkStatus();
  }

  absl::Status write_context_dense(KernelContext& context, int out_index, const SequenceRequest& request,
                                   size_t i, const ContextRows& rows) const {
    const DenseSpec& spec = context_specs_[i];
    const absl::string_view key = request.context_dense[i];
    const Tensor& fallback = context.input(request.first_default + static_cast<int>(i));
    TROUPE_RETURN_IF_ERROR(check_default(i, spec, fallback));
    const size_t n = rows.counts.size();
    int64_t largest = 0;
    for (size_t row = 0; row < n; ++row) {
      largest = std::max(largest, rows.found[row] ? rows.counts[row] : fallback.num_elements());
    }
    if (version_ != Version::kOne && n > 0 && largest != spec.elements) {
      return invalid("Inconsistent max number of elements for feature ", key, ": expected ", spec.elements,
                     ", but found ", largest);
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * out,
                            request.single
                                ? allocate_rows(context, out_index, {}, spec.row)
                                : allocate_rows(context, out_index, {static_cast<int64_t>(n)}, spec.row));
    int64_t from = 0;
    for (size_t row = 0; row < n; ++row) {
      const int64_t to = static_cast<int64_t>(row) * spec.elements;
      if (!rows.found[row]) {
        if (fallback.num_elements() != spec.elements) {
          if (version_ == Version::kOne) {
            return invalid(blame(request, row), "Context feature '", key,
                           "' is required but could not be found.");
          }
          return invalid("Feature: ", key, " (data type: ", dtype_name(rows.values.dtype),
                         ") is required but could not be found.");
        }
        copy_elements(fallback, 0, *out, to, spec.elements);
        continue;
      }
      if (rows.counts[row] != spec.elements) {
        return invalid(blame(request, row), "Key: ", key, ", Index: ", row, ".  Number of ",
                       dtype_name(rows.values.dtype), " values != expected.  values size: ", rows.counts[row],
                       " but output shape: ", spec.row.to_string());
      }
      rows.values.copy_to(from, spec.elements, out, to);
      from += spec.elements;
    }
    return absl::OkStatus();
  }

  /// Rows are (example, step, place), or (step, place) of a single example.
  static absl::Status write_list_sparse(KernelContext& context, int i, int stride, const Steps& list,
                                        bool single) {
    const int64_t n = list.values.size(), rank = single ? 2 : 3;
    TROUPE_ASSIGN_OR_RETURN(Tensor * indices, context.allocate_output(i, Shape{n, rank}));
    TROUPE_RETURN_IF_ERROR(write_values(context, i + stride, list.values));
    TROUPE_ASSIGN_OR_RETURN(Tensor * shape, context.allocate_output(i + 2 * stride, Shape{rank}));
    auto at = indices->flat<int64_t>();
    size_t next = 0, step = 0;
    int64_t longest = 0, widest = 0;
    for (size_t row = 0; row < list.steps.size(); ++row) {
      longest = std::max(longest, list.steps[row]);
      for (int64_t t = 0; t < list.steps[row]; ++t, ++step) {
        widest = std::max(widest, list.counts[step]);
        for (int64_t k = 0; k < list.counts[step]; ++k) {
          if (!single) at[next++] = static_cast<int64_t>(row);
          at[next++] = t;
          at[next++] = k;
        }
      }
    }
    auto dims = shape->flat<int64_t>();
    if (!single) dims[0] = static_cast<int64_t>(list.steps.size());
    dims[rank - 2] = longest;
    dims[rank - 1] = widest;
    return absl::OkStatus();
  }

  absl::Status write_list_dense(KernelContext& context, int i, int lengths, const SequenceRequest& request,
                                int which, const Steps& list) const {
    const DenseSpec& spec = list_specs_[which];
    const absl::string_view key = request.list_dense[which];
    const int64_t batch = static_cast<int64_t>(list.steps.size());
    if (version_ != Version::kOne && spec.elements > 0 && list.values.size() % spec.elements != 0) {
      return invalid("Feature list '", key,
                     "' has an unexpected number of values.  Total values size: ", list.values.size(),
                     " is not consistent with output shape: ", with_unknown_steps(spec.row).to_string());
    }
    int64_t longest = 0;
    for (int64_t n : list.steps) longest = std::max(longest, n);
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, request.single
                                              ? allocate_rows(context, i, {longest}, spec.row)
                                              : allocate_rows(context, i, {batch, longest}, spec.row));
    if (out->num_elements() > 0) fill_zero(context.parallel(), out->dtype(), out->raw(), out->num_elements());
    size_t step = 0;
    int64_t from = 0;
    for (int64_t row = 0; row < batch; ++row) {
      for (int64_t t = 0; t < list.steps[row]; ++t, ++step) {
        if (list.counts[step] != spec.elements) {
          return invalid(blame(request, static_cast<size_t>(row)), "Key: ", key, ", Index: ", t,
                         ".  Number of ",
                         version_ == Version::kOne ? absl::StrCat(dtype_name(list.values.dtype), " ") : "",
                         "values != expected.  values size: ", list.counts[step],
                         " but output shape: ", spec.row.to_string());
        }
        list.values.copy_to(from, spec.elements, out, (row * longest + t) * spec.elements);
        from += spec.elements;
      }
    }
    if (lengths < 0) return absl::OkStatus();
    TROUPE_ASSIGN_OR_RETURN(Tensor * sizes,
                            context.allocate_output(lengths, request.single ? Shape() : Shape{batch}));
    for (int64_t row = 0; row < batch; ++row) sizes->flat<int64_t>()[row] = list.steps[row];
    return absl::OkStatus();
  }

  static PartialShape with_unknown_steps(const Shape& row) {
    std::vector<int64_t> dims = row.to_vector();
    dims.insert(dims.begin(), PartialShape::kUnknownDim);
    return PartialShape(dims);
  }

  Version version_ = Version::kKeysInAttrs;
  std::vector<DataType> context_sparse_types_, context_dense_types_, context_ragged_types_;
  std::vector<DataType> list_sparse_types_, list_dense_types_, list_ragged_types_;
  std::vector<DenseSpec> context_specs_, list_specs_;
  std::vector<std::string> context_sparse_keys_, context_dense_keys_, list_sparse_keys_, list_dense_keys_,
      may_miss_;
};

}  // namespace

void register_parsing_sequence(KernelRegistry* registry) {
  for (const char* op : {"ParseSequenceExample", "ParseSequenceExampleV2", "ParseSingleSequenceExample"}) {
    registry->add(KernelDef(op).kernel<ParseSequenceKernel>());
  }
}

}  // namespace troupe
