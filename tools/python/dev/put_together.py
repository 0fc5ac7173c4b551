"""Puts the package together for PYTHONPATH: the folder's `troupe` is a link to a copy, which is set when that is complete, so that
programs which start meanwhile see the old package or the new one, and never a part of each.

    python3 put_together.py tools/python/troupe MODULE FOLDER
"""

import compileall
import hashlib
import os
import pathlib
import shutil
import sys
import tempfile

# Programs that have begun with another copy import from it still.
_KEPT = 3


def put_together(source, module, folder):
    """Of the Python files of `source`, its mark for type checkers, and the built `module`; copies that are older than the last few go."""
    copies = folder / ".copies"
    copies.mkdir(parents=True, exist_ok=True)
    files = sorted(file for file in source.rglob("*") if file.suffix == ".py" or file.name == "py.typed")
    copy = copies / _digest(source, files, module)
    if not copy.exists():
        with tempfile.TemporaryDirectory(dir=copies) as unfinished:
            made = pathlib.Path(unfinished, "made")
            _fill(made, source, files, module, folder)
            os.replace(made, copy)
    os.utime(copy)
    _link(folder / "troupe", copy)
    for old in sorted(copies.iterdir(), key=lambda c: c.stat().st_mtime)[:-_KEPT]:
        shutil.rmtree(old, ignore_errors=True)


def _digest(source, files, module):
    digest = hashlib.sha256(repr((module.stat().st_size, module.stat().st_mtime_ns)).encode())
    for file in files:
        digest.update(repr((str(file.relative_to(source)), file.read_bytes())).encode())
    return digest.hexdigest()[:16]


def _fill(made, source, files, module, folder):
    for file in files:
        to = made / file.relative_to(source)
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, to)
    made.mkdir(exist_ok=True)
    shutil.copy2(module, made / module.name)
    # Whoever imports it may be told to write none.
    compileall.compile_dir(made, ddir=str(folder / "troupe"), quiet=1)


def _link(link, copy):
    if link.is_dir() and not link.is_symlink():
        # As it was put together once.
        shutil.rmtree(link)
    new = link.with_name(f".troupe-{os.getpid()}")
    new.symlink_to(os.path.relpath(copy, link.parent))
    os.replace(new, link)


if __name__ == "__main__":
    put_together(*(pathlib.Path(argument).resolve() for argument in sys.argv[1:3]), pathlib.Path(sys.argv[3]).absolute())
