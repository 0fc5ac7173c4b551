"""The clusters that fault_matrix.py does harm to: processes on the loopback, or each in a network namespace of its own (packet_switch.py)."""
import contextlib
import glob
import http.client
import json
import os
import queue
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time
import urllib.parse

from packet_switch import PacketSwitch

# Nothing here takes so long unless it hangs.
HANG_S = 20
OPEN_PATIENCE_S = 1.0
DRAIN_S = 60
PORT = 7000


class Failure(Exception):
    """What must hold does not."""


def need(condition, what):
    if not condition:
        raise Failure(what)


def task_name(index):
    return f"/job:worker/replica:0/task:{index}"


class Process:
    """A node of the cluster, or a client; what it prints comes as (time, line), whatever stream it is on. `host`: the namespace that it is in; None:
    this process's own. `clock_library`: what gives it a clock of the day that can be set (tests/actors/node/clock_jump.cc); "": nothing."""

    def __init__(self, command, host=None, clock_library=""):
        self.command = command
        self.host = host
        self.environment = dict(os.environ)
        if clock_library:
            self.clock = tempfile.NamedTemporaryFile(prefix="clock")
            self.environment.update(LD_PRELOAD=clock_library, CLOCK_JUMP_FILE=self.clock.name)
            self.set_clock(0)
        self.start()

    def set_clock(self, seconds_off):
        os.pwrite(self.clock.fileno(), struct.pack("=q", seconds_off), 0)

    def inside(self):
        return self.host.inside() if self.host else contextlib.nullcontext()

    def start(self):
        # It was told to go, when that is possible.
        self.leaves = False
        self.lines = queue.Queue()
        self.seen = []
        with self.inside():
            self.process = subprocess.Popen(self.command, env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for stream in (self.process.stdout, self.process.stderr):
            threading.Thread(target=self.listen, args=(stream, self.lines), daemon=True).start()
        self.console = urllib.parse.urlsplit(self.expect("console: ", HANG_S)[1].split()[1])

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

    def stop(self):
        """Its threads go on for a while after the signal."""
        self.kill(signal.SIGSTOP)
        wait_until(lambda: all(state == "T" for state in self.thread_states()), HANG_S, f"{self.command[0]} does not stop")

    def thread_states(self):
        states = []
        for stat in glob.glob(f"/proc/{self.process.pid}/task/*/stat"):
            # One that ends just now has none.
            with contextlib.suppress(OSError), open(stat, encoding="ascii", errors="replace") as file:
                states.append(file.read().rpartition(")")[2].split()[0])
        return states

    def drain(self):
        """Told to go when nobody has a session there any more."""
        self.leaves = True
        self.kill(signal.SIGTERM)

    def has_left(self):
        """It ended because it was told to. Other ends are failures."""
        code = self.process.poll()
        need(code is None or self.leaves and code == 0, f"{self.command[0]} has ended with {code}: {self.seen[-3:]}")
        return code is not None

    def end(self):
        """Whatever state it is in."""
        self.process.kill()
        self.process.wait()
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass

    def status(self):
        connection = http.client.HTTPConnection(self.console.hostname, self.console.port, timeout=HANG_S)
        with self.inside():
            connection.connect()
        with contextlib.closing(connection):
            connection.request("GET", "/api/status")
            return json.load(connection.getresponse())

    def holds(self):
        """What it has of sessions and steps: (sessions, running steps)."""
        if self.has_left():
            return 0, 0
        try:
            sessions = self.status()["sessions"]
        except (OSError, http.client.HTTPException):
            # It leaves just now.
            if self.leaves:
                return -1, -1
            raise
        return len(sessions), sum(s["running"] for s in sessions)


class Answer:
    """What the driver says of a command: "NAME CODE MILLISECONDS MESSAGE"."""

    def __init__(self, at, line):
        self.at = at
        self.line = line
        _, self.code, took_ms, self.message = (line.split(" ", 3) + [""])[:4]
        self.took_s = int(took_ms) / 1000

    @property
    def ok(self):
        return self.code == "OK"


class Cluster:
    """Task 0, which is the master, two workers, and where one is asked for a client of task 0. The driver opens sessions and does with them what he is
    told: the client, or task 0. `switched`: each in a namespace; `clock_library`: of each."""

    def __init__(self, troupe, master, with_client, switched, seed, clock_library=""):
        self.nodes = []
        self.clock_library = clock_library
        self.switch = PacketSwitch(seed) if switched else None
        try:
            self.start(troupe, master, with_client)
        except BaseException:
            self.end()
            raise
        self.driver = self.nodes[-1] if with_client else self.nodes[0]

    def start(self, troupe, master, with_client):
        hosts = [self.switch.add_host() if self.switch else None for _ in range(4 if with_client else 3)]
        addresses = [f"{host.address}:{PORT}" for host in hosts[:3]] if self.switch else [f"127.0.0.1:{port}" for port in free_ports(3)]
        words = "worker=" + ",".join(addresses)
        self.target = "caf://" + addresses[0]
        serve = [troupe, "serve", "--cluster", words, "--job", "worker", "--console", "0", "--drain-seconds", str(DRAIN_S)]
        serve += ["--insecure"] if self.switch else []
        task_0 = [master, words, str(int(OPEN_PATIENCE_S * 1000))] + (["insecure"] if self.switch else [])
        commands = [task_0, serve + ["--task", "1"], serve + ["--task", "2"]] + ([[master, self.target]] if with_client else [])
        for command, host in zip(commands, hosts):
            self.nodes.append(Process(command, host, self.clock_library))
        for node in (self.nodes[0], *self.nodes[3:]):
            node.expect("ready", HANG_S)

    def ask(self, line, name=None, patience_s=HANG_S):
        self.driver.say(line)
        return self.answer(name or line.split()[0], patience_s)

    def answer(self, name, patience_s=HANG_S):
        return Answer(*self.driver.expect(name + " ", patience_s))

    def end(self):
        for node in self.nodes:
            node.end()
        if self.switch:
            self.switch.close()


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
