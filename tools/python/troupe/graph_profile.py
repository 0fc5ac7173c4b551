"""How many parameters and floating point operations a graph has, and how long a step's nodes took, scope by scope: `tf.profiler`."""

from __future__ import annotations

import copy
import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from troupe import stacks
from troupe.graph_flops import float_operations
from troupe.ops import GraphKeys

if TYPE_CHECKING:
    from collections.abc import Sequence

    from troupe.graph import Graph
    from troupe.typing import Message

_ROOT = "_TFProfRoot"
_TRAINABLE = "_trainable_variables"
_DEFAULTS = {"max_depth": 10000, "min_bytes": 0, "min_micros": 0, "min_params": 0, "min_float_ops": 0, "min_occurrence": 0, "order_by": "name",
             "account_type_regexes": [".*"], "start_name_regexes": [".*"], "trim_name_regexes": [], "show_name_regexes": [".*"], "hide_name_regexes": [],
             "account_displayed_op_only": False, "select": ["micros"], "step": -1, "output": "stdout"}


class ProfileOptionBuilder:
    """What `profile` counts and shows, as a dictionary."""

    def __init__(self, options: dict[str, Any] | None = None) -> None:
        self._options = copy.deepcopy(options) if options is not None else {**copy.deepcopy(_DEFAULTS), "max_depth": 100}

    @staticmethod
    def trainable_variables_parameter() -> dict[str, Any]:
        """The elements of trainable variables."""
        return {**copy.deepcopy(_DEFAULTS), "account_type_regexes": [_TRAINABLE], "account_displayed_op_only": True, "select": ["params"]}

    @staticmethod
    def float_operation() -> dict[str, Any]:
        """The floating point operations of nodes whose sizes are known before the run."""
        return {**copy.deepcopy(_DEFAULTS), "min_float_ops": 1, "order_by": "float_ops", "account_displayed_op_only": True, "select": ["float_ops"]}

    @staticmethod
    def time_and_memory(min_micros: int = 1, min_bytes: int = 1, min_accelerator_micros: int = 0, min_cpu_micros: int = 0, min_peak_bytes: int = 0,
                        min_residual_bytes: int = 0, min_output_bytes: int = 0) -> dict[str, Any]:
        """The time of a step's nodes and the bytes of their outputs, of its RunMetadata."""
        return {**copy.deepcopy(_DEFAULTS), "min_micros": min_micros, "min_bytes": min_bytes, "min_accelerator_micros": min_accelerator_micros,
                "min_cpu_micros": min_cpu_micros, "min_peak_bytes": min_peak_bytes, "min_residual_bytes": min_residual_bytes,
                "min_output_bytes": min_output_bytes, "order_by": "micros", "account_displayed_op_only": True, "select": ["micros", "bytes"]}

    def build(self) -> dict[str, Any]:
        return copy.deepcopy(self._options)

    def _with(self, **options):
        self._options.update(options)
        return self

    def with_max_depth(self, max_depth: int) -> ProfileOptionBuilder:
        return self._with(max_depth=max_depth)

    def with_min_memory(self, min_bytes: int = 0, min_peak_bytes: int = 0, min_residual_bytes: int = 0, min_output_bytes: int = 0) -> ProfileOptionBuilder:
        return self._with(min_bytes=min_bytes, min_peak_bytes=min_peak_bytes, min_residual_bytes=min_residual_bytes, min_output_bytes=min_output_bytes)

    def with_min_execution_time(self, min_micros: int = 0, min_accelerator_micros: int = 0, min_cpu_micros: int = 0) -> ProfileOptionBuilder:
        return self._with(min_micros=min_micros, min_accelerator_micros=min_accelerator_micros, min_cpu_micros=min_cpu_micros)

    def with_min_parameters(self, min_params: int) -> ProfileOptionBuilder:
        return self._with(min_params=min_params)

    def with_min_occurrence(self, min_occurrence: int) -> ProfileOptionBuilder:
        return self._with(min_occurrence=min_occurrence)

    def with_min_float_operations(self, min_float_ops: int) -> ProfileOptionBuilder:
        return self._with(min_float_ops=min_float_ops)

    def with_accounted_types(self, account_type_regexes: Sequence[str]) -> ProfileOptionBuilder:
        return self._with(account_type_regexes=list(account_type_regexes))

    def with_node_names(self, start_name_regexes: Sequence[str] | None = None, show_name_regexes: Sequence[str] | None = None,
                        hide_name_regexes: Sequence[str] | None = None, trim_name_regexes: Sequence[str] | None = None) -> ProfileOptionBuilder:
        given = {"start_name_regexes": start_name_regexes, "show_name_regexes": show_name_regexes, "hide_name_regexes": hide_name_regexes,
                 "trim_name_regexes": trim_name_regexes}
        return self._with(**{name: list(v) for name, v in given.items() if v is not None})

    def account_displayed_op_only(self, is_true: bool) -> ProfileOptionBuilder:
        return self._with(account_displayed_op_only=is_true)

    def with_empty_output(self) -> ProfileOptionBuilder:
        return self._with(output="none")

    def with_stdout_output(self) -> ProfileOptionBuilder:
        return self._with(output="stdout")

    def with_file_output(self, outfile: str) -> ProfileOptionBuilder:
        return self._with(output=f"file:outfile={outfile}")

    def order_by(self, attribute: str) -> ProfileOptionBuilder:
        return self._with(order_by=attribute)

    def select(self, attributes: Sequence[str]) -> ProfileOptionBuilder:
        return self._with(select=list(attributes))

    def with_step(self, step: int) -> ProfileOptionBuilder:
        return self._with(step=step)


@dataclass
class _Counts:
    """What something takes by itself, and with what is in it (`total_`)."""

    name: str = ""
    parameters: int = 0
    float_ops: int = 0
    exec_micros: int = 0
    requested_bytes: int = 0
    total_parameters: int = 0
    total_float_ops: int = 0
    total_exec_micros: int = 0
    total_requested_bytes: int = 0


@dataclass
class GraphNodeProto(_Counts):
    """A scope, or an operation."""

    total_definition_count: int = 0
    shapes: list[list[int]] = field(default_factory=list)
    children: list[GraphNodeProto] = field(default_factory=list)


@dataclass
class MultiGraphNodeProto(_Counts):
    """All operations of one type together."""

    graph_nodes: list[GraphNodeProto] = field(default_factory=list)
    children: list[MultiGraphNodeProto] = field(default_factory=list)


_COUNTED = ("parameters", "float_ops", "exec_micros", "requested_bytes")
_SELECTED = {"params": "parameters", "float_ops": "float_ops", "micros": "exec_micros", "bytes": "requested_bytes"}
_TITLES = {"params": "# parameters", "float_ops": "# float_ops", "micros": "total execution time", "bytes": "requested bytes"}
_VARIABLES = ("Variable", "VariableV2", "VarHandleOp")


def _any(patterns, text):
    return any(re.fullmatch(p, text) for p in patterns)


class _Counter:
    """What the operations of a graph are, by the options."""

    def __init__(self, graph, run_meta, options):
        self.options = {**_DEFAULTS, **options}
        self._trainable = {v.op.name for v in graph.get_collection(GraphKeys.TRAINABLE_VARIABLES)}
        self._stats = {}
        for device in run_meta.step_stats.dev_stats if run_meta is not None else ():
            for node in device.node_stats:
                self._stats.setdefault(node.node_name, []).append(node)
        self.nodes = [self._node(op) for op in graph.get_operations() if self._is_counted(op)]

    def _is_counted(self, op):
        types = {op.type, op.device, *([_TRAINABLE] if op.name in self._trainable else [])}
        return any(_any(self.options["account_type_regexes"], t) for t in types) and _any(self.options["start_name_regexes"], op.name.partition("/")[0])

    def _node(self, op):
        made = GraphNodeProto(op.name, float_ops=float_operations(op), total_definition_count=1)
        if op.type in _VARIABLES:
            shape = op.get_attr("shape")
            sizes = [d.size for d in shape.dim] if hasattr(shape, "dim") else shape.as_list()
            made.shapes, made.parameters = [list(sizes)], math.prod(sizes)
        for stats in self._stats.get(op.name, ()):
            made.exec_micros += max(stats.op_end_rel_micros - stats.op_start_rel_micros, 1)
            made.requested_bytes += sum(o.tensor_description.allocation_description.requested_bytes for o in stats.output)
        made.type = op.type  # type: ignore[attr-defined]
        return made


def _add(whole, part, prefix=""):
    for name in _COUNTED:
        setattr(whole, "total_" + name, getattr(whole, "total_" + name) + getattr(part, prefix + name))


def _by_scope(nodes):
    """A tree of name scopes; an operation that has the name of a scope is that scope."""
    root = GraphNodeProto(_ROOT)
    known = {"": root}

    def at(name):
        if name not in known:
            known[name] = GraphNodeProto(name)
            at(name.rpartition("/")[0]).children.append(known[name])
        return known[name]

    for node in nodes:
        place = at(node.name)
        for name in (*_COUNTED, "shapes", "total_definition_count"):
            setattr(place, name, getattr(node, name))
    _sum_up(root)
    return root


def _sum_up(node):
    _add(node, node)
    for child in node.children:
        _sum_up(child)
        _add(node, child, "total_")
        node.total_definition_count += child.total_definition_count


def _sorted(node, options):
    key = {"params": "total_parameters", "float_ops": "total_float_ops", "micros": "total_exec_micros", "bytes": "total_requested_bytes"}.get(options["order_by"])
    node.children.sort(key=lambda c: c.name if key is None else -getattr(c, key))
    for child in node.children:
        _sorted(child, options)


def _shown(node, options, depth=0):
    """What is shown of a node: itself with what is shown in it, or, where the options hide it, only that. Totals are then of what is shown, if the options say so."""
    if _any(options["trim_name_regexes"], node.name):
        inner = []
    else:
        inner = [c for child in node.children for c in _shown(child, options, depth + 1)]
    least = {"parameters": options["min_params"], "float_ops": options["min_float_ops"], "exec_micros": options["min_micros"], "requested_bytes": options["min_bytes"]}
    hidden = (depth > options["max_depth"] or _any(options["hide_name_regexes"], node.name) or not _any(options["show_name_regexes"], node.name)
              or any(getattr(node, name) < limit for name, limit in least.items()))
    if hidden and node.name != _ROOT:
        return inner
    node.children = inner
    if options["account_displayed_op_only"]:
        for name in _COUNTED:
            setattr(node, "total_" + name, getattr(node, name) + sum(getattr(c, "total_" + name) for c in inner))
    return [node]


def _text(node, options, depth=0):
    parts = []
    for what in options["select"]:
        name = _SELECTED.get(what)
        if name is None:
            continue
        own = getattr(node, name)
        parts.append(f"{'--' if not own else own}/{getattr(node, 'total_' + name)} {what if what != 'params' else 'params'}")
    shape = "".join("x".join(map(str, s)) + ", " for s in getattr(node, "shapes", ()))
    lines = [f"{'  ' * depth}{node.name} ({shape}{', '.join(parts)})"]
    for child in node.children:
        lines += _text(child, options, depth + 1)
    return lines


def _write(lines, options):
    title = " | ".join(["node name", *(_TITLES[s] for s in options["select"] if s in _TITLES)])
    text = "\n".join([title, *lines]) + "\n"
    output = options["output"]
    if output == "stdout":
        print(text, end="")
    elif output.startswith("file:outfile="):
        with open(output.partition("=")[2], "w") as file:
            file.write(text)
    elif output != "none":
        raise ValueError(f"An output of profiles is 'stdout', 'none' or 'file:outfile=<name>' here, not {output!r}.")


def profile(graph: Graph | None = None, run_meta: Message | None = None, op_log: Any = None, cmd: str = "scope",
            options: dict[str, Any] | int = 0) -> GraphNodeProto | MultiGraphNodeProto:
    """What the operations of a graph are: by scopes (`cmd` "scope"), alone ("graph") or by types ("op"). `options`: see ProfileOptionBuilder; the parameters of trainable
    variables by default. It is shown, too, unless the options say otherwise. `run_meta`: the RunMetadata of a step with its times. ValueError for other commands."""
    graph = graph or stacks.get_default_graph()
    counter = _Counter(graph, run_meta, ProfileOptionBuilder.trainable_variables_parameter() if options == 0 else options)
    if cmd == "op":
        return _by_type(counter)
    if cmd not in ("scope", "graph"):
        raise ValueError(f"unknown cmd: {cmd}; it is one of 'scope', 'graph' and 'op'")
    if cmd == "scope":
        root = _by_scope(counter.nodes)
    else:
        root = GraphNodeProto(_ROOT, children=counter.nodes)
        _sum_up(root)
    _sorted(root, counter.options)
    _shown(root, counter.options)
    _write(_text(root, counter.options), counter.options)
    return root


def _by_type(counter):
    kinds: dict[str, MultiGraphNodeProto] = {}
    root = MultiGraphNodeProto(_ROOT)
    for node in counter.nodes:
        made = kinds.setdefault(node.type, MultiGraphNodeProto(node.type))
        made.graph_nodes.append(node)
        for name in _COUNTED:
            setattr(made, name, getattr(made, name) + getattr(node, name))
    for made in kinds.values():
        _add(made, made)
        _add(root, made, "total_")
    key = _SELECTED.get({"params": "params"}.get(counter.options["order_by"], counter.options["order_by"]))
    root.children = sorted(kinds.values(), key=lambda k: k.name if key is None else -getattr(k, key))
    _write(_text(root, counter.options), counter.options)
    return root


class Profiler:
    """Profiles of one graph with the times of several steps."""

    def __init__(self, graph: Graph | None = None, op_log: Any = None) -> None:
        self._graph = graph or stacks.get_default_graph()
        self._steps: dict[int, Message] = {}

    def add_step(self, step: int, run_meta: Message) -> None:
        """The RunMetadata of a step."""
        self._steps[step] = run_meta

    def _run_meta(self, options):
        wanted = options.get("step", -1)
        return self._steps.get(wanted if wanted >= 0 else max(self._steps, default=-1))

    def profile_name_scope(self, options: dict[str, Any]) -> GraphNodeProto | MultiGraphNodeProto:
        return profile(self._graph, self._run_meta(options), cmd="scope", options=options)

    def profile_graph(self, options: dict[str, Any]) -> GraphNodeProto | MultiGraphNodeProto:
        return profile(self._graph, self._run_meta(options), cmd="graph", options=options)

    def profile_operations(self, options: dict[str, Any]) -> GraphNodeProto | MultiGraphNodeProto:
        return profile(self._graph, self._run_meta(options), cmd="op", options=options)
