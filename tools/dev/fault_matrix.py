#!/usr/bin/env python3
"""fault_matrix.py --troupe PROGRAM --master PROGRAM [options]  does harm to the processes of a cluster while a session runs, and prints a
table of what came of it. Each run has a cluster of its own: two workers (`troupe serve --cluster`) and a master (fault_master).

What must hold, whoever is hurt (victim), whatever runs (state), however he is hurt (fault):
- who waits hears within the lease plus 200 ms, and an error names the victim's task; a pause shorter than the lease harms nobody;
- a pause of about a lease (doze) harms or not, and nobody waits for ever;
- the session closes, and leaves no session on those who live; a victim that is back can be part of a new one, and keeps nothing of the old.

  --cells quick|all|VICTIM:STATE:FAULT,...   which of them ("*" for all of a kind); quick: those that ctest has time for
  --rounds N       each cell so many times, with random delays
  --seed S         of the delays; that of a run that failed is printed
  --slack-ms MS    for machines with other work
"""
import argparse
import itertools
import json
import queue
import random
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request

VICTIMS = ("worker1", "worker2", "master")
STATES = ("idle", "waiting", "busy", "opening")
FAULTS = ("kill", "stop", "pause", "doze", "freeze", "restart")
QUICK = ("worker1:waiting:kill", "worker1:waiting:stop", "worker1:waiting:pause", "worker1:idle:restart", "worker2:waiting:freeze",
         "worker2:busy:kill", "worker2:busy:stop", "worker1:opening:kill", "master:waiting:kill", "master:busy:stop")
LEASE_S = 0.5
WITHIN_S = LEASE_S + 0.2
OPEN_PATIENCE_S = 1.0
# Of a pause; with it a lease still holds.
PAUSE_S = 0.15
# Of a doze: the others may notice, some of them, or nobody.
DOZE_S = (0.35, 0.75)
# Nothing here takes so long unless it hangs.
HANG_S = 20
LOST = ("UNAVAILABLE", "ABORTED")


class Failure(Exception):
    """What must hold does not."""


def need(condition, what):
    if not condition:
        raise Failure(what)


def task_name(index):
    return f"/job:worker/replica:0/task:{index}"


class Process:
    """A node of the cluster; what it prints comes as (time, line), whatever stream it is on."""

    def __init__(self, command):
        self.command = command
        self.start()

    def start(self):
        self.lines = queue.Queue()
        self.seen = []
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for stream in (self.process.stdout, self.process.stderr):
            threading.Thread(target=self.listen, args=(stream, self.lines), daemon=True).start()
        self.url = self.expect("console: ", HANG_S)[1].split()[1]

    @staticmethod
    def listen(stream, lines):
        with stream:
            for line in stream:
                lines.put((time.monotonic(), line.rstrip("\n")))

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def expect(self, begins, patience_s):
        """The first line that begins so, and when it came; it is not seen again."""
        until = time.monotonic() + patience_s
        while True:
            for i, (_, line) in enumerate(self.seen):
                if line.startswith(begins):
                    return self.seen.pop(i)
            try:
                self.seen.append(self.lines.get(timeout=max(0.0, until - time.monotonic())))
            except queue.Empty:
                raise Failure(f"no '{begins}...' within {patience_s:.1f} s from {self.command[0]}; it said {self.seen[-3:]}") from None

    def kill(self, what):
        self.process.send_signal(what)

    def end(self):
        """Whatever state it is in."""
        self.process.kill()
        self.process.wait()
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass

    def status(self):
        with urllib.request.urlopen(self.url + "/api/status", timeout=HANG_S) as answer:
            return json.load(answer)

    def holds(self):
        """What it has of sessions and steps: (sessions, running steps)."""
        sessions = self.status()["sessions"]
        return len(sessions), sum(s["running"] for s in sessions)


class Answer:
    """What the master says of a command: "NAME CODE MILLISECONDS MESSAGE"."""

    def __init__(self, at, line):
        self.at = at
        self.line = line
        _, self.code, _, self.message = (line.split(" ", 3) + [""])[:4]

    @property
    def ok(self):
        return self.code == "OK"


class Cluster:
    """Task 0, which is the master, and two workers."""

    def __init__(self, troupe, master):
        words = "worker=" + ",".join(f"127.0.0.1:{port}" for port in free_ports(3))
        serve = [troupe, "serve", "--cluster", words, "--job", "worker", "--console", "0", "--task"]
        self.nodes = []
        try:
            for command in ([master, words, str(int(OPEN_PATIENCE_S * 1000))], serve + ["1"], serve + ["2"]):
                self.nodes.append(Process(command))
            self.nodes[0].expect("ready", HANG_S)
        except BaseException:
            self.end()
            raise

    def ask(self, line, name=None, patience_s=HANG_S):
        self.nodes[0].say(line)
        return self.answer(name or line.split()[0], patience_s)

    def answer(self, name, patience_s=HANG_S):
        return Answer(*self.nodes[0].expect(name + " ", patience_s))

    def end(self):
        for node in self.nodes:
            node.end()


def free_ports(n):
    sockets = [socket.socket() for _ in range(n)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def wait_until(condition, patience_s, what):
    began = time.monotonic()
    while not condition():
        need(time.monotonic() - began < patience_s, f"{what}, after {patience_s:.1f} s")
        time.sleep(0.01)


class Run:
    """One run of a cell. `worst` is the longest that anybody waited, in seconds."""

    def __init__(self, cluster, victim, state, fault, delays, slack_s):
        self.cluster = cluster
        self.index = VICTIMS.index(victim) + 1 if victim != "master" else 0
        self.state = state
        self.fault = fault
        self.delays = delays
        self.slack_s = slack_s
        self.hurts = False
        self.worst = 0.0

    @property
    def victim(self):
        return self.cluster.nodes[self.index]

    def others(self):
        """Those that are not hurt."""
        return [node for i, node in enumerate(self.cluster.nodes) if i != self.index]

    def run(self):
        self.prepare()
        time.sleep(self.delays.uniform(0, 0.05))
        self.hurt()
        if self.fault == "pause":
            self.it_goes_on(need_ok)
        elif self.fault == "doze":
            self.it_goes_on(need_ok_or_lost)
        elif self.index == 0:
            self.master_is_hurt()
        else:
            self.those_who_wait_hear()
            self.the_session_closes()
        if self.fault in ("doze", "freeze", "restart"):
            self.a_new_session_runs()
        return self.worst

    def prepare(self):
        if self.state == "opening":
            self.cluster.nodes[0].say("open")
            return
        need_ok(self.cluster.ask("open"))
        need_ok(self.cluster.ask("run warm quick", "warm"))
        for worker in self.cluster.nodes[1:]:
            need(worker.holds()[0] == 1, "a worker without its session before the fault")
        if self.state == "waiting":
            self.cluster.nodes[0].say("run waiter out")
            need_ok(self.cluster.ask("waits 1"))
        elif self.state == "busy":
            self.cluster.nodes[0].say("loop waiter large")
            self.cluster.nodes[0].expect("waiter looping", HANG_S)

    def hurt(self):
        """From `since` on he harms those who wait for him."""
        self.hurts = True
        self.since = time.monotonic()
        if self.fault in ("kill", "restart"):
            self.victim.kill(signal.SIGKILL)
            self.victim.process.wait()
        else:
            self.victim.kill(signal.SIGSTOP)
        if self.fault in ("pause", "doze"):
            time.sleep(PAUSE_S if self.fault == "pause" else self.delays.uniform(*DOZE_S))
            self.victim.kill(signal.SIGCONT)
            self.hurts = False

    def heal(self):
        """The victim is back: as he was, or another life of him."""
        if not self.hurts:
            return
        self.hurts = False
        if self.fault == "freeze":
            # Longer than a lease, so that the others have given him up.
            time.sleep(max(0.0, self.since + WITHIN_S - time.monotonic()))
            self.victim.kill(signal.SIGCONT)
        elif self.fault == "restart":
            self.victim.end()
            self.victim.start()
            if self.index == 0:
                self.victim.expect("ready", HANG_S)

    def within(self, seconds, limit_s, what):
        self.worst = max(self.worst, seconds)
        need(seconds <= limit_s + self.slack_s, f"{what} took {seconds * 1000:.0f} ms, allowed are {limit_s * 1000:.0f}")

    def it_goes_on(self, check):
        """Everything is answered, as `check` has it."""
        if self.state == "opening":
            check(self.cluster.answer("open"))
        elif self.state == "waiting":
            check(self.cluster.ask("do push push", "push"))
            check(self.cluster.answer("waiter"))
        elif self.state == "busy":
            self.cluster.nodes[0].say("calm")
            check(self.cluster.answer("waiter"))
        check(self.cluster.ask("run more quick", "more"))
        self.the_session_closes()

    def those_who_wait_hear(self):
        limit_s = WITHIN_S
        if self.state == "opening":
            answer, limit_s = self.cluster.answer("open"), OPEN_PATIENCE_S + WITHIN_S
        elif self.state == "idle":
            answer = self.cluster.ask("run waiter quick", "waiter")
        else:
            answer = self.cluster.answer("waiter")
        self.within(answer.at - self.since, limit_s, "an answer")
        if self.state == "opening":
            # It may have been open already, or have to wait for him.
            need(answer.ok or task_name(self.index) in answer.message, f"an error that does not name its task: {answer.line}")
            return
        self.names_the_victim(answer)
        # And from now on, whether he is back or not: what he had is lost.
        if self.fault == "restart":
            self.heal()
        self.names_the_victim(self.cluster.ask("run next quick", "next"))

    def names_the_victim(self, answer):
        need(answer.code in LOST and task_name(self.index) in answer.message, f"expected {LOST} of {task_name(self.index)}: {answer.line}")

    def the_session_closes(self):
        began = time.monotonic()
        answer = need_ok(self.cluster.ask("close"))
        self.within(answer.at - began, WITHIN_S, "closing")
        self.nothing_is_left(self.others())

    def nothing_is_left(self, nodes):
        for node in nodes:
            wait_until(lambda n=node: n.holds() == (0, 0), HANG_S, "a session is left on one who lives")

    def master_is_hurt(self):
        for node in self.others():
            wait_until(lambda n=node: n.holds() == (0, 0), HANG_S, "a session of a lost master is left")
            self.within(time.monotonic() - self.since, WITHIN_S, "the end of a lost master's session")
        if self.fault != "freeze":
            return
        self.heal()
        if self.state == "opening":
            self.cluster.answer("open")
        elif self.state != "idle":
            answer = self.cluster.answer("waiter")
            need(answer.code in LOST, f"expected {LOST}: {answer.line}")
        need_ok(self.cluster.ask("close"))

    def a_new_session_runs(self):
        self.heal()
        need_ok(self.cluster.ask("open"))
        need_ok(self.cluster.ask("run again quick", "again"))
        need_ok(self.cluster.ask("close"))
        self.nothing_is_left(self.cluster.nodes)


def need_ok(answer):
    need(answer.ok, f"expected OK: {answer.line}")
    return answer


def need_ok_or_lost(answer):
    """Where a session did not open there is none to run in."""
    need(answer.ok or answer.code in LOST + ("DEADLINE_EXCEEDED", "FAILED_PRECONDITION"), f"expected OK or {LOST}: {answer.line}")


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


def run_once(args, cell, seed):
    """How long the longest waited, in seconds, or what does not hold."""
    try:
        cluster = Cluster(args.troupe, args.master)
    except Failure as e:
        return None, f"the cluster does not start: {e}"
    try:
        return Run(cluster, *cell, random.Random(seed), args.slack_ms / 1000).run(), None
    except Failure as e:
        return None, str(e)
    except (OSError, ValueError) as e:
        return None, f"{type(e).__name__}: {e}"
    finally:
        cluster.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--troupe", required=True)
    parser.add_argument("--master", required=True)
    parser.add_argument("--cells", default="quick")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--slack-ms", type=int, default=0)
    args = parser.parse_args()
    failures = 0
    print(f"{'victim':9}{'state':9}{'fault':9}{'runs':>6}{'failed':>8}{'longest wait':>14}")
    for cell in chosen_cells(args.cells):
        worst, failed = 0.0, []
        for seed in range(args.seed, args.seed + args.rounds):
            waited, why = run_once(args, cell, seed)
            worst = max(worst, waited or 0.0)
            if why:
                failed.append(f"  seed {seed}: {why}")
        failures += len(failed)
        print(f"{cell[0]:9}{cell[1]:9}{cell[2]:9}{args.rounds:6}{len(failed):8}{worst * 1000:11.0f} ms", flush=True)
        for line in failed:
            print(line, flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
