"""The wheel: what pip makes of the package works in an environment that has NumPy and nothing else."""

import os
import pathlib
import re
import subprocess
import sys
import zipfile

import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[3]
# Without what the tests set for the package as it is built.
BARE = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}

PROGRAM = """
import troupe as tf
from troupe import raw_ops

with tf.Session() as session:
    x = tf.placeholder(tf.float32, [None, 8, 8, 1])
    y = tf.nn.conv2d(x, tf.ones([3, 3, 1, 1]), 1, "SAME")
    print(session.run(y, {x: [[[[1.0]] * 8] * 8]}).sum())
    old = tf.constant("日本語".encode("shift_jis"))
    print(session.run(raw_ops.UnicodeTranscode(input=old, input_encoding="Shift_JIS", output_encoding="UTF-8", errors="strict")).decode())
for line in open("/proc/self/maps"):
    if ".so" in line:
        print(line.split()[-1])
"""


def _run(*command, **more):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True, env=BARE, cwd="/", **more).stdout


def _needs(module):
    if subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True).returncode:
        pytest.skip(f"this Python has no {module}")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    _needs("pip")
    if "TROUPE_BUILD" not in os.environ:
        pytest.skip("TROUPE_BUILD does not say which build to make a wheel of")
    folder = tmp_path_factory.mktemp("wheel")
    _run(sys.executable, "-m", "pip", "wheel", "--no-index", "--no-deps", "--wheel-dir", folder, SOURCE / "tools/python",
         "--config-settings", f"build-dir={os.environ['TROUPE_BUILD']}")
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def environment(wheel, tmp_path_factory):
    """The site-packages of an environment that has the wheel, and NumPy from where this Python has it."""
    _needs("ensurepip")
    import numpy

    folder = tmp_path_factory.mktemp("environment")
    _run(sys.executable, "-m", "venv", folder)
    _run(folder / "bin/python", "-m", "pip", "install", "--no-index", "--no-deps", wheel)
    (packages,) = folder.glob("lib/python*/site-packages")
    installed = pathlib.Path(numpy.__file__).parents[1]
    for name in ("numpy", "numpy.libs"):
        if (installed / name).exists():
            (packages / name).symlink_to(installed / name)
    return folder, packages


def test_it_is_for_this_python_and_small(wheel):
    version = f"cp{sys.version_info.major}{sys.version_info.minor}"
    assert re.fullmatch(rf"troupe-[0-9.]+-{version}-{version}-manylinux_\d+_\d+_\w+\.whl", wheel.name)
    assert wheel.stat().st_size < 40e6


def test_it_says_what_it_needs_and_whose_libraries_it_takes_along(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = (archive.read(n).decode() for n in names if n.endswith(".dist-info/METADATA"))
    assert "\nRequires-Dist: numpy\n" in metadata
    assert any(n.endswith(".dist-info/licenses/LICENSE") for n in names)
    assert any(re.search(r"\.dist-info/licenses/libprotobuf\d+/copyright$", n) for n in names)


def test_it_runs_with_its_own_libraries(environment):
    folder, packages = environment
    total, text, *loaded = _run(folder / "bin/python", "-c", PROGRAM).splitlines()
    assert total == "484.0"
    assert text == "日本語"
    assert {p.name for p in (packages / "troupe.libs").iterdir()} <= {pathlib.Path(p).name for p in loaded}


def test_of_the_machine_it_takes_what_each_has(environment):
    _, packages = environment
    (module,) = (packages / "troupe").glob("_native.*.so")
    found = dict(re.findall(r"^\s*(\S+) => (.+) \(0x", _run("ldd", module), re.MULTILINE))
    assert any(name.startswith("libprotobuf-") for name in found)
    others = {name.partition(".so")[0] for name, path in found.items() if packages not in pathlib.Path(path).resolve().parents}
    assert others <= {"libc", "libm", "libpthread", "libgcc_s", "libstdc++", "libz"}
