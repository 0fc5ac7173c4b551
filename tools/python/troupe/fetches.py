"""What is fetched, in any nest, as a list of tensors and operations; and the nest again with their values."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING

from troupe import composite, errors
from troupe.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from troupe.graph import Graph
    from troupe.session import BaseSession
    from troupe.typing import TensorLike

# (type, fetch_function, feed_function, feed_function_for_partial_run), the latest first.
_expansions = []


def register_session_run_conversion_functions(tensor_type: type, fetch_function: Callable[..., Any], feed_function: Callable[..., Any] | None = None,
                                              feed_function_for_partial_run: Callable[..., Any] | None = None) -> None:
    """How objects of a type are fetched and fed: `fetch_function(obj)` gives (tensors, function of their values); `feed_function(obj, value)`
    a list of (tensor, value). ValueError for a type that is registered."""
    for known, *_ in _expansions:
        if issubclass(tensor_type, known):
            raise ValueError(f"{tensor_type} has already been registered so ignore it.")
    _expansions.insert(0, (tensor_type, fetch_function, feed_function, feed_function_for_partial_run))


def expand_feed(key: Any, value: TensorLike) -> Any:
    """(tensor or name, value) of each tensor that is fed for one key."""
    if isinstance(key, Tensor):
        return ((key, value),)
    parts = composite.parts_of(key)
    if parts is not None:
        return list(zip(parts, value))
    for kind, _, feed, _ in _expansions:
        if isinstance(key, kind) and feed is not None:
            return feed(key, value)
    return ((key, value),)


def expand_feed_key(key: Any) -> Any:
    """The same where there are no values yet."""
    parts = composite.parts_of(key)
    if parts is not None:
        return parts
    for kind, _, _, feed in _expansions:
        if isinstance(key, kind) and feed is not None:
            return feed(key)
    return [key]


class _Fetch:
    """A part of what is fetched: `elements`, and what is made of their values."""

    def __init__(self, elements, build):
        self.elements, self.build = elements, build


def _invalid(fetch, more=""):
    return TypeError(f'Argument `fetch` = {fetch} has invalid type "{type(fetch).__name__}"{more}')


def _element(graph, fetch):
    try:
        return graph.as_graph_element(fetch, allow_tensor=True, allow_operation=True)
    except TypeError as e:
        raise _invalid(fetch, f" must be a string or Tensor. ({e})") from None
    except (ValueError, KeyError) as e:
        raise ValueError(f"Argument `fetch` = {fetch} cannot be interpreted as a Tensor. ({e})") from None


def _sequence(graph, items, make):
    parts = [_parse(graph, i) for i in items]
    ends = []
    elements = []
    for p in parts:
        begin = len(elements)
        elements.extend(p.elements)
        ends.append((begin, len(elements)))
    return _Fetch(elements, lambda values: make([p.build(values[b:e]) for p, (b, e) in zip(parts, ends)]))


def _is_attrs(fetch):
    return getattr(type(fetch), "__attrs_attrs__", None)


def _parse_composite(graph, fetch):
    parts = composite.parts_of(fetch)
    return _Fetch([_element(graph, p) for p in parts], lambda values: composite.value_of(fetch, values))


def _parse(graph, fetch):
    if isinstance(fetch, Tensor):
        return _Fetch([_element(graph, fetch)], lambda values: values[0])
    if fetch is None:
        raise _invalid(fetch, ". Cannot be None")
    if isinstance(fetch, (list, tuple)):
        kind = type(fetch)
        if hasattr(fetch, "_fields"):
            return _sequence(graph, fetch, lambda values: kind(*values))
        return _sequence(graph, fetch, (lambda values: values) if kind is list else kind)
    if isinstance(fetch, Mapping):
        keys, kind = list(fetch), type(fetch)
        make = functools.partial(kind, fetch.default_factory) if isinstance(fetch, defaultdict) else kind
        return _sequence(graph, fetch.values(), lambda values: make(zip(keys, values)))
    attrs = _is_attrs(fetch)
    if attrs:
        kind = type(fetch)
        return _sequence(graph, [getattr(fetch, a.name) for a in attrs], lambda values: kind(*values))
    if composite.is_composite(fetch):
        return _parse_composite(graph, fetch)
    for kind, fetch_function, _, _ in _expansions:
        if isinstance(fetch, kind):
            parts, build = fetch_function(fetch)
            return _Fetch([_element(graph, p) for p in parts], build)
    return _Fetch([_element(graph, fetch)], lambda values: values[0])


class Fetches:
    """All that one run fetches: `tensors`, each once, and the operations `targets`."""

    def __init__(self, graph: Graph, fetches: Any) -> None:
        parsed = _parse(graph, fetches)
        self._build = parsed.build
        self.tensors = []
        self.targets = []
        self._places = []
        at = {}
        for element in parsed.elements:
            self._check(graph, element)
            if not isinstance(element, Tensor):
                self._places.append(-1)
                if element not in self.targets:
                    self.targets.append(element)
                continue
            if element not in at:
                at[element] = len(self.tensors)
                self.tensors.append(element)
            self._places.append(at[element])
        self.handles = [i for i, t in enumerate(self.tensors) if t.op.type == "GetSessionHandle"]
        self._seen_unfetchable = len(graph._unfetchable)
        # Of the session, by what is fed.
        self.signatures = {}
        self.key = (tuple(self.tensors), tuple(self.targets))
        self.single = parsed.elements and isinstance(fetches, Tensor)

    def check_again(self, graph: Graph) -> None:
        """InaccessibleTensorError where something of it has been marked since as not fetchable."""
        if len(graph._unfetchable) != self._seen_unfetchable:
            for element in (*self.tensors, *self.targets):
                self._check(graph, element)
            self._seen_unfetchable = len(graph._unfetchable)

    @staticmethod
    def _check(graph, element):
        op = getattr(element, "op", element)
        if not graph.is_fetchable(element) or not graph.is_fetchable(op):
            raise errors.InaccessibleTensorError(
                f"Operation {op.name} has been marked as not fetchable. Typically this happens when it is defined in another "
                "function or code block. Use return values, explicit Python locals or TensorFlow collections to access it.")

    def build(self, values: Any, session: BaseSession) -> Any:
        """The nest, of the values of `tensors`; operations are None."""
        if self.handles:
            from troupe import session_ops

            values = [session_ops.wrap(t, v, session) if i in self.handles else v for i, (t, v) in enumerate(zip(self.tensors, values))]
        if self.single:
            return values[0]
        return self._build([None if p < 0 else values[p] for p in self._places])
