"""Runs programs and keeps what they print: python3 record.py [name ...] with a Python that has TensorFlow, and tf_keras for cells and layers, writes
recorded/<name>.json."""

import contextlib
import io
import json
import os
import pathlib
import runpy
import sys

FOLDER = pathlib.Path(__file__).parent
NAMES = sorted(p.stem for p in FOLDER.glob("*.py") if p.stem not in ("program", "record"))


# TensorFlow has no cells and layers of its own any more.
os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")


def run(name, module):
    """What a program shows with `tf` of this module: [[name, value], ...]. It has a default graph of its own."""
    os.environ["TF_MODULE"] = module
    if str(FOLDER) not in sys.path:
        sys.path.insert(0, str(FOLDER))
    from program import tf

    printed = io.StringIO()
    tf.reset_default_graph()
    with contextlib.redirect_stdout(printed):
        runpy.run_path(str(FOLDER / f"{name}.py"))
    return [json.loads(line) for line in printed.getvalue().splitlines()]


def main(names):
    for name in names or NAMES:
        shown = run(name, "tensorflow.compat.v1")
        text = ",\n".join(json.dumps(_short(s)) for s in shown)
        (FOLDER / "recorded" / f"{name}.json").write_text(f"[\n{text}\n]\n")


def _short(value):
    """Numbers with eight digits."""
    if isinstance(value, list):
        return [_short(v) for v in value]
    if isinstance(value, dict):
        return {key: _short(v) for key, v in value.items()}
    return float(f"{value:.8g}") if isinstance(value, float) else value


if __name__ == "__main__":
    main(sys.argv[1:])
