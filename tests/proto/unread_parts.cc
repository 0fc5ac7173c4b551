#include "tests/proto/unread_parts.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/unknown_field_set.h>

namespace troupe::proto_test {

namespace gp = google::protobuf;

namespace {

void collect(const gp::Message& message, const std::string& path, std::vector<std::string>& found);

void collect_enum(const gp::Message& message, const gp::FieldDescriptor& field, const std::string& path,
                  std::vector<std::string>& found) {
  const gp::Reflection& reflection = *message.GetReflection();
  const int count = field.is_repeated() ? reflection.FieldSize(message, &field) : 1;
  for (int i = 0; i < count; ++i) {
    const int value = field.is_repeated() ? reflection.GetRepeatedEnumValue(message, &field, i)
                                          : reflection.GetEnumValue(message, &field);
    if (field.enum_type()->FindValueByNumber(value) == nullptr) {
      found.push_back(path + " = " + std::to_string(value));
    }
  }
}

void collect_messages(const gp::Message& message, const gp::FieldDescriptor& field, const std::string& path,
                      std::vector<std::string>& found) {
  const gp::Reflection& reflection = *message.GetReflection();
  if (!field.is_repeated()) return collect(reflection.GetMessage(message, &field), path, found);
  for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
    const std::string element = path + "[" + std::to_string(i) + "]";
    collect(reflection.GetRepeatedMessage(message, &field, i), element, found);
  }
}

void collect(const gp::Message& message, const std::string& path, std::vector<std::string>& found) {
  const gp::Reflection& reflection = *message.GetReflection();
  const gp::UnknownFieldSet& unknown = reflection.GetUnknownFields(message);
  for (int i = 0; i < unknown.field_count(); ++i) {
    const int number = unknown.field(i).number();
    if (message.GetDescriptor()->IsReservedNumber(number)) continue;
    found.push_back(path + " #" + std::to_string(number));
  }
  std::vector<const gp::FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const gp::FieldDescriptor* field : fields) {
    const std::string at = path + "." + field->name();
    if (field->cpp_type() == gp::FieldDescriptor::CPPTYPE_ENUM) {
      collect_enum(message, *field, at, found);
    } else if (field->cpp_type() == gp::FieldDescriptor::CPPTYPE_MESSAGE) {
      collect_messages(message, *field, at, found);
    }
  }
}

}  // namespace

std::vector<std::string> unread_parts(const gp::Message& message) {
  std::vector<std::string> found;
  collect(message, message.GetDescriptor()->name(), found);
  return found;
}

}  // namespace troupe::proto_test
