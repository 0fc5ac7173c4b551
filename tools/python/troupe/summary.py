"""Summaries: operations that give what a FileWriter writes. `tf.summary`."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from troupe import exports, op_call, ops, protos
from troupe.conversion import convert_to_tensor
from troupe.event_writer import FileWriter, FileWriterCache
from troupe.ops import GraphKeys, add_to_collections, get_collection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from troupe.tensor import Tensor
    from troupe.typing import Message, TensorLike

_ILLEGAL = re.compile(r"[^-/\w\.]")


def _clean(name):
    return _ILLEGAL.sub("_", name).lstrip("/") if name is not None else None


@contextmanager
def _scope(name, family, default_name=None, values=None):
    """(tag, scope) of a summary: the tag is the scope, behind the family where there is one."""
    name, family = _clean(name), _clean(family)
    base = name if family is None else f"{family}/{name}"
    with ops.name_scope(base, default_name, values) as scope:
        yield (scope.rstrip("/") if family is None else f"{family}/{scope.rstrip('/')}"), scope


def _collected(tensor, collections, default=(GraphKeys.SUMMARIES,)):
    add_to_collections(list(default) if collections is None else collections, tensor)
    return tensor


def scalar(name: str, tensor: TensorLike, collections: Sequence[str] | None = None, family: str | None = None) -> Tensor:
    """A number under a tag."""
    with _scope(name, family, values=[tensor]) as (tag, scope):
        return _collected(op_call.call("ScalarSummary", scope, tags=tag, values=tensor), collections)


def histogram(name: str, values: TensorLike, collections: Sequence[str] | None = None, family: str | None = None) -> Tensor:
    """How often values of a tensor are how large. InvalidArgumentError, when it runs, for those that are not finite."""
    with _scope(name, family, "HistogramSummary", [values]) as (tag, scope):
        return _collected(op_call.call("HistogramSummary", scope, tag=tag, values=values), collections)


def image(name: str, tensor: TensorLike, max_outputs: int = 3, collections: Sequence[str] | None = None, family: str | None = None) -> Tensor:
    """Images of a tensor [batch, height, width, 1, 3 or 4 channels], at most `max_outputs`, as PNG."""
    with _scope(name, family, values=[tensor]) as (tag, scope):
        return _collected(op_call.call("ImageSummary", scope, tag=tag, tensor=tensor, max_images=max_outputs), collections)


def audio(name: str, tensor: TensorLike, sample_rate: TensorLike, max_outputs: int = 3, collections: Sequence[str] | None = None,
          family: str | None = None) -> Tensor:
    """Sounds of a tensor [batch, frames] or [batch, frames, channels] of numbers from -1 to 1, as WAV."""
    with _scope(name, family, values=[tensor]) as (tag, scope):
        rate = convert_to_tensor(sample_rate, "float32", name="sample_rate")
        made = op_call.call("AudioSummaryV2", scope, tag=tag, tensor=tensor, sample_rate=rate, max_outputs=max_outputs)
        return _collected(made, collections)


def tensor_summary(name: str, tensor: TensorLike, summary_description: str | None = None, collections: Sequence[str] | None = None,
                   summary_metadata: Message | None = None, family: str | None = None, display_name: str | None = None) -> Tensor:
    """A tensor, and what plugins are told of it."""
    metadata = protos.SummaryMetadata() if summary_metadata is None else summary_metadata
    if display_name is not None:
        metadata.display_name = display_name
    if summary_description is not None:
        metadata.summary_description = summary_description
    with _scope(name, family, values=[tensor]) as (tag, scope):
        made = op_call.call("TensorSummaryV2", scope, tensor=tensor, tag=tag, serialized_summary_metadata=metadata.SerializeToString())
        return _collected(made, collections)


def text(name: str, tensor: TensorLike, collections: Sequence[str] | None = None) -> Tensor:
    """Strings. ValueError for other types."""
    tensor = convert_to_tensor(tensor)
    if tensor.dtype.base_dtype.name != "string":
        raise ValueError(f"Expected tensor {tensor.name} to have dtype string, got {tensor.dtype}")
    metadata = protos.SummaryMetadata(plugin_data={"plugin_name": "text", "content": b"{}"})
    return tensor_summary(name, tensor, summary_metadata=metadata, collections=collections)


def merge(inputs: Sequence[TensorLike], collections: Sequence[str] | None = None, name: str | None = None) -> Tensor:
    """All summaries of several tensors. InvalidArgumentError, when it runs, for a tag that is there twice."""
    with ops.name_scope(_clean(name), "Merge", inputs):
        return _collected(op_call.call("MergeSummary", name, inputs=list(inputs)), collections, default=())


def merge_all(key: str = GraphKeys.SUMMARIES, scope: str | None = None, name: str | None = None) -> Tensor | None:
    """All summaries of a collection, or None where there are none."""
    found = get_collection(key, scope=scope)
    return merge(found, name=name) if found else None


_MESSAGES = ("Event", "SessionLog", "Summary", "SummaryDescription", "TaggedRunMetadata")


# Of summaries that the graph writes itself.
_WRITERS = ("all_v2_summary_ops", "initialize")


def get_summary_description(node_def: Message) -> Any:
    """The SummaryDescription of a TensorSummary's node. ValueError for other ops."""
    if node_def.op != "TensorSummary":
        raise ValueError(f"Can't get_summary_description on {node_def.op}")
    made = protos.SummaryDescription()
    made.type_hint = json.loads(node_def.attr["description"].s.decode() or "{}").get("typeHint", "")
    return made


def __getattr__(name: str) -> Any:
    if name in _MESSAGES:
        return getattr(protos, name)
    if name in _WRITERS:
        from troupe import summary_writers

        return getattr(summary_writers, name)
    raise AttributeError(f"module 'troupe.summary' has no attribute {name!r}")


def __dir__() -> list[str]:
    return exports.listed(globals(), _MESSAGES + _WRITERS)
