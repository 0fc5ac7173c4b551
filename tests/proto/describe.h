#pragma once

#include <string>
#include <vector>

namespace google::protobuf {
class Descriptor;
class EnumDescriptor;
class FileDescriptor;
}  // namespace google::protobuf

namespace troupe::proto_test {

/// Fields by number, e.g. "1 name string; 3 input string[]; 5 attr map<string, AttrValue>".
/// A field of a oneof ends in its name, e.g. "3 i int64 |value". Types of package tensorflow stand
/// without it.
std::string fields(const google::protobuf::Descriptor& message);

template <typename Message>
std::string fields() {
  return fields(*Message::descriptor());
}

/// Values by number, e.g. "-1 OFF; 0 DEFAULT".
std::string values(const google::protobuf::EnumDescriptor& type);

/// Names of repeated number fields of the file that are not packed.
std::vector<std::string> unpacked_fields(const google::protobuf::FileDescriptor& file);

}  // namespace troupe::proto_test
