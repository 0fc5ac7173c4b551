#!/usr/bin/env python3
"""Times what Python's face of a runtime costs: this package's, or TensorFlow's, by the same calls.

    python_face.py troupe                    with a Python that has the package (PYTHONPATH=build/release/python)
    python_face.py tensorflow.compat.v1      with a Python that has TensorFlow

Options: --seconds S a workload (1), --only REGEX. Prints one JSON object a line: "name", "median_ns", "p99_ns", "runs_per_s";
side_by_side.py makes a table of two such files. What TensorFlow has not (run_async) has rows in one file only.
"""
import argparse
import asyncio
import importlib
import json
import os
import re
import subprocess
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
_OUTSTANDING = 10_000


def quantile(sorted_times, q):
    return sorted_times[min(len(sorted_times) - 1, int(q * len(sorted_times)))]


def repeated(once, seconds):
    """What `once` returns, sorted; at least three times, and not the first."""
    once()
    times, end = [], time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < end:
        times.append(once())
    return sorted(times)


def nanoseconds(step):
    begin = time.perf_counter_ns()
    step()
    return time.perf_counter_ns() - begin


def timed(step, seconds, calls=1):
    """Nanoseconds a call of `step`, which makes `calls` of them."""
    return repeated(lambda: nanoseconds(step) / calls, seconds)


def tiny(tf):
    """(session, the sum of a fed scalar and a constant, the placeholder)."""
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [], name="x")
        y = tf.add(x, tf.constant(1.0), name="y")
    return tf.Session(graph=graph), y, x


def run_fetch(tf, seconds):
    with tf.Graph().as_default(), tf.Session() as session:
        y = tf.add(tf.constant(1.0), tf.constant(2.0))
        return timed(lambda: session.run(y), seconds)


def run_fed(tf, seconds):
    session, y, x = tiny(tf)
    with session:
        feed = {x: 1.0}
        return timed(lambda: session.run(y, feed), seconds)


def callable_fed(tf, seconds):
    session, y, x = tiny(tf)
    with session:
        call = session.make_callable(y, feed_list=[x])
        return timed(lambda: call(1.0), seconds)


def callable_fetch(tf, seconds):
    with tf.Graph().as_default(), tf.Session() as session:
        call = session.make_callable(tf.add(tf.constant(1.0), tf.constant(2.0)))
        return timed(call, seconds)


def run_async(tf, seconds):
    """So many runs at once of one loop, which awaits them all."""
    if not hasattr(tf.Session, "run_async"):
        return None
    session, y, x = tiny(tf)

    async def all_of_them():
        runs = [session.run_async(y, {x: 1.0}) for _ in range(_OUTSTANDING)]
        for run in runs:
            await run

    with session:
        return timed(lambda: asyncio.run(all_of_them()), seconds, _OUTSTANDING)


def chain(tf):
    x = y = tf.placeholder(tf.float32, [8], name="x")
    for _ in range(1000):
        y = tf.tanh(y)
    return x, y


def graph_1000(tf, seconds):
    def build():
        with tf.Graph().as_default():
            chain(tf)

    return timed(build, seconds)


def gradients_1000(tf, seconds):
    def once():
        with tf.Graph().as_default():
            x, y = chain(tf)
            return nanoseconds(lambda: tf.gradients(y, x))

    return repeated(once, seconds)


def import_beside_numpy(tf, seconds):
    """The package in a new interpreter that has NumPy already; without what its files need to be compiled."""
    code = f"import numpy, time; t = time.perf_counter_ns(); import {tf.__name__}; print(time.perf_counter_ns() - t)"

    def once():
        return int(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()[-1])

    return repeated(once, seconds)


_WORKLOADS = (run_fetch, run_fed, callable_fetch, callable_fed, run_async, graph_1000, gradients_1000, import_beside_numpy)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("module")
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    tf = importlib.import_module(options.module)
    if hasattr(tf, "disable_eager_execution"):
        tf.disable_eager_execution()
    for workload in _WORKLOADS:
        times = workload(tf, options.seconds) if re.search(options.only, workload.__name__) else None
        if times:
            median = quantile(times, 0.5)
            print(json.dumps({"name": workload.__name__, "median_ns": round(median), "p99_ns": round(quantile(times, 0.99)),
                              "runs_per_s": round(1e9 / median)}), flush=True)


if __name__ == "__main__":
    main()
