"""What programs ask of `tensorflow.python.eager.context`: nothing is eager here."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from troupe import stacks

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, NoReturn


@contextmanager
def graph_mode() -> Iterator[None]:
    """The block is in graph mode, as all is."""
    yield


def eager_mode() -> NoReturn:
    """NotImplementedError: graphs are all that there is."""
    raise NotImplementedError("There is no eager execution")


def executing_eagerly() -> bool:
    return False


in_eager_mode = executing_eagerly


def defun(func: Any = None, input_signature: Any = None, autograph: bool = True, **unused: Any) -> Any:
    """The function as it is, or a decorator that gives it so: its operations are those of the graph that is built."""
    return (lambda f: f) if func is None else func


def num_gpus() -> int:
    """Of a session."""
    from troupe import device_config

    return len(device_config.list_logical_devices("GPU"))


def scope_name() -> str:
    return stacks.get_default_graph().get_name_scope()
