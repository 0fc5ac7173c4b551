"""tools/bench/models/models.py over two small models of its own, with Troupe alone: TROUPE_LIBRARY says where it is, TROUPE_PROGRAM where the command line."""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

from model_graphs import FLOAT, SCRIPTS, attr, field, node, shape, tensor

from engines import Unavailable, python_for

LIBRARY, PROGRAM = os.environ.get("TROUPE_LIBRARY"), os.environ.get("TROUPE_PROGRAM")
try:
    PYTHON = python_for(None)
except Unavailable:
    PYTHON = None
ROWS = ("w_infer_b3\tw.pb\tinit\tx|float32|[3,2]\ty:0\t-\t1\t0\t-", "w_train_b3\tw.pb\tinit\tx|float32|[3,2]\ty:0\ttrain\t1\t1\t-",
        "gone_infer_b1\tgone.pb\t-\t-\ty:0\t-\t1\t0\t-", "first_train_b1\tw.pb\tinit\t-\t-\ttrain\t1\t0\tFIRST: left out", "other\tw.pb\t-\t-\t-\tinit\t1\t0\t-")


def graph():
    """y = x w; init sets the variable w to ones, train adds ones to it."""
    dtype = attr("dtype", 6, FLOAT)
    ones = tensor(FLOAT, [2, 2], struct.pack("<f", 1))
    return (node("x", "Placeholder", attrs=dtype) + node("ones", "Const", attrs=dtype + attr("value", 8, ones))
            + node("w", "VarHandleOp", attrs=dtype + attr("shape", 7, shape([2, 2])) + attr("shared_name", 2, "w"))
            + node("init", "AssignVariableOp", "w", "ones", attrs=dtype) + node("train", "AssignAddVariableOp", "w", "ones", attrs=dtype)
            + node("read", "ReadVariableOp", "w", attrs=dtype) + node("y", "MatMul", "x", "read", attrs=attr("T", 6, FLOAT)) + field(4, field(1, 440)))


@unittest.skipUnless(PYTHON, "no Python here has numpy")
@unittest.skipUnless(LIBRARY, "TROUPE_LIBRARY does not say where libtroupe_c.so is")
class RunsTest(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = pathlib.Path(held.name)
        (self.folder / "w.pb").write_bytes(graph())
        (self.folder / "workloads.tsv").write_text("#name\n" + "\n".join(ROWS) + "\n")

    def run_models(self, *arguments, command=(sys.executable, str(SCRIPTS / "models.py"))):
        """With a Python that has numpy and no TensorFlow: the folder of it is no library."""
        return subprocess.run([*command, str(self.folder), "--python", PYTHON, "--tensorflow", "/nonexistent/lib.so", "--seconds", "0.01", *arguments],
                              capture_output=True, text=True, timeout=300)

    def test_times_memory_and_roofline_of_what_runs(self):
        figures, picture = self.folder / "o.json", self.folder / "o.svg"
        said = self.run_models("--library", LIBRARY, "--rounds", "2", "--only", "w_.*|first_.*", "--json", str(figures), "--plot", str(picture))
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn("models.py: TensorFlow is left out: there is no /nonexistent/lib.so\n", said.stderr)
        self.assertRegex(said.stdout, r"\| `w_train_b3` \|.* (ns|us|ms), \+\d+% \|")
        self.assertRegex(said.stdout, r"\| MatMul \[3,2\] \[2,2\] \| 1 \|")
        read = json.loads(figures.read_text())
        self.assertEqual([row["name"] for row in read["rows"]], ["w_infer_b3", "w_train_b3"])
        for row in read["rows"]:
            ours = row["engines"]["Troupe"]
            self.assertEqual(ours["median_ns"], min(ours["rounds_ns"]))
            self.assertEqual(len(ours["rounds_ns"]), 2)
            self.assertGreater(ours["peak_kib"], 1000)
            [product] = [kernel for kernel in row["roofline"]["kernels"] if kernel["op"] == "MatMul"]
            self.assertEqual((product["flops"], product["bytes"]), (2 * 3 * 2 * 2, 4 * (6 + 4 + 6)))
            self.assertGreater(product["ns"], 0)
            self.assertGreater(row["roofline"]["peaks"]["gflops"], 0)
        updates = [kernel["bytes"] for kernel in read["rows"][1]["roofline"]["kernels"] if kernel["op"] == "AssignAddVariableOp"]
        self.assertEqual(updates, [3 * 16], "the variable is read and written, and ones are read")
        if picture.is_file():
            xml.etree.ElementTree.parse(picture)
        else:
            self.assertIn("models.py: no plot", said.stderr)

    def test_a_workload_that_cannot_run_is_told_and_shown_as_nothing(self):
        said = self.run_models("--library", LIBRARY, "--rounds", "2", "--only", "gone_.*", "--kernels", "0")
        self.assertEqual(said.returncode, 1)
        self.assertRegex(said.stdout, r"\| `gone_infer_b1` \|.* - \|")
        self.assertEqual(said.stderr.count("models.py: gone_infer_b1: Troupe: FileNotFoundError"), 1)

    @unittest.skipUnless(PROGRAM, "TROUPE_PROGRAM does not say where troupe is")
    def test_the_command_line_starts_it(self):
        said = self.run_models("--rounds", "1", "--only", "w_infer_b3", "--kernels", "0", command=(PROGRAM, "bench", "--models"))
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertRegex(said.stdout, r"\| `w_infer_b3` \|.* (ns|us|ms), \+0% \|")


if __name__ == "__main__":
    unittest.main()
