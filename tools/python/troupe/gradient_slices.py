"""Derivatives by what rows are gathered from: the native library sums them up as a whole tensor, here the rows are found again, through branches
and loops, too. What made the sum is not run then."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from troupe import array_ops, dtypes, math_ops, op_call, stacks
from troupe.composite import IndexedSlices
from troupe.tensor_util import constant_value

if TYPE_CHECKING:
    from typing import Any

    from troupe.typing import TensorLike


def as_slices(tensor: TensorLike, prefix: str) -> Any:
    """The IndexedSlices that `tensor`, which the gradients of this name scope made, is the sum of; itself where it is none. Sums of several
    have the rows of all, as TensorFlow's; so have loops, and a row of zeros from before their first turn; a branch that gathers nothing has
    zeros for all rows."""
    if tensor is None:
        return None
    found = _Rows(prefix).of(tensor)
    return tensor if found is None else found


class _Rows:
    """Finds rows in what the gradients of one name scope made. What is made in the place of that waits for the rows or for what they come from,
    so that constants are in their branch or loop, too."""

    def __init__(self, prefix):
        self._prefix = prefix
        self._depth = 0

    def of(self, tensor):
        """IndexedSlices, or None."""
        if not self._is_own(tensor):
            return None
        find = {"Reshape": self._gathered, "AddN": self._summed, "Merge": self._merged, "Switch": self._switched, "Exit": self._looped}
        return find[tensor.op.type](tensor) if tensor.op.type in find else None

    def _inside(self, tensor):
        """Those of a value that is in a branch or a loop."""
        self._depth += 1
        try:
            return self.of(tensor)
        finally:
            self._depth -= 1

    def _is_own(self, tensor):
        return tensor.op.name.startswith(self._prefix + "/")

    @contextmanager
    def _beside(self, tensor):
        graph = stacks.get_default_graph()
        with graph.name_scope(self._prefix + "/"), graph.control_dependencies([] if tensor is None else [tensor]):
            yield

    def _gathered(self, tensor):
        """Of reshape(unsorted_segment_sum(rows, indices, count), shape)."""
        total, shape = tensor.op.inputs
        if total.op.type != "UnsortedSegmentSum" or not self._is_own(total):
            return None
        values, indices, _ = total.op.inputs
        return IndexedSlices(values, indices, shape) if indices.shape.rank == 1 else None

    def _summed(self, tensor):
        slices = [self.of(t) for t in tensor.op.inputs]
        if any(s is None for s in slices):
            return None
        with self._beside(slices[0].values if self._depth else None):
            values = array_ops.concat([s.values for s in reversed(slices)], 0)
            indices = array_ops.concat(_of_one_type([s.indices for s in reversed(slices)]), 0)
        return IndexedSlices(values, indices, slices[0].dense_shape)

    def _merged(self, tensor):
        """Of the branches of a condition, of which at least one gathers."""
        sides = [self._inside(t) for t in tensor.op.inputs]
        if all(s is None for s in sides) or any(s is None and not _is_zeros(t) for s, t in zip(sides, tensor.op.inputs)):
            return None
        sides = [self._alive_with_values(s or IndexedSlices(t, None)) for s, t in zip(sides, tensor.op.inputs)]
        with self._beside(None):
            parts = ([s.values for s in sides], _of_one_type([s.indices for s in sides]), _of_one_type([s.dense_shape for s in sides]))
            return IndexedSlices(*(op_call.call("Merge", None, inputs=part)[0] for part in parts))

    def _alive_with_values(self, slices):
        """Slices whose indices and shape are there only where their values are; the indices of all rows where there are none."""
        with self._beside(slices.values):
            if slices.indices is None:
                shape = array_ops.shape(slices.values)
                return IndexedSlices(slices.values, math_ops.range(shape[0]), shape)
            return IndexedSlices(slices.values, *(op_call.call("Identity", None, input=part) for part in (slices.indices, slices.dense_shape)))

    def _switched(self, tensor):
        """Of a value that only one branch of a condition gives."""
        data, predicate = tensor.op.inputs
        slices = self.of(data)
        if slices is None:
            return None
        with self._beside(None):
            return IndexedSlices(*(op_call.call("Switch", None, data=part, pred=predicate)[tensor.value_index]
                                   for part in (slices.values, slices.indices, slices.dense_shape)))

    def _looped(self, tensor):
        """Of all turns of a loop, whose rows are put into lists."""
        loop = _Sum.of(tensor)
        slices = None if loop is None else self._inside(loop.more)
        if slices is None:
            return None
        source, row = loop.first.op.inputs[0], tensor.shape.as_list()[1:] if tensor.shape.rank else None
        with self._beside(source):
            shape = array_ops.shape(source) if loop.first.op.type == "ZerosLike" else source
            first = array_ops.zeros(array_ops.concat([[1], shape[1:]], 0), tensor.dtype.base_dtype)
            values = loop.listed(slices.values, first, -1 if row is None else [-1 if d is None else d for d in (None, *row)])
            indices = loop.listed(slices.indices, array_ops.zeros([1], slices.indices.dtype), [-1])
        return IndexedSlices(values, indices, shape)


class _Sum:
    """A variable of a loop that begins with zeros, `first`, and to which each turn adds `more`."""

    def __init__(self, enter, switch, first, more):
        self.first, self.more = first, more
        self._enter, self._condition = enter, switch.inputs[1]

    @classmethod
    def of(cls, last):
        switch = last.op.inputs[0].op
        if switch.type != "Switch" or switch.inputs[0].op.type != "Merge":
            return None
        begin, back = switch.inputs[0].op.inputs
        if begin.op.type != "Enter" or back.op.type != "NextIteration" or not _is_zeros(begin.op.inputs[0]):
            return None
        added = back.op.inputs[0].op
        if added.type not in ("AddV2", "Add", "AddN") or len(added.inputs) != 2 or added.inputs[0] is not switch.outputs[1]:
            return None
        return cls(begin.op, switch, begin.op.inputs[0], added.inputs[1])

    def listed(self, each, first, shape):
        """`first` and the value `each` of every turn after each other, as a variable of the loop that is a list."""
        frame = {name: self._enter.get_attr(name) for name in ("frame_name", "parallel_iterations")}
        items = op_call.call("EmptyTensorList", None, element_shape=-1, max_num_elements=-1, element_dtype=each.dtype)
        begin = op_call.call("Enter", None, data=op_call.call("TensorListPushBack", None, input_handle=items, tensor=first), **frame)
        merged = op_call.call("Merge", None, inputs=[begin, begin])[0]
        after, inside = op_call.call("Switch", None, data=merged, pred=self._condition)
        more = op_call.call("TensorListPushBack", None, input_handle=inside, tensor=each)
        merged.op._update_input(1, op_call.call("NextIteration", None, data=more))
        every = op_call.call("Exit", None, data=after)
        return op_call.call("TensorListConcatV2", None, input_handle=every, element_shape=shape,
                            leading_dims=array_ops.constant([], dtypes.int64), element_dtype=each.dtype)[0]


def _is_zeros(tensor):
    if tensor.op.type == "Fill":
        value = constant_value(tensor.op.inputs[1])
        return value is not None and not value.any()
    return tensor.op.type == "ZerosLike"


def _of_one_type(numbers):
    """Integers as int64 where not all are of one type."""
    return numbers if len({n.dtype for n in numbers}) == 1 else [math_ops.cast(n, dtypes.int64) for n in numbers]
