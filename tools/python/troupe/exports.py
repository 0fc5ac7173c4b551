"""Names of the package whose modules are imported when they are first asked for, and the modules of names: tf.math, tf.linalg, ..."""

import importlib
import types

# Module of the package: its names for `tf`.
_NAMES = {
    "check_ops": """assert_equal assert_greater assert_greater_equal assert_integer assert_less assert_less_equal assert_near assert_negative
        assert_non_negative assert_non_positive assert_none_equal assert_positive assert_proper_iterable assert_rank assert_rank_at_least
        assert_rank_in assert_same_float_dtype assert_scalar assert_type ensure_shape is_non_decreasing is_numeric_tensor is_strictly_increasing
        is_symbolic_tensor verify_tensor_all_finite""",
    "functional_ops": "foldl foldr map_fn scan",
    "tensor_array_ops": "TensorArray",
}
MODULE_OF = {name: module for module, names in _NAMES.items() for name in names.split()}


class Namespace(types.ModuleType):
    """A module of names of the package. An entry "name" is tf.name, "name=other" tf.other, "name=module:other" one of a module."""

    def __init__(self, name, table):
        super().__init__(f"troupe.{name}", f"Names of `tf.{name}`.")
        self._entries = dict(entry.partition("=")[::2] for entry in table.split())

    def __getattr__(self, name):
        entries = self.__dict__.get("_entries", {})
        if name not in entries:
            raise AttributeError(f"module '{self.__name__}' has no attribute {name!r}")
        module, _, attribute = (entries[name] or name).rpartition(":")
        value = getattr(importlib.import_module(f"troupe.{module}" if module else "troupe"), attribute)
        setattr(self, name, value)
        return value

    def __dir__(self):
        return sorted(self._entries)


def find(name):
    """What `tf.name` is. KeyError when these tables do not have it."""
    if name in MODULE_OF:
        return getattr(importlib.import_module("troupe." + MODULE_OF[name]), name)
    from troupe.namespaces import NAMESPACES

    return Namespace(name, NAMESPACES[name])
