#pragma once

#include <google/protobuf/arena.h>
#include <google/protobuf/message.h>

#include <memory>
#include <string>

#include "tools/python/native/native.h"

namespace troupe::python {

/// A message as Python sees it, by reflection. It lies in the arena `root`, which it keeps, so that it stays readable when it is taken
/// out of its parent; one that is not set in its parent
/// becomes so with the first change. Needs the GIL.
class PyMessage {
 public:
  PyMessage(std::shared_ptr<google::protobuf::Arena> root, google::protobuf::Message* message)
      : root_(std::move(root)), message_(message) {}
  /// The field of `parent`, where it is not set.
  PyMessage(const PyMessage& parent, const google::protobuf::FieldDescriptor* unset)
      : root_(parent.root_), parent_(std::make_shared<PyMessage>(parent)), unset_(unset) {}

  /// By its full name, "tensorflow.GraphDef". KeyError when there is none.
  static PyMessage make(const std::string& full_name);

  const google::protobuf::Message& get() const;
  google::protobuf::Message& mutate();
  const std::shared_ptr<google::protobuf::Arena>& root() const { return root_; }

  /// AttributeError when there is none.
  const google::protobuf::FieldDescriptor& field(const std::string& name) const;
  py::object get_field(const std::string& name);
  void set_field(const std::string& name, py::handle value);
  /// What others hold of it keeps its value, and belongs to nothing.
  void clear_field(const google::protobuf::FieldDescriptor& field);
  void clear();

 private:
  std::shared_ptr<google::protobuf::Arena> root_;
  google::protobuf::Message* message_ = nullptr;
  std::shared_ptr<PyMessage> parent_;
  const google::protobuf::FieldDescriptor* unset_ = nullptr;
};

/// A repeated field: a sequence that can be appended to. Of the message `message`, a part of `root`.
class PyRepeated {
 public:
  PyRepeated(PyMessage owner, const google::protobuf::FieldDescriptor* field)
      : owner_(std::move(owner)), field_(field) {}

  int size() const;
  py::object at(int index);
  void set(int index, py::handle value);
  void append(py::handle value);
  /// A new message at the end.
  PyMessage add();
  void remove(int index);

 private:
  PyMessage owner_;
  const google::protobuf::FieldDescriptor* field_;
};

/// A map field. A value that is a message comes into being when it is asked for, as in protobuf's own Python.
class PyMap {
 public:
  PyMap(PyMessage owner, const google::protobuf::FieldDescriptor* field)
      : owner_(std::move(owner)), field_(field) {}

  int size() const;
  py::list keys();
  /// -1 when it is not there.
  int find(py::handle key);
  py::object get(py::handle key);
  void set(py::handle key, py::handle value);
  void remove(py::handle key);

 private:
  google::protobuf::Message* entry(int index);
  google::protobuf::Message* add(py::handle key);
  const google::protobuf::FieldDescriptor& key_field() const;
  const google::protobuf::FieldDescriptor& value_field() const;

  PyMessage owner_;
  const google::protobuf::FieldDescriptor* field_;
};

py::object get_scalar(const google::protobuf::Message& message,
                      const google::protobuf::FieldDescriptor& field);
/// TypeError for a value of another kind, ValueError for a number that does not fit or a name that the enum has not.
void set_scalar(google::protobuf::Message* message, const google::protobuf::FieldDescriptor& field,
                py::handle value);

void define_message_fields(py::module_& module);

}  // namespace troupe::python
