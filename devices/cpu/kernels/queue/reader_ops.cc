// The reader ops, for v1 (Ref(string)) and resource handles.

#include "absl/strings/strip.h"
#include "devices/cpu/kernels/queue/reader.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/common/variable/resource_access.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

using ReaderPtr = std::shared_ptr<Reader>;
using MakeFormat = absl::StatusOr<std::unique_ptr<RecordFormat>> (*)(const KernelConstruction&);

template <MakeFormat kMake>
class MakeReaderKernel final : public ResourceKernel<Reader> {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(ResourceName name, resolve_resource_name(c, UnnamedResource::kPrivate));
    // What is wrong with the attrs is known here and now.
    TROUPE_RETURN_IF_ERROR(kMake(c).status());
    return std::make_unique<MakeReaderKernel>(c, std::move(name));
  }
  MakeReaderKernel(const KernelConstruction& c, ResourceName name)
      : ResourceKernel(c, std::move(name)), node_(&c.node()) {}

 protected:
  absl::StatusOr<ReaderPtr> make(Allocator*) override {
    TROUPE_ASSIGN_OR_RETURN(std::unique_ptr<RecordFormat> format, kMake(KernelConstruction(node_, device_)));
    const absl::string_view kind = absl::StripSuffix(node_->op->name, "V2");
    return std::make_shared<Reader>(absl::StrCat(kind, " '", node_->name, "'"), std::move(format));
  }

 private:
  const KernelNode* const node_;
};

template <bool kUpTo>
class ReadKernel final : public AsyncKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction&) {
    return std::make_unique<ReadKernel>();
  }
  void compute_async(KernelContext& context, Done done) override {
    auto reader = lookup_resource<Reader>(context, 0);
    if (!reader.ok()) return done(reader.status());
    auto queue = lookup_resource<Queue>(context, 1);
    if (!queue.ok()) return done(queue.status());
    int64_t count = 1;
    if (kUpTo) {
      if (!is_scalar(context.input(2))) return done(invalid("num_records must be a scalar"));
      count = context.input(2).value<int64_t>();
      if (count <= 0) return done(invalid("num_records must be positive, but is ", count));
    }
    (*reader)->read(context.cancellation(), *queue, count, kUpTo,
                    [&context, done = std::move(done)](absl::Status status, Reader::Records records) {
                      if (status.ok()) set_records(context, records);
                      done(std::move(status));
                    });
  }

 private:
  static void set_records(KernelContext& context, Reader::Records& records) {
    const Shape shape = kUpTo ? Shape{static_cast<int64_t>(records.size())} : Shape();
    Tensor keys(DataType::kString, shape);
    Tensor values(DataType::kString, shape);
    for (size_t i = 0; i < records.size(); ++i) {
      keys.flat<TString>()[i] = absl::string_view(records[i].key);
      values.flat<TString>()[i] = absl::string_view(records[i].value);
    }
    context.set_output(0, std::move(keys));
    context.set_output(1, std::move(values));
  }
};

template <int64_t (Reader::*kGet)() const>
absl::Status reader_number(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(ReaderPtr reader, lookup_resource<Reader>(context, 0));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape()));
  out->flat<int64_t>()[0] = (reader.get()->*kGet)();
  return absl::OkStatus();
}

absl::Status reset(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(ReaderPtr reader, lookup_resource<Reader>(context, 0));
  return reader->reset();
}

absl::Status serialize(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(ReaderPtr reader, lookup_resource<Reader>(context, 0));
  TROUPE_ASSIGN_OR_RETURN(std::string state, reader->serialize_state());
  context.set_output(0, Tensor::string_scalar(state));
  return absl::OkStatus();
}

absl::Status restore(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(ReaderPtr reader, lookup_resource<Reader>(context, 0));
  const Tensor& state = context.input(1);
  if (!is_scalar(state))
    return invalid("Reader state must be scalar, but had shape: ", state.shape().to_string());
  return reader->restore_state(state.value<TString>().view());
}

}  // namespace

void register_queue_reader_ops(KernelRegistry* registry) {
  for (std::string v : {"", "V2"}) {
    registry->add(KernelDef("WholeFileReader" + v).kernel<MakeReaderKernel<make_whole_file_format>>());
    registry->add(KernelDef("IdentityReader" + v).kernel<MakeReaderKernel<make_identity_format>>());
    registry->add(KernelDef("TextLineReader" + v).kernel<MakeReaderKernel<make_text_line_format>>());
    registry->add(
        KernelDef("FixedLengthRecordReader" + v).kernel<MakeReaderKernel<make_fixed_length_format>>());
    registry->add(KernelDef("TFRecordReader" + v).kernel<MakeReaderKernel<make_tf_record_format>>());
    if (v.empty()) registry->add(KernelDef("LMDBReader").kernel<MakeReaderKernel<make_lmdb_format>>());
    registry->add(KernelDef("ReaderRead" + v).kernel<ReadKernel<false>>());
    registry->add(KernelDef("ReaderReadUpTo" + v).kernel<ReadKernel<true>>());
    registry->add(KernelDef("ReaderNumRecordsProduced" + v).fn(reader_number<&Reader::records_produced>));
    registry->add(
        KernelDef("ReaderNumWorkUnitsCompleted" + v).fn(reader_number<&Reader::work_units_completed>));
    registry->add(KernelDef("ReaderReset" + v).fn(reset));
    registry->add(KernelDef("ReaderSerializeState" + v).fn(serialize));
    registry->add(KernelDef("ReaderRestoreState" + v).fn(restore));
  }
}

}  // namespace troupe
