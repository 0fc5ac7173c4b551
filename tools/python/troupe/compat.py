"""`tf.compat`: texts and bytes; `tf.compat.v1` is the package itself, `tf.compat.v2` has arguments in the order of TensorFlow 2."""

from __future__ import annotations

import numbers
import os
import sys
from typing import TYPE_CHECKING

import numpy as np

from troupe import exports
from troupe.tensor_shape import dimension_value  # noqa: F401, it is of this module, too

if TYPE_CHECKING:
    from typing import Any

bytes_or_text_types = (bytes, str)
integral_types = (numbers.Integral, np.integer)
real_types = (numbers.Real, np.integer, np.floating)
complex_types = (numbers.Complex, np.number)


# So that `import troupe.compat.v1` is the package, not made once more.
__path__: list[str] = []
sys.modules[f"{__name__}.v1"] = sys.modules["troupe"]


def __getattr__(name: str) -> Any:
    if name == "v1":
        return sys.modules["troupe"]
    if name == "v2":
        from troupe.compat_v2 import Later

        return sys.modules.setdefault(f"{__name__}.v2", Later())
    if name in ("forward_compatibility_horizon", "forward_compatible"):
        from troupe import forward_compat

        return getattr(forward_compat, name)
    raise AttributeError(f"module 'troupe.compat' has no attribute {name!r}")


def __dir__() -> list[str]:
    return exports.listed(globals(), ["forward_compatibility_horizon", "forward_compatible", "v1", "v2"])


def as_bytes(bytes_or_text: str | bytes | bytearray, encoding: str = "utf-8") -> bytes:
    """TypeError for what is neither."""
    if isinstance(bytes_or_text, (bytes, bytearray)):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


def as_text(bytes_or_text: str | bytes, encoding: str = "utf-8") -> str:
    """TypeError for what is neither."""
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


as_str = as_text


def as_str_any(value: Any, encoding: str = "utf-8") -> str:
    """The text of bytes, `str` of anything else."""
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path: Any) -> Any:
    """A path as a text, anything else as it is."""
    return as_str_any(path.__fspath__()) if isinstance(path, os.PathLike) else path
