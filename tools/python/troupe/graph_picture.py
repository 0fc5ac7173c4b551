"""`tf.show`: a graph as a picture in a notebook, or in a file. It needs neither Jupyter nor Graphviz."""

from __future__ import annotations

import html
import os
from typing import TYPE_CHECKING

from troupe import dtypes, graph_layout, stacks
from troupe.graph import Graph
from troupe.tensor import Operation

if TYPE_CHECKING:
    from typing import Any

    from troupe.typing import Path, TensorLike

_FONT_WIDTH, _LONGEST_LABEL = 6.7, 30
_COLOURS = {"group": "#dde6f5", "Const": "#eeeeee", "VariableV2": "#fde9c9", "Variable": "#fde9c9", "VarHandleOp": "#fde9c9",
            "Placeholder": "#d7ecd9", "PlaceholderWithDefault": "#d7ecd9"}
# A notebook puts all pictures into one page: styles are for what is in them alone.
_STYLE = "".join(f".troupe-graph {rule}" for rule in (
    "text{font:11px monospace;fill:#222;text-anchor:middle}", "text.op{fill:#777}", "rect{stroke:#8794a8}", "path{fill:none;stroke:#667}",
    "path.control{stroke-dasharray:4 3}"))
_ARROW = ('<marker id="troupe-arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
          '<path d="M0 0L8 4L0 8z" style="fill:#667;stroke:none"/></marker>')


def show(graph: Graph | None = None, depth: TensorLike | None = None, boxes: TensorLike = 60) -> Picture:
    """A picture of a graph, which a notebook draws when it is the value of a cell. Its `save(path)` writes an SVG file.

    graph: a Graph (the default one when there is none), a GraphDef, or tensors and operations: these and all that they need.
    depth: operations whose names agree in so many parts are one box; 0 for a box each. When not said, as deep as `boxes` boxes allow.
    """
    nodes = _nodes(stacks.get_default_graph() if graph is None else graph)
    if depth is None:
        depth = _fitting_depth(nodes, boxes)
    return Picture(nodes, depth)


class Picture:
    """A drawn graph."""

    def __init__(self, nodes: Any, depth: TensorLike) -> None:
        self._nodes, self._groups, edges = len(nodes), _groups(nodes, depth), _edges(nodes, depth)
        self.svg = _drawn(list(self._groups.items()), edges)

    def _repr_svg_(self):
        return self.svg

    def save(self, path: Path) -> None:
        """Writes it into an SVG file."""
        with open(os.fspath(path), "w", encoding="utf-8") as file:
            file.write(self.svg)

    def __repr__(self):
        return f"<picture of {self._nodes} operations in {len(self._groups)} boxes: save(path) writes it>"


def _nodes(graph):
    """NodeDefs, with shapes where they are known."""
    if hasattr(graph, "node"):
        return list(graph.node)
    if isinstance(graph, Graph):
        return list(graph.as_graph_def(add_shapes=True).node)
    wanted = [getattr(element, "op", element) for element in (graph if isinstance(graph, (list, tuple)) else [graph])]
    if not wanted or not all(isinstance(op, Operation) for op in wanted):
        raise TypeError(f"show draws a Graph, a GraphDef, or tensors and operations, not {graph!r}")
    needed, names = list(wanted), {op.name for op in wanted}
    for op in needed:
        for source in [t.op for t in op.inputs] + list(op.control_inputs):
            if source.name not in names:
                names.add(source.name)
                needed.append(source)
    return [node for node in wanted[0].graph.as_graph_def(add_shapes=True).node if node.name in names]


def _box_of(name, depth):
    return "/".join(name.split("/")[:depth]) if depth else name


def _fitting_depth(nodes, boxes):
    """0 when a box for each is not too many, else the deepest that gives no more than `boxes`, at least 1."""
    if len(nodes) <= boxes:
        return 0
    depth = 1
    while len({_box_of(n.name, depth + 1) for n in nodes}) <= boxes:
        depth += 1
    return depth


def _groups(nodes, depth):
    """{box: its NodeDefs}."""
    groups = {}
    for node in nodes:
        groups.setdefault(_box_of(node.name, depth), []).append(node)
    return groups


def _edges(nodes, depth):
    """{(box, box): whether values go there, and not control alone}."""
    known, edges = {node.name for node in nodes}, {}
    for node in nodes:
        for text in node.input:
            control, name = text.startswith("^"), text.lstrip("^").partition(":")[0]
            pair = _box_of(name, depth), _box_of(node.name, depth)
            if name in known and pair[0] != pair[1]:
                edges[pair] = edges.get(pair, False) or not control
    return edges


def _drawn(boxes, edges):
    labels = [_label(name, nodes) for name, nodes in boxes]
    sizes = [(max(map(len, label)) * _FONT_WIDTH + 16, 36) for label in labels]
    number = {name: i for i, (name, _) in enumerate(boxes)}
    centres, routes, (width, height) = graph_layout.place(sizes, [(number[s], number[t]) for s, t in edges])
    parts = [_path(route, carries) for route, carries in zip(routes, edges.values())]
    parts += [_rectangle(centre, size, label, *box) for centre, size, label, box in zip(centres, sizes, labels, boxes)]
    return (f'<svg class="troupe-graph" xmlns="http://www.w3.org/2000/svg" width="{width + 12:.0f}" height="{height + 12:.0f}" '
            f'viewBox="-6 -6 {width + 12:.0f} {height + 12:.0f}"><style>{_STYLE}</style><defs>{_ARROW}</defs>{"".join(parts)}</svg>')


def _label(name, nodes):
    """Two lines: the end of the name, and what it is."""
    short = name if len(name) <= _LONGEST_LABEL else "…" + name[-_LONGEST_LABEL + 1:]
    return short, nodes[0].op if len(nodes) == 1 else f"{len(nodes)} operations"


def _rectangle(centre, size, label, name, nodes):
    x, y = centre[0] - size[0] / 2, centre[1] - size[1] / 2
    colour = _COLOURS.get(nodes[0].op if len(nodes) == 1 else "group", "#ffffff")
    text = lambda line, dy, what: f'<text class="{what}" x="{centre[0]:.1f}" y="{centre[1] + dy:.1f}">{html.escape(line)}</text>'
    return (f'<g><title>{html.escape(_tooltip(name, nodes))}</title><rect x="{x:.1f}" y="{y:.1f}" width="{size[0]:.1f}" height="{size[1]}" '
            f'rx="5" fill="{colour}"/>{text(label[0], -3, "name")}{text(label[1], 11, "op")}</g>')


def _tooltip(name, nodes):
    if len(nodes) > 1:
        counts = {}
        for node in nodes:
            counts[node.op] = counts.get(node.op, 0) + 1
        return f"{name}\n" + "\n".join(f"{count} {op}" for op, count in sorted(counts.items(), key=lambda c: (-c[1], c[0])))
    (node,) = nodes
    lines = [f"{name} ({node.op})", node.device, *(f"output {i}: {shape}" for i, shape in enumerate(_shapes(node)))]
    return "\n".join(line for line in lines if line)


def _shapes(node):
    """Output shapes as texts, with the type where one attr says it."""
    from troupe.tensor_shape import TensorShape

    if "_output_shapes" not in node.attr:
        return []
    type_ = next((dtypes.as_dtype(node.attr[n].type).name + " " for n in ("dtype", "T") if n in node.attr and node.attr[n].type), "")
    return [f"{type_}{TensorShape(shape)}" for shape in node.attr["_output_shapes"].list.shape]


def _path(points, carries):
    x, y = points[0]
    steps = [f"M{x:.1f} {y:.1f}"]
    for to_x, to_y in points[1:]:
        middle = (y + to_y) / 2
        steps.append(f"C{x:.1f} {middle:.1f} {to_x:.1f} {middle:.1f} {to_x:.1f} {to_y:.1f}")
        x, y = to_x, to_y
    return f'<path class="{"data" if carries else "control"}" d="{"".join(steps)}" marker-end="url(#troupe-arrow)"/>'
