"""What tools/bench/models/models.py computes and prints, without an engine: the wire format, shapes of a step's tensors, rooflines, ratios, the picture."""
import contextlib
import io
import re
import unittest
import xml.etree.ElementTree

from model_graphs import FLOAT, RESOURCE, attr, execution, metadata, node, shape, tensor

import bars_svg
import models
import roofline
import step_stats
import wire
import workload_rows
from step_stats import KernelRun, Tensor


def floats(*dims):
    return Tensor(FLOAT, dims)


def ran(op, inputs, *outputs, data_format="NHWC", nanoseconds=100):
    return KernelRun("n", op, nanoseconds, tuple(inputs), outputs, data_format)


class WireTest(unittest.TestCase):
    def test_what_is_written_is_read(self):
        data = wire.field(1, 300) + wire.field(2, "text") + wire.field(1, -1) + wire.field(200, b"")
        read = [(number, value if isinstance(value, int) else wire.text(value)) for number, value in wire.fields(data)]
        self.assertEqual(read, [(1, 300), (2, "text"), (1, 2**64 - 1), (200, "")])
        self.assertEqual(wire.signed(2**64 - 1), -1)

    def test_fixed_numbers_are_passed_over(self):
        data = bytes([1 << 3 | 5, 1, 2, 3, 4, 2 << 3 | 1]) + bytes(8) + wire.field(3, 7)
        self.assertEqual([(n, v if isinstance(v, int) else len(v)) for n, v in wire.fields(data)], [(1, 4), (2, 8), (3, 7)])

    def test_what_is_no_message_is_refused(self):
        for data in [b"\x80", b"\x0a\x05abc", b"\x0b", b"\x08", b"\x09abc"]:
            with self.assertRaises(ValueError, msg=data):
                list(wire.fields(data))


class StepTest(unittest.TestCase):
    def test_inputs_are_what_producers_made(self):
        [_, _, product] = step_stats.kernel_runs(metadata([
            execution("x", "x = _Arg()", 1, (0, tensor(FLOAT, [3, 2]))),
            execution("s", "s = Split(x)", 1, (0, tensor(FLOAT, [9])), (1, tensor(FLOAT, [2, 4]))),
            execution("y", "[cpu 0.4MB 0.4MB] y = MatMul(x, s:1, ^c)", 70, (0, tensor(FLOAT, [3, 4])), begin=5)]))
        self.assertEqual(product, KernelRun("y", "MatMul", 70, (floats(3, 2), floats(2, 4)), (floats(3, 4),), "NHWC"))

    def test_constants_and_variables_come_from_the_graph(self):
        graph = node("c", "Const", attrs=attr("value", 8, tensor(FLOAT, [5])) + attr("dtype", 6, FLOAT))
        graph += node("v", "VarHandleOp", attrs=attr("dtype", 6, FLOAT) + attr("shape", 7, shape([5])))
        graph += node("u", "ResourceApplyGradientDescent", "v", "r", "c", attrs=attr("data_format", 2, "NCHW"))
        [_, update] = step_stats.kernel_runs(metadata([execution("v", "v = VarHandleOp()", 1, (0, tensor(RESOURCE, []))),
                                                       execution("u", "u = ResourceApplyGradientDescent(v, unknown, c)", 2)], graph))
        self.assertEqual(update.inputs, (floats(5), None, floats(5)))
        self.assertEqual(update.data_format, "NCHW")

    def test_a_loop_reads_what_was_made_last(self):
        runs = step_stats.kernel_runs(metadata([
            execution("a", "a = Concat(a)", 1, (0, tensor(FLOAT, [1]))), execution("b", "b = Neg(a)", 1, (0, tensor(FLOAT, [1]))),
            execution("a", "a = Concat(a)", 1, (0, tensor(FLOAT, [2]))), execution("b", "b = Neg(a)", 1, (0, tensor(FLOAT, [2])))]))
        self.assertEqual([run.inputs for run in runs], [(None,), (floats(1),), (floats(1),), (floats(2),)])

    def test_a_shape_that_is_not_known_is_no_value(self):
        graph = node("v", "VarHandleOp", attrs=attr("dtype", 6, FLOAT) + attr("shape", 7, shape([-1, 5])))
        [run] = step_stats.kernel_runs(metadata([execution("r", "r = ReadVariableOp(v)", 1)], graph))
        self.assertEqual(run.inputs, (None,))


class RooflineTest(unittest.TestCase):
    def test_operations_of_products(self):
        for a, b in [((3, 5), (5, 4)), ((5, 3), (5, 4)), ((3, 5), (4, 5))]:
            self.assertEqual(roofline.flops(ran("MatMul", [floats(*a), floats(*b)], floats(3, 4))), 2 * 3 * 4 * 5)
        self.assertEqual(roofline.flops(ran("BatchMatMulV2", [floats(7, 3, 5), floats(1, 5, 4)], floats(7, 3, 4))), 7 * 2 * 3 * 4 * 5)
        self.assertEqual(roofline.flops(ran("MatMul", [floats(0, 5), floats(5, 4)], floats(0, 4))), 0)

    def test_operations_of_convolutions(self):
        image, filters, made = floats(2, 8, 8, 3), floats(5, 5, 3, 16), floats(2, 4, 4, 16)
        expected = 2 * (2 * 4 * 4 * 16) * (5 * 5 * 3)
        self.assertEqual(roofline.flops(ran("_FusedConv2D", [image, filters, floats(16)], made)), expected)
        self.assertEqual(roofline.flops(ran("Conv2D", [floats(2, 3, 8, 8), filters], floats(2, 16, 4, 4), data_format="NCHW")), expected)
        self.assertEqual(roofline.flops(ran("Conv2DBackpropInput", [floats(4), filters, made], image)), expected)
        self.assertEqual(roofline.flops(ran("Conv2DBackpropFilter", [image, floats(4), made], filters)), expected)
        depthwise = ran("DepthwiseConv2dNative", [image, floats(5, 5, 3, 2)], floats(2, 4, 4, 6))
        self.assertEqual(roofline.flops(depthwise), 2 * (2 * 4 * 4 * 6) * (5 * 5))

    def test_operations_are_not_guessed(self):
        self.assertIsNone(roofline.flops(ran("Tanh", [floats(3)], floats(3))))
        self.assertIsNone(roofline.flops(ran("Conv2D", [floats(2, 8, 8, 3), None], floats(2, 4, 4, 16))))

    def test_bytes_are_inputs_and_outputs(self):
        self.assertEqual(roofline.moved_bytes(ran("AddV2", [floats(10), floats()], floats(10))), 40 + 4 + 40)
        self.assertEqual(roofline.moved_bytes(ran("Cast", [floats(10)], Tensor(2, (10,)))), 40 + 80)
        self.assertEqual(roofline.moved_bytes(ran("Gather", [floats(1000, 5), Tensor(3, (2,))], floats(2, 5))), 40 + 8 + 40)
        variable = floats(10)
        update = [variable, variable, floats(), variable]
        self.assertEqual(roofline.moved_bytes(ran("ResourceApplyMomentum", update[:2] + [floats(), variable, floats()])), 3 * 40 + 8 + 2 * 40)
        self.assertIsNone(roofline.moved_bytes(ran("Reshape", [floats(10)], floats(5, 2))))

    def test_kernels_of_the_same_shapes_are_one_and_take_the_median_of_the_steps(self):
        def step(first, second):
            x = execution("x", "x = _Arg()", 1, (0, tensor(FLOAT, [2, 2])))
            return metadata([x, execution("a", "a = MatMul(x, x)", first, (0, tensor(FLOAT, [2, 2]))),
                             execution("b", "b = MatMul(a, x)", second, (0, tensor(FLOAT, [2, 2])))])

        [product, fed] = roofline.kernels([step(10, 20), step(500, 20), step(10, 40)])
        self.assertEqual((product.nodes, product.runs, product.nanoseconds, product.flops, product.bytes), (("a", "b"), 2, 50, 32, 96))
        self.assertIsNone(fed.bytes)

    def test_the_larger_bound_counts(self):
        peaks = roofline.Peaks(gflops=10, gbytes=2)
        product = roofline.Kernel("MatMul", (), (), (), 1, 200.0, 1000, 20)
        mover = roofline.Kernel("Tanh", (), (), (), 1, 100.0, None, 20)
        cached = roofline.Kernel("Tanh", (), (), (), 1, 100.0, None, 400)
        view = roofline.Kernel("Reshape", (), (), (), 1, 900.0, None, None)
        self.assertEqual(roofline.bound_nanoseconds(product, peaks), (100, "compute"))
        self.assertEqual(roofline.bound_nanoseconds(mover, peaks), (10, "memory"))
        self.assertAlmostEqual(roofline.fraction([product, mover, view], peaks), 110 / 300)
        self.assertAlmostEqual(roofline.fraction([mover, cached], peaks), 110 / 200)
        self.assertIsNone(roofline.fraction([view], peaks))
        lines = roofline.table("row", [product, mover, view], peaks, 2, models.text)
        self.assertEqual(lines[-3], "| MatMul | 1 | 16.7% | 200 ns | 5 | 0.1 | 0.50 | compute |")
        self.assertEqual(lines[-2], "| Tanh | 1 | 8.3% | 100 ns | - | 0.2 | 0.10 | memory |")
        self.assertEqual(lines[-1], "| all | 3 | 100 % | | | | 0.37 | |")


class TableTest(unittest.TestCase):
    NAMES = ["TensorFlow", "ONNX Runtime", "Troupe"]

    def test_the_best_of_the_medians_counts(self):
        best = models.best_of([{"median_ns": 200, "peak_kib": 7}, {"median_ns": 100, "peak_kib": 5}, {"median_ns": 300, "peak_kib": 9}])
        self.assertEqual((best["median_ns"], best["rounds_ns"], best["spread"], best["peak_kib"]), (100, [200, 100, 300], 2, 9))
        self.assertIsNone(models.best_of([]))

    def test_a_line_has_times_ratios_and_memory(self):
        results = {"TensorFlow": {"median_ns": 3e6, "spread": 0.1, "peak_kib": 409600}, "ONNX Runtime": None,
                   "Troupe": {"median_ns": 2e6, "spread": 0.0, "peak_kib": 102400}}
        line = models.line_of("row", results, self.NAMES)
        self.assertEqual(line, "| `row` | 3 ms, +10% | - | 2 ms, +0% | 1.5 | - | 400 | - | 100 |")
        [header, rule] = models.header(self.NAMES)
        self.assertEqual({text.count("|") for text in (header, rule, line)}, {10})

    def test_nothing_is_compared_with_what_did_not_run(self):
        self.assertEqual(models.ratios_of({"TensorFlow": {"median_ns": 3}, "Troupe": None}, ["TensorFlow", "Troupe"]), {"TensorFlow": None})

    def test_means_are_geometric(self):
        rows = [{"ratios": {"TensorFlow": 2.0}}, {"ratios": {"TensorFlow": 8.0}}, {"ratios": {"TensorFlow": None}}]
        self.assertEqual(models.last_line(rows, ["TensorFlow", "Troupe"]), "| geometric mean |  |  | 4 |  |  |")
        self.assertIsNone(models.geometric_mean([None]))

    def test_bad_options_are_told_on_one_line(self):
        for arguments, why in [([], "FOLDER"), (["f", "--rounds", "0"], "--rounds"), (["f", "--only", "("], "--only"), (["f", "--colour"], "--colour")]:
            said = io.StringIO()
            with contextlib.redirect_stderr(said), self.assertRaises(SystemExit):
                models.parse(arguments)
            self.assertRegex(said.getvalue(), rf"^models\.py: .*{re.escape(why)}.*\n$")

    def test_a_folder_without_workloads_is_told_on_one_line(self):
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            self.assertEqual(models.main(["/nonexistent"]), 1)
        self.assertEqual(said.getvalue(), "models.py: /nonexistent/workloads.tsv: No such file or directory\n")


class RowsTest(unittest.TestCase):
    def test_a_row_is_read(self):
        row = workload_rows.parse("m_train_b2\tm.pb\tinit\tx|float32|[2,3];n|int32|[]|7\tloss:0\ttrain\t10\t1\tFIRST: of all")
        self.assertEqual((row.init, row.fetches, row.targets, row.units, row.raw, row.first_run), ("init", ("loss:0",), ("train",), 10, True, True))
        self.assertEqual(row.feeds, (workload_rows.Feed("x", "float32", (2, 3), None), workload_rows.Feed("n", "int32", (), 7.0)))
        bare = workload_rows.parse("m\tm.pb\t-\t-\t-\tgo\t1\t0\t-")
        self.assertEqual((bare.init, bare.feeds, bare.fetches, bare.raw, bare.first_run), (None, (), (), False, False))

    def test_a_bad_row_is_refused(self):
        for line in ["m\tm.pb", "m\tm.pb\t-\tx|float32\ty\t-\t1\t0\t-", "m\tm.pb\t-\t-\ty\t-\tmany\t0\t-", "m\tm.pb\t-\t-\ty\t-\t0\t0\t-"]:
            with self.assertRaises(ValueError, msg=line):
                workload_rows.parse(line)


class PictureTest(unittest.TestCase):
    def test_bars_go_right_of_one_where_the_other_takes_longer(self):
        text = bars_svg.draw("title & more", "label", ["A", "B"], [("fast", [4.0, None]), ("slow", [0.5, 1.0])])
        picture = xml.etree.ElementTree.fromstring(text)
        space = "{http://www.w3.org/2000/svg}"
        [one] = [float(re.match(r"M([\d.]+)", p.get("d")).group(1)) for p in picture.iter(space + "path") if p.get("class") == "one"]
        bars = [(float(r.get("x")), float(r.get("width"))) for r in picture.iter(space + "rect") if r.get("height") == "12" and r.get("width") != "12"]
        self.assertEqual(len(bars), 3)
        self.assertAlmostEqual(bars[0][0], one, delta=0.01)
        self.assertAlmostEqual(bars[1][0] + bars[1][1], one, delta=0.01)
        self.assertAlmostEqual(bars[0][1], 2 * bars[1][1], delta=0.01)
        anchors = {t.text: t.get("text-anchor") for t in picture.iter(space + "text")}
        self.assertEqual([anchors[number] for number in ("4.00", "0.50", "1.00")], ["start", "end", "start"])
        self.assertTrue({"title & more", "label", "A", "B", "fast", "slow", "4.00", "0.50", "1.00", "1/2"} <= anchors.keys())

    def test_the_axis_holds_all_values(self):
        for values in [[], [1.0], [0.3, 70.0]]:
            low, high = bars_svg.axis(values)
            self.assertLess(low, high)
            self.assertTrue(all(2**low < value < 2**high for value in values + [1.0]))


if __name__ == "__main__":
    unittest.main()
