"""Tags of summaries: `tensorflow.python.ops.summary_op_util`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import ops
from troupe.summary import _clean as clean_tag, _scope as summary_scope

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

__all__ = ("clean_tag", "collect", "summary_scope")


def collect(val: Any, collections: Iterable[str] | None, default_collections: Iterable[str]) -> None:
    """Puts a summary into these collections of the graph, or into the default ones."""
    for key in default_collections if collections is None else collections:
        ops.add_to_collection(key, val)
