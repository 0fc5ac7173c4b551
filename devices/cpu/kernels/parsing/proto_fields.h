#pragma once

#include <google/protobuf/descriptor.h>

#include <memory>
#include <string>
#include <vector>

#include "devices/kernel_registry.h"

namespace troupe {

/// The message that an op reads or writes, and the fields that it names. Owns what describes them, unless the program does.
class ProtoFields {
 public:
  using Field = const google::protobuf::FieldDescriptor*;

  /// `source`: "local://" or nothing: messages of the program; "bytes://" and an encoded FileDescriptorSet; else a file with one.
  /// InvalidArgument when there is no such source, message or field.
  static absl::StatusOr<std::unique_ptr<ProtoFields>> make(const std::string& source,
                                                           const std::string& message,
                                                           const std::vector<std::string>& names);

  const google::protobuf::Descriptor* message() const { return message_; }
  /// In the order of the names.
  const std::vector<Field>& fields() const { return fields_; }
  /// Places in fields(), lowest field number first.
  const std::vector<size_t>& by_number() const { return by_number_; }

 private:
  std::unique_ptr<google::protobuf::DescriptorPool> pool_;
  const google::protobuf::Descriptor* message_ = nullptr;
  std::vector<Field> fields_;
  std::vector<size_t> by_number_;
};

/// Whether values of the field are tensor elements of this dtype: its own, or the wider one of its kind.
bool proto_field_fits(ProtoFields::Field field, DataType dtype);

}  // namespace troupe
