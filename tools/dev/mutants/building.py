"""A copy of the last commit, with the mutants in it, built."""
import itertools
import os
import re
import subprocess

from places import Mutant, Source, nested, rewritten

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
COPY = os.path.join(ROOT, "build/mutants")
AREAS = re.compile(r"actors/(?!c_api/|precompiled|messages|interfaces).*\.(cc|h)|devices/(compiled_partition|compiled_node|partition_compiler|implied_waits|stateful_kernels).*|graph/passes/.*\.(cc|h)")


def git(*arguments, cwd=ROOT):
    return subprocess.run(["git", *arguments], cwd=cwd, capture_output=True, text=True, check=True).stdout


def committed(path):
    return git("show", "HEAD:" + path)


def candidates(only):
    """Every mutant that the rules find, and the texts of their files."""
    found, texts = [], {}
    for path in git("ls-tree", "-r", "--name-only", "HEAD").split():
        if AREAS.fullmatch(path) and path.startswith(only):
            texts[path] = committed(path)
            found += Source(path, texts[path]).mutants()
    return found, texts


def planted():
    """The faults of planted.txt: blocks of "= name", "file path", "< old" lines and "> new" lines."""
    found, texts = [], {}
    with open(os.path.join(HERE, "planted.txt")) as f:
        blocks = [b for b in re.split(r"^= ", f.read(), flags=re.M)[1:]]
    for block in blocks:
        name, path, *rest = block.split("\n")
        path = path.removeprefix("file ")
        old = "\n".join(line[2:] for line in rest if line.startswith("< "))
        new = "\n".join(line[2:] for line in rest if line.startswith("> "))
        text = texts.setdefault(path, committed(path))
        # Blanks do not matter.
        places = list(re.finditer(r"\s+".join(re.escape(word) for word in old.split()), text))
        if len(places) != 1:
            raise SystemExit(f"planted.txt: \"{name}\": {len(places)} places in {path} instead of one:\n{old}")
        form = "block" if old.rstrip().endswith((";", "}")) else "either"
        line = text.count("\n", 0, places[0].start()) + 1
        found.append(Mutant(path, "planted", *places[0].span(), form, new, line, old, new, name=name))
    return found, texts


def make_copy():
    if not os.path.isdir(COPY):
        git("worktree", "prune")
        git("worktree", "add", "--detach", "--force", COPY, "HEAD")
    git("checkout", "--quiet", "--force", "--detach", git("rev-parse", "HEAD").strip(), cwd=COPY)
    write("mutant.h", open(os.path.join(HERE, "mutant.h")).read())
    check_indices()


def check_indices():
    """What reads past an end of a container should be noticed: checks of the standard library, where that does not rebuild kernels.
    And compiled faster."""
    for path in ("actors/CMakeLists.txt", "graph/passes/CMakeLists.txt"):
        write(path, "add_compile_definitions(_GLIBCXX_ASSERTIONS)\nadd_compile_options(-O1)\n" + committed(path))
    write("devices/CMakeLists.txt", committed("devices/CMakeLists.txt") + "set_source_files_properties("
          "compiled_partition.cc implied_waits.cc partition_compiler.cc stateful_kernels.cc compiled_node.cc PROPERTIES COMPILE_DEFINITIONS _GLIBCXX_ASSERTIONS)\n")


def remove_copy():
    git("worktree", "remove", "--force", COPY)


def write(path, text):
    full = os.path.join(COPY, path)
    if not os.path.exists(full) or open(full).read() != text:
        with open(full, "w") as f:
            f.write(text)


def build(targets, jobs):
    """What the compilers said, or None when all went well."""
    done = subprocess.run(["tools/dev/build.sh", "release", f"-j{jobs}", "-k", "0", *targets], cwd=COPY, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return None if done.returncode == 0 else done.stdout


def refused(said, mutants):
    """Those on the lines that the compiler complains about: in errors, otherwise anywhere."""
    for what in (r"error:", r""):
        lines = set()
        for m in re.finditer(r"^(?:In file included from |\s*from )?(\S+?):(\d+)[:,](?:\d+:)?[^\n]*" + what, said, re.M):
            lines.add((os.path.relpath(os.path.join(COPY, "build/release", m.group(1)), COPY), int(m.group(2))))
        bad = [m for m in mutants if any((m.path, n) in lines for n in range(m.line, m.line + m.before.count("\n") + 1))]
        if bad:
            return bad
    return []


def build_with(pool, texts, number, targets, jobs):
    """The first `number` mutants of the pool that compile together, numbered, in a built copy; and how many did not compile."""
    chosen, rest, failed, numbers = [], list(pool), 0, itertools.count()
    while True:
        while rest and len(chosen) < number:
            m = rest.pop(0)
            same_file = [c for c in chosen if c.path == m.path]
            if len(nested(same_file + [m])) > len(same_file):
                m.number = next(numbers)  # for good: files without others stay as they were
                chosen.append(m)
        for path, text in texts.items():
            inside = [m for m in chosen if m.path == path]
            write(path, rewritten(text, inside) if inside else text)
        said = build(targets, jobs)
        if said is None:
            return chosen, failed
        bad = refused(said, chosen)
        if not bad:
            raise SystemExit("the copy does not build:\n" + said[-4000:])
        print(f"{len(bad)} mutants do not compile", flush=True)
        failed += len(bad)
        chosen = [m for m in chosen if m not in bad]
