"""One run of a cell of fault_matrix.py: what goes on, the fault, and what must hold afterwards."""
import signal
import threading
import time

from fault_cluster import HANG_S, OPEN_PATIENCE_S, need, task_name, wait_until

# Who is hurt, by his place in the cluster; the server is the task that a client has come to.
VICTIMS = {"worker1": 1, "worker2": 2, "master": 0, "client": 3, "server": 0}
WITH_CLIENT = ("client", "server")
DRIVERS = ("master", "client")
STATES = ("idle", "waiting", "busy", "partial", "callable", "draining", "opening", "registering", "running", "cancelling", "closing")
# Something waits for a queue on task 1.
WAITING = ("waiting", "partial", "callable", "draining", "cancelling")
# The fault comes somewhere between the first message of what is done and the last.
MOMENTS = ("opening", "registering", "running", "cancelling", "closing")
PROCESS_FAULTS = ("kill", "stop", "pause", "doze", "freeze", "restart")
# The clock of the day goes by JUMP_S, either way, and back.
CLOCK_FAULTS = ("jump",)
# All packets of the victim lost; those to him; those of him; each a second late, both ways; cut for a while; one of twenty lost.
NETWORK_FAULTS = ("cut", "deaf", "mute", "slow", "gap", "lossy")
FAULTS = PROCESS_FAULTS + CLOCK_FAULTS + NETWORK_FAULTS
HARMLESS = ("pause", "jump")
SHORT = HARMLESS + ("doze", "gap")
LEASE_S = 0.5
WITHIN_S = LEASE_S + 0.2
# Where one way is open he who still hears does so for a while: TCP goes on until it has missed receipts for its shortest time-out.
LAST_WORDS_S = 0.3
# Of a pause; with it a lease still holds.
PAUSE_S = 0.15
# Of a doze, and of a gap: the others may notice, some of them, or nobody.
DOZE_S = (0.35, 0.75)
JUMP_S = 3600
SLOW_S = 1.0
LOST_PART = 0.05
# Of steps with lost packets.
LOSSY_RUNS = 20
# A connection that was tried while nobody could be reached is tried for so long; and it is given up after two seconds.
RECOVER_S = 5.0
LOST = ("UNAVAILABLE", "ABORTED")


class Run:
    """One run of a cell. `worst` is the longest that anybody waited, in seconds."""

    def __init__(self, cluster, victim, state, fault, delays, slack_s):
        self.cluster = cluster
        self.index = VICTIMS[victim]
        self.victim = cluster.nodes[self.index]
        self.drives = victim in DRIVERS
        self.state = state
        self.fault = fault
        self.delays = delays
        self.slack_s = slack_s
        self.limit_s = WITHIN_S + (LAST_WORDS_S if fault in ("deaf", "mute") else 0.0)
        self.hurts = False
        self.struck = threading.Event()
        self.worst = 0.0
        # One of these is in each error.
        if victim in WITH_CLIENT:
            self.culprits = (cluster.target, task_name(0))
        elif victim == "master":
            self.culprits = (task_name(1), task_name(2))
        else:
            self.culprits = (task_name(self.index),)

    def others(self):
        """Those that are not hurt."""
        return [node for node in self.cluster.nodes if node is not self.victim]

    def those_who_lose(self):
        """Who is to drop the session though nobody closes it: who was its master's, or client's, and cannot be sure of him any more."""
        tasks = self.cluster.nodes[:3]
        lost = [self.victim] if self.index in (1, 2) else [task for task in tasks if self.index == 3 or task is not tasks[0] or not self.drives]
        return [node for node in lost if node is not self.victim or self.fault in NETWORK_FAULTS]

    def run(self):
        act = self.prepare()
        self.hurt(act)
        if self.fault in HARMLESS:
            self.it_goes_on(self.need_ok)
        elif self.fault in SHORT + ("lossy",):
            self.it_goes_on(self.need_ok_or_lost)
        else:
            self.what_is_lost_is_dropped()
            if not self.drives or self.fault in NETWORK_FAULTS:
                self.those_who_wait_hear()
                self.the_session_closes()
            elif self.fault == "freeze":
                self.heal()
                self.those_who_wait_hear(late=True)
                self.the_session_closes()
        if self.fault not in ("kill", "stop") + HARMLESS:
            self.a_new_session_runs()
        return self.worst

    # --- before ---

    def prepare(self):
        """Until the fault. What is done while it comes."""
        ask = self.cluster.ask
        if self.state == "opening":
            if self.cluster.switch:
                self.count(lambda: need_ok(ask("open")))
                need_ok(ask("close"))
                self.nothing_is_left(self.cluster.nodes)
            return "open"
        if self.state == "closing" and self.cluster.switch:
            need_ok(ask("open"))
            need_ok(ask("run warm quick", "warm"))
            self.count(lambda: need_ok(ask("close")))
        need_ok(ask("open"))
        run = lambda: need_ok(ask("run warm quick", "warm"))
        if self.state == "registering":
            self.count(run)
            return "run waiter fresh"
        run()
        for node in self.cluster.nodes:
            need(node.holds()[0] == 1, "a node without its session before the fault")
        if self.state == "running":
            self.count(run)
            return "run waiter quick"
        if self.state == "closing":
            return "close"
        if self.state in WAITING:
            self.begin_waiting()
        if self.state == "cancelling":
            self.count(lambda: need_ok(ask("cancel")))
            self.answer_of_cancelled()
            self.begin_waiting()
            return "cancel"
        if self.state == "busy":
            self.cluster.driver.say("loop waiter large")
            self.cluster.driver.expect("waiter looping", HANG_S)
        if self.state == "draining":
            self.cluster.nodes[1].drain()
        return None

    def begin_waiting(self):
        driver = self.cluster.driver
        driver.say({"partial": "partial waiter out", "callable": "call waiter out"}.get(self.state, "run waiter out"))
        if self.state == "partial":
            driver.expect("waiter begun", HANG_S)
        if driver is self.cluster.nodes[0]:
            need_ok(self.cluster.ask("waits 1"))
        for node in self.cluster.nodes:
            wait_until(lambda n=node: n.holds() == (1, 1), HANG_S, "a step does not run everywhere")

    def answer_of_cancelled(self):
        answer = self.cluster.answer("waiter")
        need(answer.code == "CANCELLED", f"expected CANCELLED: {answer.line}")
        for node in self.cluster.nodes:
            wait_until(lambda n=node: n.holds() == (1, 0), HANG_S, "a step that was cancelled runs")

    def count(self, act):
        """How many messages the victim sends and is sent meanwhile."""
        before = self.victim.host.payloads if self.victim.host else 0
        act()
        self.messages = self.victim.host.payloads - before if self.victim.host else 0

    # --- the fault ---

    def hurt(self, act):
        host = self.victim.host
        if act and host:
            self.cluster.switch.when(host, host.payloads + self.delays.randint(1, self.messages + 1), self.strike)
            self.cluster.driver.say(act)
            # There may be fewer messages this time.
            if not self.struck.wait(LEASE_S):
                self.cluster.switch.when(host, 0, None)
        elif act:
            self.cluster.driver.say(act)
            time.sleep(self.delays.uniform(0, 0.01))
        else:
            time.sleep(self.delays.uniform(0, 0.05))
        if not self.struck.is_set():
            self.strike()
        if self.state == "idle" and not (self.drives and self.fault in ("kill", "restart")):
            self.cluster.driver.say("run waiter quick")
        if self.fault in SHORT:
            time.sleep(PAUSE_S if self.fault in HARMLESS else self.delays.uniform(*DOZE_S))
            self.relieve()

    def strike(self):
        """From `since` on he harms those who wait for him."""
        self.hurts = True
        self.since = time.monotonic()
        host = self.victim.host
        if self.fault in ("kill", "restart"):
            self.victim.kill(signal.SIGKILL)
            self.victim.process.wait()
        elif self.fault in PROCESS_FAULTS:
            self.victim.stop()
            self.since = time.monotonic()
        elif self.fault == "jump":
            self.victim.set_clock(self.delays.choice((-JUMP_S, JUMP_S)))
        elif self.fault == "slow":
            host.out.delay_s = host.into.delay_s = SLOW_S
        elif self.fault == "lossy":
            host.out.lost = host.into.lost = LOST_PART
        else:
            host.out.lost = 0.0 if self.fault == "deaf" else 1.0
            host.into.lost = 0.0 if self.fault == "mute" else 1.0
        self.struck.set()

    def relieve(self):
        self.hurts = False
        if self.fault in NETWORK_FAULTS:
            self.cluster.switch.mend(self.victim.host)
        elif self.fault == "jump":
            self.victim.set_clock(0)
        else:
            self.victim.kill(signal.SIGCONT)

    def heal(self):
        """The victim is back: as he was, or another life of him."""
        if not self.hurts:
            return
        if self.fault == "restart":
            self.hurts = False
            self.start_again(self.victim)
            return
        if self.fault == "freeze":
            # Longer than a lease, so that the others have given him up.
            time.sleep(max(0.0, self.since + WITHIN_S - time.monotonic()))
        self.relieve()

    def start_again(self, node):
        node.end()
        node.start()
        if node in (self.cluster.nodes[0], self.cluster.driver):
            node.expect("ready", HANG_S)

    # --- afterwards ---

    def within(self, seconds, limit_s, what):
        self.worst = max(self.worst, seconds)
        need(seconds <= limit_s + self.slack_s, f"{what} took {seconds * 1000:.0f} ms, allowed are {limit_s * 1000:.0f}")

    def need_ok(self, answer):
        need(answer.ok or self.state == "cancelling" and answer.code == "CANCELLED", f"expected OK: {answer.line}")

    def need_ok_or_lost(self, answer):
        """Where a session did not open there is none to run in."""
        if answer.ok or answer.code == "FAILED_PRECONDITION" or self.state == "cancelling" and answer.code == "CANCELLED":
            return
        need(answer.code in LOST + ("DEADLINE_EXCEEDED",), f"expected OK or {LOST}: {answer.line}")
        need(task_name("") in answer.message or self.cluster.target in answer.message, f"an error that names no task: {answer.line}")

    def names_the_victim(self, answer):
        named = any(culprit in answer.message for culprit in self.culprits)
        need(answer.code in LOST and named, f"expected {LOST} of {self.culprits}: {answer.line}")

    def what_is_said(self):
        """Of what was done meanwhile."""
        if self.state in ("opening", "closing"):
            return self.cluster.answer("open" if self.state == "opening" else "close")
        return self.cluster.answer("waiter")

    def it_goes_on(self, check):
        """Everything is answered, as `check` has it."""
        if self.state == "busy":
            self.cluster.driver.say("calm")
        elif self.state in WAITING and self.state != "cancelling":
            check(self.cluster.ask("do push push", "push"))
        elif self.state == "cancelling":
            check(self.cluster.answer("cancel"))
        check(self.what_is_said())
        if self.state == "closing":
            return self.nothing_is_left(self.cluster.nodes)
        for _ in range(LOSSY_RUNS if self.fault == "lossy" else 1):
            answer = self.cluster.ask("run more quick", "more")
            self.worst = max(self.worst, answer.took_s)
            check(answer)
        self.the_session_closes()

    def what_is_lost_is_dropped(self):
        """By then. Nobody is asked before: a console tells for 200 ms what it has told."""
        time.sleep(max(0.0, self.since + self.limit_s - time.monotonic()))
        for node in self.those_who_lose():
            wait_until(lambda n=node: n.holds() == (0, 0), self.slack_s, f"a session of who is lost is left, {self.limit_s:.1f} s")

    def those_who_wait_hear(self, late=False):
        answer = self.what_is_said()
        if not late:
            self.within(answer.at - self.since, self.limit_s + (OPEN_PATIENCE_S if self.state == "opening" else 0.0), "an answer")
        if self.state == "closing":
            return self.closed(answer)
        if self.state == "opening" and not answer.ok:
            # It has waited for him.
            return need(any(c in answer.message for c in self.culprits), f"an error that does not name who was hurt: {answer.line}")
        if self.state == "cancelling" and answer.code == "CANCELLED" or self.state in ("registering", "running", "opening") and answer.ok:
            pass
        else:
            self.names_the_victim(answer)
        # And from now on, whether he is back or not: what he had is lost. A master who slept before he had asked anybody had nothing.
        if self.fault == "restart":
            self.heal()
        check = self.need_ok_or_lost if late and self.state == "opening" else self.names_the_victim
        check(self.cluster.ask("run next quick", "next"))
        if self.fault in NETWORK_FAULTS:
            self.heal()
            self.names_the_victim(self.cluster.ask("run after quick", "after"))

    def the_session_closes(self):
        began = time.monotonic()
        answer = self.closed(self.cluster.ask("close"))
        self.within(answer.at - began, WITHIN_S, "closing")
        self.nothing_is_left(self.others() if self.hurts and self.fault in PROCESS_FAULTS else self.cluster.nodes)

    def closed(self, answer):
        """What a client has at a server that he cannot reach he cannot close, and it is gone: Aborted."""
        if self.cluster.driver is self.cluster.nodes[0] or answer.ok:
            return need_ok(answer)
        self.names_the_victim(answer)
        return answer

    def nothing_is_left(self, nodes):
        for node in nodes:
            wait_until(lambda n=node: n.holds() == (0, 0), HANG_S, "a session is left on one who lives")

    def a_new_session_runs(self):
        self.heal()
        for node in self.cluster.nodes:
            if node.leaves:
                wait_until(node.has_left, HANG_S, "one that was told to go stays")
                self.start_again(node)
        until = time.monotonic() + (RECOVER_S if self.fault in NETWORK_FAULTS else 0.0)
        while not self.opens_and_runs(until):
            self.closed(self.cluster.ask("close"))
        need_ok(self.cluster.ask("close"))
        self.nothing_is_left(self.cluster.nodes)

    def opens_and_runs(self, until):
        for line in ("open", "run again quick"):
            answer = self.cluster.ask(line, line.split()[-2] if " " in line else line)
            if not answer.ok:
                need(time.monotonic() < until, f"expected OK: {answer.line}")
                self.need_ok_or_lost(answer)
                return False
        return True


def need_ok(answer):
    need(answer.ok, f"expected OK: {answer.line}")
    return answer
