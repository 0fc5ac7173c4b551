"""Variables that begin with the values of a checkpoint of a program before, rows by words where vocabularies have changed; waiting for checkpoints."""

from __future__ import annotations

import time
from collections import namedtuple
from typing import TYPE_CHECKING, Any

import numpy as np

from troupe import array_ops, file_io, ops
from troupe.checkpoint_init import init_from_checkpoint
from troupe.checkpoint_reader import load_checkpoint
from troupe.checkpoint_state import latest_checkpoint
from troupe.ops import GraphKeys
from troupe.partitioned_variables import PartitionedVariable, parts_of
from troupe.variables import Variable

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Mapping

    from troupe.typing import Initializer


class VocabInfo(namedtuple("VocabInfo", ["new_vocab", "new_vocab_size", "num_oov_buckets", "old_vocab", "old_vocab_size", "backup_initializer", "axis"])):
    """How rows (`axis` 0) or columns (1) of a variable belong to the words of a file, and to those of the file of the checkpoint's program. Words that are new, and
    buckets behind them, begin with `backup_initializer`, zeros by default."""

    def __new__(cls, new_vocab: str, new_vocab_size: int, num_oov_buckets: int, old_vocab: str, old_vocab_size: int = -1,
                backup_initializer: Initializer | None = None, axis: int = 0) -> VocabInfo:
        if axis not in (0, 1):
            raise ValueError(f"The only supported values for the axis argument are 0 and 1.  Provided axis: {axis}")
        return super().__new__(cls, new_vocab, new_vocab_size, num_oov_buckets, old_vocab, old_vocab_size, backup_initializer, axis)


def warm_start(ckpt_to_initialize_from: str | os.PathLike[str], vars_to_warm_start: Any = ".*", var_name_to_vocab_info: Mapping[str, VocabInfo] | None = None,
               var_name_to_prev_var_name: Mapping[str, str] | None = None) -> None:
    """From now on the initializers of these variables take their values from a checkpoint: of trainable variables whose names begin so (a regular expression), of
    all variables whose names begin as one of a list, of a list of variables, or, with None, only of those that `var_name_to_vocab_info` names. Others' names in the checkpoint:
    `var_name_to_prev_var_name`. ValueError for names that no variable has."""
    grouped = _grouped(vars_to_warm_start)
    vocabularies, before = dict(var_name_to_vocab_info or {}), dict(var_name_to_prev_var_name or {})
    if vars_to_warm_start is None:
        known = _by_name(ops.get_collection(GraphKeys.TRAINABLE_VARIABLES))
        grouped = {name: known[name] for name in vocabularies if name in known}
    for what, names in (("var_name_to_prev_var_name", before), ("var_name_to_vocab_info", vocabularies)):
        unused = set(names) - set(grouped)
        if unused:
            raise ValueError(f"You provided the following variables in {what} that were not used: {unused}.  Perhaps you misspelled them?  Here is the list of "
                             f"viable variable names: {sorted(grouped)}")
    for name, parts in grouped.items():
        info = vocabularies.get(name)
        if info is not None:
            _by_words(ckpt_to_initialize_from, before.get(name, name), parts, info)
        else:
            for part in parts:
                init_from_checkpoint(ckpt_to_initialize_from, {before.get(name, name): part})


def _name_of(variable):
    info = variable._save_slice_info
    return variable.op.name if info is None else info.full_name


def _by_name(variables):
    made: dict[str, list[Variable]] = {}
    for v in variables:
        for part in parts_of(v):
            made.setdefault(_name_of(part), []).append(part)
    return made


def _grouped(wanted):
    if wanted is None:
        return {}
    if isinstance(wanted, str):
        return _by_name(ops.get_collection(GraphKeys.TRAINABLE_VARIABLES, scope=wanted))
    if not isinstance(wanted, list):
        raise ValueError(f"If `vars_to_warm_start is a list, it must be all `Variable` or all `str`.  Given types are {type(wanted)}")
    if all(isinstance(v, str) for v in wanted):
        return _by_name(v for scope in wanted for v in ops.get_collection(GraphKeys.GLOBAL_VARIABLES, scope=scope))
    if all(isinstance(v, (Variable, PartitionedVariable)) for v in wanted):
        return _by_name(wanted)
    raise ValueError(f"If `vars_to_warm_start` is a list, it must be all `Variable` or all `str`.  Given types are {[type(v) for v in wanted]}")


def _words(path, size):
    with file_io.GFile(path, "rb") as file:
        lines = [line.rstrip(b"\r\n") for line in file.read().splitlines()]
    return lines if size in (None, -1) else lines[:size]


def _by_words(checkpoint, name, parts, info):
    """The rows or columns of words that were there before; others as the backup initializer has it."""
    old = np.asarray(load_checkpoint(checkpoint).get_tensor(name))
    places = {word: i for i, word in enumerate(_words(info.old_vocab, info.old_vocab_size))}
    new = _words(info.new_vocab, info.new_vocab_size)
    count = len(new) + info.num_oov_buckets
    found = np.array([places.get(word, -1) for word in new] + [-1] * info.num_oov_buckets)
    known = found >= 0
    taken = np.take(old, np.where(known, found, 0), axis=info.axis)
    offset = 0
    for part in parts:
        shape = part.shape.as_list()
        begin, size = (offset, shape[info.axis]) if part._save_slice_info is not None else (0, count)
        offset += shape[info.axis]
        if part._save_slice_info is None and shape[info.axis] != count:
            raise ValueError(f"Variable {part.name} has {shape[info.axis]} for {len(new)} words and {info.num_oov_buckets} buckets.")
        rows = np.arange(begin, begin + size)
        mask = np.reshape(known[rows], [-1, 1] if info.axis == 0 else [1, -1])
        values = np.take(taken, rows, axis=info.axis)
        with ops.init_scope(), ops.name_scope(None):
            backup = array_ops.zeros(shape, part.dtype.base_dtype) if info.backup_initializer is None else info.backup_initializer(shape, dtype=part.dtype.base_dtype)
            first = array_ops.where_v2(np.broadcast_to(mask, shape), values.astype(part.dtype.base_dtype.as_numpy_dtype), backup)
            made = part.assign(first)
        part._initializer_op, part._initial_value = getattr(made, "op", made), first


def checkpoints_iterator(checkpoint_dir: str | os.PathLike[str], min_interval_secs: float = 0, timeout: float | None = None,
                         timeout_fn: Callable[[], bool] | None = None) -> Iterator[str]:
    """The path of each new last checkpoint of a folder, no more often than each `min_interval_secs` seconds. After `timeout` seconds without a new one it ends, unless
    `timeout_fn` gives False."""
    last: str | None = None
    while True:
        new = _wait_for_new(checkpoint_dir, last, timeout)
        if new is None:
            if not timeout_fn or timeout_fn():
                return
            continue
        begun, last = time.monotonic(), new
        yield new
        rest = begun + min_interval_secs - time.monotonic()
        if rest > 0:
            time.sleep(rest)


def _wait_for_new(folder, last, timeout):
    until = None if timeout is None else time.monotonic() + timeout
    while True:
        found = latest_checkpoint(folder)
        if found is not None and found != last:
            return found
        if until is not None and time.monotonic() + 1.0 > until:
            return None
        time.sleep(1.0)
