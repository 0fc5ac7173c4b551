#!/usr/bin/env python3
"""Times the graphs of a list of cases through the C API of one library: the reference data's cases.tsv and vectors.

    case_times.py LIBRARY DATA_FOLDER [--batch K] [--seconds S] [--only REGEX]

With a Python that has numpy. --batch repeats each feed K times along its first dimension (what a graph refuses then is left out). Prints one JSON object a
line, in the form of the drivers ("name", "median_ns", "p99_ns", "runs_per_s", with "error" for what did not run), for side_by_side.py. Cases with texts,
saved models and graphs in text form are left out.
"""
import argparse
import ctypes
import json
import pathlib
import re
import sys
import time

import numpy

_TYPES = {"float32": 1, "float64": 2, "int32": 3, "uint8": 4, "int16": 5, "int8": 6, "complex64": 8, "int64": 9, "bool": 10, "uint16": 17,
          "complex128": 18, "float16": 19, "uint32": 22, "uint64": 23}
_POINTERS = ("TF_NewGraph TF_NewStatus TF_NewSessionOptions TF_NewImportGraphDefOptions TF_NewSession TF_NewBuffer TF_NewBufferFromString"
             " TF_AllocateTensor TF_TensorData TF_GraphOperationByName").split()
_WARM_UP = 3


class _Output(ctypes.Structure):
    _fields_ = [("operation", ctypes.c_void_p), ("index", ctypes.c_int)]


class Failed(Exception):
    """What the library said."""


class Library:
    """The calls of the C API that are needed here; errors are raised."""

    def __init__(self, path):
        self.calls = ctypes.CDLL(path)
        for name in _POINTERS:
            getattr(self.calls, name).restype = ctypes.c_void_p
        self.calls.TF_Message.restype = self.calls.TF_Version.restype = ctypes.c_char_p
        self.status = ctypes.c_void_p(self.calls.TF_NewStatus())

    def check(self):
        if self.calls.TF_GetCode(self.status):
            raise Failed(self.calls.TF_Message(self.status).decode(errors="replace"))

    def output(self, graph, name):
        node, _, index = name.partition(":")
        operation = self.calls.TF_GraphOperationByName(graph, node.encode())
        if not operation:
            raise Failed(f"no node {node}")
        return _Output(operation, int(index or 0))

    def tensor(self, array):
        dims = (ctypes.c_int64 * max(1, array.ndim))(*array.shape)
        made = ctypes.c_void_p(self.calls.TF_AllocateTensor(_TYPES[array.dtype.name], dims, array.ndim, ctypes.c_size_t(array.nbytes)))
        ctypes.memmove(self.calls.TF_TensorData(made), array.ctypes.data, array.nbytes)
        return made


class Run:
    """A session over one graph, and a step of it; init is a target that is run first, config a ConfigProto's bytes."""

    def __init__(self, library, graph_bytes, feeds, fetches, targets=(), init=None, config=b""):
        self.library, calls = library, library.calls
        graph = ctypes.c_void_p(calls.TF_NewGraph())
        buffer = ctypes.c_void_p(calls.TF_NewBufferFromString(graph_bytes, ctypes.c_size_t(len(graph_bytes))))
        calls.TF_GraphImportGraphDef(graph, buffer, ctypes.c_void_p(calls.TF_NewImportGraphDefOptions()), library.status)
        library.check()
        options = ctypes.c_void_p(calls.TF_NewSessionOptions())
        if config:
            calls.TF_SetConfig(options, config, ctypes.c_size_t(len(config)), library.status)
            library.check()
        self.session = ctypes.c_void_p(calls.TF_NewSession(graph, options, library.status))
        library.check()
        self.inputs = (_Output * max(1, len(feeds)))(*[library.output(graph, name) for name, _ in feeds])
        self.values = (ctypes.c_void_p * max(1, len(feeds)))(*[library.tensor(array).value for _, array in feeds])
        self.num_feeds = len(feeds)
        self.outputs = (_Output * len(fetches))(*[library.output(graph, name) for name in fetches])
        self.fetched = (ctypes.c_void_p * len(fetches))()
        self.targets = (ctypes.c_void_p * len(targets))(*[library.output(graph, name).operation for name in targets])
        if init is not None:
            first = ctypes.c_void_p(library.output(graph, init).operation)
            calls.TF_SessionRun(self.session, None, None, None, 0, None, None, 0, ctypes.byref(first), 1, None, library.status)
            library.check()

    def step(self, options=None, metadata=None):
        """Both are a TF_Buffer or nothing: RunOptions to read, RunMetadata to write."""
        calls = self.library.calls
        calls.TF_SessionRun(self.session, options, self.inputs, self.values, self.num_feeds, self.outputs, self.fetched, len(self.fetched),
                            self.targets, len(self.targets), metadata, self.library.status)
        self.library.check()
        for value in self.fetched:
            calls.TF_DeleteTensor(ctypes.c_void_p(value))

    def close(self):
        calls = self.library.calls
        calls.TF_CloseSession(self.session, self.library.status)
        calls.TF_DeleteSession(self.session, self.library.status)
        for value in self.values[:self.num_feeds]:
            calls.TF_DeleteTensor(ctypes.c_void_p(value))


def times_of(run, seconds):
    for _ in range(_WARM_UP):
        run.step()
    taken, end = [], time.perf_counter() + seconds
    while len(taken) < 5 or (time.perf_counter() < end and len(taken) < 1000):
        begin = time.perf_counter_ns()
        run.step()
        taken.append(time.perf_counter_ns() - begin)
    return sorted(taken)


def feeds_of(data, column, batch):
    """(name, array) of each; None where a dtype is not for here."""
    feeds = []
    for feed in [] if column == "-" else column.split(" "):
        name, dtype, _, path = feed.split("|")
        array = numpy.load(data / path.replace("%20", " "))
        if dtype not in _TYPES or array.dtype.name != dtype:
            return None
        if batch > 1 and array.ndim > 0:
            array = numpy.repeat(array, batch, axis=0)
        feeds.append((name.replace("%20", " "), numpy.ascontiguousarray(array)))
    return feeds


def measure(library, data, row, options):
    graph = data / row[1]
    feeds = feeds_of(data, row[7], options.batch)
    if graph.suffix != ".pb" or not graph.is_file() or feeds is None or (options.batch > 1 and not feeds):
        return None
    try:
        run = Run(library, graph.read_bytes(), feeds, [fetch.split("|")[0] for fetch in row[8].split(" ")])
        taken = times_of(run, options.seconds)
        run.close()
    except Failed as why:
        return {"name": row[0], "error": str(why).splitlines()[0]}
    median = taken[len(taken) // 2]
    return {"name": row[0], "median_ns": median, "p99_ns": taken[len(taken) * 99 // 100], "runs_per_s": 1e9 / median}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0.2)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    library = Library(options.library)
    for line in (options.data / "cases.tsv").read_text().splitlines()[1:]:
        row = line.split("\t")
        if len(row) < 9 or row[2] != "ok" or not re.search(options.only, row[0]):
            continue
        result = measure(library, options.data, row, options)
        if result is not None:
            print(json.dumps(result), flush=True)


if __name__ == "__main__":
    sys.exit(main())
