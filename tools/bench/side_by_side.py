#!/usr/bin/env python3
"""Prints what two libraries took for the same workloads, as a Markdown table.

    side_by_side.py OURS.json THEIRS.json

Both files hold one JSON object a line, with "name", "median_ns", "p99_ns" and "runs_per_s", as a driver that
loads either library through the C API writes them. Rows that only one file has are left out, and counted.
"""
import json
import pathlib
import sys


def read(path):
    rows = {}
    for line in pathlib.Path(path).read_text().splitlines():
        if line.startswith("{"):
            row = json.loads(line)
            if "median_ns" in row:
                rows[(row["name"], row.get("threads", 1))] = row
    return rows


def text(nanoseconds):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds:.3g} ns"


def main(ours_path, theirs_path):
    ours, theirs = read(ours_path), read(theirs_path)
    print("| workload | threads | TensorFlow | Troupe | ratio | p99 of both |\n| --- | --- | --- | --- | --- | --- |")
    for key in ours:
        if key not in theirs:
            continue
        mine, other = ours[key], theirs[key]
        ratio = other["median_ns"] / mine["median_ns"]
        tails = f"{text(other['p99_ns'])}, {text(mine['p99_ns'])}"
        print(f"| `{key[0]}` | {key[1]} | {text(other['median_ns'])} | {text(mine['median_ns'])} | {ratio:.3g} | {tails} |")
    print(f"\n{len(set(ours) ^ set(theirs))} rows in one file only", file=sys.stderr)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
