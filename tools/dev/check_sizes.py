#!/usr/bin/env python3
"""Fails on a source of more than 400 lines, or a header of more than 150, that no README gives a reason for.

A reason is a line "- `path`: why" under the heading "## Long files" of the README of its folder, or of one above. A reason for a
file that is gone or short is wrong too."""
import pathlib
import re
import subprocess
import sys

LIMITS = {".cc": 400, ".cu": 400, ".py": 400, ".h": 150}
HEADING = "## Long files"
REASON = re.compile(r"- `([^`]+)`: \S")


def reasons(readme):
    """The files that a README gives a reason for; it names them as seen from its folder."""
    _, _, below = readme.read_text().partition(HEADING)
    section = below.split("\n## ")[0]
    return {readme.parent / m.group(1) for m in map(REASON.match, section.splitlines()) if m}


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], capture_output=True, check=True)
    long, given = {}, {}
    for path in [root / name for name in listed.stdout.decode().split("\0") if name]:
        if path.name == "README.md":
            given.update(dict.fromkeys(reasons(path), path))
        elif path.suffix in LIMITS and path.is_file():
            lines = path.read_text(errors="replace").count("\n")
            if lines > LIMITS[path.suffix]:
                long[path] = lines
    bad = [f"{p.relative_to(root)}: {long[p]} lines, and no README above it says why" for p in sorted(long.keys() - given.keys())]
    bad += [f"{given[p].relative_to(root)}: a reason for {p.name}, which is not long" for p in sorted(given.keys() - long.keys())]
    for line in bad:
        print(line)
    print(f"sizes: {'FAILED' if bad else 'OK'}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
