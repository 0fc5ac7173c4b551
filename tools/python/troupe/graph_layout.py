"""Places for the boxes of a graph: in layers from top to bottom, so that edges go down and cross little (Sugiyama's method)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

# Rounds in which neighbouring layers are brought into each other's order, and boxes under each other.
_ROUNDS = 8


def place(sizes: Sequence[Any], edges: Any, gap: Any = (18, 40)) -> Any:
    """Places for boxes of these (width, height), with edges as pairs of numbers.

    (centres, routes, size): where each box's centre is; of each edge the points that it goes through, from the bottom of its box to the
    top of the other; how large all is. Edges that close a circle go up. `gap`: between boxes, and between layers.
    """
    down = _without_circles(len(sizes), edges)
    layer_of = _layers(len(sizes), down)
    layers, chains = _with_bends(layer_of, down)
    width = lambda node: sizes[node][0] if node < len(sizes) else 2
    neighbours = _neighbours(chains)
    _order(layers, neighbours)
    x = _across(layers, neighbours, width, gap[0])
    y = _below(layers, sizes, gap[1])
    centres = [(x[n], y[layer_of[n]]) for n in range(len(sizes))]
    routes = []
    for (source, target), chain in zip(edges, chains):
        middle = [(x[n], y[layer_of[chain[0]] + i]) for i, n in enumerate(chain)][1:-1]
        up = chain[0] != source
        half = lambda n, sign: (centres[n][0], centres[n][1] + sign * sizes[n][1] / 2)
        routes.append([half(source, -1 if up else 1), *(reversed(middle) if up else middle), half(target, 1 if up else -1)])
    return centres, routes, (max((x[n] + width(n) / 2 for n in x), default=0), y[-1] + gap[1] if y else 0)


def _without_circles(count, edges):
    """The edges, those turned round that lead back to where a walk came from. Depth first, without recursion."""
    targets = [[] for _ in range(count)]
    for source, target in edges:
        targets[source].append(target)
    open_, closed, back = set(), set(), set()
    for start in range(count):
        if start in closed:
            continue
        open_.add(start)
        path = [(start, iter(targets[start]))]
        while path:
            node, rest = path[-1]
            following = next(rest, None)
            if following is None:
                path.pop()
                open_.discard(node)
                closed.add(node)
            elif following in open_:
                back.add((node, following))
            elif following not in closed:
                open_.add(following)
                path.append((following, iter(targets[following])))
    return [(t, s) if (s, t) in back else (s, t) for s, t in edges]


def _layers(count, edges):
    """A layer for each: below all that it comes from. What comes from nothing is just above the first that needs it."""
    sources, targets = [[] for _ in range(count)], [[] for _ in range(count)]
    for source, target in edges:
        sources[target].append(source)
        targets[source].append(target)
    layer, missing = [0] * count, [len(s) for s in sources]
    ready = [n for n in range(count) if not sources[n]]
    for node in ready:
        for target in targets[node]:
            layer[target] = max(layer[target], layer[node] + 1)
            missing[target] -= 1
            if not missing[target]:
                ready.append(target)
    for node in range(count):
        if not sources[node] and targets[node]:
            layer[node] = min(layer[t] for t in targets[node]) - 1
    return layer


def _with_bends(layer_of, edges):
    """(the nodes of each layer, the nodes that each edge goes through): an edge over several layers has a node of its own in each between."""
    layers = [[] for _ in range(max(layer_of, default=-1) + 1)]
    for node, layer in enumerate(layer_of):
        layers[layer].append(node)
    chains, free = [], len(layer_of)
    for source, target in edges:
        between = range(layer_of[source] + 1, layer_of[target])
        chains.append([source, *range(free, free + len(between)), target])
        for layer in between:
            layers[layer].append(free)
            free += 1
    return layers, chains


def _neighbours(chains):
    """({node: nodes above}, {node: nodes below})."""
    above, below = {}, {}
    for chain in chains:
        for upper, lower in zip(chain, chain[1:]):
            above.setdefault(lower, []).append(upper)
            below.setdefault(upper, []).append(lower)
    return above, below


def _order(layers, neighbours):
    """Sorts each layer by where its neighbours are on average, downwards and upwards in turn."""
    at = {n: i for layer in layers for i, n in enumerate(layer)}
    for round_ in range(_ROUNDS):
        beside = neighbours[round_ % 2]
        for layer in layers if round_ % 2 == 0 else reversed(layers):
            layer.sort(key=lambda n: _mean([at[m] for m in beside.get(n, ())], at[n]))
            at.update((n, i) for i, n in enumerate(layer))


def _across(layers, neighbours, width, gap):
    """Where each node is from left to right: as near to below its neighbours as those beside it allow."""
    x = {}
    for layer in layers:
        at = 0
        for node in layer:
            x[node] = at + width(node) / 2
            at += width(node) + gap
    for round_ in range(_ROUNDS):
        beside = neighbours[round_ % 2]
        for layer in layers if round_ % 2 == 0 else reversed(layers):
            wanted = [_mean([x[m] for m in beside.get(n, ())], x[n]) for n in layer]
            apart = [(width(a) + width(b)) / 2 + gap for a, b in zip(layer, layer[1:])]
            x.update(zip(layer, _spread(wanted, apart)))
    left = min((x[n] - width(n) / 2 for n in x), default=0)
    return {n: value - left for n, value in x.items()}


def _spread(wanted, apart):
    """The places nearest to those wanted, by least squares, that are so far apart: runs that would overlap are moved as one."""
    runs, offset = [], 0
    for i, place_ in enumerate(wanted):
        offset += apart[i - 1] if i else 0
        runs.append([place_ - offset, 1])
        while len(runs) > 1 and runs[-2][0] > runs[-1][0]:
            value, count = runs.pop()
            before, many = runs[-1]
            runs[-1] = [(before * many + value * count) / (many + count), many + count]
    places, offset = [], 0
    for value, count in runs:
        for _ in range(count):
            offset += apart[len(places) - 1] if places else 0
            places.append(value + offset)
    return places


def _below(layers, sizes, gap):
    """The middle of each layer from the top."""
    y, at = [], 0
    for layer in layers:
        height = max(sizes[n][1] for n in layer if n < len(sizes))
        y.append(at + height / 2)
        at += height + gap
    return y


def _mean(values, otherwise):
    return sum(values) / len(values) if values else otherwise
