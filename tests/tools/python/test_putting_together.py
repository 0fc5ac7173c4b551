"""The package that a build puts together, while programs start."""

import importlib.util
import os
import pathlib
import threading

import pytest

SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "tools/python/dev/put_together.py"
FILES = 50


@pytest.fixture
def put_together():
    spec = importlib.util.spec_from_file_location("put_together", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.put_together


@pytest.fixture
def package(tmp_path):
    """Writes version n of a package; its source, module and the folder where it is put together."""
    source, module, folder = tmp_path / "source", tmp_path / "_native.so", tmp_path / "python"

    def write(number):
        (source / "more").mkdir(parents=True, exist_ok=True)
        for i in range(FILES):
            (source / f"file{i}.py").write_text(f"N = {number}\n")
        (source / "more" / "last.py").write_text(f"N = {number}\n")
        module.write_text(str(number))
        return source, module, folder

    return write


def versions_of(package):
    """The versions of the files of a package, as a program sees that imports it now."""
    root = pathlib.Path(os.path.realpath(package))
    files = [*root.glob("*.py"), root / "more/last.py"]
    assert len(files) == FILES + 1
    return {*(file.read_text().split()[-1] for file in files), (root / "_native.so").read_text()}


def test_whoever_looks_meanwhile_sees_one_version(put_together, package):
    source, module, folder = package(0)
    put_together(source, module, folder)
    seen, failures, over = [], [], threading.Event()

    def look():
        try:
            while not over.is_set():
                seen.append(versions_of(folder / "troupe"))
        except Exception as e:
            failures.append(e)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        for number in range(1, 20):
            looked = len(seen)
            put_together(*package(number))
            while len(seen) < looked + 2 and not failures:
                over.wait(0.001)
    finally:
        over.set()
        thread.join()
    assert not failures
    assert all(len(versions) == 1 for versions in seen)
    assert versions_of(folder / "troupe") == {"19"}


def test_it_follows_its_source(put_together, package):
    put_together(*package(1))
    source, module, folder = package(2)
    (source / "file0.py").unlink()
    put_together(source, module, folder)
    assert not (folder / "troupe/file0.py").exists()
    assert (folder / "troupe/file1.py").read_text() == "N = 2\n"
    assert (folder / "troupe/__pycache__").is_dir()


def test_few_copies_are_kept(put_together, package):
    for number in range(8):
        source, module, folder = package(number)
        put_together(source, module, folder)
        put_together(source, module, folder)
    assert len(list((folder / ".copies").iterdir())) == 3
    assert versions_of(folder / "troupe") == {"7"}


def test_what_was_there_before_makes_room(put_together, package):
    source, module, folder = package(1)
    (folder / "troupe").mkdir(parents=True)
    (folder / "troupe/old.py").write_text("")
    put_together(source, module, folder)
    assert versions_of(folder / "troupe") == {"1"}
    assert not (folder / "troupe/old.py").exists()
