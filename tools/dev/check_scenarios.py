#!/usr/bin/env python3
"""Fails on a scenario of TensorFlow's Session layer that has neither a test nor a reason.

The scenarios have numbers; tests/README.md says which is about what. A test carries the numbers of those that it shows at the begin of its
name (`TEST(Placer, s162_...)`, `s086_s087_...`). A reason is a line "- 89-92: why" under the heading "## Scenarios without a test" of
tests/README.md. With --list: each number and what it has."""
import pathlib
import re
import sys

SCENARIOS = range(1, 413)
HEADING = "## Scenarios without a test"
TEST = re.compile(r"\bTEST(?:_F|_P)?\(\s*(\w+),\s*((?:s\d{3}_)+)")
PYTHON_TEST = re.compile(r"^\s*def test_((?:s\d{3}_)+)", re.MULTILINE)
REASON = re.compile(r"- ([\d, -]+): \S")


def numbers(ranges):
    """"89-92, 95" -> 89, 90, 91, 92, 95"""
    for part in ranges.split(","):
        first, _, last = part.strip().partition("-")
        yield from range(int(first), int(last or first) + 1)


def tested(root):
    """Number -> the tests that carry it."""
    found = {}
    for path in [p for p in sorted((root / "tests").rglob("*")) if p.suffix in (".cc", ".cu", ".py")]:
        text = path.read_text(errors="replace")
        carried = [(m.group(2), m.group(1)) for m in TEST.finditer(text)] + [(m.group(1), path.stem) for m in PYTHON_TEST.finditer(text)]
        for prefix, suite in carried:
            for number in re.findall(r"\d{3}", prefix):
                found.setdefault(int(number), set()).add(f"{suite} ({path.relative_to(root)})")
    return found


def reasons(readme):
    """Number -> the line that says why it has none."""
    _, _, below = readme.read_text().partition(HEADING)
    section = below.split("\n## ")[0]
    return {n: line for line in section.splitlines() if (m := REASON.match(line)) for n in numbers(m.group(1))}


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    tests, why = tested(root), reasons(root / "tests/README.md")
    if "--list" in sys.argv[1:]:
        for n in SCENARIOS:
            print(n, ", ".join(sorted(tests.get(n, []))) or why.get(n, "NOTHING"))
    bad = [f"scenario {n} has neither a test nor a reason" for n in SCENARIOS if n not in tests and n not in why]
    bad += [f"there is no scenario {n}" for n in sorted(tests.keys() | why.keys()) if n not in SCENARIOS]
    bad += [f"scenario {n} has a reason for having no test, and a test: {sorted(tests[n])[0]}" for n in sorted(tests.keys() & why.keys())]
    for line in bad:
        print(line)
    print(f"scenarios: {len(tests)} with a test, {len(why)} with a reason: {'FAILED' if bad else 'OK'}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
