"""Tests of all combinations of parameters: `tensorflow.python.framework.combinations`."""

from __future__ import annotations

import functools
import inspect
import itertools
import unittest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    Combination = Mapping[str, Any]

# What says how a test is run. All is in graphs here, by the interface of TensorFlow 1.
_MODES = ("mode", "tf_api_version")


class NamedObject:
    """A value, or a function, with a name for that of the test."""

    def __init__(self, name: str, obj: Any) -> None:
        self._name, self._obj = name, obj

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_obj"], name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._obj(*args, **kwargs)

    def __repr__(self) -> str:
        return self._name


def combine(**kwargs: Any) -> list[dict[str, Any]]:
    """A dictionary for each combination of the values of the keywords, by their order in the alphabet; what is no list is one value."""
    names = sorted(kwargs)
    values = [kwargs[n] if isinstance(kwargs[n], (list, tuple)) and kwargs[n] else [kwargs[n]] for n in names]
    return [dict(zip(names, chosen)) for chosen in itertools.product(*values)]


def times(*combined: Sequence[Combination]) -> list[dict[str, Any]]:
    """The products of lists of combinations. ValueError where two have the same key."""
    made: list[dict[str, Any]] = [{}]
    for combinations in combined:
        longer = []
        for first, second in itertools.product(made, combinations):
            both = first.keys() & second.keys()
            if both:
                raise ValueError(f"Keys need to not overlap: {sorted(first)} vs {sorted(second)}")
            longer.append({**first, **second})
        made = longer
    return made


def _is_of_graphs(combination):
    return combination.get("mode", "graph") == "graph" and combination.get("tf_api_version", 1) == 1


def case_name(parameters: Iterable[tuple[str, Any]]) -> str:
    """What a test of these keys and values is called for absl's `parameterized`."""
    return "_test" + "".join(f"_{''.join(filter(str.isalnum, k))}_{''.join(filter(str.isalnum, str(v)))}" for k, v in parameters)


def generate(combinations: Iterable[Combination], test_combinations: Any = ()) -> Callable[[Any], Any]:
    """Decorates a test, or each of a class, of absl's `parameterized.TestCase`: it runs for each combination that is of graphs, and is
    skipped where there is none."""
    chosen = [c for c in combinations if _is_of_graphs(c)]

    def decorator(test):
        if isinstance(test, type):
            for name, function in list(vars(test).items()):
                if callable(function) and name.startswith(unittest.TestLoader.testMethodPrefix):
                    setattr(test, name, decorator(function))
            return test
        return _for_each(test, chosen)

    return decorator


def _for_each(test, combinations):
    if not combinations:
        return unittest.skip("There is no combination for graphs.")(test)
    from absl.testing import parameterized  # type: ignore

    taken = inspect.signature(test).parameters

    @functools.wraps(test)
    def run(self, **parameters):
        return test(self, **{k: v for k, v in parameters.items() if k in taken or k not in _MODES})

    return parameterized.named_parameters(*({**c, "testcase_name": case_name(sorted(c.items()))} for c in combinations))(run)
