#pragma once

#include <string>
#include <vector>

namespace google::protobuf {
class Message;
}

namespace troupe::proto_test {

/// Paths of all fields in `message`, at any depth, whose number the schema does not have, and of
/// all enum fields whose value it does not have; e.g. "GraphDef.node[3].attr[0].value #17".
/// Numbers that the schema reserves do not count: they are of older releases and only carried.
std::vector<std::string> unread_parts(const google::protobuf::Message& message);

}  // namespace troupe::proto_test
