// What messages of DecodeProtoV2 and EncodeProto are made of.
#include "devices/cpu/kernels/parsing/proto_fields.h"

#include <google/protobuf/descriptor.pb.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <numeric>

#include "absl/strings/match.h"
#include "devices/cpu/kernels/shared/array_util.h"

namespace troupe {
namespace {

namespace protobuf = google::protobuf;

/// Keeps errors that would go to the log.
class ErrorText final : public protobuf::DescriptorPool::ErrorCollector {
 public:
  void AddError(const std::string& file, const std::string& element, const protobuf::Message*, ErrorLocation,
                const std::string& message) override {
    absl::StrAppend(&text_, text_.empty() ? "" : "; ", file, ": ", element, ": ", message);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

absl::StatusOr<std::unique_ptr<protobuf::DescriptorPool>> read_pool(const std::string& source) {
  constexpr absl::string_view kBytes = "bytes://";
  std::string encoded;
  if (absl::StartsWith(source, kBytes)) {
    encoded = source.substr(kBytes.size());
  } else {
    std::ifstream file(source, std::ios::binary);
    encoded.assign(std::istreambuf_iterator<char>(file), {});
    if (!file) encoded.clear();
  }
  protobuf::FileDescriptorSet files;
  if (encoded.empty() || !files.ParseFromString(encoded)) {
    return invalid(
        "Source does not represent serialized file descriptor set proto. This may be due to a missing "
        "dependency "
        "on the file containing REGISTER_DESCRIPTOR_POOL(\"",
        absl::StartsWith(source, kBytes) ? std::string(kBytes) : source, "\", ...);");
  }
  auto pool = std::make_unique<protobuf::DescriptorPool>();
  for (const auto& file : files.file()) {
    ErrorText errors;
    if (pool->BuildFileCollectingErrors(file, &errors) == nullptr)
      return invalid("Failed to load FileDescriptor ", file.name(), ": ", errors.text());
  }
  return pool;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ProtoFields>> ProtoFields::make(const std::string& source,
                                                               const std::string& message,
                                                               const std::vector<std::string>& names) {
  auto f = std::make_unique<ProtoFields>();
  const protobuf::DescriptorPool* pool = protobuf::DescriptorPool::generated_pool();
  if (!source.empty() && source != "local://") {
    TROUPE_ASSIGN_OR_RETURN(f->pool_, read_pool(source));
    pool = f->pool_.get();
  }
  f->message_ = pool->FindMessageTypeByName(message);
  if (f->message_ == nullptr) return invalid("No descriptor found for message type ", message);
  for (const std::string& name : names) {
    Field field = f->message_->FindFieldByName(name);
    if (field == nullptr) field = pool->FindExtensionByPrintableName(f->message_, name);
    if (field == nullptr) return invalid("Unknown field: ", name, " in message type ", message);
    f->fields_.push_back(field);
  }
  f->by_number_.resize(names.size());
  std::iota(f->by_number_.begin(), f->by_number_.end(), size_t{0});
  std::stable_sort(f->by_number_.begin(), f->by_number_.end(),
                   [&](size_t a, size_t b) { return f->fields_[a]->number() < f->fields_[b]->number(); });
  return f;
}

bool proto_field_fits(ProtoFields::Field field, DataType dtype) {
  using F = protobuf::FieldDescriptor;
  switch (field->type()) {
    case F::TYPE_DOUBLE: return dtype == DataType::kDouble;
    case F::TYPE_FLOAT: return dtype == DataType::kFloat || dtype == DataType::kDouble;
    case F::TYPE_INT64:
    case F::TYPE_SFIXED64:
    case F::TYPE_SINT64: return dtype == DataType::kInt64;
    case F::TYPE_UINT64:
    case F::TYPE_FIXED64: return dtype == DataType::kUint64;
    case F::TYPE_INT32:
    case F::TYPE_SFIXED32:
    case F::TYPE_SINT32: return dtype == DataType::kInt32 || dtype == DataType::kInt64;
    case F::TYPE_UINT32:
    case F::TYPE_FIXED32: return dtype == DataType::kUint32 || dtype == DataType::kUint64;
    case F::TYPE_ENUM: return dtype == DataType::kInt32;
    case F::TYPE_BOOL: return dtype == DataType::kBool;
    case F::TYPE_STRING:
    case F::TYPE_BYTES:
    case F::TYPE_MESSAGE:
    case F::TYPE_GROUP: return dtype == DataType::kString;
  }
  return false;
}

}  // namespace troupe
