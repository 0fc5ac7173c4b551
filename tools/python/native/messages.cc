#include "tools/python/native/messages.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/text_format.h>
#include <pybind11/stl.h>

#include "proto/config.pb.h"
#include "proto/event.pb.h"
#include "proto/meta_graph.pb.h"
#include "proto/saved_model.pb.h"
#include "proto/saver.pb.h"
#include "proto/summary.pb.h"
#include "proto/tensorflow_server.pb.h"
#include "proto/variable.pb.h"
#include "proto/pb.h"
#include "proto/queue_runner.pb.h"
#include "proto/example.pb.h"

namespace troupe::python {

using google::protobuf::Descriptor;
using google::protobuf::DescriptorPool;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::MessageFactory;

const FieldDescriptor& PyMessage::field(const std::string& name) const {
  const FieldDescriptor* f = get().GetDescriptor()->FindFieldByName(name);
  if (f == nullptr)
    throw py::attribute_error("Protocol message " + get().GetDescriptor()->name() + " has no \"" + name +
                              "\" field.");
  return *f;
}

py::object PyMessage::get_field(const std::string& name) {
  const FieldDescriptor& f = field(name);
  if (f.is_map()) return py::cast(PyMap(*this, &f));
  if (f.is_repeated()) return py::cast(PyRepeated(*this, &f));
  const auto& r = *get().GetReflection();
  if (f.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
    // What is not there is shown as it would be; the first change below it makes it.
    if (!r.HasField(get(), &f)) return py::cast(PyMessage(*this, &f));
    return py::cast(PyMessage(root_, r.MutableMessage(&mutate(), &f)));
  }
  return get_scalar(get(), f);
}

Message& PyMessage::mutate() {
  if (unset_ != nullptr) {
    Message& parent = parent_->mutate();
    message_ = parent.GetReflection()->MutableMessage(&parent, std::exchange(unset_, nullptr));
    parent_ = nullptr;
  }
  return *message_;
}

const Message& PyMessage::get() const {
  if (unset_ != nullptr) {
    // Somebody else may have made it meanwhile.
    const Message& parent = parent_->get();
    return parent.GetReflection()->GetMessage(parent, unset_);
  }
  return *message_;
}

void PyMessage::set_field(const std::string& name, py::handle value) {
  const FieldDescriptor& f = field(name);
  if (f.is_repeated() || f.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE)
    throw py::attribute_error("Assignment not allowed to field \"" + name + "\" in protocol message object.");
  set_scalar(&mutate(), f, value);
}

void PyMessage::clear_field(const FieldDescriptor& f) {
  const auto& r = *get().GetReflection();
  if (f.is_repeated() ? r.FieldSize(get(), &f) == 0 : !r.HasField(get(), &f)) return;
  Message& m = mutate();
  if (f.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && !f.is_map()) {
    if (f.is_repeated()) {
      while (r.FieldSize(m, &f) > 0) r.UnsafeArenaReleaseLast(&m, &f);
    } else if (r.HasField(m, &f)) {
      r.UnsafeArenaReleaseMessage(&m, &f);
    }
  }
  r.ClearField(&m, &f);
}

void PyMessage::clear() {
  std::vector<const FieldDescriptor*> fields;
  get().GetReflection()->ListFields(get(), &fields);
  for (const FieldDescriptor* f : fields) clear_field(*f);
  mutate();
}

PyMessage PyMessage::make(const std::string& full_name) {
  const Descriptor* d = DescriptorPool::generated_pool()->FindMessageTypeByName(full_name);
  if (d == nullptr) throw py::key_error("There is no message " + full_name);
  auto root = std::make_shared<google::protobuf::Arena>();
  Message* message = MessageFactory::generated_factory()->GetPrototype(d)->New(root.get());
  return PyMessage(std::move(root), message);
}

namespace {

py::bytes serialize(const PyMessage& m) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream out(&stream);
  out.SetSerializationDeterministic(true);
  m.get().SerializeToCodedStream(&out);
  out.Trim();
  return bytes;
}

void parse(PyMessage& m, const std::string& bytes) {
  m.clear();
  if (!m.mutate().MergeFromString(bytes))
    throw py::value_error("Error parsing message of type " + m.get().GetTypeName());
}

void parse_text(PyMessage& m, const std::string& text) {
  m.clear();
  if (!google::protobuf::TextFormat::ParseFromString(text, &m.mutate()))
    throw py::value_error("Error parsing the text of a " + m.get().GetTypeName());
}

bool has_field(const PyMessage& m, const std::string& name) {
  const FieldDescriptor& f = m.field(name);
  if (f.is_repeated() || !f.has_presence())
    throw py::value_error("Protocol message " + m.get().GetDescriptor()->name() +
                          " has no presence of field \"" + name + "\"");
  return m.get().GetReflection()->HasField(m.get(), &f);
}

py::object which_oneof(const PyMessage& m, const std::string& name) {
  const auto* oneof = m.get().GetDescriptor()->FindOneofByName(name);
  if (oneof == nullptr) throw py::value_error("Protocol message has no oneof \"" + name + "\" field.");
  const FieldDescriptor* f = m.get().GetReflection()->GetOneofFieldDescriptor(m.get(), oneof);
  return f == nullptr ? py::object(py::none()) : py::str(f->name());
}

std::vector<std::string> set_fields(const PyMessage& m) {
  std::vector<const FieldDescriptor*> fields;
  m.get().GetReflection()->ListFields(m.get(), &fields);
  std::vector<std::string> names;
  for (const FieldDescriptor* f : fields) names.push_back(f->name());
  return names;
}

void copy_from(PyMessage& m, const PyMessage& from) {
  if (m.get().GetDescriptor() != from.get().GetDescriptor())
    throw py::type_error("A " + m.get().GetTypeName() + " cannot be copied from a " +
                         from.get().GetTypeName());
  if (&m.get() == &from.get()) return;
  m.clear();
  m.mutate().MergeFrom(from.get());
}

/// Also of enums inside it: {name: number}.
py::dict enum_values(const std::string& full_name) {
  py::dict values;
  auto add = [&](const EnumDescriptor* e) {
    for (int i = 0; i < e->value_count(); ++i) values[py::str(e->value(i)->name())] = e->value(i)->number();
  };
  const auto* pool = DescriptorPool::generated_pool();
  if (const Descriptor* d = pool->FindMessageTypeByName(full_name)) {
    for (int i = 0; i < d->enum_type_count(); ++i) add(d->enum_type(i));
  } else if (const EnumDescriptor* e = pool->FindEnumTypeByName(full_name)) {
    add(e);
  } else {
    throw py::key_error("There is no message " + full_name);
  }
  return values;
}

/// Names of the messages inside it, and of all its fields.
py::tuple describe_message(const std::string& full_name) {
  const Descriptor* d = DescriptorPool::generated_pool()->FindMessageTypeByName(full_name);
  if (d == nullptr) throw py::key_error("There is no message " + full_name);
  std::vector<std::string> nested;
  std::vector<std::string> fields;
  for (int i = 0; i < d->nested_type_count(); ++i)
    if (!d->nested_type(i)->options().map_entry()) nested.push_back(d->nested_type(i)->name());
  for (int i = 0; i < d->field_count(); ++i) fields.push_back(d->field(i)->name());
  return py::make_tuple(nested, fields);
}

/// A message is linked in only when something of it is named.
void link_messages() {
  pb::ConfigProto::descriptor();
  pb::Event::descriptor();
  pb::MetaGraphDef::descriptor();
  pb::SavedModel::descriptor();
  pb::SaverDef::descriptor();
  pb::Summary::descriptor();
  pb::ServerDef::descriptor();
  pb::VariableDef::descriptor();
  pb::QueueRunnerDef::descriptor();
  pb::Example::descriptor();
}

}  // namespace

void define_messages(py::module_& module) {
  link_messages();
  py::class_<PyMessage>(module, "Message", "A protocol buffer; a field is an attribute.")
      .def(py::init(&PyMessage::make))
      .def("__getattr__", &PyMessage::get_field)
      .def("__setattr__", &PyMessage::set_field)
      .def("SerializeToString", &serialize)
      .def("ParseFromString", &parse)
      .def("MergeFromString",
           [](PyMessage& m, const std::string& bytes) {
             if (!m.mutate().MergeFromString(bytes))
               throw py::value_error("Error parsing message of type " + m.get().GetTypeName());
           })
      .def("_parse_text", &parse_text)
      .def("HasField", &has_field)
      .def("WhichOneof", &which_oneof)
      .def("_set_fields", &set_fields)
      .def("CopyFrom", &copy_from)
      .def("MergeFrom", [](PyMessage& m, const PyMessage& from) { m.mutate().MergeFrom(from.get()); })
      .def("Clear", &PyMessage::clear)
      .def("ClearField", [](PyMessage& m, const std::string& name) { m.clear_field(m.field(name)); })
      .def("SetInParent", [](PyMessage& m) { m.mutate(); })
      .def("ByteSize", [](const PyMessage& m) { return m.get().ByteSizeLong(); })
      .def("_full_name", [](const PyMessage& m) { return m.get().GetTypeName(); })
      .def("__eq__",
           [](const PyMessage& a, const PyMessage& b) {
             return a.get().GetDescriptor() == b.get().GetDescriptor() && serialize(a).equal(serialize(b));
           })
      .def("__eq__", [](const PyMessage&, py::handle) { return false; })
      .def("__str__", [](const PyMessage& m) { return m.get().DebugString(); })
      .def("__repr__", [](const PyMessage& m) { return m.get().DebugString(); });
  define_message_fields(module);
  module.def("enum_values", &enum_values);
  module.def("describe_message", &describe_message);
}

}  // namespace troupe::python
