"""Datasets: `tf.data`."""

from troupe.dataset_iterators import Iterator, make_initializable_iterator, make_one_shot_iterator
from troupe.dataset_ops import AUTOTUNE, Dataset, FixedLengthRecordDataset, TextLineDataset, TFRecordDataset


def get_output_types(dataset_or_iterator):
    return dataset_or_iterator.output_types


def get_output_shapes(dataset_or_iterator):
    return dataset_or_iterator.output_shapes


def get_output_classes(dataset_or_iterator):
    return dataset_or_iterator.output_classes
