#include <google/protobuf/descriptor.h>
#include <pybind11/stl.h>

#include <limits>

#include "tools/python/native/messages.h"

namespace troupe::python {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

namespace {

const Reflection& reflection(const Message& m) { return *m.GetReflection(); }

std::string text_of(const FieldDescriptor& f, py::handle v) {
  if (PyUnicode_Check(v.ptr()) || PyBytes_Check(v.ptr())) return v.cast<std::string>();
  throw py::type_error("bad argument type for \"" + f.name() + "\": " + std::string(py::repr(v)));
}

py::object from_text(const FieldDescriptor& f, const std::string& text) {
  return f.type() == FieldDescriptor::TYPE_BYTES ? py::object(py::bytes(text)) : py::object(py::str(text));
}

/// An index as Python has them, from the end when below zero.
int position(int index, int size) {
  const int at = index < 0 ? index + size : index;
  if (at < 0 || at >= size) throw py::index_error("list index out of range");
  return at;
}

int enum_of(const FieldDescriptor& f, py::handle v) {
  if (!PyUnicode_Check(v.ptr())) return v.cast<int>();
  const auto* value = f.enum_type()->FindValueByName(v.cast<std::string>());
  if (value == nullptr) throw py::value_error("unknown enum label \"" + v.cast<std::string>() + "\"");
  return value->number();
}

/// Numbers as NumPy has them, too; no fractions for integers.
template <class T>
T number_of(const FieldDescriptor& f, py::handle v) {
  if constexpr (std::is_integral_v<T>) {
    if (PyFloat_Check(v.ptr()) || PyUnicode_Check(v.ptr()))
      throw py::type_error("bad argument type for \"" + f.name() + "\": " + std::string(py::repr(v)));
    py::int_ number = py::reinterpret_steal<py::int_>(PyNumber_Index(v.ptr()));
    if (!number) throw py::error_already_set();
    try {
      return number.cast<T>();
    } catch (const py::cast_error&) {
      throw py::value_error("Value out of range: " + std::string(py::repr(v)));
    }
  } else {
    return static_cast<T>(py::float_(py::reinterpret_borrow<py::object>(v)));
  }
}

}  // namespace

// The calls of Reflection for each kind of scalar: TROUPE_SCALARS(X) with X(kind, method, type).
#define TROUPE_NUMBERS(X)     \
  X(INT32, Int32, int32_t)    \
  X(INT64, Int64, int64_t)    \
  X(UINT32, UInt32, uint32_t) \
  X(UINT64, UInt64, uint64_t) \
  X(FLOAT, Float, float)      \
  X(DOUBLE, Double, double)

py::object get_scalar(const Message& m, const FieldDescriptor& f) {
  switch (f.cpp_type()) {
#define TROUPE_CASE(kind, method, type) \
  case FieldDescriptor::CPPTYPE_##kind: return py::cast(reflection(m).Get##method(m, &f));
    TROUPE_NUMBERS(TROUPE_CASE)
#undef TROUPE_CASE
    case FieldDescriptor::CPPTYPE_BOOL: return py::bool_(reflection(m).GetBool(m, &f));
    case FieldDescriptor::CPPTYPE_ENUM: return py::int_(reflection(m).GetEnumValue(m, &f));
    case FieldDescriptor::CPPTYPE_STRING: return from_text(f, reflection(m).GetString(m, &f));
    case FieldDescriptor::CPPTYPE_MESSAGE: break;
  }
  throw py::type_error(f.name() + " is no scalar");
}

void set_scalar(Message* m, const FieldDescriptor& f, py::handle v) {
  switch (f.cpp_type()) {
#define TROUPE_CASE(kind, method, type) \
  case FieldDescriptor::CPPTYPE_##kind: return reflection(*m).Set##method(m, &f, number_of<type>(f, v));
    TROUPE_NUMBERS(TROUPE_CASE)
#undef TROUPE_CASE
    case FieldDescriptor::CPPTYPE_BOOL: return reflection(*m).SetBool(m, &f, number_of<int64_t>(f, v) != 0);
    case FieldDescriptor::CPPTYPE_ENUM: return reflection(*m).SetEnumValue(m, &f, enum_of(f, v));
    case FieldDescriptor::CPPTYPE_STRING: return reflection(*m).SetString(m, &f, text_of(f, v));
    case FieldDescriptor::CPPTYPE_MESSAGE: break;
  }
  throw py::type_error(f.name() + " is no scalar");
}

int PyRepeated::size() const { return reflection(owner_.get()).FieldSize(owner_.get(), field_); }

py::object PyRepeated::at(int index) {
  const int i = position(index, size());
  const Message& m = owner_.get();
  switch (field_->cpp_type()) {
#define TROUPE_CASE(kind, method, type) \
  case FieldDescriptor::CPPTYPE_##kind: return py::cast(reflection(m).GetRepeated##method(m, field_, i));
    TROUPE_NUMBERS(TROUPE_CASE)
#undef TROUPE_CASE
    case FieldDescriptor::CPPTYPE_BOOL: return py::bool_(reflection(m).GetRepeatedBool(m, field_, i));
    case FieldDescriptor::CPPTYPE_ENUM: return py::int_(reflection(m).GetRepeatedEnumValue(m, field_, i));
    case FieldDescriptor::CPPTYPE_STRING:
      return from_text(*field_, reflection(m).GetRepeatedString(m, field_, i));
    case FieldDescriptor::CPPTYPE_MESSAGE: break;
  }
  Message& mine = owner_.mutate();
  return py::cast(PyMessage(owner_.root(), reflection(mine).MutableRepeatedMessage(&mine, field_, i)));
}

void PyRepeated::set(int index, py::handle v) {
  const int i = position(index, size());
  Message& m = owner_.mutate();
  switch (field_->cpp_type()) {
#define TROUPE_CASE(kind, method, type) \
  case FieldDescriptor::CPPTYPE_##kind: \
    return reflection(m).SetRepeated##method(&m, field_, i, number_of<type>(*field_, v));
    TROUPE_NUMBERS(TROUPE_CASE)
#undef TROUPE_CASE
    case FieldDescriptor::CPPTYPE_BOOL: return reflection(m).SetRepeatedBool(&m, field_, i, v.cast<bool>());
    case FieldDescriptor::CPPTYPE_ENUM:
      return reflection(m).SetRepeatedEnumValue(&m, field_, i, enum_of(*field_, v));
    case FieldDescriptor::CPPTYPE_STRING:
      return reflection(m).SetRepeatedString(&m, field_, i, text_of(*field_, v));
    case FieldDescriptor::CPPTYPE_MESSAGE: break;
  }
  throw py::type_error("A message of a repeated field is changed, not assigned");
}

void PyRepeated::append(py::handle v) {
  Message& m = owner_.mutate();
  switch (field_->cpp_type()) {
#define TROUPE_CASE(kind, method, type) \
  case FieldDescriptor::CPPTYPE_##kind: \
    return reflection(m).Add##method(&m, field_, number_of<type>(*field_, v));
    TROUPE_NUMBERS(TROUPE_CASE)
#undef TROUPE_CASE
    case FieldDescriptor::CPPTYPE_BOOL: return reflection(m).AddBool(&m, field_, v.cast<bool>());
    case FieldDescriptor::CPPTYPE_ENUM: return reflection(m).AddEnumValue(&m, field_, enum_of(*field_, v));
    case FieldDescriptor::CPPTYPE_STRING: return reflection(m).AddString(&m, field_, text_of(*field_, v));
    case FieldDescriptor::CPPTYPE_MESSAGE: break;
  }
  const auto& from = v.cast<const PyMessage&>();
  if (from.get().GetDescriptor() != field_->message_type())
    throw py::type_error("Parameter to append() must be a " + field_->message_type()->full_name());
  add().mutate().CopyFrom(from.get());
}

PyMessage PyRepeated::add() {
  if (field_->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE)
    throw py::type_error(field_->name() + " holds no messages");
  Message& m = owner_.mutate();
  return PyMessage(owner_.root(), reflection(m).AddMessage(&m, field_));
}

void PyRepeated::remove(int index) {
  const int count = size();
  Message& m = owner_.mutate();
  for (int i = position(index, count); i + 1 < count; ++i) reflection(m).SwapElements(&m, field_, i, i + 1);
  // Who holds the message keeps it.
  const bool message = field_->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && !field_->is_map();
  message ? (void)reflection(m).UnsafeArenaReleaseLast(&m, field_) : reflection(m).RemoveLast(&m, field_);
}

const FieldDescriptor& PyMap::key_field() const { return *field_->message_type()->map_key(); }
const FieldDescriptor& PyMap::value_field() const { return *field_->message_type()->map_value(); }

int PyMap::size() const { return reflection(owner_.get()).FieldSize(owner_.get(), field_); }

Message* PyMap::entry(int index) {
  Message& m = owner_.mutate();
  return reflection(m).MutableRepeatedMessage(&m, field_, index);
}

py::list PyMap::keys() {
  py::list list;
  for (int i = 0; i < size(); ++i) list.append(get_scalar(*entry(i), key_field()));
  return list;
}

int PyMap::find(py::handle key) {
  for (int i = 0; i < size(); ++i)
    if (get_scalar(*entry(i), key_field()).equal(key)) return i;
  return -1;
}

Message* PyMap::add(py::handle key) {
  Message& m = owner_.mutate();
  Message* made = reflection(m).AddMessage(&m, field_);
  set_scalar(made, key_field(), key);
  return made;
}

py::object PyMap::get(py::handle key) {
  const int at = find(key);
  const bool message = value_field().cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
  if (at < 0 && !message) throw py::key_error(std::string(py::repr(key)));
  Message* e = at < 0 ? add(key) : entry(at);
  if (!message) return get_scalar(*e, value_field());
  return py::cast(PyMessage(owner_.root(), reflection(*e).MutableMessage(e, &value_field())));
}

void PyMap::set(py::handle key, py::handle value) {
  if (value_field().cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE)
    throw py::value_error("May not set values directly, call my_map[key].foo = 5");
  const int at = find(key);
  set_scalar(at < 0 ? add(key) : entry(at), value_field(), value);
}

void PyMap::remove(py::handle key) {
  const int at = find(key);
  if (at < 0) throw py::key_error(std::string(py::repr(key)));
  PyRepeated(owner_, field_).remove(at);
}

void define_message_fields(py::module_& module) {
  py::class_<PyRepeated>(module, "Repeated", "A repeated field of a Message.")
      .def("__len__", &PyRepeated::size)
      .def("__getitem__", &PyRepeated::at)
      .def("__getitem__",
           [](PyRepeated& r, const py::slice& slice) {
             size_t start, stop, step, length;
             if (!slice.compute(r.size(), &start, &stop, &step, &length)) throw py::error_already_set();
             py::list list;
             for (size_t i = 0; i < length; ++i, start += step) list.append(r.at(static_cast<int>(start)));
             return list;
           })
      .def("__setitem__", &PyRepeated::set)
      .def("__delitem__", &PyRepeated::remove)
      .def("append", &PyRepeated::append)
      .def("add", &PyRepeated::add)
      .def("extend", [](PyRepeated& r, const py::iterable& values) {
        for (py::handle v : values) r.append(v);
      });
  py::class_<PyMap>(module, "Map", "A map field of a Message.")
      .def("__len__", &PyMap::size)
      .def("__contains__", [](PyMap& m, py::handle key) { return m.find(key) >= 0; })
      .def("__iter__", [](PyMap& m) { return py::iter(m.keys()); })
      .def("keys", &PyMap::keys)
      .def("__getitem__", &PyMap::get)
      .def("__setitem__", &PyMap::set)
      .def("__delitem__", &PyMap::remove);
}

}  // namespace troupe::python
