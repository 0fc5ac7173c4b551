"""The types of tensors' elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from troupe import _native

if TYPE_CHECKING:
    from typing import Any

    from troupe.typing import DTypeLike

_REF = 100


class DType:
    """A type of elements. One object for each: they are compared by identity, and equal their NumPy types and names."""

    __slots__ = ("_number", "_np", "name")
    _by_number = {}

    def __init__(self, number: int, name: str, numpy_type: Any) -> None:
        self._number = number
        self._np = numpy_type
        self.name = name
        DType._by_number[number] = self

    @property
    def as_datatype_enum(self) -> int:
        return self._number

    @property
    def _name_in_messages(self):
        """DT_HALF is "half", and so on."""
        return {"float16": "half", "float32": "float", "float64": "double"}.get(self.name, self.name)

    @property
    def as_numpy_dtype(self) -> Any:
        if self._np is None:
            raise TypeError(f"NumPy has no type for {self.name}")
        return self._np.type if self._np.type is not np.void else self._np

    @property
    def _is_ref_dtype(self):
        return self._number > _REF

    @property
    def base_dtype(self) -> DType:
        return DType._by_number[self._number - _REF] if self._number > _REF else self

    @property
    def _as_ref(self):
        return self if self._number > _REF else DType._by_number[self._number + _REF]

    @property
    def real_dtype(self) -> DType:
        base = self.base_dtype
        return {complex64: float32, complex128: float64}.get(base, self)

    @property
    def is_floating(self) -> bool:
        return self.base_dtype in _FLOATING

    @property
    def is_integer(self) -> bool:
        return self.base_dtype in _INTEGER

    @property
    def is_complex(self) -> bool:
        return self.base_dtype in (complex64, complex128)

    @property
    def is_unsigned(self) -> bool:
        return self.base_dtype in (uint8, uint16, uint32, uint64)

    @property
    def is_quantized(self) -> bool:
        return self.base_dtype in (qint8, quint8, qint16, quint16, qint32)

    @property
    def is_bool(self) -> bool:
        return self.base_dtype is bool_

    @property
    def is_numpy_compatible(self) -> bool:
        return self.base_dtype not in (resource, variant)

    @property
    def size(self) -> int | None:
        return self._np.itemsize if self._np is not None and self is not string else 1

    @property
    def min(self) -> Any:
        return self._limit("min")

    @property
    def max(self) -> Any:
        return self._limit("max")

    @property
    def limits(self) -> tuple[Any, Any]:
        return self.min, self.max

    def _limit(self, which):
        if self.is_quantized or self.base_dtype in (bool_, string, complex64, complex128, resource, variant):
            raise TypeError(f"Cannot find {'minimum' if which == 'min' else 'maximum'} value of {self}.")
        if self.is_integer:
            return getattr(np.iinfo(self._np), which)
        if self.base_dtype is bfloat16:
            return {"min": -3.3895313892515355e38, "max": 3.3895313892515355e38}[which]
        return getattr(np.finfo(self._np), which)

    def is_compatible_with(self, other: Any) -> bool:
        other = as_dtype(other)
        return self._number in (other._number, other.base_dtype._number)

    def __eq__(self, other):
        if self is other:
            return True
        if other is None or isinstance(other, DType):
            return False
        try:
            return self is as_dtype(other)
        except TypeError:
            return False

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return self._number

    def __int__(self):
        return self._number

    def __index__(self):
        return self._number

    def __repr__(self):
        return f"tf.{self.name}"

    def __str__(self):
        return f"<dtype: {self.name!r}>"

    def __reduce__(self):
        return as_dtype, (self.name,)


def _narrow_float_types():
    """bfloat16 and the 8-bit floats of the package ml_dtypes where it is there; else the bits as unsigned integers."""
    names = ("bfloat16", "float8_e5m2", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e4m3b11fnuz", "float8_e5m2fnuz", "int4", "uint4")
    try:
        import ml_dtypes
    except ImportError:
        return {n: np.dtype(np.uint16 if n == "bfloat16" else np.int8 if n == "int4" else np.uint8) for n in names}
    return {n: np.dtype(getattr(ml_dtypes, n)) for n in names}


_NARROW = _narrow_float_types()
_NUMPY_NAMES = {
    "float32": 1, "float64": 2, "int32": 3, "uint8": 4, "int16": 5, "int8": 6, "complex64": 8, "int64": 9, "bool": 10,
    "uint16": 17, "complex128": 18, "float16": 19, "uint32": 22, "uint64": 23,
}
_OTHER_NAMES = {"qint8": (11, np.int8), "quint8": (12, np.uint8), "qint32": (13, np.int32), "qint16": (15, np.int16), "quint16": (16, np.uint16)}
_NARROW_NUMBERS = {
    "bfloat16": 14, "float8_e5m2": 24, "float8_e4m3fn": 25, "float8_e4m3fnuz": 26, "float8_e4m3b11fnuz": 27,
    "float8_e5m2fnuz": 28, "int4": 29, "uint4": 30,
}


def _make_all():
    made = {}
    rows = [(number, name, np.dtype(name)) for name, number in _NUMPY_NAMES.items()]
    rows += [(number, name, np.dtype(t)) for name, (number, t) in _OTHER_NAMES.items()]
    rows += [(number, name, _NARROW[name]) for name, number in _NARROW_NUMBERS.items()]
    rows += [(7, "string", np.dtype(object)), (20, "resource", None), (21, "variant", None)]
    for number, name, numpy_type in rows:
        made[name] = DType(number, name, numpy_type)
        DType(number + _REF, name + "_ref", numpy_type)
    return made


_ALL = _make_all()
float16 = half = _ALL["float16"]
float32 = _ALL["float32"]
float64 = double = _ALL["float64"]
bfloat16 = _ALL["bfloat16"]
complex64 = _ALL["complex64"]
complex128 = _ALL["complex128"]
int8 = _ALL["int8"]
int16 = _ALL["int16"]
int32 = _ALL["int32"]
int64 = _ALL["int64"]
uint8 = _ALL["uint8"]
uint16 = _ALL["uint16"]
uint32 = _ALL["uint32"]
uint64 = _ALL["uint64"]
bool_ = _ALL["bool"]
string = _ALL["string"]
resource = _ALL["resource"]
variant = _ALL["variant"]
qint8 = _ALL["qint8"]
quint8 = _ALL["quint8"]
qint16 = _ALL["qint16"]
quint16 = _ALL["quint16"]
qint32 = _ALL["qint32"]
int4 = _ALL["int4"]
uint4 = _ALL["uint4"]
for _name in ("float32", "float64", "int32", "uint8", "int16", "int8", "string", "complex64", "int64", "bool", "uint16",
              "complex128", "float16", "uint32", "uint64", "bfloat16", "resource", "variant", "qint8", "quint8", "qint32", "qint16", "quint16"):
    globals()[_name + "_ref"] = _ALL[_name]._as_ref

_FLOATING = frozenset((float16, float32, float64, bfloat16, *(_ALL[n] for n in _NARROW_NUMBERS if n.startswith("float8"))))
_INTEGER = frozenset((int8, int16, int32, int64, uint8, uint16, uint32, uint64, int4, uint4))

_BY_NAME = {d.name: d for d in DType._by_number.values()}
_BY_NAME.update({"half": float16, "float": float32, "double": float64, "float_ref": float32._as_ref, "double_ref": float64._as_ref})
_BY_PYTHON_TYPE = {float: float32, bool: bool_, object: string, bytes: string, str: string}
_BY_NUMPY_TYPE = {_NARROW[n]: _ALL[n] for n in ("int4", "uint4") if _NARROW[n].kind == "V"}
_BY_NUMPY_TYPE.update({_NARROW[n]: _ALL[n] for n in _NARROW_NUMBERS if _NARROW[n].kind not in "iu"})
_BY_NUMPY_TYPE.update({np.dtype(n): _ALL[n] for n in _NUMPY_NAMES})


def as_dtype(type_value: Any) -> DType:
    """The DType that a number, name, NumPy type or Python type stands for. TypeError when there is none."""
    if isinstance(type_value, DType):
        return type_value
    found = None
    if isinstance(type_value, (int, np.integer)) and not isinstance(type_value, bool):
        found = DType._by_number.get(int(type_value))
    elif isinstance(type_value, str):
        found = _BY_NAME.get(type_value)
    elif isinstance(type_value, type) and type_value in _BY_PYTHON_TYPE:
        found = _BY_PYTHON_TYPE[type_value]
    if found is None and type_value is not None and not isinstance(type_value, (int, bool)):
        try:
            numpy_type = np.dtype(type_value)
        except TypeError:
            numpy_type = None
        if numpy_type is not None:
            texts = numpy_type.kind in "SUO" and not isinstance(type_value, str)
            found = _BY_NUMPY_TYPE.get(numpy_type) or (string if texts else None)
    if found is None:
        raise TypeError(f"Cannot convert the argument `type_value`: {type_value!r} to a TensorFlow DType.")
    return found


def of_number(number: int) -> DType:
    """The DType of a number of the wire."""
    return DType._by_number[number]


def array_of(value: Any, dtype: DTypeLike) -> np.ndarray:
    """`value` as an array of the NumPy type of `dtype`. Where that is only the bits of a float: arrays of this type are bits, numbers are
    rounded to bfloat16. TypeError for numbers that would be 8-bit floats."""
    if dtype.base_dtype not in _FLOATING or dtype._np.kind != "u":
        return np.asarray(value, dtype=dtype._np)
    array = np.asarray(value)
    if array.dtype == dtype._np and isinstance(value, (np.ndarray, np.generic)):
        return array
    if dtype.base_dtype is not bfloat16:
        raise TypeError(f"Numbers become {dtype.name} where the package ml_dtypes is installed")
    bits = array.astype(np.float32).view(np.uint32)
    nearest_even = (bits + np.uint32(0x7FFF) + (bits >> np.uint32(16) & np.uint32(1))) >> np.uint32(16)
    return np.where(np.isnan(bits.view(np.float32)), bits >> np.uint32(16) | np.uint32(0x40), nearest_even).astype(dtype._np)


def _to_native_array(value, number):
    """A contiguous, aligned array of exactly the type of the dtype; what the native module asks for where it finds another."""
    wanted = DType._by_number[number]._np
    if number == 7:
        value = np.asarray(value, dtype=object)
    array = np.asarray(value)
    if array.dtype is not wanted:
        # An equal type may be another object, which the native module does not know.
        array = array.view(wanted) if array.dtype == wanted and array.flags.c_contiguous else array_of(value, DType._by_number[number])
    if array.dtype is not wanted:
        array = array.copy()
        array.dtype = wanted
    return np.require(array, requirements="CA") if array.ndim else array.reshape(())


_native.set_numpy_types({d._number: d._np for d in _ALL.values() if d._np is not None}, _to_native_array)
QUANTIZED_DTYPES = frozenset((qint8, quint8, qint16, quint16, qint32))


def __getattr__(name: str) -> Any:
    """tf.dtypes has functions of tensors, too."""
    if name == "bool":
        return bool_
    if name in ("as_string", "cast", "complex", "saturate_cast"):
        from troupe import math_ops, tensor_algebra

        return getattr(tensor_algebra if name == "as_string" else math_ops, name)
    raise AttributeError(f"module 'troupe.dtypes' has no attribute {name!r}")
