"""Elements that are taken or left, so that their classes come as often as they are to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from troupe import array_ops, dtypes, math_ops, random_ops
from troupe.conversion import convert_to_tensor
from troupe.tensor_util import constant_value

if TYPE_CHECKING:
    from collections.abc import Callable

    from troupe.dataset_ops import Dataset
    from troupe.typing import TensorLike

# What each class is thought to have been seen before the first element.
_SEEN_BEFORE = 10


def rejection_resample(dataset: Dataset, class_func: Callable[..., TensorLike], target_dist: TensorLike, initial_dist: TensorLike | None,
                       seed: int | None) -> Dataset:
    """(class, element) of a dataset: classes, int32 scalars that `class_func` gives, come with the probabilities `target_dist`, a vector. `initial_dist`: how
    often they are in the dataset, which else is learnt from the elements so far. A part is taken as it comes, so that as few as possible are lost."""
    from troupe.data_experimental import choose_from_datasets
    from troupe.dataset_ops import Dataset

    target = convert_to_tensor(target_dist, dtypes.float32, name="target_dist")

    def with_class(*element):
        return class_func(*element), element[0] if len(element) == 1 else element

    labelled = dataset.map(with_class)
    if initial_dist is None:
        initial = _estimated(labelled, target)
    else:
        known = convert_to_tensor(initial_dist, dtypes.float32, name="initial_dist")
        initial = Dataset.from_tensors(known).repeat()
        share = _share(constant_value(known), constant_value(target))
        if share == 1:
            return labelled
    acceptance = initial.map(lambda probabilities: _acceptance(probabilities, target)[0])

    def is_taken(accepted, pair):
        return random_ops.random_uniform([], seed=seed) < accepted[math_ops.cast(pair[0], dtypes.int32)]

    taken = Dataset.zip((acceptance, labelled)).filter(is_taken).map(lambda _, pair: pair).prefetch(3)
    if initial_dist is not None and share == 0:
        return taken
    as_it_is = initial.map(lambda probabilities: _acceptance(probabilities, target)[1])
    choices = as_it_is.map(lambda p: math_ops.cast(random_ops.random_uniform([], seed=seed) >= p, dtypes.int64))
    return choose_from_datasets([labelled, taken], choices, stop_on_empty_dataset=True)


def _ratios(initial, target):
    return target / (initial + np.finfo(np.float32).tiny)


def _share(initial, target):
    """How much of a dataset of known probabilities is taken as it is, or None."""
    return None if initial is None or target is None else float(np.min(_ratios(initial, target)))


def _acceptance(initial, target):
    """(the probability with which each class is taken, how much is taken as it is)."""
    ratios = _ratios(initial, target)
    least = math_ops.reduce_min(ratios)
    return (ratios - least) / (math_ops.reduce_max(ratios) - least), least


def _estimated(labelled, target):
    """How often classes have been so far, for each element."""
    count = array_ops.shape(target)[0]
    seen = array_ops.fill(array_ops.reshape(count, [1]), array_ops.constant(_SEEN_BEFORE, dtypes.int64))
    seen.set_shape(target.shape)

    def step(state, pair):
        new = state + array_ops.one_hot(pair[0], target.shape.as_list()[0] or count, dtype=dtypes.int64)
        new.set_shape(state.shape)
        return new, math_ops.cast(new / math_ops.reduce_sum(new), dtypes.float32)

    return labelled.map(lambda label, _: (label,)).scan(seen, step)
