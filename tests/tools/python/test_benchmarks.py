"""tf.test.Benchmark, and names of methods in saved models."""

import json
import subprocess
import sys

import pytest
import troupe as tf
from troupe import benchmark

# What TensorFlow wrote for the same.
WRITTEN = (b'\n>\n\x05C.q/x\x10\x05!\x00\x00\x00\x00\x00\x00\x00@2\x08\n\x01w\x12\x03\x12\x01t2\x0e\n\x01z\x12\t\t\x00\x00\x00\x00\x00\x00\x00\x00:'
           b'\x10\n\x01m\x1a\x00"\t\t\x00\x00\x00\x00\x00\x00\x00@')
SHOWN = """entry {
  name: "C.x"
  wall_time: 2
  extras {
    key: "z"
    value {
      double_value: 0
    }
  }
  metrics {
    name: "m"
    min_value {
    }
    max_value {
      value: 2
    }
  }
}

"""


class C(tf.test.Benchmark):
    def report(self, **kwargs):
        self.report_benchmark(**kwargs)

    def benchmark_a_sum(self, **kwargs):
        with tf.Graph().as_default(), tf.Session() as session:
            x = tf.placeholder(tf.float32, [])
            return self.run_op_benchmark(session, tf.reduce_sum(tf.fill([1000], x)), {x: 2.0}, **kwargs)


@pytest.fixture(autouse=True)
def no_files(monkeypatch):
    monkeypatch.delenv("TEST_REPORT_FILE_PREFIX", raising=False)


def test_a_report_is_shown_as_text(capsys):
    C().report(iters=0, wall_time=2, name="x", extras={"z": 0}, metrics=[{"name": "m", "value": 0, "min_value": 0.0, "max_value": 2}])
    assert capsys.readouterr().out == SHOWN


def test_a_report_is_named_after_the_outermost_method(capsys):
    C().report(cpu_time=1e-7, wall_time=1e22, extras={"b": 'c"\n'})
    assert capsys.readouterr().out == ('entry {\n  name: "C.report"\n  cpu_time: 1e-07\n  wall_time: 1e+22\n  extras {\n    key: "b"\n    value {\n'
                                       '      string_value: "c\\"\\n"\n    }\n  }\n}\n\n')


def test_a_report_goes_to_a_file_of_its_own(monkeypatch, tmp_path):
    monkeypatch.setenv("TEST_REPORT_FILE_PREFIX", str(tmp_path / "r_"))
    C().report(iters=5, wall_time=2, name="q/x", extras={"w": "t", "z": 0}, metrics=[{"name": "m", "value": 0, "min_value": 0.0, "max_value": 2}])
    assert (tmp_path / "r_C.q__x").read_bytes() == WRITTEN
    with pytest.raises(OSError, match="File already exists"):
        C().report(name="q/x")


@pytest.mark.parametrize("given,message", [
    ({"extras": []}, "extras must be a dict"), ({"metrics": ()}, "metrics must be a list"),
    ({"metrics": [{"value": 1}]}, "metric must has a 'name' field"), ({"metrics": [{"name": "a"}]}, "metric must has a 'value' field")])
def test_a_report_of_other_things_is_refused(given, message):
    with pytest.raises(TypeError, match=message):
        C().report(**given)


def test_a_step_is_measured(capsys):
    found = C().benchmark_a_sum(burn_iters=1, min_iters=4, extras={"a": 1}, mbs=8, store_trace=True)
    assert found["iters"] == 4 and found["wall_time"] > 0 and found["throughput"] == 8 / found["wall_time"]
    extras = found["extras"]
    assert extras["a"] == 1 and extras["wall_time_mean"] > 0 and extras["wall_time_stdev"] >= 0
    assert extras["allocator_maximum_num_bytes_cpu"] >= 4000
    assert json.loads(extras["full_trace_chrome_format"])["traceEvents"]
    shown = capsys.readouterr().out
    assert 'name: "C.benchmark_a_sum"' in shown and "allocator_maximum" in shown and "wall_time_mean" not in shown and "traceEvents" not in shown


def test_measurements_are_chosen_by_an_expression(capsys):
    benchmark.run_benchmarks("C.benchmark_a_s")
    assert capsys.readouterr().out.count("C.benchmark_a_sum") == 1
    with pytest.raises(ValueError, match="No benchmarks matched the pattern: 'nothing'"):
        benchmark.run_benchmarks("nothing")


def test_a_program_runs_its_measurements(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("import troupe as tf\nclass B(tf.test.Benchmark):\n  def benchmark_it(self): self.report_benchmark(iters=7)\n"
                       "class T(tf.test.TestCase):\n  def test_it(self): print('tested')\ntf.test.main()\n")
    shown = subprocess.run([sys.executable, str(program), "--benchmark_filter=benchmark_it"], capture_output=True, text=True, check=True)
    assert "iters: 7" in shown.stdout and "tested" not in shown.stdout
    assert "tested" in subprocess.run([sys.executable, str(program)], capture_output=True, text=True, check=True).stdout


def _model(folder, as_text=False):
    builder = tf.saved_model.builder.SavedModelBuilder(str(folder))
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [])
        signature = tf.saved_model.signature_def_utils.predict_signature_def({"x": x}, {"y": x + 1})
        builder.add_meta_graph_and_variables(session, ["serve"], {"a": signature, "b": signature})
        builder.add_meta_graph(["train", "gpu"], {"a": signature})
    builder.save(as_text=as_text)


def _methods(folder):
    from troupe.saved_model_files import read_saved_model

    return [{key: g.signature_def[key].method_name for key in g.signature_def} for g in read_saved_model(str(folder)).meta_graphs]


Updater = tf.saved_model.signature_def_utils.MethodNameUpdater
PREDICT = tf.saved_model.signature_constants.PREDICT_METHOD_NAME


@pytest.mark.parametrize("as_text", [False, True])
def test_methods_of_saved_models_are_renamed(tmp_path, as_text):
    _model(tmp_path / "m", as_text)
    updater = Updater(str(tmp_path / "m"))
    updater.replace_method_name("a", "first")
    updater.replace_method_name("b", "second", "serve")
    updater.replace_method_name("a", "third", ["gpu", "train"])
    (tmp_path / "n").mkdir()
    updater.save(str(tmp_path / "n"))
    assert _methods(tmp_path / "n") == [{"a": "first", "b": "second"}, {"a": "third"}]
    assert [f.name for f in (tmp_path / "n").iterdir()] == ["saved_model.pbtxt" if as_text else "saved_model.pb"]
    assert _methods(tmp_path / "m") == [{"a": PREDICT, "b": PREDICT}, {"a": PREDICT}]
    updater.save()
    assert _methods(tmp_path / "m") == _methods(tmp_path / "n")


def test_methods_that_cannot_be_renamed(tmp_path):
    with pytest.raises(OSError, match="SavedModel file does not exist at"):
        Updater(str(tmp_path))
    _model(tmp_path / "m")
    updater = Updater(str(tmp_path / "m"))
    for args, message in ((("", "m"), "`signature_key` must be defined"), (("a", ""), "`method_name` must be defined"),
                          (("c", "m"), "does not have a signature_def with key: 'c'"), (("b", "m"), "does not have a signature_def with key: 'b'"),
                          (("a", "m", ["train"]), "could not be found in SavedModel")):
        with pytest.raises(ValueError, match=message):
            updater.replace_method_name(*args)
