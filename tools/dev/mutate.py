#!/usr/bin/env python3
"""Changes the sources in small ways, one at a time, and tells which changes no test notices.

    tools/dev/mutate.py --number 30 --seed 7                 # thirty mutants of the core, chosen by the seed
    tools/dev/mutate.py --only actors/step --number 20       # of some files
    tools/dev/mutate.py --list --number 30                   # what it would try, without building

Works in a copy of the last commit beside the build folder, so that the tree stays as it is; builds with the release configuration
and its ccache. A mutant is noticed when a test fails, crashes or does not end; one that does not compile counts for nothing.
Survivors are printed with their line, and the exit code is 1, unless mutants_accepted.txt has them with a reason.
"""
import argparse
import json
import os
import random
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ACCEPTED = os.path.join(ROOT, "tools/dev/mutants_accepted.txt")

# What is mutated, and the tests that reach it, the quickest first.
AREAS = [
    ("actors/step/", ["step_test", "session_test"]),
    ("actors/units/", ["units_test", "session_test", "fault_test"]),
    ("actors/c_api/", None),
    ("actors/", ["session_test", "fault_test", "c_api_test"]),
    ("devices/compiled_partition.cc", ["step_test", "session_test"]),
    ("devices/implied_waits.cc", ["step_test", "session_test"]),
    ("graph/passes/", ["passes_test", "session_test", "c_graph_test"]),
]

# Conditions turned round, bounds shifted, statements dropped: (what, pattern, replacement).
RULES = [
    ("equal", r" == ", " != "),
    ("not equal", r" != ", " == "),
    ("and", r" && ", " || "),
    ("or", r" \|\| ", " && "),
    ("bound", r" < ", " <= "),
    ("bound", r" <= ", " < "),
    ("bound", r" > ", " >= "),
    ("bound", r" >= ", " > "),
    ("condition", r"\bif \((?!const|auto|absl|std::|int|[A-Z]\w+ \w+ =|constexpr)([^;{}]*?)\) (?=return|continue|break|\{)", r"if (!(\1)) "),
    ("answer", r"\breturn true;", "return false;"),
    ("answer", r"\breturn false;", "return true;"),
    ("increment", r"\+\+(?=\w)", "--"),
    ("plus", r" \+ 1\b", " + 2"),
    ("minus", r" - 1\b", " - 0"),
    # A statement of its own line: a call or an assignment, no declaration.
    ("dropped", r"^(\s+)(?!return|break|continue|case|default|else|using|delete|throw|goto|static|const|auto|constexpr)"
                r"[\w.\->\[\]()*:]+(\(.*\)| [|&+-]?= [^=].*);$", r"\1;"),
]


def area_of(path):
    for prefix, tests in AREAS:
        if path.startswith(prefix):
            return tests
    return None


def mutants_of(path, text):
    """(line number, what, old line, new line) of every place where a rule applies."""
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        code = line.split("//")[0]
        if not code.strip() or code.lstrip().startswith(("#", "*", "/*")) or "template" in code:
            continue
        bare = re.sub(r'"(\\.|[^"\\])*"', lambda m: '"' + "_" * (len(m.group()) - 2) + '"', code)
        for what, pattern, replacement in RULES:
            for match in re.finditer(pattern, bare.rstrip()):
                # Texts were blanked to find the place; the change is made to the line as it is.
                piece = line[match.start():match.end()]
                changed = re.sub(pattern, replacement, piece) if what != "condition" else None
                if what == "condition":
                    inner = piece[len("if ("):piece.rindex(")")]
                    changed = "if (!(" + inner + "))" + piece[piece.rindex(")") + 1:]
                if what == "dropped":
                    changed = re.match(r"\s*", line).group() + ";"
                new = line[:match.start()] + changed + line[match.end():]
                if new != line:
                    found.append((number, what, line, new))
    return found


def run(command, cwd, limit):
    """Exit code, or None when it did not end."""
    try:
        return subprocess.run(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=limit).returncode
    except subprocess.TimeoutExpired:
        return None


def build(copy, targets):
    return run(["tools/dev/build.sh", "release", "-j2", *targets], copy, 1800)


def judge(copy, path, mutant, limit):
    """'stillborn', 'survived', or the test that noticed."""
    number, _, _, new = mutant
    full = os.path.join(copy, path)
    with open(full) as f:
        original = f.read()
    lines = original.split("\n")
    lines[number - 1] = new
    with open(full, "w") as f:
        f.write("\n".join(lines))
    try:
        for test in area_of(path):
            if build(copy, [test]) != 0:
                return "stillborn"
            if run([os.path.join(copy, "build/release/bin", test), "--gtest_fail_fast"], copy, limit) != 0:
                return test
        return "survived"
    finally:
        with open(full, "w") as f:
            f.write(original)


def accepted():
    """Lines "path: old line -> new line: reason"; the first two parts are the key."""
    if not os.path.exists(ACCEPTED):
        return {}
    out = {}
    with open(ACCEPTED) as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                key, _, reason = line.rstrip("\n").rpartition(" :: ")
                out[key] = reason
    return out


def key_of(path, mutant):
    return f"{path}: {mutant[2].strip()} -> {mutant[3].strip()}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--number", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="files whose path begins so")
    parser.add_argument("--limit", type=int, default=120, help="seconds that a test program may take")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--json", help="where to write what became of each")
    options = parser.parse_args()

    files = subprocess.run(["git", "ls-files", "*.cc"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    candidates = []
    for path in files:
        if area_of(path) and path.startswith(options.only):
            with open(os.path.join(ROOT, path)) as f:
                candidates += [(path, m) for m in mutants_of(path, f.read())]
    chosen = random.Random(options.seed).sample(candidates, min(options.number, len(candidates)))
    print(f"{len(chosen)} of {len(candidates)} mutants, seed {options.seed}", flush=True)
    if options.list:
        for path, m in chosen:
            print(f"{path}:{m[0]} {m[1]}\n  - {m[2].strip()}\n  + {m[3].strip()}")
        return 0

    copy = os.path.join(ROOT, "build/mutants")
    if not os.path.isdir(copy):
        subprocess.run(["git", "worktree", "add", "--detach", "--force", copy, "HEAD"], cwd=ROOT, check=True)
    subprocess.run(["git", "checkout", "--quiet", "--force", "--detach",
                    subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()],
                   cwd=copy, check=True)
    tests = sorted({t for path, _ in chosen for t in area_of(path)})
    if build(copy, tests) != 0:
        sys.exit("the tree does not build")
    for test in tests:
        if run([os.path.join(copy, "build/release/bin", test)], copy, options.limit) != 0:
            sys.exit(f"{test} fails without any change")

    known, results, survivors = accepted(), [], 0
    for path, m in chosen:
        fate = judge(copy, path, m, options.limit)
        if fate == "survived" and key_of(path, m) in known:
            fate = "accepted"
        survivors += fate == "survived"
        results.append({"path": path, "line": m[0], "what": m[1], "fate": fate, "key": key_of(path, m)})
        print(f"{fate:12} {path}:{m[0]} {m[1]}", flush=True)
        if fate == "survived":
            print(f"  - {m[2].strip()}\n  + {m[3].strip()}", flush=True)
    alive = [r for r in results if r["fate"] != "stillborn"]
    noticed = len(alive) - survivors - sum(r["fate"] == "accepted" for r in alive)
    print(f"{noticed} of {len(alive)} noticed, {survivors} survived, {len(results) - len(alive)} did not compile")
    if options.json:
        with open(options.json, "w") as f:
            json.dump({"seed": options.seed, "mutants": results}, f, indent=1)
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
