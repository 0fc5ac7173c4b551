#!/usr/bin/env python3
"""Times models in Troupe and, where they are there, in TensorFlow and ONNX Runtime, in turn, and says how near Troupe's kernels come to the machine's limits.

    models.py FOLDER [--library libtroupe_c.so] [--tensorflow PYTHON_OR_LIBRARY] [--python PYTHON] [--only REGEX] [--rounds 5] [--seconds 1]
              [--json FILE] [--plot FILE.svg]

FOLDER has graphs and workloads.tsv. Every engine runs a workload in a process of its own, ROUNDS times; what counts is the best of the rounds' medians. Printed
are Markdown tables: times and how much the worst round took more, how many times as long as Troupe the others take, peak memory of each process; then the
longest kernels of Troupe's step with their part of the roofline.
"""
import argparse
import json
import math
import os
import pathlib
import platform
import re
import sys
import tempfile

import bars_svg
import roofline
import workload_rows
from engines import CApiEngine, OnnxEngine, Unavailable, python_for, tensorflow_library

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from side_by_side import text

_TROUPE, _TENSORFLOW = "Troupe", "TensorFlow"
_ONLY = ".*_(infer|train)_.*"


def tell(line):
    print(f"models.py: {line}", file=sys.stderr, flush=True)


class _Options(argparse.ArgumentParser):
    def error(self, message):
        self.exit(2, f"models.py: {message} (--help tells more)\n")


def processor():
    """The name of the machine's processor and how many of its cores are ours."""
    info = pathlib.Path("/proc/cpuinfo")
    name = re.search(r"model name\s*:\s*(.*)", info.read_text()) if info.is_file() else None
    return {"processor": name.group(1) if name else platform.machine(), "cores": len(os.sched_getaffinity(0))}


def best_of(rounds):
    """Of the figures of an engine's rounds: the best median, how much more the worst is, the most memory. None of no rounds."""
    if not rounds:
        return None
    medians = [figures["median_ns"] for figures in rounds]
    best = rounds[medians.index(min(medians))]
    return {**best, "rounds_ns": medians, "spread": max(medians) / min(medians) - 1, "peak_kib": max(figures["peak_kib"] for figures in rounds)}


def ratios_of(results, engines):
    """How many times as long as Troupe the other engines take; None where either has no figures."""
    ours = results.get(_TROUPE)
    return {name: results[name]["median_ns"] / ours["median_ns"] if ours and results.get(name) else None for name in engines if name != _TROUPE}


def geometric_mean(values):
    values = [value for value in values if value]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def _ratio(value):
    return "-" if value is None else f"{value:.3g}"


def header(engines):
    columns = ["workload", *engines, *[f"{name} / {_TROUPE}" for name in engines if name != _TROUPE], *[f"{name} MB" for name in engines]]
    return [f"| {' | '.join(columns)} |", "|" + " --- |" * len(columns)]


def line_of(name, results, engines):
    times = [f"{text(r['median_ns'])}, +{r['spread']:.0%}" if (r := results.get(engine)) else "-" for engine in engines]
    memory = [f"{r['peak_kib'] / 1024:.0f}" if (r := results.get(engine)) else "-" for engine in engines]
    return f"| {' | '.join([f'`{name}`', *times, *map(_ratio, ratios_of(results, engines).values()), *memory])} |"


def last_line(rows, engines):
    means = [_ratio(geometric_mean([row["ratios"][name] for row in rows])) for name in engines if name != _TROUPE]
    return f"| {' | '.join(['geometric mean', *[''] * len(engines), *means, *[''] * len(engines)])} |"


def measure(row, engines, rounds):
    """The figures of each engine that runs it; the engines in turn, an engine that cannot once."""
    taken = {engine.name: [] for engine in engines}
    cannot = set()
    for _ in range(rounds):
        for engine in [e for e in engines if e.name not in cannot]:
            try:
                taken[engine.name].append(engine.measure(row))
            except Unavailable as why:
                tell(f"{row.name}: {engine.name}: {why}")
                cannot.add(engine.name)
    return {name: best_of(figures) for name, figures in taken.items()}


def trace(row, troupe):
    """Kernels of a step, the longest first, and the peaks; None when it cannot be traced."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            steps, peaks = troupe.trace(row, folder)
            return roofline.kernels(steps), roofline.Peaks(**peaks)
        except (Unavailable, ValueError) as why:
            tell(f"{row.name}: no roofline: {why}")
            return None


def find_engines(options, scratch):
    """TensorFlow, ONNX Runtime, Troupe: those that are there. Unavailable when Troupe is not."""
    if "/" in options.library and not pathlib.Path(options.library).is_file():
        raise Unavailable(f"there is no {options.library}")
    wanted = pathlib.Path(options.tensorflow).name if options.tensorflow else ""
    python = python_for(options.python or (options.tensorflow if wanted and ".so" not in wanted else None))
    others = {_TENSORFLOW: lambda: CApiEngine(_TENSORFLOW, tensorflow_library(options.tensorflow or python), python, options),
              "ONNX Runtime": lambda: OnnxEngine(python, scratch, options)}
    engines = []
    for name, make in others.items():
        try:
            engines.append(make())
        except Unavailable as why:
            tell(f"{name} is left out: {why}")
    return engines + [CApiEngine(_TROUPE, options.library, python, options)]


def run(options, workloads, engines):
    """Measures and prints; the rows as JSON has them."""
    names, rows = [engine.name for engine in engines], []
    print("\n".join(header(names)), flush=True)
    for workload in workloads:
        results = measure(workload, engines, options.rounds)
        rows.append({"name": workload.name, "engines": results, "ratios": ratios_of(results, names)})
        print(line_of(workload.name, results, names), flush=True)
    if len(names) > 1:
        print(last_line(rows, names))
    for workload, row in zip(workloads, rows, strict=True):
        traced = trace(workload, engines[-1]) if options.kernels and row["engines"][_TROUPE] else None
        if traced:
            some, peaks = traced
            print("\n" + "\n".join(roofline.table(workload.name, some, peaks, options.kernels, text)), flush=True)
            total = sum(kernel.nanoseconds for kernel in some)
            row["roofline"] = {"peaks": peaks._asdict(), "fraction": roofline.fraction(some, peaks),
                               "kernels": [roofline.described(kernel, peaks, total) for kernel in some]}
    return rows


def plot(rows, names):
    others = [name for name in names if name != _TROUPE]
    bars = [(row["name"], [row["ratios"][name] for name in others]) for row in rows]
    return bars_svg.draw("Models: time of other engines over Troupe's", "times as long as Troupe takes; right of 1, Troupe is faster", others,
                         [(name, ratios) for name, ratios in bars if any(ratios)])


def parse(arguments):
    parser = _Options(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, metavar="FOLDER", help="workloads.tsv and the graphs it names")
    parser.add_argument("--library", default="libtroupe_c.so.2", help="Troupe's; a name without a folder is the loader's to find")
    parser.add_argument("--tensorflow", metavar="PYTHON_OR_LIBRARY", help="a Python that has it, or its library (default: the children's Python)")
    parser.add_argument("--python", help="runs the children: needs numpy, for ONNX Runtime onnxruntime, tf2onnx and TensorFlow, too")
    parser.add_argument("--only", default=_ONLY, metavar="REGEX", help="workloads whose whole name matches (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1, help="of each measurement (default: 1)")
    parser.add_argument("--threads", type=int, default=0, help="of every engine (default: as many as there are cores)")
    parser.add_argument("--kernels", type=int, default=8, help="so many lines of each roofline; 0: none is made (default: 8)")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--plot", type=pathlib.Path, metavar="FILE.svg")
    options = parser.parse_args(arguments)
    if options.rounds < 1 or options.seconds < 0 or options.threads < 0 or options.kernels < 0:
        parser.error("--rounds is at least 1, and no number is below 0")
    try:
        re.compile(options.only)
    except re.error as why:
        parser.error(f"--only '{options.only}': {why}")
    return options


def main(arguments):
    options = parse(arguments)
    try:
        every = workload_rows.read(options.folder, options.only)
    except OSError as why:
        tell(f"{why.filename}: {why.strerror}")
        return 1
    except ValueError as why:
        tell(f"{options.folder / 'workloads.tsv'}: {why}")
        return 1
    workloads = [row for row in every if not row.first_run]
    if not workloads:
        tell(f"no workload of {options.folder} matches '{options.only}'")
        return 1
    with tempfile.TemporaryDirectory() as scratch:
        try:
            engines = find_engines(options, pathlib.Path(scratch))
        except Unavailable as why:
            tell(why)
            return 1
        rows = run(options, workloads, engines)
    names = [engine.name for engine in engines]
    try:
        if options.json:
            settings = {"rounds": options.rounds, "seconds": options.seconds, "threads": options.threads}
            options.json.write_text(json.dumps({"machine": processor(), **settings, "engines": names, "rows": rows}, indent=1) + "\n")
        if options.plot and len(names) > 1:
            options.plot.write_text(plot(rows, names))
        elif options.plot:
            tell("no plot: there is nothing beside Troupe")
    except OSError as why:
        tell(f"{why.filename}: {why.strerror}")
        return 1
    return 0 if all(row["engines"][_TROUPE] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
