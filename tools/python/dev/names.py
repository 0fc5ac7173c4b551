"""Which names of tensorflow.compat.v1 the package has.

    python3 names.py list tensorflow.compat.v1 > names.txt      with a Python that has TensorFlow
    python3 names.py page names.txt > ../NAMES.md               with a Python that has the package
"""

import importlib
import re
import sys
import types

# Frameworks of their own, and what only holds the interface once more.
_APART = ("app", "compat", "estimator", "flags", "keras", "layers", "tpu", "v1")


def names_of(module, prefix=""):
    """Every public name of a module and of the modules in it, with dots."""
    found = []
    for name in sorted(dir(module)):
        if name.startswith("_") or not prefix and name in _APART:
            continue
        value = getattr(module, name)
        if isinstance(value, types.ModuleType):
            # Those of the interface itself: others are not meant to be seen, or are known by another name.
            if vars(value).get("__name__") == f"tensorflow._api.v2.compat.v1.{prefix}{name}":
                found.extend(names_of(value, f"{prefix}{name}."))
        else:
            found.append(prefix + name)
    return found


def has(module, name):
    """Whether the package has a name with dots."""
    for part in name.split("."):
        try:
            module = getattr(module, part)
        except AttributeError:
            return False
    return True


def page(names, module):
    """The names in Markdown: module by module what is there and what is not."""
    modules = {}
    for name in names:
        parent, _, last = name.rpartition(".")
        # Every op is there.
        if parent != "raw_ops":
            modules.setdefault(parent, []).append((last, has(module, name)))
    known = [there for rows in modules.values() for _, there in rows]
    lines = ["# Names of tensorflow.compat.v1", "",
             f"Of {len(known)} names of TensorFlow 2.21 {sum(known)} are there, as `dev/names.py` counts them; `raw_ops` has every op that the "
             f"runtime knows. Left out: {', '.join(f'`{a}`' for a in _APART)}.", "",
             "| module | there | not |", "| --- | --- | --- |"]
    for parent, rows in sorted(modules.items()):
        there, missing = (" ".join(name for name, t in rows if t is wanted) for wanted in (True, False))
        lines.append(f"| {'tf' if not parent else parent} | {there} | {missing} |")
    return "\n".join(lines)


def main(what, argument):
    if what == "list":
        module = importlib.import_module(argument)
        print("\n".join(names_of(module)))
    else:
        with open(argument) as file:
            names = [line for line in file.read().split() if re.fullmatch(r"[\w.]+", line)]
        print(page(names, importlib.import_module("troupe")))


if __name__ == "__main__":
    main(*sys.argv[1:])
