"""Checkpoints without a graph: names, types, shapes and values of what is in one."""

from __future__ import annotations

import os
import struct
from typing import TYPE_CHECKING

from troupe import dtypes, errors, protos
from troupe.checkpoint_state import latest_checkpoint

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from troupe.dtypes import DType

_FOOTER_BYTES = 48
_MAGIC = 0xDB4775248B80FB57


def _varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def _block(data, offset, size):
    """(key, value) of each entry of a block, whose keys share their beginnings with those before."""
    if data[offset + size] != 0:
        raise ValueError("the table is compressed")
    restarts, = struct.unpack_from("<I", data, offset + size - 4)
    end, at, key = offset + size - 4 * (restarts + 1), offset, b""
    while at < end:
        shared, at = _varint(data, at)
        rest, at = _varint(data, at)
        length, at = _varint(data, at)
        key = key[:shared] + data[at:at + rest]
        yield key, data[at + rest:at + rest + length]
        at += rest + length


def _handle(data, at=0):
    offset, at = _varint(data, at)
    size, at = _varint(data, at)
    return offset, size, at


def table_entries(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """(key, value) of each entry of a sorted table, which is what a checkpoint's index is. ValueError for what is none."""
    if len(data) < _FOOTER_BYTES or struct.unpack_from("<Q", data, len(data) - 8)[0] != _MAGIC:
        raise ValueError("bad magic number")
    footer = data[-_FOOTER_BYTES:]
    offset, size, _ = _handle(footer, _handle(footer)[2])
    for _, handle in _block(data, offset, size):
        yield from _block(data, *_handle(handle)[:2])


class CheckpointReader:
    """What is in a checkpoint of the second format. NotFoundError where there is none, DataLossError for a damaged index."""

    def __init__(self, filepattern: str | os.PathLike[str]) -> None:
        self._prefix = os.fsdecode(filepattern)
        try:
            with open(self._prefix + ".index", "rb") as file:
                data = file.read()
        except OSError:
            raise errors.NotFoundError(None, None, f"Unsuccessful TensorSliceReader constructor: Failed to find any matching files for "
                                       f"{self._prefix}") from None
        try:
            entries = dict(table_entries(data))
        except (ValueError, IndexError, struct.error) as e:
            raise errors.DataLossError(None, None, f"Unable to open table file {self._prefix}.index: {e}") from None
        # Slices of a partitioned tensor have keys that begin with a zero byte; the tensor itself is there, too.
        self._entries = {key.decode(): protos.BundleEntryProto.FromString(value) for key, value in entries.items() if key[:1] > b"\0"}

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """{name: list of dimensions}."""
        return {name: [d.size for d in e.shape.dim] for name, e in self._entries.items()}

    def get_variable_to_dtype_map(self) -> dict[str, DType]:
        """{name: DType}."""
        return {name: dtypes.of_number(e.dtype) for name, e in self._entries.items()}

    def has_tensor(self, tensor_str: str) -> bool:
        return tensor_str in self._entries

    def get_tensor(self, tensor_str: str) -> Any:
        """The value of a tensor, whole. NotFoundError for a name that is not there."""
        from troupe.graph import Graph
        from troupe.session import Session
        from troupe import op_call

        if tensor_str not in self._entries:
            raise errors.NotFoundError(None, None, f"Key {tensor_str} not found in checkpoint")
        graph = Graph()
        with graph.as_default():
            value = op_call.call("RestoreV2", None, prefix=self._prefix, tensor_names=[tensor_str], shape_and_slices=[""],
                                 dtypes=[dtypes.of_number(self._entries[tensor_str].dtype)])[0]
            with Session(graph=graph) as session:
                return session.run(value)

    def debug_string(self) -> bytes:
        """A line for each tensor."""
        types, shapes = self.get_variable_to_dtype_map(), self.get_variable_to_shape_map()
        return "".join(f"{n} (DT_{types[n]._name_in_messages.upper()}) [{','.join(map(str, shapes[n]))}]\n" for n in sorted(types)).encode()


def NewCheckpointReader(filepattern: str | os.PathLike[str]) -> CheckpointReader:
    return CheckpointReader(filepattern)


def load_checkpoint(ckpt_dir_or_file: str | os.PathLike[str]) -> CheckpointReader:
    """A reader of a checkpoint, or of the last one of a folder. ValueError where there is none."""
    path = os.fsdecode(ckpt_dir_or_file)
    if os.path.isdir(path):
        path = latest_checkpoint(path)
        if path is None:
            raise ValueError(f"Couldn't find 'checkpoint' file or checkpoints in given directory {ckpt_dir_or_file}")
    return CheckpointReader(path)


def load_variable(ckpt_dir_or_file: str | os.PathLike[str], name: str) -> Any:
    """The value of a tensor of a checkpoint."""
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))


def list_variables(ckpt_dir_or_file: str | os.PathLike[str]) -> list[tuple[str, list[int]]]:
    """[(name, list of dimensions)] in the order of names."""
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())
