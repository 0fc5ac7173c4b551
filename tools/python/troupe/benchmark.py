"""`tf.test.Benchmark`: measurements of steps, which are reported as messages of TensorFlow's test_log.proto.

    class Sums(tf.test.Benchmark):
        def benchmark_one(self):
            with tf.Session() as session:
                self.run_op_benchmark(session, tf.reduce_sum(tf.ones([1000])))

`tf.test.main()` runs those that `--benchmark_filter=REGEX` fits. Reports go to files whose paths begin with $TEST_REPORT_FILE_PREFIX, else to the
output."""

from __future__ import annotations

import json
import numbers
import os
import re
import statistics
import struct
import sys
import time
from typing import TYPE_CHECKING, Any

from troupe import protos, stacks
from troupe.tf_logging import info

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from troupe.session import BaseSession
    from troupe.typing import FeedDict, Fetches, Nest

# What they write, which the library has no messages for: (number, name, value) of each field; a value that is a list is a message of its own.
_Fields = list[tuple[int, str, Any]]
_FILES = "TEST_REPORT_FILE_PREFIX"
_registered: list[Any] = []


def _encoded(fields: _Fields) -> bytes:
    return b"".join(_encoded_field(number, value) for number, _, value in fields)


def _encoded_field(number, value):
    if isinstance(value, float):
        return bytes([number << 3 | 1]) + struct.pack("<d", value)
    if isinstance(value, int):
        return bytes([number << 3]) + _varint(value & 2**64 - 1)
    data = value.encode() if isinstance(value, str) else _encoded(value)
    return bytes([number << 3 | 2]) + _varint(len(data)) + data


def _varint(value):
    parts = bytearray()
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    return bytes([*parts, value])


def _text(fields: _Fields, indent: str = "") -> str:
    lines = []
    for _, name, value in fields:
        if isinstance(value, list):
            lines.append(f"{indent}{name} {{\n{_text(value, indent + '  ')}{indent}}}\n")
        else:
            shown = json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value).removesuffix(".0")
            lines.append(f"{indent}{name}: {shown}\n")
    return "".join(lines)


def _known(fields: _Fields) -> _Fields:
    """Without what is zero, which messages leave out."""
    return [f for f in fields if isinstance(f[2], list) or f[2]]


def _entry(name, iters, cpu_time, wall_time, throughput, extras, metrics):
    times = ((3, "cpu_time", cpu_time), (4, "wall_time", wall_time), (5, "throughput", throughput))
    made = _known([(1, "name", name), (2, "iters", int(iters or 0)), *((n, field, float(value or 0)) for n, field, value in times)])
    if extras is not None and not isinstance(extras, dict):
        raise TypeError("extras must be a dict")
    for key, value in (extras or {}).items():
        held = (1, "double_value", float(value)) if isinstance(value, numbers.Number) else (2, "string_value", str(value))
        made.append((6, "extras", [(1, "key", key), (2, "value", [held])]))
    if metrics is not None and not isinstance(metrics, list):
        raise TypeError("metrics must be a list")
    for metric in metrics or ():
        for needed in ("name", "value"):
            if needed not in metric:
                raise TypeError(f"metric must has a '{needed}' field")
        bounds = [(n, bound, _known([(1, "value", float(metric[bound]))])) for n, bound in ((3, "min_value"), (4, "max_value")) if bound in metric]
        made.append((7, "metrics", [*_known([(1, "name", metric["name"]), (2, "value", float(metric["value"]))]), *bounds]))
    return made


class Benchmark:
    """Measurements: methods whose names begin with "benchmark". Classes that derive from it are known to `tf.test.main`."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if not cls.is_abstract():
            _registered.append(cls)

    @classmethod
    def is_abstract(cls) -> bool:
        return cls is Benchmark

    def _name_of(self, name):
        """"Class.method" of the outermost method of a benchmark that is running."""
        frame, found = sys._getframe(1), None
        while frame is not None:
            if isinstance(frame.f_locals.get("self"), Benchmark):
                found = frame
            frame = frame.f_back
        return f"{type(found.f_locals['self']).__name__}.{name or found.f_code.co_name}"

    def report_benchmark(self, iters: int | None = None, cpu_time: float | None = None, wall_time: float | None = None,
                         throughput: float | None = None, extras: Mapping[str, Any] | None = None, name: str | None = None,
                         metrics: Sequence[Mapping[str, Any]] | None = None) -> None:
        """Reports what was measured, times in seconds, the throughput in MB/s; `extras` are numbers or texts, a metric has "name", "value" and
        perhaps "min_value" and "max_value". TypeError for others, OSError where the file is there already."""
        name = self._name_of(name)
        info("Benchmark [%s] iters: %s, wall_time: %s, cpu_time: %s, throughput: %s, extras: %s, metrics: %s", name, iters, wall_time, cpu_time,
             throughput, extras, metrics)
        entries = [(1, "entry", _entry(name, iters, cpu_time, wall_time, throughput, extras, metrics))]
        prefix = os.environ.get(_FILES)
        if prefix is None:
            print(_text(entries))
            return
        path = prefix + name.replace("/", "__")
        try:
            with open(path, "xb") as file:
                file.write(_encoded(entries))
        except FileExistsError:
            raise OSError(f"File already exists: {path}") from None

    def run_op_benchmark(self, sess: BaseSession, op_or_tensor: Fetches, feed_dict: FeedDict | None = None, burn_iters: int = 2, min_iters: int = 10,
                         store_trace: bool = False, store_memory_usage: bool = True, name: str | None = None, extras: dict[str, Any] | None = None,
                         mbs: float = 0) -> dict[str, Any]:
        """Runs it `burn_iters` times, then `min_iters` times, and reports the median as `wall_time`. What it reports, and in "extras" the mean and
        the deviation; with store_trace also what Chrome shows of a step, with store_memory_usage the most bytes that allocators had in use."""
        for _ in range(burn_iters):
            sess.run(op_or_tensor, feed_dict=feed_dict)
        times = []
        for _ in range(min_iters):
            start = time.time()
            sess.run(op_or_tensor, feed_dict=feed_dict)
            times.append(time.time() - start)
        extras = {} if extras is None else extras
        unreported = self._traced(sess, op_or_tensor, feed_dict, store_trace, store_memory_usage, extras)
        median = statistics.median(times) if times else -1
        found = {"iters": min_iters, "wall_time": median, "extras": extras, "name": name, "throughput": mbs / median}
        self.report_benchmark(**found)
        unreported["wall_time_mean"] = statistics.fmean(times) if times else -1
        unreported["wall_time_stdev"] = statistics.stdev(times) if len(times) > 1 else -1
        extras.update(unreported)
        return found

    def _traced(self, sess, fetched, feed_dict, store_trace, store_memory_usage, extras):
        """What a step of its own tells: {...} that is not reported; the memory goes to `extras`."""
        if not (store_trace or store_memory_usage):
            return {}
        from troupe.timeline import Timeline

        metadata = protos.RunMetadata()
        sess.run(fetched, feed_dict=feed_dict, options=protos.RunOptions(trace_level=protos.RunOptions.FULL_TRACE), run_metadata=metadata)
        if store_memory_usage:
            for device in metadata.step_stats.dev_stats:
                for memory in (m for node in device.node_stats for m in node.memory):
                    key = f"allocator_maximum_num_bytes_{memory.allocator_name}"
                    extras[key] = max(extras.get(key, 0), memory.allocator_bytes_in_use)
        return {"full_trace_chrome_format": Timeline(metadata.step_stats).generate_chrome_trace_format()} if store_trace else {}

    def evaluate(self, tensors: Nest) -> Any:
        """Their values in the default session. ValueError without one."""
        session = stacks.get_default_session()
        if session is None:
            raise ValueError("There is no default session to evaluate tensors in.")
        return session.run(tensors)


def run_benchmarks(regex: str) -> None:
    """Runs the methods that "module.Class.method" names, where the expression is found in it; "all" for all. ValueError where none is."""
    found = False
    for cls in list(_registered):
        made = None
        for name in dir(cls):
            if not name.startswith("benchmark") or not callable(getattr(cls, name)):
                continue
            if regex == "all" or re.search(regex, f"{cls.__module__}.{cls.__name__}.{name}"):
                found, made = True, made or cls()
                getattr(made, name)()
    if not found:
        raise ValueError(f"No benchmarks matched the pattern: '{regex}'")
