"""Shapes as far as they are known before a tensor exists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import SupportsIndex

    from troupe.typing import Message, ShapeLike


class Dimension:
    """The size of a dimension, or None when it is not known. Arithmetic with an unknown one is unknown."""

    __slots__ = ("_value",)
    _value: Any

    def __init__(self, value: SupportsIndex | None) -> None:
        if isinstance(value, Dimension):
            value = value._value
        if value is not None:
            try:
                value = value.__index__()
            except AttributeError:
                raise TypeError(f"Dimension value must be integer or None or have an __index__ method, got value '{value!r}' "
                                f"with type '{type(value)!r}'") from None
            if value < 0:
                raise ValueError(f"Dimension {value} must be >= 0")
        self._value = value

    @property
    def value(self) -> int | None:
        return self._value

    def is_compatible_with(self, other: SupportsIndex | None) -> bool:
        other = as_dimension(other)
        return self._value is None or other._value is None or self._value == other._value

    def assert_is_compatible_with(self, other: SupportsIndex | None) -> None:
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {other} are not compatible")

    def merge_with(self, other: SupportsIndex | None) -> Dimension:
        other = as_dimension(other)
        self.assert_is_compatible_with(other)
        return Dimension(other._value if self._value is None else self._value)

    def _with(self, other, function):
        try:
            other = as_dimension(other)
        except (TypeError, ValueError):
            return NotImplemented
        known = self._value is not None and other._value is not None
        return Dimension(function(self._value, other._value)) if known else Dimension(None)

    def _compared(self, other, function):
        other = as_dimension(other)
        return None if self._value is None or other._value is None else function(self._value, other._value)

    def __add__(self, other):
        return self._with(other, lambda a, b: a + b)

    def __radd__(self, other):
        return self + other

    def __sub__(self, other):
        return self._with(other, lambda a, b: a - b)

    def __rsub__(self, other):
        return self._with(other, lambda a, b: b - a)

    def __mul__(self, other):
        return self._with(other, lambda a, b: a * b)

    def __rmul__(self, other):
        return self * other

    def __floordiv__(self, other):
        return self._with(other, lambda a, b: a // b)

    def __rfloordiv__(self, other):
        return self._with(other, lambda a, b: b // a)

    def __truediv__(self, other):
        raise TypeError(f"unsupported operand type(s) for /: 'Dimension' and '{type(other).__name__}', please use // instead")

    def __mod__(self, other):
        return self._with(other, lambda a, b: a % b)

    def __lt__(self, other):
        return self._compared(other, lambda a, b: a < b)

    def __le__(self, other):
        return self._compared(other, lambda a, b: a <= b)

    def __gt__(self, other):
        return self._compared(other, lambda a, b: a > b)

    def __ge__(self, other):
        return self._compared(other, lambda a, b: a >= b)

    def __eq__(self, other):
        try:
            other = as_dimension(other)
        except (TypeError, ValueError):
            return NotImplemented
        return None if self._value is None or other._value is None else self._value == other._value

    def __ne__(self, other):
        equal = self == other
        return equal if equal is NotImplemented or equal is None else not equal

    def __bool__(self):
        return bool(self._value)

    def __int__(self):
        return self._value

    def __index__(self):
        return self._value

    def __hash__(self):
        return hash(self._value)

    def __repr__(self):
        return f"Dimension({self._value})"

    def __str__(self):
        return "?" if self._value is None else str(self._value)


def as_dimension(value: SupportsIndex | str | None) -> Dimension:
    return value if isinstance(value, Dimension) else Dimension(value)


def dimension_value(dimension: Dimension | int | None) -> int | None:
    return dimension.value if isinstance(dimension, Dimension) else dimension


dimension_at_index = lambda shape, index: Dimension(None) if shape.rank is None else shape.dims[index]


class TensorShape:
    """A rank and the dimensions of which some may be None; or an unknown rank."""

    __slots__ = ("_dims",)
    _dims: Any

    def __init__(self, dims: ShapeLike | Message) -> None:
        if isinstance(dims, TensorShape):
            self._dims = dims._dims
        elif dims is None:
            self._dims = None
        elif hasattr(dims, "unknown_rank"):
            self._dims = None if dims.unknown_rank else tuple(None if d.size < 0 else d.size for d in dims.dim)  # type: ignore[union-attr]
        elif isinstance(dims, (str, bytes)):
            raise TypeError(f"Failed to convert '{dims!r}' to a shape: '{dims[:1]!r}'could not be converted to a dimension. A shape should "
                            "either be single dimension (e.g. 10), or an iterable of dimensions (e.g. [1, 10, None]).")
        else:
            try:
                items = iter(dims)  # type: ignore[arg-type]
            except TypeError:
                items = (dims,)  # type: ignore[assignment]
            self._dims = tuple(None if d is None else as_dimension(d)._value for d in items)

    @classmethod
    def _of(cls, dims):
        """Of what the native graph says: None, or numbers with -1 for those that are not known."""
        shape = cls.__new__(cls)
        shape._dims = None if dims is None else tuple(None if d < 0 else d for d in dims)
        return shape

    def _native(self):
        return None if self._dims is None else tuple(-1 if d is None else d for d in self._dims)

    @property
    def rank(self) -> int | None:
        return None if self._dims is None else len(self._dims)

    @property
    def ndims(self) -> int | None:
        return self.rank

    @property
    def dims(self) -> list[Dimension] | None:
        return None if self._dims is None else [Dimension(d) for d in self._dims]

    def as_list(self) -> list[int | None]:
        if self._dims is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self._dims)

    def as_proto(self) -> Any:
        from troupe import protos

        proto = protos.TensorShapeProto(unknown_rank=self._dims is None)
        for d in self._dims or ():
            proto.dim.add().size = -1 if d is None else d
        return proto

    def num_elements(self) -> int | None:
        if not self.is_fully_defined():
            return None
        count = 1
        for d in self._dims:
            count *= d
        return count

    def is_fully_defined(self) -> bool:
        return self._dims is not None and None not in self._dims

    def assert_is_fully_defined(self) -> None:
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def is_compatible_with(self, other: ShapeLike) -> bool:
        other = as_shape(other)
        if self._dims is None or other._dims is None:
            return True
        return len(self._dims) == len(other._dims) and all(
            a is None or b is None or a == b for a, b in zip(self._dims, other._dims))

    def assert_is_compatible_with(self, other: ShapeLike) -> None:
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are incompatible")

    def merge_with(self, other: ShapeLike) -> TensorShape:
        other = as_shape(other)
        if self._dims is None:
            return other
        if other._dims is None:
            return self
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are not compatible")
        return TensorShape([b if a is None else a for a, b in zip(self._dims, other._dims)])

    def concatenate(self, other: ShapeLike) -> TensorShape:
        other = as_shape(other)
        return TensorShape(None) if self._dims is None or other._dims is None else TensorShape(self._dims + other._dims)

    def with_rank(self, rank: int) -> TensorShape:
        try:
            return self.merge_with(unknown_shape(rank))
        except ValueError:
            raise ValueError(f"Shape {self} must have rank {rank}") from None

    def with_rank_at_least(self, rank: int) -> TensorShape:
        if self.rank is not None and self.rank < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        if self.rank is not None and self.rank > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    def assert_has_rank(self, rank: int) -> None:
        if self.rank not in (None, rank):
            raise ValueError(f"Shape {self} must have rank {rank}")

    def assert_same_rank(self, other: ShapeLike) -> None:
        other = as_shape(other)
        if self.rank is not None and other.rank is not None and self.rank != other.rank:
            raise ValueError(f"Shapes {self} and {other} must have the same rank")

    def __getitem__(self, key):
        if self._dims is not None:
            if isinstance(key, slice):
                return TensorShape(self._dims[key])
            return Dimension(self._dims[key])
        if not isinstance(key, slice):
            return Dimension(None)
        start, stop = key.start or 0, key.stop
        if key.step is not None:
            raise ValueError("Steps are not yet handled")
        if stop is None:
            return unknown_shape()
        if start < 0 or stop < 0:
            return unknown_shape()
        return unknown_shape(max(stop - start, 0))

    def __len__(self):
        if self._dims is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return len(self._dims)

    def __bool__(self):
        return self._dims is not None

    def __iter__(self):
        if self._dims is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        return iter(self.dims)

    def __add__(self, other):
        return self.concatenate(other)

    def __radd__(self, other):
        return as_shape(other).concatenate(self)

    def __eq__(self, other):
        try:
            other = as_shape(other)
        except (TypeError, ValueError):
            return NotImplemented
        return self._dims == other._dims

    def __hash__(self):
        return hash(self._dims)

    def __repr__(self):
        return "TensorShape(None)" if self._dims is None else f"TensorShape({[Dimension(d) for d in self._dims]})"

    def __str__(self):
        if self._dims is None:
            return "<unknown>"
        if len(self._dims) == 1:
            return f"({'?' if self._dims[0] is None else self._dims[0]},)"
        return "(" + ", ".join("?" if d is None else str(d) for d in self._dims) + ")"

    def __reduce__(self):
        return TensorShape, (self._dims,)


def as_shape(shape: ShapeLike | Message) -> TensorShape:
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)


def unknown_shape(rank: int | None = None, **kwargs: Any) -> TensorShape:
    if rank is None:
        rank = kwargs.get("ndims")
    return TensorShape(None) if rank is None else TensorShape([None] * rank)


def scalar() -> TensorShape:
    return TensorShape([])


def vector(length: int | Dimension | None) -> TensorShape:
    return TensorShape([length])


def matrix(rows: int | Dimension | None, columns: int | Dimension | None) -> TensorShape:
    return TensorShape([rows, columns])
