#!/usr/bin/env python3
"""Reads every #include and fails on one that goes upwards or sideways, and on headers that include each other in a circle; in
actors/ and among the kernels on any files that do. The tables below are the architecture."""
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
    "devices/common": {"devices", "graph"},
    "devices/cpu": {"devices", "devices/checkpoint", "devices/common", "graph", "proto"},
    "devices/checkpoint": {"devices", "graph", "proto"},
    "devices/cuda": {"devices", "devices/common", "graph"},
    "actors/step": {"devices", "graph"},
    "actors/cluster": {"graph", "proto"},
    "actors/sockets": {"graph", "actors/cluster"},
    "actors/tls": {"graph"},
    "actors": {"devices", "graph", "proto", "actors/step", "actors/cluster", "actors/sockets", "actors/tls"},
    "tools": {"actors", "devices", "graph", "proto"},
    "tests": {"tools", "actors", "devices", "graph", "proto"},
}
CAF_ALLOWED = ("actors/", "tests/actors/", "tests/support/", "tests/system/", "tools/examples/", "tools/bench/")
GRPC_ALLOWED = ("actors/grpc_wire/", "actors/grpc_door/", "actors/grpc_client/", "tests/actors/grpc_wire/", "tests/actors/grpc_door/", "tests/actors/grpc_client/")
OPENSSL_ALLOWED = ("actors/tls/", "tests/support/")
CAF_FORBIDDEN = ("actors/step/", "actors/cluster/", "actors/sockets/", "actors/tls/", "actors/session.h", "actors/options.h")
# The floors of actors/ itself: a file includes its own floor and those below it. Without endings; the rest of the folder is the
# roof, "whoever runs sessions".
FLOORS = [
    "options option_table option_rows config_option_rows gpu_option_rows graph_option_rows run_option_rows environment run_values run_gate errors ask asker turn_unit open_questions reusable_message precompiled remote_part remote_master remote_step signature_code",
    "messages message_types interfaces remote_tasks",
    "partial_run_table debugger debug_files builtin_debugger step_calls step_slot step_listeners step_trace step_history step_meter slot_stock signature signature_key signature_cache cost_model log_memory run_metadata executor_type end_after_turn step_turn",
    "callable_code callable_devices session_core idle_slots placement_log compile_plan step_lease session_graph signature_compiler",
    "device_actor executor_actor rendezvous_actor step_actor make_slot remote_executor_actor",
    "function_cache slot_calls late_calls end_idle_slots outstanding_run message_runs subscriptions step_copier turn_call partial_run_slot partial_run_actor partial_run_forks partial_runs deadlines inspections graph_changes partition_reports session_base session_actor remote_graph remote_partial_run remote_session_actor",
]
# The rooms of the kernels: a family's folder is seen by itself and by the tests, but for its door FAMILY/FAMILY.h, which
# register_kernels opens.
KERNELS = "devices/cpu/kernels"
BELOW_KERNELS = ("devices/cpu/loops", "devices/cpu/primitives")
# Folders in which no files at all include each other in a circle.
NO_CIRCLES = ("actors/", "devices/", "graph/", "tools/", "tests/")
# Files that are parts of another.
PARTS = {"actors/runtime_impl": "actors/runtime", "actors/debugger_anchor": "actors/runtime", "actors/option_table": "actors/options", "actors/option_rows": "actors/options",
         "actors/step/executor_frame": "actors/step/executor_state",
         "actors/step/executor_edges": "actors/step/executor_state",
         "tests/actors/c_api/nonsense_calls": "tests/actors/c_api/nonsense", "tests/actors/c_api/nonsense_arguments": "tests/actors/c_api/nonsense"}
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


def part_of(path):
    """What a header and its source are together: their path without ending."""
    name = re.sub(r"\.(h|cc|cu)$", "", path)
    return PARTS.get(name, name)


def floor_of(name):
    """Of a file of actors/ itself; None for all others."""
    folder, _, file = name.rpartition("/")
    if folder != "actors":
        return None
    return next((i for i, files in enumerate(FLOORS) if file in files.split()), len(FLOORS))


def family_of(path):
    """The family whose folder a file is in; "" for files of the kernels' own folder, None for all others."""
    if not path.startswith(KERNELS + "/"):
        return None
    family, slash, _ = path[len(KERNELS) + 1:].partition("/")
    return family if slash else ""


def through_the_wall(path, included):
    """Whether a file includes what is inside a family, or a family what is not for it."""
    here, there = family_of(path), family_of(included)
    if path.startswith(BELOW_KERNELS):
        return there is not None
    if there is None:
        outside = included.startswith("devices/cpu/") and not included.startswith(BELOW_KERNELS)
        return here is not None and outside
    if here == there or there == "shared" or path.startswith("tests/"):
        return False
    if here == "":
        return included != f"{KERNELS}/{there}/{there}.h"
    return here is not None or there != ""


def cycle_in(graph):
    """A cycle of the graph {name: names}, or None."""
    done, path = set(), []

    def visit(name):
        if name in path:
            return path[path.index(name):] + [name]
        if name in done:
            return None
        path.append(name)
        for target in sorted(graph.get(name, ())):
            found = visit(target)
            if found:
                return found
        path.pop()
        done.add(name)
        return None

    return next((c for c in map(visit, sorted(graph)) if c), None)


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    bad = []
    headers, parts = {}, {}
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
            if name.startswith("grpc") and not rel.startswith(GRPC_ALLOWED):
                bad.append(f"{rel}: includes {name}: gRPC belongs to actors/grpc_door/ and grpc_client/")
                continue
            if name.startswith("openssl/") and not rel.startswith(OPENSSL_ALLOWED):
                bad.append(f"{rel}: includes {name}: OpenSSL belongs to actors/tls/")
                continue
            if path.suffix == ".h":
                headers.setdefault(rel, set()).add(name)
            if rel.startswith(NO_CIRCLES) and name.startswith(NO_CIRCLES) and part_of(rel) != part_of(name):
                parts.setdefault(part_of(rel), set()).add(part_of(name))
                here, there = floor_of(part_of(rel)), floor_of(part_of(name))
                if here is not None and there is not None and there > here:
                    bad.append(f"{rel}: includes {name}, which is floors above it")
            top = name.split("/")[0]
            if kind == '"' and top in {"proto", "graph", "devices", "actors", "tools", "tests"}:
                if not allowed(rule, name.rsplit("/", 1)[0]):
                    bad.append(f"{rel}: includes {name}: {rule} may not")
                elif through_the_wall(rel, name):
                    bad.append(f"{rel}: includes {name}, which is inside another family of kernels or above them")
    for cycle in (cycle_in(headers), cycle_in(parts)):
        if cycle:
            bad.append("includes go round: " + " -> ".join(cycle))
    for line in bad:
        print(line)
    print(f"layering: {'FAILED' if bad else 'OK'}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
