#!/usr/bin/env python3
"""Changes the sources in small ways and tells which changes no test notices.

    tools/dev/mutate.py                                      # three hundred mutants of the core, chosen by seed 1
    tools/dev/mutate.py --number 50 --only graph/passes      # of some files
    tools/dev/mutate.py --list                               # what it would try, without building
    tools/dev/mutate.py --planted                            # known faults (mutants/planted.txt), all of which must be noticed

All mutants are compiled into one build of a copy of the last commit (build/mutants), each behind a switch that an environment variable
turns on. Each test is run once to see which mutants it reaches; then, for each mutant, those that reach it, until one fails, crashes or
does not end. Survivors are printed; the exit code is 1 if one of them is not in mutants_accepted.txt.
"""
import argparse
import hashlib
import json
import os
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "mutants"))
import building
import judging

ACCEPTED = os.path.join(building.ROOT, "tools/dev/mutants_accepted.txt")


def accepted():
    """Lines "file | line as it is | kind | reason"; the line may have bars of its own."""
    known = {}
    if os.path.exists(ACCEPTED):
        with open(ACCEPTED) as f:
            for entry in f:
                if entry.strip() and not entry.startswith("#"):
                    path, rest = entry.strip().split(" | ", 1)
                    line, kind, reason = rest.rsplit(" | ", 2)
                    known[(path, line, kind)] = reason
    return known


def shuffled(pool, seed):
    """In an order that depends on each mutant and the seed alone: a change elsewhere does not choose others."""
    seen, keyed = {}, []
    for m in pool:
        what = (m.path, m.before, m.after)
        seen[what] = seen.get(what, 0) + 1
        keyed.append((hashlib.md5(repr((seed, what, seen[what])).encode()).digest(), m))
    return [m for _, m in sorted(keyed, key=lambda k: k[0])]


def unnoticed(path):
    with open(path) as f:
        return {(m["path"], m["before"], m["after"]) for m in json.load(f) if m["fate"] in ("survived", "not reached")}


def told(m):
    lines = [f"{m.path}:{m.line} {m.name or m.kind}"]
    return "\n".join(lines + ["  - " + line for line in m.before.split("\n")] + ["  + " + line for line in m.after.split("\n")])


def judged(chosen, options):
    """(mutant, what became of it, the test that noticed) of each."""
    tests = judging.all_tests(building.COPY, judging.SUITES + options.also)
    broken = judging.measure(tests, building.COPY, 1 + max(m.number for m in chosen), options.jobs)
    if broken:
        raise SystemExit("these fail without any change: " + ", ".join(broken))
    print(f"{len(tests)} suites, {sum(t.seconds for t in tests):.0f} seconds of tests", flush=True)
    known = accepted()

    def one(m):
        by = judging.judge(m, tests, building.COPY)
        fate = "noticed" if by else "accepted" if m.key() in known else "survived" if by == "" else "not reached"
        what = by or known.get(m.key(), "")
        print(f"{fate:12} {m.path}:{m.line} {m.name or m.kind}{': ' if what else ''}{what}", flush=True)
        return m, fate, by or ""

    with ThreadPoolExecutor(options.jobs) as threads:
        return list(threads.map(one, chosen))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--number", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", metavar="PREFIX", help="files whose path begins so")
    parser.add_argument("--planted", action="store_true", help="the known faults instead")
    parser.add_argument("--again", metavar="FILE", help="those that were not noticed when --json wrote FILE; lines like them, too")
    parser.add_argument("--also", nargs="*", default=[], metavar="PROGRAM", help="further test programs, such as explorer_test")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", action="store_true", help="keep the copy for the next time")
    parser.add_argument("--json", metavar="FILE", help="where to write what became of each")
    options = parser.parse_args()

    pool, texts = building.planted() if options.planted else building.candidates(options.only)
    if options.again:
        pool = [m for m in pool if (m.path, m.before, m.after) in unnoticed(options.again)]
    number = len(pool) if options.planted or options.again else min(options.number, len(pool))
    print(f"{number} of {len(pool)} mutants, seed {options.seed}", flush=True)
    if not options.planted:
        pool = shuffled(pool, options.seed)
    if options.list:
        print("\n".join(told(m) for m in pool[:number]))
        return 0

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    begin = time.monotonic()
    building.make_copy()
    try:
        chosen, failed = building.build_with(pool, texts, number, judging.TARGETS + options.also, options.jobs)
        if options.planted and failed:
            raise SystemExit("a planted fault does not compile")
        built = time.monotonic()
        results = judged(sorted(chosen, key=lambda m: (m.path, m.line)), options)
    finally:
        if not options.keep:
            building.remove_copy()

    left = [(m, fate) for m, fate, _ in results if fate in ("survived", "not reached")]
    for m, fate in left:
        print(f"\n{fate}: {told(m)}")
    noticed = sum(fate == "noticed" for _, fate, _ in results)
    print(f"\n{noticed} of {len(results)} noticed ({100 * noticed / max(1, len(results)):.1f} %), {len(left)} survived, "
          f"{len(results) - noticed - len(left)} accepted; {failed} did not compile; "
          f"{built - begin:.0f} seconds to build, {time.monotonic() - built:.0f} to judge")
    if options.json:
        with open(options.json, "w") as f:
            json.dump([{"path": m.path, "line": m.line, "kind": m.kind, "before": m.before, "after": m.after, "fate": fate, "noticed by": by}
                       for m, fate, by in results], f, indent=1)
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
