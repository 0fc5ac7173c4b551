"""What operations are to branches and loops: `tensorflow.python.ops.control_flow_util`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe.control_flow_context import CondContext, ControlFlowContext, WhileContext, output_context

if TYPE_CHECKING:
    from troupe.graph import Graph
    from troupe.tensor import Operation, Tensor


def IsSwitch(op: Operation) -> bool:  # noqa: N802
    return op.type in ("Switch", "RefSwitch")


def IsMerge(op: Operation) -> bool:  # noqa: N802
    return op.type in ("Merge", "RefMerge")


def IsLoopEnter(op: Operation) -> bool:  # noqa: N802
    return op.type in ("Enter", "RefEnter")


def IsLoopExit(op: Operation) -> bool:  # noqa: N802
    return op.type in ("Exit", "RefExit")


def IsInWhileLoop(op: Operation) -> bool:  # noqa: N802
    return GetContainingWhileContext(op._control_flow_context) is not None


def IsInCond(op: Operation) -> bool:  # noqa: N802
    return GetContainingCondContext(op._control_flow_context) is not None


def IsCondSwitch(op: Operation) -> bool:  # noqa: N802
    """Whether all that uses it is in a branch."""
    if not IsSwitch(op):
        return False
    for consumer in (c for output in op.outputs for c in output.consumers()):
        context = consumer._control_flow_context
        if IsLoopEnter(consumer) and context is not None:
            context = context.outer_context
        if not isinstance(context, CondContext):
            return False
    return True


def IsCondMerge(op: Operation) -> bool:  # noqa: N802
    """Whether all that it merges is of branches."""
    return IsMerge(op) and len(op.inputs) > 0 and all(isinstance(output_context(i.op), CondContext) for i in op.inputs)


def IsLoopSwitch(op: Operation) -> bool:  # noqa: N802
    return IsSwitch(op) and isinstance(op._control_flow_context, WhileContext) and not IsCondSwitch(op)


def IsLoopMerge(op: Operation) -> bool:  # noqa: N802
    return IsMerge(op) and isinstance(op._control_flow_context, WhileContext) and not IsCondMerge(op)


def IsLoopConstantEnter(op: Operation) -> bool:  # noqa: N802
    """Whether a value that stays the same enters a loop there."""
    return IsLoopEnter(op) and bool(op.get_attr("is_constant"))


def GetLoopConstantEnter(value: Tensor) -> Operation | None:  # noqa: N802
    """Where a value entered its loop, if it stays the same there."""
    op = value.op
    while op.type in ("Switch", "RefSwitch", "Identity", "RefIdentity"):
        op = op.inputs[0].op
    return op if IsLoopConstantEnter(op) else None


def GetOutputContext(op: Operation) -> ControlFlowContext | None:  # noqa: N802
    return output_context(op)


def _containing(context, kind, stop=None):
    while context is not None and not isinstance(context, kind) and context is not stop:
        context = context.outer_context
    return context


def GetContainingWhileContext(ctxt: ControlFlowContext | None,  # noqa: N802
                              stop_ctxt: ControlFlowContext | None = None) -> ControlFlowContext | None:
    """The innermost loop around a context, itself included, or `stop_ctxt` if that comes first."""
    return _containing(ctxt, WhileContext, stop_ctxt)


def GetContainingCondContext(ctxt: ControlFlowContext | None) -> ControlFlowContext | None:  # noqa: N802
    """The innermost branch around a context, itself included."""
    return _containing(ctxt, CondContext)


def GetWhileContext(op: Operation) -> ControlFlowContext | None:  # noqa: N802
    """The innermost loop around an operation."""
    context = op._control_flow_context
    return None if context is None else context.while_context()


def IsContainingContext(ctxt: ControlFlowContext | None, maybe_containing_ctxt: ControlFlowContext | None) -> bool:  # noqa: N802
    return maybe_containing_ctxt is None or maybe_containing_ctxt.encloses(ctxt)


def OpInContext(op: Operation, ctxt: ControlFlowContext | None) -> bool:  # noqa: N802
    return IsContainingContext(op._control_flow_context, ctxt)


def TensorInContext(tensor: Tensor, ctxt: ControlFlowContext | None) -> bool:  # noqa: N802
    return OpInContext(tensor.op, ctxt)


def InXlaContext(graph: Graph) -> bool:  # noqa: N802
    """Never: there is none."""
    return False


GraphOrParentsInXlaContext = InXlaContext
