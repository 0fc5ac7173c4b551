"""What a step did and when, for https://ui.perfetto.dev and chrome://tracing: `tensorflow.python.client.timeline`.

    metadata = tf.RunMetadata()
    session.run(y, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
    with open("step.json", "w") as file:
        file.write(timeline.Timeline(metadata.step_stats).generate_chrome_trace_format())"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from troupe.graph import Graph
    from troupe.typing import Message

# "name = Op(input, input)", as TensorFlow writes it, too.
_LABEL = re.compile(r"(?P<name>.*) = (?P<op>[^(]*)\((?P<inputs>.*)\)$", re.S)


class Timeline:
    """The events of one step, of the StepStats of its RunMetadata. `graph` is not needed, and not read."""

    def __init__(self, step_stats: Message, graph: Graph | None = None) -> None:
        if not hasattr(step_stats, "dev_stats"):
            raise TypeError(f"step_stats must be a StepStats, not {type(step_stats).__name__}")
        self._stats: Any = step_stats

    def generate_chrome_trace_format(self, show_dataflow: bool = True, show_memory: bool = False) -> str:
        """JSON in Chrome's format: a process for each device, a row for nodes that do not overlap; with show_dataflow an arrow from each node to
        those that read it, with show_memory the bytes of outputs that live, by device. Times are in microseconds since the first node."""
        events, ends = [], {}
        start = min((n.all_start_micros for d in self._stats.dev_stats for n in d.node_stats), default=0)
        for pid, device in enumerate(self._stats.dev_stats):
            events.append({"name": "process_name", "ph": "M", "pid": pid, "args": {"name": f"{device.device} Compute"}})
            for node, lane in _in_lanes(device.node_stats):
                events.append(_slice(node, pid, lane, start))
                ends[node.node_name] = (pid, lane, node.all_start_micros - start + _length(node))
            if show_memory:
                events.extend(_memory(device, pid, start))
        if show_dataflow:
            events.extend(_arrows([e for e in events if e["ph"] == "X"], ends))
        return json.dumps({"traceEvents": events}, indent=1)


def _length(node):
    # What took less than a microsecond is to be seen, too.
    return max(1, node.all_end_rel_micros)


def _in_lanes(nodes):
    """(node, row) of all: as few rows as there are nodes at a time."""
    free_at = []
    for node in sorted(nodes, key=lambda n: (n.all_start_micros, n.all_end_rel_micros)):
        lane = next((i for i, at in enumerate(free_at) if at <= node.all_start_micros), len(free_at))
        free_at[lane : lane + 1] = [node.all_start_micros + _length(node)]
        yield node, lane


def _slice(node, pid, lane, start):
    label = _LABEL.match(node.timeline_label)
    op = label.group("op") if label else node.node_name
    args = {"name": node.node_name, "op": op}
    inputs = label.group("inputs").split(", ") if label and label.group("inputs") else []
    args.update((f"input{i}", name) for i, name in enumerate(inputs))
    return {"name": op, "cat": "Op", "ph": "X", "pid": pid, "tid": lane, "ts": node.all_start_micros - start, "dur": _length(node), "args": args}


def _arrows(slices, ends):
    number = 0
    for to in slices:
        for key, name in to["args"].items():
            source = ends.get(name.lstrip("^").split(":")[0]) if key.startswith("input") else None
            if source is None:
                continue
            pid, lane, at = source
            # An arrow begins inside the slice that it leaves.
            yield {"name": name, "cat": "DataFlow", "ph": "s", "id": number, "pid": pid, "tid": lane, "ts": at - 1}
            yield {"name": name, "cat": "DataFlow", "ph": "t", "id": number, "pid": to["pid"], "tid": to["tid"], "ts": to["ts"]}
            number += 1


def _memory(device, pid, start):
    """After each node: what its outputs and those before it hold, as its allocator tells."""
    for node in sorted(device.node_stats, key=lambda n: n.all_start_micros + n.all_end_rel_micros):
        for memory in node.memory:
            yield {"name": memory.allocator_name, "cat": "Memory", "ph": "C", "pid": pid, "tid": 0,
                   "ts": node.all_start_micros - start + _length(node), "args": {"bytes": memory.allocator_bytes_in_use}}
