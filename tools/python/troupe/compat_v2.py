"""`tf.compat.v2`: functions whose arguments TensorFlow 2 has in another order are second_order's. All other names are those of `tf`: graphs and sessions are
all that there is."""

from __future__ import annotations

import types
from typing import Any

from troupe.import_paths import attribute
from troupe.second_order import PUBLIC, made

# What is another function of `tf`, with the arguments that TensorFlow 2 has.
_OTHERS = {
    "where": "where_v2", "nn.avg_pool": "nn.avg_pool_v2", "nn.max_pool": "nn.max_pool_v2", "nn.ctc_loss": "nn.ctc_loss_v2",
    "nn.batch_normalization": "nn.batch_normalization", "random.set_seed": "set_random_seed", "unique_with_counts_v2": "unique_with_counts",
}
# Where the functions of a module are those at the top.
_TOP = ("math.", "linalg.", "debugging.")
_MODULES = ("audio", "autograph", "bitwise", "compat", "config", "data", "debugging", "dtypes", "errors", "experimental", "feature_column", "graph_util", "image", "io",
            "linalg", "lookup", "math", "nest", "nn", "quantization", "ragged", "random", "raw_ops", "saved_model", "sets", "signal", "sparse", "strings", "summary",
            "sysconfig", "test", "train", "version")


class Later(types.ModuleType):
    """TensorFlow 2's interface, or one of its modules, whose names are looked up when they are asked for."""

    def __init__(self, path: str = "") -> None:
        super().__init__(f"troupe.compat.v2{path and '.' + path}", f"Names of `tf.compat.v2{path and '.' + path}`.")
        self.__path__: list[str] = []
        self._path = path

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module '{self.__name__}' has no attribute {name!r}")
        path = f"{self._path}.{name}" if self._path else name
        value = self.__dict__[name] = _found(path)
        return value

    def __dir__(self) -> list[str]:
        inner = self._path and self._path + "."
        own = [p[len(inner):] for p in (*PUBLIC, *_OTHERS) if p.startswith(inner)]
        return sorted({*dir(attribute(self._path)), *(name for name in own if "." not in name)})


def _found(path):
    plain = next((path[len(m):] for m in _TOP if path.startswith(m)), path)
    plain = path if path in PUBLIC or path in _OTHERS else f"nn.{plain}" if path in ("math.softmax", "math.log_softmax") else plain
    if plain in PUBLIC:
        return made(*PUBLIC[plain])
    if plain in _OTHERS:
        return attribute(_OTHERS[plain])
    value = attribute(path)
    return Later(path) if path in _MODULES and path not in ("compat", "errors", "raw_ops") else value
