// DecodeProtoV2: fields of messages as tensors.
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/wire_format_lite.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "absl/strings/ascii.h"
#include "devices/cpu/kernels/parsing/proto_fields.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

namespace protobuf = google::protobuf;
using protobuf::FieldDescriptor;
using protobuf::internal::WireFormatLite;
using protobuf::io::CodedInputStream;
using Field = ProtoFields::Field;

/// A value of a field: text, a number with a fraction, or the bits of an integer.
struct FieldValue {
  std::string text;
  double real = 0;
  uint64_t bits = 0;
};

WireFormatLite::WireType natural_wire_type(Field f) {
  return WireFormatLite::WireTypeForFieldType(static_cast<WireFormatLite::FieldType>(f->type()));
}

bool is_text(Field f) {
  return f->cpp_type() == FieldDescriptor::CPPTYPE_STRING ||
         f->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
}

/// What a number field holds, from its bits on the wire.
FieldValue number(Field f, uint64_t wire) {
  FieldValue v;
  switch (f->type()) {
    case FieldDescriptor::TYPE_DOUBLE: v.real = std::bit_cast<double>(wire); break;
    case FieldDescriptor::TYPE_FLOAT:
      v.real = static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(wire)));
      break;
    case FieldDescriptor::TYPE_SINT32:
      v.bits = static_cast<uint64_t>(int64_t{WireFormatLite::ZigZagDecode32(static_cast<uint32_t>(wire))});
      break;
    case FieldDescriptor::TYPE_SINT64:
      v.bits = static_cast<uint64_t>(WireFormatLite::ZigZagDecode64(wire));
      break;
    case FieldDescriptor::TYPE_INT32:
    case FieldDescriptor::TYPE_SFIXED32:
    case FieldDescriptor::TYPE_ENUM:
      v.bits = static_cast<uint64_t>(int64_t{static_cast<int32_t>(wire)});
      break;
    case FieldDescriptor::TYPE_UINT32:
    case FieldDescriptor::TYPE_FIXED32: v.bits = static_cast<uint32_t>(wire); break;
    case FieldDescriptor::TYPE_BOOL: v.bits = wire != 0; break;
    default: v.bits = wire; break;
  }
  return v;
}

/// Reads one value that is not length-delimited.
bool read_number(CodedInputStream* in, Field f, FieldValue* v) {
  uint64_t wire = 0;
  uint32_t narrow = 0;
  switch (natural_wire_type(f)) {
    case WireFormatLite::WIRETYPE_VARINT:
      if (!in->ReadVarint64(&wire)) return false;
      break;
    case WireFormatLite::WIRETYPE_FIXED64:
      if (!in->ReadLittleEndian64(&wire)) return false;
      break;
    case WireFormatLite::WIRETYPE_FIXED32:
      if (!in->ReadLittleEndian32(&narrow)) return false;
      wire = narrow;
      break;
    default: return false;
  }
  *v = number(f, wire);
  return true;
}

bool read_text(CodedInputStream* in, std::string* text) {
  uint32_t length;
  return in->ReadVarint32(&length) && length <= std::numeric_limits<int32_t>::max() &&
         in->ReadString(text, static_cast<int>(length));
}

bool read_packed(CodedInputStream* in, Field f, std::vector<FieldValue>* values) {
  uint32_t length;
  if (!in->ReadVarint32(&length) || static_cast<int64_t>(length) > in->BytesUntilLimit()) return false;
  const auto limit = in->PushLimit(static_cast<int>(length));
  while (in->BytesUntilLimit() > 0) {
    if (!read_number(in, f, &values->emplace_back())) return false;
  }
  in->PopLimit(limit);
  return true;
}

/// A group's bytes, without the tags around them.
bool read_group(CodedInputStream* in, absl::string_view whole, uint32_t tag, std::string* text) {
  const int start = in->CurrentPosition();
  while (const uint32_t inner = in->ReadTag()) {
    if (WireFormatLite::GetTagWireType(inner) == WireFormatLite::WIRETYPE_END_GROUP) {
      const int end = in->CurrentPosition() - protobuf::io::CodedOutputStream::VarintSize32(inner);
      const absl::string_view bytes =
          whole.substr(static_cast<size_t>(start), static_cast<size_t>(end - start));
      text->assign(bytes.data(), bytes.size());
      return WireFormatLite::GetTagFieldNumber(inner) == WireFormatLite::GetTagFieldNumber(tag);
    }
    if (!WireFormatLite::SkipField(in, inner)) return false;
  }
  return false;
}

/// The values of the wanted fields of one message, per field. Fields of another wire type than theirs count as unknown.
absl::Status read_message(absl::string_view bytes, const ProtoFields& wanted,
                          std::vector<std::vector<FieldValue>>* values) {
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max()))
    return absl::DataLossError("Message is too large");
  CodedInputStream in(reinterpret_cast<const uint8_t*>(bytes.data()), static_cast<int>(bytes.size()));
  const auto lost = [](absl::string_view what) { return absl::DataLossError(what); };
  while (const uint32_t tag = in.ReadTag()) {
    const int number = WireFormatLite::GetTagFieldNumber(tag);
    const auto type = WireFormatLite::GetTagWireType(tag);
    const auto at = std::find_if(wanted.fields().begin(), wanted.fields().end(),
                                 [&](Field f) { return f->number() == number; });
    const Field f = at == wanted.fields().end() ? nullptr : *at;
    if (f == nullptr || (type != natural_wire_type(f) &&
                         !(type == WireFormatLite::WIRETYPE_LENGTH_DELIMITED && !is_text(f)))) {
      if (!WireFormatLite::SkipField(&in, tag)) return lost("Failed skipping unrequested field");
      continue;
    }
    std::vector<FieldValue> read;
    bool ok = true;
    if (f->type() == FieldDescriptor::TYPE_GROUP) {
      ok = read_group(&in, bytes, tag, &read.emplace_back().text);
    } else if (is_text(f)) {
      ok = read_text(&in, &read.emplace_back().text);
    } else if (type == WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      ok = read_packed(&in, f, &read);
    } else {
      ok = read_number(&in, f, &read.emplace_back());
    }
    if (!ok) return lost(absl::StrCat("Failed reading field ", f->name()));
    // A field may be asked for twice.
    for (size_t i = 0; i < wanted.fields().size(); ++i) {
      if (wanted.fields()[i]->number() != number) continue;
      auto& all = (*values)[i];
      all.insert(all.end(), read.begin(), read.end());
      if (!f->is_repeated() && all.size() > 1) all.erase(all.begin(), all.end() - 1);
    }
  }
  if (!in.ConsumedEntireMessage()) return lost("CountFields: Failed to consume entire buffer");
  return absl::OkStatus();
}

/// What an absent field counts as.
FieldValue default_value(Field f) {
  FieldValue v;
  if (f->is_repeated()) return v;
  switch (f->cpp_type()) {
    case FieldDescriptor::CPPTYPE_DOUBLE: v.real = f->default_value_double(); break;
    case FieldDescriptor::CPPTYPE_FLOAT: v.real = static_cast<double>(f->default_value_float()); break;
    case FieldDescriptor::CPPTYPE_INT32:
      v.bits = static_cast<uint64_t>(int64_t{f->default_value_int32()});
      break;
    case FieldDescriptor::CPPTYPE_INT64: v.bits = static_cast<uint64_t>(f->default_value_int64()); break;
    case FieldDescriptor::CPPTYPE_UINT32: v.bits = f->default_value_uint32(); break;
    case FieldDescriptor::CPPTYPE_UINT64: v.bits = f->default_value_uint64(); break;
    case FieldDescriptor::CPPTYPE_BOOL: v.bits = f->default_value_bool(); break;
    case FieldDescriptor::CPPTYPE_ENUM:
      v.bits = static_cast<uint64_t>(int64_t{f->default_value_enum()->number()});
      break;
    case FieldDescriptor::CPPTYPE_STRING: v.text = f->default_value_string(); break;
    case FieldDescriptor::CPPTYPE_MESSAGE: break;
  }
  return v;
}

void put(Tensor* t, int64_t i, const FieldValue& v) {
  switch (t->dtype()) {
    case DataType::kDouble: t->flat<double>()[i] = v.real; break;
    case DataType::kFloat: t->flat<float>()[i] = static_cast<float>(v.real); break;
    case DataType::kInt64: t->flat<int64_t>()[i] = static_cast<int64_t>(v.bits); break;
    case DataType::kUint64: t->flat<uint64_t>()[i] = v.bits; break;
    case DataType::kInt32: t->flat<int32_t>()[i] = static_cast<int32_t>(v.bits); break;
    case DataType::kUint32: t->flat<uint32_t>()[i] = static_cast<uint32_t>(v.bits); break;
    case DataType::kBool: t->flat<bool>()[i] = v.bits != 0; break;
    default: t->flat<TString>()[i].assign(v.text); break;
  }
}

/// Keeps errors that would go to the log.
class SilentCollector final : public protobuf::io::ErrorCollector {
 public:
  void AddError(int, int, const std::string&) override {}
};

class DecodeProto final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("sanitize", &sanitize_); }
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(const auto source, c.attr<std::string>("descriptor_source"));
    TROUPE_ASSIGN_OR_RETURN(const auto message, c.attr<std::string>("message_type"));
    TROUPE_ASSIGN_OR_RETURN(const auto names, c.attr<std::vector<std::string>>("field_names"));
    TROUPE_ASSIGN_OR_RETURN(const auto types, c.attr<std::vector<DataType>>("output_types"));
    TROUPE_ASSIGN_OR_RETURN(const auto format, c.attr<std::string>("message_format"));
    if (names.size() != types.size())
      return invalid("field_names and output_types attributes must have the same length");
    TROUPE_ASSIGN_OR_RETURN(wanted_, ProtoFields::make(source, message, names));
    for (size_t i = 0; i < types.size(); ++i) {
      const Field f = wanted_->fields()[i];
      if (proto_field_fits(f, types[i])) continue;
      return invalid("Unexpected output type for ", f->full_name(), ": ", f->type_name(), " to DT_",
                     absl::AsciiStrToUpper(dtype_name(types[i])));
    }
    if (format != "binary" && format != "text") return invalid("format must be one of binary or text");
    text_ = format == "text";
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& context) override {
    const Tensor& in = context.input(0);
    const size_t messages = static_cast<size_t>(in.num_elements()), fields = wanted_->fields().size();
    if (messages == 0) return invalid("Bufs argument must contain at least one value");
    std::vector<std::vector<std::vector<FieldValue>>> values(messages,
                                                             std::vector<std::vector<FieldValue>>(fields));
    std::vector<int64_t> widths(fields, 1);
    for (size_t m = 0; m < messages; ++m) {
      TROUPE_ASSIGN_OR_RETURN(const std::string bytes, binary(in.flat<TString>()[m].view()));
      TROUPE_RETURN_IF_ERROR(read_message(bytes, *wanted_, &values[m]));
      for (size_t f = 0; f < fields; ++f)
        widths[f] = std::max(widths[f], static_cast<int64_t>(values[m][f].size()));
    }
    TROUPE_ASSIGN_OR_RETURN(const Shape sizes_shape, with_last(in.shape(), static_cast<int64_t>(fields)));
    TROUPE_ASSIGN_OR_RETURN(Tensor * sizes, context.allocate_output(0, sizes_shape));
    for (size_t f = 0; f < fields; ++f) {
      TROUPE_ASSIGN_OR_RETURN(const Shape shape, with_last(in.shape(), widths[f]));
      TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(static_cast<int>(f) + 1, shape));
      const FieldValue absent = default_value(wanted_->fields()[f]);
      for (size_t m = 0; m < messages; ++m) {
        const auto& own = values[m][f];
        sizes->flat<int32_t>()[m * fields + f] = static_cast<int32_t>(own.size());
        for (int64_t i = 0; i < widths[f]; ++i) {
          const auto n = static_cast<size_t>(i);
          put(out, static_cast<int64_t>(m) * widths[f] + i, n < own.size() ? own[n] : absent);
        }
      }
    }
    return absl::OkStatus();
  }

 private:
  static absl::StatusOr<Shape> with_last(const Shape& shape, int64_t last) {
    std::vector<int64_t> dims;
    for (int i = 0; i < shape.rank(); ++i) dims.push_back(shape.dim(i));
    dims.push_back(last);
    return Shape::make(dims);
  }

  /// The message as bytes; read and written again when it is text or to be sanitised.
  absl::StatusOr<std::string> binary(absl::string_view given) const {
    std::string bytes(given.data(), given.size());
    if (!text_ && !sanitize_) return bytes;
    protobuf::DynamicMessageFactory factory;
    const std::unique_ptr<protobuf::Message> message(factory.GetPrototype(wanted_->message())->New());
    if (text_) {
      SilentCollector errors;
      protobuf::TextFormat::Parser parser;
      parser.RecordErrorsTo(&errors);
      if (!parser.ParseFromString(bytes, message.get()))
        return absl::DataLossError("Unable to parse text protobuf");
    } else if (!message->ParsePartialFromString(bytes)) {
      return absl::DataLossError("Unable to parse binary protobuf");
    }
    bytes.clear();
    if (!message->SerializePartialToString(&bytes)) return absl::DataLossError("Unable to write protobuf");
    return bytes;
  }

  std::unique_ptr<ProtoFields> wanted_;
  bool text_ = false, sanitize_ = false;
};

}  // namespace

void register_parsing_proto_decode(KernelRegistry* registry) {
  registry->add(KernelDef("DecodeProtoV2").kernel<DecodeProto>());
}

}  // namespace troupe
