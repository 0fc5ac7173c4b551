"""`tf.debugging.enable_check_numerics`: operations that are made from now on fail where they put out infinities or NaNs."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from troupe import op_call, tf_logging
from troupe.tensor import Tensor

if TYPE_CHECKING:
    from troupe.tensor import Operation

# They put out what they were given, or are checked where it comes from.
_SKIPPED = frozenset("""Enter Exit Identity If LoopCond Merge NextIteration StatelessIf StatefulPartitionedCall Switch While RemoteCall
    DestroyResourceOp CheckNumerics CheckNumericsV2 Concat ConcatV2 ExpandDims Fill Gather Maximum Minimum Reshape
    Slice Squeeze Stack StridedSlice StridedSliceGrad
    TensorListConcatV2 TensorListGather TensorListGetItem TensorListPopBack TensorListStack Transpose Unpack""".split())
# Of no rows they are NaN, and nobody minds.
_NORMALIZATIONS = ("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")


class _Checks(threading.local):
    def __init__(self):
        self.on, self.stack_height, self.path_length = False, 30, 50
        # What checks a placeholder: what reads it waits for that.
        self.of_placeholders: dict[Tensor, Tensor] = {}

    def outputs(self, op: Operation) -> list[Tensor]:
        """The outputs of an operation, once they are checked."""
        if op.type in _SKIPPED:
            return op._outputs
        for t in op.inputs:
            check = self.of_placeholders.get(t)
            if check is not None and op._control_flow_context is check.op._control_flow_context:
                op._add_control_input(check.op)
        return [self._checked(t) for t in op._outputs]

    def _checked(self, tensor):
        if not tensor.dtype.is_floating or tensor.dtype._is_ref_dtype or tensor.op.type in _NORMALIZATIONS and tensor.value_index:
            return tensor
        self.on = False
        try:
            with tensor.graph.name_scope(tensor.op.name + "/"):
                checked = op_call.call("CheckNumericsV2", None, tensor=tensor, message=self._message(tensor))
        finally:
            self.on = True
        if tensor.op.type != "Placeholder":
            return checked
        self.of_placeholders[tensor] = checked
        return tensor

    def _message(self, tensor):
        op = tensor.op
        what = f'output {tensor.value_index} of graph op "{op.type}" (# of outputs: {len(op._outputs)})'
        lines = ["", "", f"!!! Detected Infinity or NaN in {what} !!!", f"  dtype: {tensor.dtype}", f"  shape: {tensor.shape}", ""]
        inputs = op.inputs
        if len(inputs) > 1:
            lines += [f"  Input tensors ({len(inputs)}):", *(f"         {i}: {t}" for i, t in enumerate(inputs))]
        elif inputs:
            lines.append(f"  Input tensor: {inputs[0]}")
        frames = list(op.traceback)
        lines += ["", "  Stack trace of op's creation (\"->\": inferred user code):"]
        if len(frames) > self.stack_height:
            lines.append(f"    + ... (Omitted {len(frames) - self.stack_height} frames)")
        for frame in frames[-self.stack_height:]:
            path = frame.filename
            lines += [f"    + {path if len(path) <= self.path_length else '...' + path[-self.path_length:]} (L{frame.lineno}) {frame.name}",
                      f" -> |   {frame.line}"]
        return "\n".join([*lines, "", ""])


checks = _Checks()


def enable_check_numerics(stack_height_limit: int = 30, path_length_limit: int = 50) -> None:
    """What this thread adds to graphs from now on fails where a value of floats is infinite or NaN, and says which operation put it out, and where
    the program made that. Derivatives are not checked, but by what they are computed from; nor are references to variables."""
    if not checks.on:
        checks.on, checks.stack_height, checks.path_length = True, stack_height_limit, path_length_limit
        op_call.checks_of_outputs = checks
    tf_logging.info("Enabled check-numerics callback in thread %s", threading.current_thread().name)


def disable_check_numerics() -> None:
    """No longer, for what is added from now on."""
    if checks.on:
        checks.on = False
        checks.of_placeholders.clear()
        tf_logging.info("Disabled check-numerics callback in thread %s", threading.current_thread().name)
