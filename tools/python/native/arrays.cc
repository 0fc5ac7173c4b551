#include "tools/python/native/arrays.h"

#include <array>
#include <cstring>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "graph/tensor/tensor_proto.h"
#include "proto/tensor.pb.h"
#include "tools/python/native/gil.h"

namespace troupe::python {
namespace {

/// Smaller arrays are cheaper to copy than to keep.
constexpr size_t kCopyBytes = 4096;
/// What kernels may expect of memory.
constexpr size_t kAlignment = 64;

/// What NumPy's C interface has at fixed places, alike in NumPy 1 and 2: its headers are not needed, nor is the module bound to one of them.
struct NumPy {
  // The head of an array object.
  struct Array {
    PyObject_HEAD void* data;
    int rank;
    Py_intptr_t* dims;
    Py_intptr_t* strides;
    PyObject* base;
    PyObject* dtype;
    int flags;
  };
  static constexpr int kContiguous = 1;
  static constexpr int kAligned = 0x100;
  static constexpr int kWriteable = 0x400;

  PyTypeObject* array_type;
  PyObject* (*scalar)(void*, PyObject*, PyObject*);
  PyObject* (*new_array)(PyTypeObject*, PyObject*, int, const Py_intptr_t*, const Py_intptr_t*, void*, int,
                         PyObject*);
  int (*set_base)(PyObject*, PyObject*);

  static const NumPy& get() {
    // Guarded by the interpreter's lock, not by a static's own: an import gives that lock up, and who waits for a static would hold it.
    static const NumPy* numpy = nullptr;
    if (numpy != nullptr) return *numpy;
    const NumPy loaded = load();
    if (numpy == nullptr) numpy = new NumPy(loaded);
    return *numpy;
  }

 private:
  static NumPy load() {
    py::module_ core;
    try {
      core = py::module_::import("numpy._core.multiarray");
    } catch (py::error_already_set& e) {
      if (!e.matches(PyExc_ImportError)) throw;
      core = py::module_::import("numpy.core.multiarray");
    }
    void** table = static_cast<void**>(PyCapsule_GetPointer(core.attr("_ARRAY_API").ptr(), nullptr));
    if (table == nullptr) throw py::error_already_set();
    NumPy n;
    n.array_type = static_cast<PyTypeObject*>(table[2]);
    n.scalar = reinterpret_cast<decltype(n.scalar)>(table[60]);
    n.new_array = reinterpret_cast<decltype(n.new_array)>(table[94]);
    n.set_base = reinterpret_cast<decltype(n.set_base)>(table[282]);
    return n;
  }
};

/// NumPy's dtype by ours; set by the package, live as long as the process.
std::array<PyObject*, 64> numpy_types{};
/// Makes an array of (value, dtype number), which has the NumPy type of the dtype and is contiguous.
PyObject* convert = nullptr;

PyObject* numpy_type(DataType dtype) {
  const auto number = static_cast<size_t>(dtype);
  PyObject* type = number < numpy_types.size() ? numpy_types[number] : nullptr;
  if (type == nullptr) throw py::type_error("NumPy has no type for " + dtype_name(dtype));
  return type;
}

/// Arrays that tensors no longer need. Tensors end on any thread, without the GIL and not to wait for it: whoever holds it next lets them go.
class Unneeded {
 public:
  void add(PyObject* array) {
    std::lock_guard lock(mu_);
    arrays_.push_back(array);
    some_.store(true, std::memory_order_relaxed);
  }
  void release() {
    if (!some_.load(std::memory_order_relaxed)) return;
    std::vector<PyObject*> arrays;
    {
      std::lock_guard lock(mu_);
      arrays.swap(arrays_);
      some_.store(false, std::memory_order_relaxed);
    }
    for (PyObject* a : arrays) Py_DECREF(a);
  }

 private:
  std::mutex mu_;
  std::vector<PyObject*> arrays_;
  std::atomic<bool> some_{false};
};

Unneeded& unneeded() {
  static auto* const all = new Unneeded;
  return *all;
}

absl::string_view bytes_of(PyObject* item) {
  char* data = nullptr;
  Py_ssize_t size = 0;
  if (PyBytes_Check(item)) {
    PyBytes_AsStringAndSize(item, &data, &size);
    return {data, static_cast<size_t>(size)};
  }
  if (PyUnicode_Check(item)) {
    const char* text = PyUnicode_AsUTF8AndSize(item, &size);
    if (text == nullptr) throw py::error_already_set();
    return {text, static_cast<size_t>(size)};
  }
  throw py::type_error(std::string("Expected binary or unicode string, got ") +
                       std::string(py::repr(py::handle(item))));
}

Tensor strings_of(std::span<PyObject* const> items, const Shape& shape) {
  Tensor t(DataType::kString, shape);
  std::span<TString> to = t.flat<TString>();
  for (size_t i = 0; i < items.size(); ++i) to[i].assign(bytes_of(items[i]));
  return t;
}

Tensor from_array(NumPy::Array* array, DataType dtype) {
  const Shape shape =
      value_or_raise(Shape::make(std::vector<int64_t>(array->dims, array->dims + array->rank)));
  const auto count = static_cast<size_t>(shape.num_elements());
  if (dtype == DataType::kString) return strings_of({static_cast<PyObject**>(array->data), count}, shape);
  const size_t bytes = count * dtype_size(dtype);
  if (bytes > kCopyBytes && reinterpret_cast<uintptr_t>(array->data) % kAlignment == 0) {
    Py_INCREF(array);
    Buffer* kept = Buffer::adopt(
        array->data, bytes, [](void*, size_t, void* owner) { unneeded().add(static_cast<PyObject*>(owner)); },
        array);
    return Tensor(dtype, shape, kept);
  }
  Tensor t = value_or_raise(Tensor::make(dtype, shape));
  if (bytes > 0) std::memcpy(t.raw(), array->data, bytes);
  return t;
}

/// Fills a new array by NumPy; a scalar is what is in it.
py::object strings_to_array(const Tensor& tensor) {
  std::span<const TString> from = tensor.flat<TString>();
  if (tensor.rank() == 0) return py::bytes(from[0].data(), from[0].size());
  const NumPy& numpy = NumPy::get();
  std::vector<Py_intptr_t> dims(tensor.shape().dims().begin(), tensor.shape().dims().end());
  PyObject* type = numpy_type(DataType::kString);
  Py_INCREF(type);
  py::object array = py::reinterpret_steal<py::object>(
      numpy.new_array(numpy.array_type, type, tensor.rank(), dims.data(), nullptr, nullptr, 0, nullptr));
  if (!array) throw py::error_already_set();
  auto** items = static_cast<PyObject**>(reinterpret_cast<NumPy::Array*>(array.ptr())->data);
  for (size_t i = 0; i < from.size(); ++i) {
    PyObject* item = PyBytes_FromStringAndSize(from[i].data(), static_cast<Py_ssize_t>(from[i].size()));
    if (item == nullptr) throw py::error_already_set();
    Py_XDECREF(std::exchange(items[i], item));
  }
  return array;
}

py::object numbers_to_array(Tensor tensor) {
  const NumPy& numpy = NumPy::get();
  PyObject* type = numpy_type(tensor.dtype());
  if (tensor.rank() == 0) {
    auto scalar = py::reinterpret_steal<py::object>(numpy.scalar(tensor.raw(), type, nullptr));
    if (!scalar) throw py::error_already_set();
    return scalar;
  }
  std::array<Py_intptr_t, Shape::kMaxRank> dims;
  for (int i = 0; i < tensor.rank(); ++i) dims[i] = tensor.dim(i);
  const size_t bytes = tensor.bytes();
  const bool take = bytes > kCopyBytes && tensor.unique();
  Py_INCREF(type);
  auto array = py::reinterpret_steal<py::object>(numpy.new_array(
      numpy.array_type, type, tensor.rank(), dims.data(), nullptr, take ? tensor.raw() : nullptr,
      take ? NumPy::kContiguous | NumPy::kAligned | NumPy::kWriteable : 0, nullptr));
  if (!array) throw py::error_already_set();
  if (!take) {
    if (bytes > 0) std::memcpy(reinterpret_cast<NumPy::Array*>(array.ptr())->data, tensor.raw(), bytes);
    return array;
  }
  py::capsule owner(new Tensor(std::move(tensor)), [](void* t) { delete static_cast<Tensor*>(t); });
  if (numpy.set_base(array.ptr(), owner.release().ptr()) != 0) throw py::error_already_set();
  return array;
}

/// Of rank over 32, NumPy's highest.
constexpr int kMaxNumPyRank = 32;

py::tuple shape_of(const Tensor& t) {
  py::tuple dims(t.rank());
  for (int i = 0; i < t.rank(); ++i) dims[i] = t.dim(i);
  return dims;
}

Tensor parse_tensor(const std::string& bytes) {
  pb::TensorProto proto;
  if (!proto.ParseFromString(bytes)) throw py::value_error("These bytes are no TensorProto");
  return value_or_raise(from_proto(proto));
}

py::bytes serialize(const Tensor& t) {
  pb::TensorProto proto;
  to_proto(t, &proto);
  return proto.SerializeAsString();
}

void set_numpy_types(const py::dict& types, py::object conversion) {
  for (auto [number, type] : types) numpy_types.at(py::cast<size_t>(number)) = type.inc_ref().ptr();
  convert = conversion.release().ptr();
}

}  // namespace

Tensor to_tensor(py::handle value, DataType dtype) {
  unneeded().release();
  if (Py_TYPE(value.ptr()) != NumPy::get().array_type && py::isinstance<Tensor>(value))
    return value.cast<const Tensor&>();
  if (dtype == DataType::kResource || dtype == DataType::kVariant)
    throw py::type_error("A " + dtype_name(dtype) + " can be fed only with what was fetched as one");
  PyObject* type = numpy_type(dtype);
  auto fits = [&](py::handle array) {
    if (Py_TYPE(array.ptr()) != NumPy::get().array_type) return false;
    const auto* head = reinterpret_cast<const NumPy::Array*>(array.ptr());
    constexpr int kWanted = NumPy::kContiguous | NumPy::kAligned;
    return head->dtype == type && (head->flags & kWanted) == kWanted;
  };
  py::object made;
  if (!fits(value)) {
    made = call_python(convert, value, py::int_(static_cast<int>(dtype)));
    if (!fits(made)) throw py::type_error("This is no contiguous array of type " + dtype_name(dtype));
    value = made;
  }
  return from_array(reinterpret_cast<NumPy::Array*>(value.ptr()), dtype);
}

py::object to_array(Tensor tensor) {
  if (tensor.rank() > kMaxNumPyRank || !tensor.initialized() || tensor.dtype() == DataType::kResource ||
      tensor.dtype() == DataType::kVariant) {
    return py::cast(std::move(tensor));
  }
  return tensor.dtype() == DataType::kString ? strings_to_array(tensor) : numbers_to_array(std::move(tensor));
}

void define_arrays(py::module_& module) {
  py::class_<Tensor>(module, "Tensor",
                     "A value: what attrs hold, and what is fetched that NumPy has no type for.")
      .def(py::init(
          [](py::handle value, int dtype) { return to_tensor(value, static_cast<DataType>(dtype)); }))
      .def_static("from_proto", &parse_tensor)
      .def("to_proto", &serialize)
      .def("numpy", [](const Tensor& t) { return to_array(t); })
      .def_property_readonly("dtype", [](const Tensor& t) { return static_cast<int>(t.dtype()); })
      .def_property_readonly("shape", &shape_of)
      .def("__repr__", [](const Tensor& t) { return t.to_string(); });
  module.def("set_numpy_types", &set_numpy_types, "NumPy's dtypes by number, and what makes arrays of them.");
}

}  // namespace troupe::python
