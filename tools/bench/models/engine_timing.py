"""What the programs that run an engine share: the times of a step, the memory of the process, and how both are said."""
import json
import os
import pathlib
import re
import sys
import time

# Runs before those that count: at most so many, and at least three, in a fifth of the time.
_WARM_UP = 20


def cores():
    return len(os.sched_getaffinity(0))


def timed(step, seconds):
    """Nanoseconds of each run, sorted: at least five, for so many seconds."""
    begin = time.perf_counter()
    for number in range(_WARM_UP):
        if number >= 3 and time.perf_counter() - begin > seconds / 5:
            break
        step()
    taken, end = [], time.perf_counter() + seconds
    while len(taken) < 5 or time.perf_counter() < end:
        start = time.perf_counter_ns()
        step()
        taken.append(time.perf_counter_ns() - start)
    return sorted(taken)


def peak_kib():
    """The most memory that this process had so far; 0 where the system does not say."""
    status = pathlib.Path("/proc/self/status")
    found = re.search(r"^VmHWM:\s+(\d+) kB", status.read_text(), re.M) if status.is_file() else None
    return int(found.group(1)) if found else 0


def figures(taken, units, version):
    return {"median_ns": taken[len(taken) // 2] / units, "p10_ns": taken[len(taken) // 10] / units, "p99_ns": taken[len(taken) * 99 // 100] / units,
            "runs": len(taken), "peak_kib": peak_kib(), "version": version}


def answer(function, *arguments):
    """The last line of a child's standard output: what the function gives, or {"error": why}."""
    try:
        result = function(*arguments)
    except Exception as why:  # Whatever it is: the parent tells it.
        result = {"error": " ".join(f"{type(why).__name__}: {why}".split())}
    print(json.dumps(result), flush=True)
    return 1 if "error" in result else 0


def leave(code):
    """Ends the process at once: libraries that end threads of their own at exit need not."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
