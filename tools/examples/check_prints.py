#!/usr/bin/env python3
"""check_prints.py SOURCE PROGRAM  fails unless the program ends well and prints what its source says at its end, after "// Prints:"; "..."
there stands for any text of a line."""
import pathlib
import re
import subprocess
import sys

MARK = "// Prints:\n"


def main():
    source, program = sys.argv[1:3]
    _, mark, block = pathlib.Path(source).read_text().partition(MARK)
    wanted = [line.removeprefix("//").removeprefix(" ") for line in block.splitlines()]
    ran = subprocess.run([program], capture_output=True, text=True, timeout=50)
    printed = ran.stdout.splitlines()
    good = len(wanted) == len(printed) and all(
        re.fullmatch(".*".join(map(re.escape, want.split("..."))), line) for want, line in zip(wanted, printed))
    if mark and wanted and good and ran.returncode == 0:
        return 0
    print(f"{program} ended with {ran.returncode}; expected:", *wanted, "printed:", *printed, ran.stderr, sep="\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
