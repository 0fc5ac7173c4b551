"""MNIST's pictures from a folder, as tensorflow.examples.tutorials.mnist.input_data read them. Nothing is fetched: the four files must be there."""

from __future__ import annotations

import collections
import gzip
import os
from typing import TYPE_CHECKING

import numpy as np

from troupe import dtypes

if TYPE_CHECKING:
    from typing import Any, BinaryIO

    from troupe.typing import DTypeLike

SOURCE_URL = "https://storage.googleapis.com/cvdf-datasets/mnist/"
Datasets = collections.namedtuple("Datasets", ["train", "validation", "test"])
Dataset = collections.namedtuple("Dataset", ["data", "target"])


def _read(f, magic, dimensions):
    with gzip.GzipFile(fileobj=f) as stream:
        header = np.frombuffer(stream.read(4 * (1 + dimensions)), ">u4")
        if header[0] != magic:
            raise ValueError(f"Invalid magic number {header[0]} in MNIST file: {getattr(f, 'name', f)}, expected {magic}")
        shape = tuple(int(n) for n in header[1:])
        return np.frombuffer(stream.read(int(np.prod(shape))), np.uint8).reshape(shape)


def extract_images(f: BinaryIO) -> np.ndarray:
    """Pictures [number, rows, columns, 1] of bytes, of a gzipped file. ValueError for another file."""
    return _read(f, 2051, 3)[..., None]


def extract_labels(f: BinaryIO, one_hot: bool = False, num_classes: int = 10) -> np.ndarray:
    """Labels [number] of a gzipped file, or [number, classes]. ValueError for another file."""
    labels = _read(f, 2049, 1)
    return dense_to_one_hot(labels, num_classes) if one_hot else labels


def dense_to_one_hot(labels_dense: np.ndarray, num_classes: int) -> np.ndarray:
    """[number, classes], one where the label is."""
    return np.eye(num_classes)[labels_dense.ravel()]


class DataSet:
    """Pictures with labels, in batches: float32 pictures are of numbers from 0 to 1, and flat when `reshape`. ValueError for as many pictures as not
    labels; TypeError for other types than uint8 and float32."""

    def __init__(self, images: np.ndarray | None, labels: np.ndarray | None, fake_data: bool = False, one_hot: bool = False,
                 dtype: DTypeLike = dtypes.float32, reshape: bool = True, seed: int | None = None) -> None:
        self._random = np.random.RandomState(seed) if seed is not None else np.random
        dtype = dtypes.as_dtype(dtype).base_dtype
        if dtype not in (dtypes.uint8, dtypes.float32):
            raise TypeError(f"Invalid image dtype {dtype!r}, expected uint8 or float32")
        self._fake, self.one_hot = fake_data, one_hot
        if fake_data:
            images, labels = np.zeros([10000, 784], np.float32), np.zeros([10000], np.uint8)
        if images is None or labels is None or len(images) != len(labels):
            raise ValueError(f"images.shape: {np.shape(images)} labels.shape: {np.shape(labels)}")
        if not fake_data:
            images = images.reshape(len(images), -1) if reshape else images
            images = images.astype(np.float32) * np.float32(1.0 / 255.0) if dtype == dtypes.float32 else images
        self._images, self._labels = images, labels
        self._epochs_completed = self._index_in_epoch = 0

    @property
    def images(self) -> np.ndarray:
        return self._images

    @property
    def labels(self) -> np.ndarray:
        return self._labels

    @property
    def num_examples(self) -> int:
        return len(self._images)

    @property
    def epochs_completed(self) -> int:
        return self._epochs_completed

    def next_batch(self, batch_size: int, fake_data: bool = False, shuffle: bool = True) -> tuple[Any, Any]:
        """The next pictures and labels; in another order in each epoch when `shuffle`. A batch may go on into the next epoch."""
        if fake_data:
            label: Any = [1] + [0] * 9 if self.one_hot else 0
            return [[1] * 784 for _ in range(batch_size)], [label for _ in range(batch_size)]
        start = self._index_in_epoch
        if self._epochs_completed == 0 and start == 0 and shuffle:
            self._shuffle()
        if start + batch_size <= self.num_examples:
            self._index_in_epoch = end = start + batch_size
            return self._images[start:end], self._labels[start:end]
        self._epochs_completed += 1
        images, labels = self._images[start:], self._labels[start:]
        if shuffle:
            self._shuffle()
        self._index_in_epoch = end = batch_size - (self.num_examples - start)
        return np.concatenate((images, self._images[:end])), np.concatenate((labels, self._labels[:end]))

    def _shuffle(self):
        order = np.arange(self.num_examples)
        self._random.shuffle(order)
        self._images, self._labels = self._images[order], self._labels[order]


_FILES = ("train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz", "t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz")


def read_data_sets(train_dir: str | os.PathLike[str], fake_data: bool = False, one_hot: bool = False, dtype: DTypeLike = dtypes.float32,
                   reshape: bool = True, validation_size: int = 5000, seed: int | None = None, source_url: str = SOURCE_URL) -> Any:
    """(train, validation, test), DataSets of the four gzipped files of a folder. FileNotFoundError where one is not there; ValueError for more
    for validation than there are."""
    if fake_data:
        return Datasets(*(DataSet(None, None, True, one_hot, dtype, seed=seed) for _ in range(3)))
    paths = [os.path.join(train_dir, name) for name in _FILES]
    missing = [p for p in paths if not os.path.exists(p)]
    if missing:
        raise FileNotFoundError(f"{missing[0]} is not there: nothing is downloaded; {source_url} has it")
    arrays = []
    for path, extract in zip(paths, (extract_images, extract_labels) * 2):
        with open(path, "rb") as f:
            arrays.append(extract(f) if extract is extract_images else extract(f, one_hot))
    images, labels, test_images, test_labels = arrays
    if not 0 <= validation_size <= len(images):
        raise ValueError(f"Validation size should be between 0 and {len(images)}. Received: {validation_size}.")
    made = lambda i, l: DataSet(i, l, dtype=dtype, reshape=reshape, seed=seed)
    return Datasets(made(images[validation_size:], labels[validation_size:]), made(images[:validation_size], labels[:validation_size]),
                    made(test_images, test_labels))


def load_mnist(train_dir: str | os.PathLike[str] = "MNIST-data") -> Any:
    """read_data_sets of a folder."""
    return read_data_sets(train_dir)


def load_dataset(name: str, size: str = "small") -> Any:
    """The data set "mnist" of the folder MNIST-data. ValueError for others."""
    if name != "mnist":
        raise ValueError(f"Name of dataset is not found: {name}. Only mnist is there.")
    return load_mnist()
