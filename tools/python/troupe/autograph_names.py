"""`tf.autograph`: what decorates functions is there and changes nothing, what would turn Python's statements into operations says that it cannot."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn


class Feature(enum.Enum):
    """What of a function to_graph would turn."""

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"


def _refuse(what):
    raise NotImplementedError(f"tf.autograph.{what} is not part of this package: Python's `if` and `while` are not turned into operations. Write tf.cond, "
                              "tf.while_loop, tf.case or tf.map_fn.")


def to_graph(entity: Any, recursive: bool = True, arg_values: Any = None, arg_types: Any = None, experimental_optional_features: Any = None) -> NoReturn:
    _refuse("to_graph")


def to_code(entity: Any, recursive: bool = True, arg_values: Any = None, arg_types: Any = None, indentation: str = "  ",
            experimental_optional_features: Any = None) -> NoReturn:
    _refuse("to_code")


def do_not_convert(func: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """The function as it is: none is converted."""
    return (lambda f: f) if func is None else func


def set_loop_options(parallel_iterations: Any = None, swap_memory: Any = None, maximum_iterations: Any = None, shape_invariants: Any = None) -> None:
    """Nothing: loops of Python stay what they are."""


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Nothing: nothing is converted."""


def trace(*args: Any) -> None:
    """Prints its arguments."""
    print(*args)
