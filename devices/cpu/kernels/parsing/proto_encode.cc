// EncodeProto: messages from tensors, one per field.
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/wire_format_lite.h>

#include <algorithm>

#include "devices/cpu/kernels/parsing/proto_fields.h"
#include "devices/cpu/kernels/shared/array_util.h"

namespace troupe {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedOutputStream;
using google::protobuf::io::StringOutputStream;
using Field = ProtoFields::Field;

/// An element of a tensor of integers or truth values.
uint64_t bits_at(const Tensor& t, int64_t i) {
  if (t.dtype() == DataType::kUint64) return t.flat<uint64_t>()[i];
  if (t.dtype() == DataType::kBool) return t.flat<bool>()[i];
  return static_cast<uint64_t>(int_at(t, i));
}

double real_at(const Tensor& t, int64_t i) {
  return t.dtype() == DataType::kDouble ? t.flat<double>()[i] : static_cast<double>(t.flat<float>()[i]);
}

/// Writes a number without its tag.
void write_number(Field f, const Tensor& t, int64_t i, CodedOutputStream* out) {
  switch (f->type()) {
    case FieldDescriptor::TYPE_DOUBLE: return WireFormatLite::WriteDoubleNoTag(real_at(t, i), out);
    case FieldDescriptor::TYPE_FLOAT:
      return WireFormatLite::WriteFloatNoTag(static_cast<float>(real_at(t, i)), out);
    case FieldDescriptor::TYPE_SINT32:
      return WireFormatLite::WriteSInt32NoTag(static_cast<int32_t>(bits_at(t, i)), out);
    case FieldDescriptor::TYPE_SINT64:
      return WireFormatLite::WriteSInt64NoTag(static_cast<int64_t>(bits_at(t, i)), out);
    case FieldDescriptor::TYPE_INT32:
    case FieldDescriptor::TYPE_ENUM:
      return WireFormatLite::WriteInt32NoTag(static_cast<int32_t>(bits_at(t, i)), out);
    case FieldDescriptor::TYPE_UINT32:
      return WireFormatLite::WriteUInt32NoTag(static_cast<uint32_t>(bits_at(t, i)), out);
    case FieldDescriptor::TYPE_FIXED32:
    case FieldDescriptor::TYPE_SFIXED32:
      return WireFormatLite::WriteFixed32NoTag(static_cast<uint32_t>(bits_at(t, i)), out);
    case FieldDescriptor::TYPE_FIXED64:
    case FieldDescriptor::TYPE_SFIXED64: return WireFormatLite::WriteFixed64NoTag(bits_at(t, i), out);
    default: return WireFormatLite::WriteUInt64NoTag(bits_at(t, i), out);
  }
}

void write_text(Field f, absl::string_view text, CodedOutputStream* out) {
  if (f->type() == FieldDescriptor::TYPE_GROUP) {
    WireFormatLite::WriteTag(f->number(), WireFormatLite::WIRETYPE_START_GROUP, out);
    out->WriteRaw(text.data(), static_cast<int>(text.size()));
    WireFormatLite::WriteTag(f->number(), WireFormatLite::WIRETYPE_END_GROUP, out);
    return;
  }
  WireFormatLite::WriteTag(f->number(), WireFormatLite::WIRETYPE_LENGTH_DELIMITED, out);
  out->WriteVarint32(static_cast<uint32_t>(text.size()));
  out->WriteRaw(text.data(), static_cast<int>(text.size()));
}

/// Elements [first, first + count) of a field.
void write_field(Field f, const Tensor& t, int64_t first, int64_t count, CodedOutputStream* out) {
  if (t.dtype() == DataType::kString) {
    for (int64_t i = 0; i < count; ++i) write_text(f, t.flat<TString>()[first + i].view(), out);
    return;
  }
  if (f->is_packed()) {
    std::string packed;
    {
      StringOutputStream stream(&packed);
      CodedOutputStream inner(&stream);
      for (int64_t i = 0; i < count; ++i) write_number(f, t, first + i, &inner);
    }
    if (count > 0) {
      WireFormatLite::WriteTag(f->number(), WireFormatLite::WIRETYPE_LENGTH_DELIMITED, out);
      out->WriteVarint32(static_cast<uint32_t>(packed.size()));
      out->WriteString(packed);
    }
    return;
  }
  const auto type = WireFormatLite::WireTypeForFieldType(static_cast<WireFormatLite::FieldType>(f->type()));
  for (int64_t i = 0; i < count; ++i) {
    WireFormatLite::WriteTag(f->number(), type, out);
    write_number(f, t, first + i, out);
  }
}

class EncodeProto final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(const auto source, c.attr<std::string>("descriptor_source"));
    TROUPE_ASSIGN_OR_RETURN(const auto message, c.attr<std::string>("message_type"));
    TROUPE_ASSIGN_OR_RETURN(const auto names, c.attr<std::vector<std::string>>("field_names"));
    TROUPE_ASSIGN_OR_RETURN(fields_, ProtoFields::make(source, message, names));
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& context) override {
    const auto& fields = fields_->fields();
    if (context.num_inputs() - 1 != static_cast<int>(fields.size()))
      return invalid("Length of inputs list must match field_names");
    TROUPE_ASSIGN_OR_RETURN(const Shape batch, check(context));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, batch));
    for (int64_t m = 0; m < batch.num_elements(); ++m) {
      std::string bytes;
      {
        StringOutputStream stream(&bytes);
        CodedOutputStream coded(&stream);
        coded.SetSerializationDeterministic(true);
        TROUPE_RETURN_IF_ERROR(write_message(context, m, &coded));
      }
      out->flat<TString>()[m].assign(bytes);
    }
    return absl::OkStatus();
  }

 private:
  /// The shape of the batch: that of the values but for the last dimension, and of the sizes.
  absl::StatusOr<Shape> check(KernelContext& context) const {
    const auto& fields = fields_->fields();
    const Tensor& sizes = context.input(0);
    std::vector<int64_t> dims;
    for (size_t i = 0; i < fields.size(); ++i) {
      const Tensor& t = context.input(static_cast<int>(i) + 1);
      if (!proto_field_fits(fields[i], t.dtype())) {
        return invalid("Incompatible type for field ", fields[i]->name(),
                       ".  Saw dtype: ", dtype_name(t.dtype()),
                       " but field type is: ", fields[i]->type_name());
      }
      if (t.rank() < 1) {
        return invalid("Invalid shape for field ", fields[i]->name(), ".  Saw shape ", t.shape().to_string(),
                       " but it should be at least a matrix.");
      }
      std::vector<int64_t> own;
      for (int d = 0; d + 1 < t.rank(); ++d) own.push_back(t.dim(d));
      if (i == 0) dims = own;
      if (own != dims) return invalid("Values must match up to the last dimension");
    }
    std::vector<int64_t> expected = dims;
    expected.push_back(static_cast<int64_t>(fields.size()));
    TROUPE_ASSIGN_OR_RETURN(const Shape want, Shape::make(expected));
    if (!(sizes.shape() == want)) {
      return invalid("sizes should be batch_size + [len(field_names)].  Saw: ", sizes.shape().to_string(),
                     " but expected: ", want.to_string());
    }
    return Shape::make(dims);
  }

  absl::Status write_message(KernelContext& context, int64_t m, CodedOutputStream* out) const {
    const auto& fields = fields_->fields();
    const auto sizes = context.input(0).flat<int32_t>();
    for (const size_t i : fields_->by_number()) {
      const Tensor& t = context.input(static_cast<int>(i) + 1);
      const int64_t width = t.dim(t.rank() - 1);
      const int64_t size = std::max(0, sizes[static_cast<size_t>(m) * fields.size() + i]);
      if (size > width) {
        return invalid("Size to write must not be larger than value tensor; but saw: ", size, " > ", width,
                       " at message ", m, " field ", i);
      }
      write_field(fields[i], t, m * width, size, out);
    }
    return absl::OkStatus();
  }

  std::unique_ptr<ProtoFields> fields_;
};

}  // namespace

void register_parsing_proto_encode(KernelRegistry* registry) {
  registry->add(KernelDef("EncodeProto").kernel<EncodeProto>());
}

}  // namespace troupe
