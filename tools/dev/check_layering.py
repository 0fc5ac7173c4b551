#!/usr/bin/env python3
"""Reads every #include and fails on one that goes upwards or sideways. The table below is the architecture."""
import pathlib
import re
import sys

# Folder -> folders that it may include from, beside itself.
ALLOWED = {
    "proto": set(),
    "graph": set(),
    "graph/tensor": {"graph", "proto"},
    "graph/ops": {"graph", "graph/tensor", "proto"},
    "graph/ir": {"graph", "graph/tensor", "graph/ops", "proto"},
    "graph/passes": {"graph", "graph/tensor", "graph/ops", "graph/ir", "proto"},
    "graph/gradients": {"graph", "graph/tensor", "graph/ops", "graph/ir", "graph/passes", "proto"},
    "devices": {"graph"},
    "devices/cpu": {"devices", "devices/checkpoint", "graph", "proto"},
    "devices/checkpoint": {"devices", "graph", "proto"},
    "devices/cuda": {"devices", "graph"},
    "actors/step": {"devices", "graph"},
    "actors/cluster": {"devices", "graph"},
    "actors": {"devices", "graph", "proto", "actors/step", "actors/cluster"},
    "tools": {"actors", "devices", "graph", "proto"},
    "tests": {"tools", "actors", "devices", "graph", "proto"},
}
CAF_ALLOWED = ("actors/", "tests/actors/", "tests/support/", "tests/system/", "tools/examples/", "tools/bench/")
CAF_FORBIDDEN = ("actors/step/", "actors/cluster/", "actors/session.h", "actors/options.h")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def rule_of(path):
    parts = path.split("/")[:-1]
    for n in range(len(parts), 0, -1):
        folder = "/".join(parts[:n])
        if folder in ALLOWED:
            return folder
    return None


def allowed(src_rule, target):
    for folder in {src_rule, *ALLOWED[src_rule]}:
        if target == folder or target.startswith(folder + "/"):
            # A folder named with rules of its own is not reached through its parent's name.
            own = rule_of(target + "/x")
            if own == folder or own in ALLOWED[src_rule] or own == src_rule or src_rule.split("/")[0] != folder.split("/")[0]:
                return True
    return False


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    bad = []
    for path in sorted(root.rglob("*")):
        rel = path.relative_to(root).as_posix()
        if path.suffix not in {".h", ".cc", ".cu", ".cuh", ".def"} or rel.startswith(("build", ".")):
            continue
        rule = rule_of(rel)
        if rule is None:
            bad.append(f"{rel}: in no known folder")
            continue
        for kind, name in INCLUDE.findall(path.read_text(errors="replace")):
            if name.startswith("caf/"):
                if not rel.startswith(CAF_ALLOWED) or rel.startswith(CAF_FORBIDDEN):
                    bad.append(f"{rel}: includes {name}: CAF belongs to actors/")
                continue
            top = name.split("/")[0]
            if kind == '"' and top in {"proto", "graph", "devices", "actors", "tools", "tests"}:
                if not allowed(rule, name.rsplit("/", 1)[0]):
                    bad.append(f"{rel}: includes {name}: {rule} may not")
    for line in bad:
        print(line)
    print(f"layering: {'FAILED' if bad else 'OK'}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
