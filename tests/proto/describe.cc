#include "tests/proto/describe.h"

#include <google/protobuf/descriptor.h>

#include <map>

namespace troupe::proto_test {

namespace gp = google::protobuf;

namespace {

std::string without_package(const std::string& name) {
  const std::string package = "tensorflow.";
  return name.rfind(package, 0) == 0 ? name.substr(package.size()) : name;
}

std::string type_of(const gp::FieldDescriptor& field) {
  if (field.is_map()) {
    const gp::Descriptor& entry = *field.message_type();
    return "map<" + type_of(*entry.map_key()) + ", " + type_of(*entry.map_value()) + ">";
  }
  if (field.message_type()) return without_package(field.message_type()->full_name());
  if (field.enum_type()) return without_package(field.enum_type()->full_name());
  return field.type_name();
}

std::string join(const std::map<int, std::string>& lines) {
  std::string text;
  for (const auto& [number, line] : lines) {
    if (!text.empty()) text += "; ";
    text += std::to_string(number) + " " + line;
  }
  return text;
}

void collect_unpacked(const gp::Descriptor& message, std::vector<std::string>& found) {
  for (int i = 0; i < message.field_count(); ++i) {
    const gp::FieldDescriptor& field = *message.field(i);
    if (field.is_packable() && !field.is_packed()) found.push_back(field.full_name());
  }
  for (int i = 0; i < message.nested_type_count(); ++i) {
    collect_unpacked(*message.nested_type(i), found);
  }
}

}  // namespace

std::string fields(const gp::Descriptor& message) {
  std::map<int, std::string> lines;
  for (int i = 0; i < message.field_count(); ++i) {
    const gp::FieldDescriptor& field = *message.field(i);
    std::string line = field.name() + " " + type_of(field);
    if (field.is_repeated() && !field.is_map()) line += "[]";
    if (field.real_containing_oneof()) line += " |" + field.real_containing_oneof()->name();
    lines[field.number()] = line;
  }
  return join(lines);
}

std::string values(const gp::EnumDescriptor& type) {
  std::map<int, std::string> lines;
  for (int i = 0; i < type.value_count(); ++i) lines[type.value(i)->number()] = type.value(i)->name();
  return join(lines);
}

std::vector<std::string> unpacked_fields(const gp::FileDescriptor& file) {
  std::vector<std::string> found;
  for (int i = 0; i < file.message_type_count(); ++i) {
    collect_unpacked(*file.message_type(i), found);
  }
  return found;
}

}  // namespace troupe::proto_test
