#!/usr/bin/env python3
"""Times one workload through the C API of one library: a child of models.py.

    c_api_engine.py FOLDER WORKLOAD LIBRARY [--seconds S] [--threads N] [--traces FOLDER]

With a Python that has numpy. The last line printed is JSON: figures, or "error". With --traces, RunMetadata of a few steps are written there, and what is said is
the machine's peaks through this library.
"""
import argparse
import ctypes
import pathlib
import sys

import numpy

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from case_times import Library, Run
from engine_timing import answer, figures, leave, timed
from wire import field
import workload_rows

_TRACED_STEPS = 5
# RunOptions: trace_level FULL_TRACE, output_partition_graphs.
_TRACE = field(1, 3) + field(5, 1)
_DT_FLOAT = 1
# The peaks: products of so many rows, and a sum of tensors of so many MB, much more than caches hold.
_MATMUL_ROWS = (1024, 2048)
_ADD_MIB = 64


class _Buffer(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t), ("free", ctypes.c_void_p)]


def config(raw, threads):
    """A ConfigProto; raw: nothing is optimised, so that every node is really run."""
    out = field(2, threads) + field(5, threads) if threads else b""
    if raw:  # GraphOptions: optimizer_options.opt_level L0, rewrite_options.disable_meta_optimizer
        out += field(10, field(3, field(3, -1)) + field(10, field(19, 1)))
    return out


def _open(library, folder, row, threads):
    feeds = [(feed.name, feed.array()) for feed in row.feeds]
    return Run(library, (folder / row.graph).read_bytes(), feeds, row.fetches, row.targets, row.init, config(row.raw, threads))


def traced_step(run):
    """The bytes of a step's RunMetadata."""
    calls = run.library.calls
    options = ctypes.c_void_p(calls.TF_NewBufferFromString(_TRACE, ctypes.c_size_t(len(_TRACE))))
    metadata = ctypes.c_void_p(calls.TF_NewBuffer())
    try:
        run.step(options, metadata)
        buffer = ctypes.cast(metadata, ctypes.POINTER(_Buffer)).contents
        return ctypes.string_at(buffer.data, buffer.length)
    finally:
        calls.TF_DeleteBuffer(metadata)
        calls.TF_DeleteBuffer(options)


def binary_graph(op):
    """A GraphDef: y is the op of the placeholders x and w, all of floats."""
    def node(name, of, attr, *inputs):
        of_floats = field(5, field(1, attr) + field(2, field(6, _DT_FLOAT)))
        return field(1, field(1, name) + field(2, of) + b"".join(field(3, i) for i in inputs) + of_floats)

    return node("x", "Placeholder", "dtype") + node("w", "Placeholder", "dtype") + node("y", op, "T", "x", "w") + field(4, field(1, 440))


def _least_ns(library, op, shape, seconds, threads):
    array = numpy.random.RandomState(1).uniform(-0.5, 0.5, shape).astype("float32")
    run = Run(library, binary_graph(op), [("x", array), ("w", array)], ["y:0"], config=config(False, threads))
    least = timed(run.step, seconds)[0]
    run.close()
    return least


def peaks(library, seconds, threads):
    """The best that a large product and a large sum reach: operations, and bytes of all three tensors, a nanosecond."""
    elements = _ADD_MIB * 1024 * 1024 // 4
    return {"gflops": max(2 * rows**3 / _least_ns(library, "MatMul", [rows, rows], seconds, threads) for rows in _MATMUL_ROWS),
            "gbytes": 3 * elements * 4 / _least_ns(library, "AddV2", [elements], seconds, threads)}


def measure(options):
    [row] = [row for row in workload_rows.read(options.folder) if row.name == options.workload]
    library = Library(options.library)
    run = _open(library, options.folder, row, options.threads)
    if options.traces is None:
        return figures(timed(run.step, options.seconds), row.units, library.calls.TF_Version().decode())
    timed(run.step, 0)
    traced_step(run)
    for number in range(_TRACED_STEPS):
        (options.traces / f"{number}.pb").write_bytes(traced_step(run))
    run.close()
    return peaks(library, min(options.seconds, 0.3), options.threads)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("workload")
    parser.add_argument("library")
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--traces", type=pathlib.Path)
    return answer(measure, parser.parse_args())


if __name__ == "__main__":
    leave(main())
