// Lookup tables: the ops that make and use them, for v1 (Ref(string)) and resource handles.

#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/shared/handle_signature.h"
#include "devices/common/variable/resource_access.h"
#include "devices/cpu/kernels/table/text_file.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

using TablePtr = std::shared_ptr<LookupTable>;

/// What a node says of its table.
absl::StatusOr<LookupTable::Options> table_options(const KernelConstruction& c, LookupTable::Kind kind) {
  LookupTable::Options o;
  o.kind = kind;
  TROUPE_ASSIGN_OR_RETURN(o.key_dtype, c.attr<DataType>("key_dtype"));
  TROUPE_ASSIGN_OR_RETURN(o.value_dtype, c.attr<DataType>("value_dtype"));
  auto shape = c.node().attrs.get_or<PartialShape>("value_shape", PartialShape(Shape())).to_shape();
  if (!shape) return invalid("value_shape must be fully defined");
  o.value_shape = *std::move(shape);
  const std::string& op = c.node().op->name;
  if (op.find("OfTensors") != std::string::npos && o.value_shape.rank() != 1) {
    return invalid("Default value must be a vector, got shape ", o.value_shape.to_string());
  }
  if (kind == LookupTable::Kind::kDense) {
    const float load = c.node().attrs.get_or<float>("max_load_factor", 0.8f);
    if (!(load > 0 && load < 1)) return invalid("max_load_factor must be between 0 and 1, got: ", load);
    const int64_t buckets = c.node().attrs.get_or<int64_t>("initial_num_buckets", 131072);
    if (buckets < 4 || (buckets & (buckets - 1)) != 0) {
      return invalid("Number of buckets must be at least 4 and a power of 2, got: ", buckets);
    }
    o.max_load_factor = load;
    o.initial_buckets = buckets;
  }
  return o;
}

/// Adds the keys that dense tables get as inputs.
absl::Status add_reserved_keys(const KernelContext& context, LookupTable::Options* o) {
  o->empty_key = context.input(0);
  o->key_shape = o->empty_key.shape();
  if (context.num_inputs() < 2) return absl::OkStatus();
  o->deleted_key = context.input(1);
  if (!(o->deleted_key.shape() == o->key_shape)) {
    return invalid("Empty and deleted keys must have same shape, got shapes: ", o->key_shape.to_string(),
                   " and ", o->deleted_key.shape().to_string());
  }
  bool same = true;
  for (int64_t i = 0; same && i < o->empty_key.num_elements(); ++i) {
    same = o->key_dtype == DataType::kString
               ? o->empty_key.flat<TString>()[i] == o->deleted_key.flat<TString>()[i]
               : int_at(o->empty_key, i) == int_at(o->deleted_key, i);
  }
  if (same) return invalid("Empty and deleted keys cannot be equal");
  return absl::OkStatus();
}

absl::Status check_same_types(const LookupTable& found, const LookupTable::Options& wanted,
                              const std::string& name) {
  const LookupTable::Options& o = found.options();
  if (o.key_dtype == wanted.key_dtype && o.value_dtype == wanted.value_dtype) return absl::OkStatus();
  return invalid("Conflicting key/value dtypes ", dtype_name(wanted.key_dtype), "->",
                 dtype_name(wanted.value_dtype), " with ", dtype_name(o.key_dtype), "-",
                 dtype_name(o.value_dtype), " for table ", name);
}

/// Makes the table on the first run, or finds the shared one; a table without a name dies with the kernel.
template <LookupTable::Kind kKind>
class MakeTableKernel final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(LookupTable::Options o, table_options(c, kKind));
    TROUPE_ASSIGN_OR_RETURN(ResourceName name, resolve_resource_name(c, UnnamedResource::kPrivate));
    return std::make_unique<MakeTableKernel>(c.device(), std::move(o), std::move(name));
  }
  MakeTableKernel(Device* device, LookupTable::Options options, ResourceName name)
      : device_(device), options_(std::move(options)), name_(std::move(name)) {}
  ~MakeTableKernel() override {
    if (name_.is_private && !table_.expired()) {
      (void)device_->resources().remove<LookupTable>(name_.container, name_.name);
    }
  }
  absl::Status compute(KernelContext& context) override {
    std::lock_guard lock(mu_);
    if (table_.expired()) {
      LookupTable::Options o = options_;
      if (kKind == LookupTable::Kind::kDense) TROUPE_RETURN_IF_ERROR(add_reserved_keys(context, &o));
      TROUPE_ASSIGN_OR_RETURN(
          TablePtr found, device_->resources().lookup_or_create<LookupTable>(
                              name_.container, name_.name,
                              [&]() -> absl::StatusOr<TablePtr> { return LookupTable::make(std::move(o)); }));
      TROUPE_RETURN_IF_ERROR(check_same_types(*found, options_, name_.name));
      table_ = found;
      ref_ = make_ref_handle(name_.container, name_.name);
      handle_ = handle_tensor(make_handle<LookupTable>(*device_, name_.container, name_.name));
    }
    if (is_ref(context.output_type(0))) {
      context.set_output_ref(0, ref_);
    } else {
      context.set_output(0, handle_);
    }
    return absl::OkStatus();
  }
  bool is_expensive() const override { return false; }

 private:
  Device* const device_;
  const LookupTable::Options options_;
  const ResourceName name_;
  std::mutex mu_;
  // Guarded by mu_.
  std::weak_ptr<LookupTable> table_;
  std::shared_ptr<RefTensor> ref_;
  Tensor handle_;
};

/// A new table each run, which lives as long as its handles.
template <LookupTable::Kind kKind>
class AnonymousTableKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(options_, table_options(c, kKind));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    LookupTable::Options o = options_;
    if (kKind == LookupTable::Kind::kDense) TROUPE_RETURN_IF_ERROR(add_reserved_keys(context, &o));
    ResourceHandle handle = make_handle<LookupTable>(
        *context.device(), "", absl::StrCat("_AnonymousVar", ResourceManager::next_private_number()));
    TROUPE_ASSIGN_OR_RETURN(TablePtr table, LookupTable::make(std::move(o)));
    handle.anonymous = std::static_pointer_cast<Resource>(std::move(table));
    context.set_output(0, handle_tensor(std::move(handle)));
    return absl::OkStatus();
  }

 private:
  LookupTable::Options options_;
};

absl::Status find(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(TablePtr table, lookup_resource<LookupTable>(context, 0));
  const LookupTable::Options& o = table->options();
  TROUPE_RETURN_IF_ERROR(check_handle_signature(context, {o.key_dtype, o.value_dtype}, {o.value_dtype}));
  TROUPE_ASSIGN_OR_RETURN(Shape shape, table->found_shape(context.input(1), context.input(2)));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  return table->find(context.input(1), context.input(2), out);
}

absl::Status insert(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(TablePtr table, lookup_resource<LookupTable>(context, 0));
  const LookupTable::Options& o = table->options();
  TROUPE_RETURN_IF_ERROR(check_handle_signature(context, {o.key_dtype, o.value_dtype}, {}));
  return table->insert(context.input(1), context.input(2));
}

absl::Status import(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(TablePtr table, lookup_resource<LookupTable>(context, 0));
  const LookupTable::Options& o = table->options();
  TROUPE_RETURN_IF_ERROR(check_handle_signature(context, {o.key_dtype, o.value_dtype}, {}));
  return table->import(context.input(1), context.input(2));
}

absl::Status remove(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(TablePtr table, lookup_resource<LookupTable>(context, 0));
  TROUPE_RETURN_IF_ERROR(check_handle_signature(context, {table->options().key_dtype}, {}));
  return table->remove(context.input(1));
}

absl::Status table_size(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(TablePtr table, lookup_resource<LookupTable>(context, 0));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape()));
  out->flat<int64_t>()[0] = table->size();
  return absl::OkStatus();
}

absl::Status export_table(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(TablePtr table, lookup_resource<LookupTable>(context, 0));
  const LookupTable::Options& o = table->options();
  TROUPE_RETURN_IF_ERROR(check_handle_signature(context, {}, {o.key_dtype, o.value_dtype}));
  TROUPE_ASSIGN_OR_RETURN(auto entries, table->export_all());
  context.set_output(0, std::move(entries.first));
  context.set_output(1, std::move(entries.second));
  return absl::OkStatus();
}

absl::StatusOr<TablePtr> static_table(const KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(TablePtr table, lookup_resource<LookupTable>(context, 0));
  if (table->options().kind != LookupTable::Kind::kStatic) {
    std::string name;
    if (context.input_type(0) == DataType::kResource) {
      const auto& handle = context.input(0).value<ResourceHandle>();
      name = absl::StrCat(handle.container, " ", handle.name, " ");
    }
    return invalid("Table ", name, "is not initializable");
  }
  return table;
}

absl::Status initialize(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(TablePtr table, static_table(context));
  const LookupTable::Options& o = table->options();
  TROUPE_RETURN_IF_ERROR(check_handle_signature(context, {o.key_dtype, o.value_dtype}, {}));
  const Tensor& keys = context.input(1);
  const Tensor& values = context.input(2);
  if (!is_vector(keys)) return invalid("Keys must be a vector, but received shape", keys.shape().to_string());
  if (!is_vector(values))
    return invalid("Values must be a vector, but received shape", values.shape().to_string());
  if (keys.num_elements() != values.num_elements()) {
    return invalid("Keys and values must have the same size ", keys.num_elements(), " vs ",
                   values.num_elements());
  }
  if (keys.num_elements() == 0) return invalid("keys and values cannot be empty tensors.");
  return table->initialize(keys, values);
}

class InitializeFromFileKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    const AttrMap& attrs = c.node().attrs;
    TableFile& f = file_;
    TROUPE_ASSIGN_OR_RETURN(f.key_field, c.attr<int64_t>("key_index"));
    TROUPE_ASSIGN_OR_RETURN(f.value_field, c.attr<int64_t>("value_index"));
    if (f.key_field < kWholeLineField || f.value_field < kWholeLineField) {
      return invalid("key_index and value_index must be at least -2");
    }
    f.vocab_size = attrs.get_or<int64_t>("vocab_size", -1);
    f.offset = attrs.get_or<int64_t>("offset", 0);
    const auto delimiter = attrs.get_or<std::string>("delimiter", "\t");
    if (delimiter.size() != 1) return invalid("delimiter should be only 1 char");
    f.delimiter = delimiter[0];
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(TablePtr table, static_table(context));
    const Tensor& name = context.input(1);
    if (name.dtype() != DataType::kString || !is_scalar(name)) {
      return invalid("filename should be a single string, but received ", name.shape().to_string());
    }
    TableFile file = file_;
    file.path = name.value<TString>().str();
    if (file.path.empty()) return invalid("filename cannot be empty.");
    return initialize_from_file(file, table.get());
  }

 private:
  TableFile file_;
};

/// Key and value dtypes as TensorFlow combines them: with its kernels for lists of names.
struct Pair {
  DataType key;
  std::vector<DataType> values;
};

template <class K>
void add_pairs(KernelRegistry* registry, const std::string& op, const std::vector<Pair>& pairs) {
  for (const Pair& p : pairs) {
    registry->add(
        KernelDef(op).types("key_dtype", {p.key}).types("value_dtype", p.values).template kernel<K>());
  }
}

}  // namespace

void register_table_ops(KernelRegistry* registry) {
  using T = DataType;
  using Kind = LookupTable::Kind;
  const std::vector<Pair> fixed = {
      {T::kInt32, {T::kDouble, T::kFloat, T::kInt32, T::kString}},
      {T::kInt64, {T::kDouble, T::kFloat, T::kInt32, T::kInt64, T::kString}},
      {T::kString, {T::kBool, T::kDouble, T::kFloat, T::kInt32, T::kInt64, T::kString}}};
  const std::vector<Pair> changing = {
      {T::kInt32, {T::kDouble, T::kFloat, T::kInt32}},
      {T::kInt64, {T::kDouble, T::kFloat, T::kInt32, T::kInt64, T::kString, T::kVariant}},
      {T::kString, {T::kBool, T::kDouble, T::kFloat, T::kInt32, T::kInt64}}};
  const std::vector<Pair> of_tensors = {
      {T::kInt32, {T::kDouble, T::kFloat, T::kInt32}},
      {T::kInt64, {T::kDouble, T::kFloat, T::kInt32, T::kInt64, T::kString}},
      {T::kString, {T::kBool, T::kDouble, T::kFloat, T::kInt32, T::kInt64}}};
  const std::vector<Pair> dense = {
      {T::kInt32, {T::kDouble, T::kFloat, T::kInt32}},
      {T::kInt64, {T::kBool, T::kDouble, T::kFloat, T::kInt32, T::kInt64, T::kVariant}},
      {T::kString, {T::kBool, T::kDouble, T::kFloat, T::kInt32, T::kInt64, T::kResource}}};
  for (std::string v : {"", "V2"}) {
    add_pairs<MakeTableKernel<Kind::kStatic>>(registry, "HashTable" + v, fixed);
    add_pairs<MakeTableKernel<Kind::kMutable>>(registry, "MutableHashTable" + v, changing);
    add_pairs<MakeTableKernel<Kind::kMutable>>(registry, "MutableHashTableOfTensors" + v, of_tensors);
    add_pairs<MakeTableKernel<Kind::kDense>>(registry, "MutableDenseHashTable" + v, dense);
    registry->add(KernelDef("LookupTableFind" + v).fn(find));
    registry->add(KernelDef("LookupTableInsert" + v).fn(insert));
    registry->add(KernelDef("LookupTableSize" + v).fn(table_size, /*cheap=*/true));
    registry->add(KernelDef("LookupTableExport" + v).fn(export_table));
    registry->add(KernelDef("LookupTableImport" + v).fn(import));
    registry->add(KernelDef("InitializeTable" + v).fn(initialize));
    registry->add(KernelDef("InitializeTableFromTextFile" + v).kernel<InitializeFromFileKernel>());
  }
  registry->add(KernelDef("LookupTableRemoveV2").fn(remove));
  add_pairs<AnonymousTableKernel<Kind::kStatic>>(registry, "AnonymousHashTable", fixed);
  add_pairs<AnonymousTableKernel<Kind::kMutable>>(registry, "AnonymousMutableHashTable", changing);
  add_pairs<AnonymousTableKernel<Kind::kMutable>>(registry, "AnonymousMutableHashTableOfTensors", of_tensors);
  add_pairs<AnonymousTableKernel<Kind::kDense>>(registry, "AnonymousMutableDenseHashTable", dense);
}

}  // namespace troupe
