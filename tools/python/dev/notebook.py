"""Runs the cells of notebooks and writes what they show into the files, as Jupyter would, but without it.

    PYTHONPATH=build/release/python python3 notebook.py ../examples/first_steps.ipynb
"""

import ast
import contextlib
import io
import json
import pathlib
import sys


def run(notebook):
    """The outputs of each code cell of a notebook, run one after the other, in the form that its file has."""
    names, shown = {"__name__": "__main__"}, []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            shown.append(_run_cell("".join(cell["source"]), names, len(shown) + 1))
    return shown


def _run_cell(source, names, number):
    tree, printed, value = ast.parse(source), io.StringIO(), None
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"<cell {number}>", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), f"<cell {number}>", "eval"), names)
    outputs = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": printed.getvalue().splitlines(True)})
    if value is not None:
        data = {"text/plain": repr(value).splitlines(True)}
        if hasattr(value, "_repr_svg_"):
            data["image/svg+xml"] = value._repr_svg_().splitlines(True)
        outputs.append({"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"})
    return outputs


def main(paths):
    for path in map(pathlib.Path, paths):
        notebook = json.loads(path.read_text())
        shown = run(notebook)
        for number, (cell, outputs) in enumerate(zip((c for c in notebook["cells"] if c["cell_type"] == "code"), shown), 1):
            cell["execution_count"], cell["outputs"] = number, outputs
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
