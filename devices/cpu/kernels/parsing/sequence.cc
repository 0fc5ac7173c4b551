#include "devices/cpu/kernels/parsing/sequence.h"

#include <algorithm>

namespace troupe {
namespace {

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

}  // namespace

absl::Status ParseSequenceKernel::init(const KernelConstruction& c) {
  const std::string& op = c.node().op->name;
  version_ = op == "ParseSequenceExample"     ? Version::kKeysInAttrs
             : op == "ParseSequenceExampleV2" ? Version::kKeysInInputs
                                              : Version::kOne;
  TROUPE_RETURN_IF_ERROR(read_attrs(c));
  return absl::OkStatus();
}

absl::Status ParseSequenceKernel::compute(KernelContext& context) {
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

absl::Status ParseSequenceKernel::read_attrs(const KernelConstruction& c) {
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

absl::Status ParseSequenceKernel::check_splits(const KernelConstruction& c, const char* name, size_t values) {
  std::vector<DataType> splits;
  TROUPE_RETURN_IF_ERROR(attr_or_empty(c, name, &splits));
  if (splits.size() == values) return absl::OkStatus();
  return invalid(name, " must have as many types as there are ragged features: ", splits.size(), " vs. ",
                 values);
}

absl::Status ParseSequenceKernel::check_count(const KernelConstruction& c, const char* name, size_t types) {
  const int64_t n = c.node().attrs.get_or<int64_t>(name, static_cast<int64_t>(types));
  if (n == static_cast<int64_t>(types)) return absl::OkStatus();
  return invalid(name, " (", n, ") must match the number of types (", types, ")");
}

absl::Status ParseSequenceKernel::read_request(KernelContext& context, SequenceRequest* request) const {
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

void ParseSequenceKernel::read_attr_request(SequenceRequest* request) const {
  request->context_sparse.assign(context_sparse_keys_.begin(), context_sparse_keys_.end());
  request->context_dense.assign(context_dense_keys_.begin(), context_dense_keys_.end());
  request->list_sparse.assign(list_sparse_keys_.begin(), list_sparse_keys_.end());
  request->list_dense.assign(list_dense_keys_.begin(), list_dense_keys_.end());
  for (const std::string& key : list_dense_keys_) {
    request->may_miss.push_back(std::find(may_miss_.begin(), may_miss_.end(), key) != may_miss_.end());
  }
  request->first_default = 2;
}

absl::Status ParseSequenceKernel::read_input_request(KernelContext& context, SequenceRequest* request) const {
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
  TROUPE_RETURN_IF_ERROR(keys(3, "context_dense_keys", context_dense_types_.size(), &request->context_dense));
  TROUPE_RETURN_IF_ERROR(
      keys(4, "context_ragged_keys", context_ragged_types_.size(), &request->context_ragged));
  TROUPE_RETURN_IF_ERROR(
      keys(5, "feature_list_sparse_keys", list_sparse_types_.size(), &request->list_sparse));
  TROUPE_RETURN_IF_ERROR(keys(6, "feature_list_dense_keys", list_dense_types_.size(), &request->list_dense));
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

absl::Status ParseSequenceKernel::read_one_request(KernelContext& context, SequenceRequest* request) const {
  int in = 2;
  const auto keys = [&](size_t n, std::vector<absl::string_view>* out) -> absl::Status {
    for (size_t i = 0; i < n; ++i, ++in) {
      const Tensor& t = context.input(in);
      if (t.rank() != 0) return invalid("Expected a key to be a scalar, got shape: ", t.shape().to_string());
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

std::string ParseSequenceKernel::blame(const SequenceRequest& request, size_t row) {
  return absl::StrCat("Name: ", request.names.empty() ? "<unknown>" : request.names[row].view(), ", ");
}

absl::string_view ParseSequenceKernel::context_key(const SequenceRequest& request, size_t i) const {
  const size_t sparse = request.context_sparse.size(), dense = request.context_dense.size();
  if (i < sparse) return request.context_sparse[i];
  return i < sparse + dense ? request.context_dense[i - sparse] : request.context_ragged[i - sparse - dense];
}

absl::string_view ParseSequenceKernel::list_key(const SequenceRequest& request, size_t i) const {
  const size_t sparse = request.list_sparse.size(), dense = request.list_dense.size();
  if (i < sparse) return request.list_sparse[i];
  return i < sparse + dense ? request.list_dense[i - sparse] : request.list_ragged[i - sparse - dense];
}

absl::Status ParseSequenceKernel::add_context(const SequenceRequest& request, size_t row, size_t i,
                                              const FeatureView& feature, absl::string_view bytes,
                                              ContextRows* rows) const {
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

absl::Status ParseSequenceKernel::add_list(const SequenceRequest& request, size_t row, size_t i,
                                           const FeatureListView& list, absl::string_view bytes,
                                           Steps* out) const {
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

void register_parsing_sequence(KernelRegistry* registry) {
  for (const char* op : {"ParseSequenceExample", "ParseSequenceExampleV2", "ParseSingleSequenceExample"}) {
    registry->add(KernelDef(op).kernel<ParseSequenceKernel>());
  }
}

}  // namespace troupe
