"""Names of `tensorflow.python.debug`. The debugger itself is no part of this package: programs that import it run, but for what asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from typing import Any

_INSTEAD = "tfdbg is not part of this package. tf.debugging.enable_check_numerics and tf.add_check_numerics_ops find NaNs, timelines say what a step did"


def has_inf_or_nan(datum: Any, tensor: Any) -> bool:
    """Whether numbers are not finite."""
    if not isinstance(tensor, np.ndarray) or not np.issubdtype(tensor.dtype, np.inexact):
        return False
    return not bool(np.isfinite(tensor).all())


class _Missing:
    """NotImplementedError when one is made."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(f"{type(self).__name__}: {_INSTEAD}")


class DebugDumpDir(_Missing):
    """What a debugger wrote into a folder."""


class DumpingDebugWrapperSession(_Missing):
    """A session whose runs write all tensors into a folder."""


class LocalCLIDebugWrapperSession(_Missing):
    """A session that stops at each run."""


class TensorBoardDebugWrapperSession(_Missing):
    """A session that TensorBoard stops."""


class GrpcDebugWrapperSession(_Missing):
    """A session that sends all tensors to a server."""


class DumpingDebugHook(_Missing):
    """Hooks of the same."""


class LocalCLIDebugHook(DumpingDebugHook):
    pass


class TensorBoardDebugHook(DumpingDebugHook):
    pass


class GrpcDebugHook(DumpingDebugHook):
    pass


class WatchOptions:
    """Which tensors a debugger takes."""

    def __init__(self, debug_ops: Any = None, node_name_regex_allowlist: str | None = None, op_type_regex_allowlist: str | None = None,
                 tensor_dtype_regex_allowlist: str | None = None, tolerate_debug_op_creation_failures: bool = False) -> None:
        self.debug_ops = ["DebugIdentity"] if debug_ops is None else debug_ops
        self.node_name_regex_allowlist, self.op_type_regex_allowlist = node_name_regex_allowlist, op_type_regex_allowlist
        self.tensor_dtype_regex_allowlist = tensor_dtype_regex_allowlist
        self.tolerate_debug_op_creation_failures = tolerate_debug_op_creation_failures
