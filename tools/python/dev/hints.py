"""The public functions of the package without type hints: `hints.py [FILE ...]` lists them, and fails when there are any."""

import ast
import pathlib
import sys

_SOURCES = pathlib.Path(__file__).parent.parent / "troupe"


def unhinted(file):
    """[(line, name, what has none)] of a file's public functions and methods."""
    return [found for name, function in _functions(ast.parse(file.read_text()).body, "") for found in _lacks(name, function)]


def _functions(body, within):
    for node in body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from _functions(node.body, f"{within}{node.name}.")
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and (not node.name.startswith("_") or node.name == "__init__"):
            yield within + node.name, node


def _lacks(name, function):
    arguments = function.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *filter(None, (arguments.vararg, arguments.kwarg))]
    is_method = "." in name and not any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in function.decorator_list)
    missing = [a.arg for a in named[is_method:] if a.annotation is None]
    missing += ["what it returns"] if function.returns is None else []
    return [(function.lineno, name, ", ".join(missing))] if missing else []


def main(files):
    found = [(file, *what) for file in map(pathlib.Path, files or sorted(_SOURCES.glob("*.py"))) for what in unhinted(file)]
    for file, line, name, missing in found:
        print(f"{file}:{line}: {name}: no hint for {missing}")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
