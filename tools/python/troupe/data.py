"""Datasets: `tf.data`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import data_experimental as experimental
from troupe.dataset_files import FixedLengthRecordDataset, TextLineDataset, TFRecordDataset
from troupe.dataset_iterators import Iterator, make_initializable_iterator, make_one_shot_iterator
from troupe.dataset_ops import AUTOTUNE, Dataset
from troupe.dataset_transformations import DatasetSpec, Options

if TYPE_CHECKING:
    from typing import Any

INFINITE_CARDINALITY, UNKNOWN_CARDINALITY = -1, -2


def get_output_types(dataset_or_iterator: Dataset | Iterator) -> Any:
    return dataset_or_iterator.output_types


def get_output_shapes(dataset_or_iterator: Dataset | Iterator) -> Any:
    return dataset_or_iterator.output_shapes


def get_output_classes(dataset_or_iterator: Dataset | Iterator) -> Any:
    return dataset_or_iterator.output_classes


def __getattr__(name: str) -> Any:
    if name == "ThreadingOptions":
        from troupe.dataset_options import ThreadingOptions

        return ThreadingOptions
    raise AttributeError(f"module 'troupe.data' has no attribute {name!r}")
