"""The public functions of the package without type hints, and names in hints that their module has not: `hints.py [FILE ...]` lists them, and
fails when there are any."""

import ast
import builtins
import pathlib
import sys

_SOURCES = pathlib.Path(__file__).parent.parent / "troupe"


def unhinted(file):
    """[(line, name, what has none)] of a file's public functions and methods; those of private classes are public where public ones have them."""
    body = ast.parse(file.read_text()).body
    return [found for name, function in _functions(body, "", _public_classes(body)) for found in _lacks(name, function)]


def unknown(file):
    """[(line, name)] of names in hints that the file neither defines nor imports."""
    tree = ast.parse(file.read_text())
    known = set(dir(builtins)) | {name for node in ast.walk(tree) for name in _binds(node)}
    hints = [hint for node in ast.walk(tree) for hint in _hints(node)]
    return sorted({(n.lineno, n.id) for hint in hints for n in ast.walk(hint) if isinstance(n, ast.Name) and n.id not in known})


def _binds(node):
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [(a.asname or a.name).partition(".")[0] for a in node.names]
    if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
        return [node.name]
    return [node.id] if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else []


def _hints(node):
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return [hint for hint in (*(a.annotation for a in _arguments(node)), node.returns) if hint is not None]
    return [node.annotation] if isinstance(node, ast.AnnAssign) else []


def _public_classes(body):
    """The names of public classes of a file, and of those that they derive from."""
    classes = {node.name: node for node in body if isinstance(node, ast.ClassDef)}
    public = [name for name in classes if not name.startswith("_")]
    for name in public:
        public += [b.id for b in classes[name].bases if isinstance(b, ast.Name) and b.id in classes and b.id not in public]
    return set(public)


def _functions(body, within, public):
    for node in body:
        if isinstance(node, ast.ClassDef) and (node.name in public if not within else not node.name.startswith("_")):
            yield from _functions(node.body, f"{within}{node.name}.", public)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and (not node.name.startswith("_") or node.name == "__init__"):
            yield within + node.name, node


def _arguments(function):
    given = function.args
    return [*given.posonlyargs, *given.args, *given.kwonlyargs, *filter(None, (given.vararg, given.kwarg))]


def _lacks(name, function):
    is_method = "." in name and not any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in function.decorator_list)
    missing = [a.arg for a in _arguments(function)[is_method:] if a.annotation is None]
    missing += ["what it returns"] if function.returns is None else []
    return [(function.lineno, name, ", ".join(missing))] if missing else []


def main(files):
    found = []
    for file in map(pathlib.Path, files or sorted(_SOURCES.glob("*.py"))):
        found += [f"{file}:{line}: {name}: no hint for {missing}" for line, name, missing in unhinted(file)]
        found += [f"{file}:{line}: a hint names {name}, which is nowhere" for line, name in unknown(file)]
    print("\n".join(found), end="\n" if found else "")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
