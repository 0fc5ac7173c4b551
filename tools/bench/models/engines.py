"""The engines that models.py compares: where each is, and a run of a workload in a process of its own."""
import json
import os
import pathlib
import subprocess
import sys

_HERE = pathlib.Path(__file__).resolve().parent
_TENSORFLOW_LIBRARY = "libtensorflow_cc.so.2"
# What a child may take longer than it was told to measure.
_PATIENCE_SECONDS = 900


class Unavailable(Exception):
    """Why an engine, or a row of it, is not there: one line."""


def has_modules(python, *modules):
    """Whether a Python is there and finds them; it imports none."""
    code = f"import importlib.util, sys; sys.exit(not all(map(importlib.util.find_spec, {modules!r})))"
    try:
        return subprocess.run([python, "-c", code], capture_output=True, timeout=60).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def python_for(wish):
    """The Python for the children: the one that is wished for, else this one or the system's, whichever has numpy."""
    for python in [wish] if wish else [sys.executable, "python3", "/usr/bin/python3"]:
        if has_modules(python, "numpy"):
            return python
    raise Unavailable(f"{wish} is no Python with numpy" if wish else "no Python here has numpy: name one with --python")


def tensorflow_library(where):
    """The library with the C API, of a Python's TensorFlow or as it is given."""
    if ".so" in pathlib.Path(where).name:
        if not pathlib.Path(where).is_file():
            raise Unavailable(f"there is no {where}")
        return where
    code = "import importlib.util; print(importlib.util.find_spec('tensorflow').submodule_search_locations[0])"
    if not has_modules(where, "tensorflow"):
        raise Unavailable(f"{where} has no TensorFlow")
    folder = subprocess.run([where, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    library = pathlib.Path(folder) / _TENSORFLOW_LIBRARY
    if not library.is_file():
        raise Unavailable(f"the TensorFlow of {where} has no {_TENSORFLOW_LIBRARY}")
    return str(library)


def _child(python, script, arguments, seconds, folder=None):
    """The JSON that a child ends with; Unavailable with its error. folder: where the loader looks first."""
    environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", PYTHONDONTWRITEBYTECODE="1")
    if folder:
        environment["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, [str(folder), os.environ.get("LD_LIBRARY_PATH")]))
    try:
        child = subprocess.run([python, str(_HERE / script), *map(str, arguments)], capture_output=True, text=True, errors="replace",
                               env=environment, timeout=seconds + _PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        raise Unavailable(f"no answer in {seconds + _PATIENCE_SECONDS:.0f} seconds") from None
    try:
        result = json.loads(child.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        said = child.stderr.strip().splitlines()
        raise Unavailable(f"its process ended with {child.returncode}" + (f": {said[-1]}" if said else "")) from None
    if "error" in result:
        raise Unavailable(result["error"])
    return result


class CApiEngine:
    """Troupe or TensorFlow: a library with the C API."""

    def __init__(self, name, library, python, options):
        self.name, self._library, self._python, self._options = name, library, python, options
        self._folder = pathlib.Path(library).resolve().parent if "/" in library else None
        if self._folder:
            self._library = str(pathlib.Path(library).absolute())

    def _run(self, row, *more):
        o = self._options
        arguments = [o.folder, row.name, self._library, "--seconds", o.seconds, "--threads", o.threads, *more]
        return _child(self._python, "c_api_engine.py", arguments, o.seconds, self._folder)

    def measure(self, row):
        return self._run(row)

    def trace(self, row, folder):
        """RunMetadata of some steps, and the machine's peaks."""
        peaks = self._run(row, "--traces", folder)
        return [path.read_bytes() for path in sorted(pathlib.Path(folder).glob("*.pb"))], peaks


class OnnxEngine:
    """ONNX Runtime. What a workload's graph becomes is kept in a folder, since several workloads may have the same."""

    def __init__(self, python, scratch, options):
        self.name, self._python, self._scratch, self._options = "ONNX Runtime", python, scratch, options
        self._models = {}
        missing = [module for module in ("onnxruntime", "tf2onnx", "tensorflow") if not has_modules(python, module)]
        if missing:
            raise Unavailable(f"{python} has no {', no '.join(missing)}")

    def _model(self, row):
        key = (row.graph, row.init, row.fetches, row.targets, tuple(feed.name for feed in row.feeds))
        if key not in self._models:
            path = self._scratch / f"{len(self._models)}.onnx"
            try:
                _child(self._python, "onnx_engine.py", ["convert", self._options.folder, row.name, path], 0)
                self._models[key] = path
            except Unavailable as why:
                self._models[key] = why
        if isinstance(self._models[key], Unavailable):
            raise self._models[key]
        return self._models[key]

    def measure(self, row):
        o = self._options
        return _child(self._python, "onnx_engine.py", ["time", o.folder, row.name, self._model(row), "--seconds", o.seconds, "--threads", o.threads],
                      o.seconds)
