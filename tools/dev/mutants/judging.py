"""Runs tests against mutants: which reach which, and which notice."""
import os
import resource
import signal
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

BIN = "build/release/bin"
# Programs whose tests are asked suite by suite, and what runs as a whole. Left out by default: other orders of messages, what is slow, and
# kernels that no mutant is near.
SUITES = ["passes_test", "ops_test", "step_test", "units_test", "actor_test", "devices_test", "fault_test", "session_test", "c_graph_test", "c_api_test",
          "c_plugin_test", "c_nonsense_test", "c_lifetime_test", "gradient_rules_test", "gradients_test", "data_flow_kernels_test", "tools_test",
          "system_test", "runtime_test", "runs_test", "console_test", "cluster_test", "tls_test", "node_test", "grpc_wire_test", "grpc_client_test",
          "grpc_door_test", "c_caf_target_test", "c_tls_test"]
TARGETS = SUITES + ["troupe", "example_training", "troupe_test_plugin"]
ZOO = [("cases", "data/cases.tsv"), ("cases", "refcases/cases.tsv"), ("scripts", "refcases/scripts.tsv")]
MEMORY_BYTES = 12 << 30
LIST_SECONDS = 30


@dataclass
class Test:
    """What is run at once: a suite of a program, or a list of the reference data."""
    name: str
    command: list
    seconds: float = 0
    reached: frozenset = frozenset()

    def limit(self):
        return 8 + 10 * self.seconds


def run(command, copy, limit, **environment):
    """Exit code, None when it did not end. What it started ends with it."""
    def limits():
        os.setsid()
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    with tempfile.TemporaryDirectory(prefix="mutants") as scratch:
        child = subprocess.Popen(command, cwd=scratch, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                 preexec_fn=limits, env={**os.environ, "GTEST_FAIL_FAST": "1", "TMPDIR": scratch,
                                                         "TROUPE_SHARED": shared(), **environment})
        try:
            return child.wait(timeout=limit)
        except subprocess.TimeoutExpired:
            return None
        finally:
            try:
                os.killpg(child.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            child.wait()


def shared():
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    return os.environ.get("TROUPE_SHARED", os.path.join(os.path.dirname(root), "shared"))


def all_tests(copy, programs):
    tests = []
    for program in programs:
        full = os.path.join(copy, BIN, program)
        listed = subprocess.run([full, "--gtest_list_tests"], capture_output=True, text=True, timeout=LIST_SECONDS, check=True).stdout
        for suite in [line.split(" ")[0] for line in listed.split("\n") if line and line[0] not in " " and line.split(" ")[0].endswith(".")]:
            tests.append(Test(f"{program} {suite[:-1]}", [full, f"--gtest_filter={suite}*"]))
    for kind, path in ZOO:
        if os.path.exists(os.path.join(shared(), path)):
            tests.append(Test(f"zoo {path}", [
                os.path.join(copy, BIN, "troupe"), "verify", "--" + kind, os.path.join(shared(), path), "--jobs", "1", "--timeout", "30",
                "--known-differences", os.path.join(copy, "tests/system/zoo_differences.txt")]))
    return tests


def measure(tests, copy, count, jobs):
    """One run of each test, with nothing switched on: how long it takes, and which of `count` mutants it reaches."""
    def one(test):
        with tempfile.NamedTemporaryFile(prefix="reached") as file:
            file.write(bytes(max(count, 1)))
            file.flush()
            begin = time.monotonic()
            code = run(test.command, copy, 300, TROUPE_MUTANTS_REACHED=file.name)
            test.seconds = time.monotonic() - begin
            with open(file.name, "rb") as f:
                test.reached = frozenset(i for i, byte in enumerate(f.read()) if byte)
            return code

    with ThreadPoolExecutor(jobs) as threads:
        codes = list(threads.map(one, tests))
    return [test.name for test, code in zip(tests, codes) if code != 0]


def judge(mutant, tests, copy):
    """The test that notices, "" when none does, None when none reaches it."""
    near = [t for t in tests if mutant.number in t.reached]
    # The quickest, and those that reach little else.
    for test in sorted(near, key=lambda t: (t.seconds + 0.05) * (len(t.reached) + 20)):
        code = run(test.command, copy, test.limit(), TROUPE_MUTANT=str(mutant.number))
        if code != 0:
            return test.name + ("" if code is not None else " (does not end)")
    return "" if near else None
