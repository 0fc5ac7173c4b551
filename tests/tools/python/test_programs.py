"""Programs as tutorials of TensorFlow 1 have them: what they show is what TensorFlow 2.21 showed (programs/record.py)."""

import json
import pathlib
import sys

import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent / "programs"))
from record import FOLDER, NAMES, run  # noqa: E402


def assert_like(value, wanted, where):
    if isinstance(wanted, dict):
        assert isinstance(value, dict) and sorted(value) == sorted(wanted), where
        for key in wanted:
            assert_like(value[key], wanted[key], f"{where}[{key!r}]")
    elif isinstance(wanted, list):
        assert isinstance(value, list) and len(value) == len(wanted), f"{where}: {value} is not {wanted}"
        for i, (v, w) in enumerate(zip(value, wanted)):
            assert_like(v, w, f"{where}[{i}]")
    elif isinstance(wanted, float):
        assert np.ndim(value) == 0, where
        np.testing.assert_allclose(value, wanted, rtol=1e-4, atol=1e-5, err_msg=where)
    else:
        assert value == wanted and type(value) is type(wanted), f"{where}: {value!r} is not {wanted!r}"


@pytest.mark.parametrize("name", NAMES)
def test_a_program_shows_what_it_shows_with_tensorflow(name):
    wanted = json.loads((FOLDER / "recorded" / f"{name}.json").read_text())
    shown = run(name, "troupe")
    assert len(shown) > 2 and [n for n, _ in shown] == [n for n, _ in wanted]
    for i, ((what, value), (_, expected)) in enumerate(zip(shown, wanted)):
        assert_like(value, expected, f"{name} {i} {what}")
