#!/usr/bin/env python3
"""fault_matrix.py --troupe PROGRAM --master PROGRAM [options]  does harm to a cluster while a session runs, and prints a table of what came of it.
Each run has a cluster of its own: two workers (`troupe serve --cluster`), a master (fault_master), and a client of it where one is hurt, or his server.

Each is in a network namespace of its own, where this process may make them. Else all are on the loopback, and what is done to the network is skipped.
So is what is done to clocks without the library for that.

What must hold, whoever is hurt (victim), whatever runs (state), however he is hurt (fault):
- who waits hears within the lease plus 200 ms, and an error names who was hurt; a pause shorter than the lease, and a clock
  of the day that jumps, harm nobody;
- a pause, or a cut, of about a lease (doze, gap) and lost packets (lossy) harm or not, and nobody waits for ever;
- the session closes, and leaves no session on those who live, as the lost master's, or client's, does within the same time; who is back, or reached again,
  can be part of a new one, and keeps nothing of the old.

  --cells quick|all|VICTIM:STATE:FAULT,...   which of them ("*" for all of a kind); quick: those that ctest has time for
  --rounds N       each cell so many times, with random delays
  --jobs N         so many runs at a time: most of one is waiting
  --seed S         of the delays, of the moments and of what is lost; that of a run that failed is printed
  --slack-ms MS    for machines with other work
  --loopback       no namespaces
  --clock LIBRARY  clock_jump.cc, built: clocks can jump
  --markdown       the longest waits again as a table for each victim
"""
import argparse
import concurrent.futures
import http.client
import itertools
import random
import signal
import sys

from fault_cluster import Cluster, Failure
from fault_run import CLOCK_FAULTS, FAULTS, NETWORK_FAULTS, STATES, VICTIMS, WITH_CLIENT, Run
from packet_switch import why_not

QUICK = ("worker1:waiting:kill", "worker1:waiting:stop", "worker1:waiting:pause", "worker1:idle:restart", "worker2:waiting:freeze",
         "worker2:busy:kill", "worker2:busy:stop", "worker1:opening:kill", "master:waiting:kill", "master:busy:stop", "client:waiting:kill",
         "worker1:waiting:cut", "worker2:partial:mute", "master:callable:deaf", "client:waiting:cut", "worker1:running:lossy", "worker2:waiting:jump")


def chosen_cells(text):
    if text == "quick":
        return [tuple(cell.split(":")) for cell in QUICK]
    every = list(itertools.product(VICTIMS, STATES, FAULTS))
    if text == "all":
        return every
    cells = []
    for wish in text.split(","):
        parts = (wish.split(":") + ["*", "*"])[:3]
        found = [cell for cell in every if all(part in ("*", have) for part, have in zip(parts, cell))]
        if not found:
            sys.exit(f"fault_matrix.py: there is no cell {wish}")
        cells += found
    return cells


def run_once(args, cell, seed, switched):
    """How long the longest waited, in seconds, or what does not hold."""
    try:
        clock_library = args.clock if cell[2] in CLOCK_FAULTS else ""
        cluster = Cluster(args.troupe, args.master, cell[0] in WITH_CLIENT, switched, seed, clock_library)
    except Failure as e:
        return None, f"the cluster does not start: {e}"
    try:
        return Run(cluster, *cell, random.Random(f"{seed} {cell}"), args.slack_ms / 1000).run(), None
    except Failure as e:
        return None, str(e)
    except (OSError, ValueError, http.client.HTTPException) as e:
        return None, f"{type(e).__name__}: {e}"
    finally:
        cluster.end()


def all_runs(args, cells, switched):
    """What run_once says, cell by cell, and round by round."""
    runs = [(args, cell, seed, switched) for cell in cells for seed in range(args.seed, args.seed + args.rounds)]
    if args.jobs == 1:
        yield from (run_once(*run) for run in runs)
        return
    # Processes: each has its switch of packets, which must not wait for others'.
    with concurrent.futures.ProcessPoolExecutor(args.jobs) as pool:
        try:
            yield from pool.map(run_once, *zip(*runs))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def print_markdown(results):
    """By victim: states down, faults across, the longest wait in ms; who failed how often."""
    for victim in VICTIMS:
        cells = {cell[1:]: told for cell, told in results.items() if cell[0] == victim}
        faults = [f for f in FAULTS if any(fault == f for _, fault in cells)]
        if not faults:
            continue
        print(f"\n| {victim} | {' | '.join(faults)} |\n|{' --- |' * (len(faults) + 1)}")
        for state in [s for s in STATES if any(have == s for have, _ in cells)]:
            print(f"| {state} | {' | '.join(cells.get((state, fault), '') for fault in faults)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--troupe", required=True)
    parser.add_argument("--master", required=True)
    parser.add_argument("--cells", default="quick")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--slack-ms", type=int, default=0)
    parser.add_argument("--loopback", action="store_true")
    parser.add_argument("--clock", default="")
    parser.add_argument("--markdown", action="store_true")
    args = parser.parse_args()
    # So that nothing that it has started is left.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("fault_matrix.py: told to end"))
    skipped = "told to stay on the loopback" if args.loopback else why_not()
    failures, results = 0, {}
    cells = chosen_cells(args.cells)
    skips = {cell: skipped for cell in cells if skipped and cell[2] in NETWORK_FAULTS}
    if not args.clock:
        skips.update({cell: "no library for clocks" for cell in cells if cell[2] in CLOCK_FAULTS})
    runs = all_runs(args, [cell for cell in cells if cell not in skips], not skipped)
    print(f"{'victim':9}{'state':13}{'fault':9}{'runs':>6}{'failed':>8}{'longest wait':>14}")
    for cell in cells:
        name = f"{cell[0]:9}{cell[1]:13}{cell[2]:9}"
        if cell in skips:
            print(f"{name}skipped: {skips[cell]}", flush=True)
            continue
        worst, failed = 0.0, []
        for seed in range(args.seed, args.seed + args.rounds):
            waited, why = next(runs)
            worst = max(worst, waited or 0.0)
            if why:
                failed.append(f"  seed {seed}: {why}")
        failures += len(failed)
        # Where nobody waits, all is well or not.
        longest = f"{worst * 1000:.0f} ms" if worst else "-"
        results[cell] = f"{len(failed)} failed" if failed else longest
        print(f"{name}{args.rounds:6}{len(failed):8}{longest:>14}", flush=True)
        for line in failed:
            print(line, flush=True)
    if args.markdown:
        print_markdown(results)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
