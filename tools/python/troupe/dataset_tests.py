"""Tests of datasets: `tensorflow.python.data.kernel_tests.test_base`."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import numpy as np

from troupe import array_ops, dtypes, errors, nest
from troupe.composite import SparseTensor, SparseTensorValue
from troupe.dataset_iterators import make_initializable_iterator, make_one_shot_iterator
from troupe.dataset_ops import Dataset
from troupe.tensor_array_ops import TensorArray
from troupe.test_case import TestCase
from troupe.test_combinations import combine

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from troupe.lookup import KeyValueTensorInitializer, TextFileInitializer


def _element(expected):
    """An element as it comes: lists are arrays."""
    if isinstance(expected, dict):
        return type(expected)((k, _element(v)) for k, v in expected.items())
    if isinstance(expected, tuple) and not isinstance(expected, SparseTensorValue):
        return type(expected)(*map(_element, expected)) if hasattr(expected, "_fields") else tuple(map(_element, expected))
    return np.array(expected) if isinstance(expected, list) else expected


class DatasetTestBase(TestCase):
    """Says what a dataset gives."""

    def assert_op_cancelled(self, op: Any) -> None:
        with self.assertRaises(errors.CancelledError):
            self.evaluate(op)

    def assertValuesEqual(self, expected: Any, actual: Any) -> None:  # noqa: N802
        if isinstance(expected, dict):
            self.assertItemsEqual(expected, actual)
            for key in expected:
                self.assertValuesEqual(expected[key], actual[key])
        elif isinstance(expected, (SparseTensor, SparseTensorValue)):
            for field in ("indices", "values", "dense_shape"):
                self.assertAllEqual(getattr(expected, field), getattr(actual, field))
        else:
            self.assertAllEqual(expected, actual)

    def getNext(self, dataset: Dataset, requires_initialization: bool = False,  # noqa: N802
                shared_name: str | None = None) -> Callable[[], Any]:
        """A function of the tensors of the next element, which each run takes; arrays of tensors are stacked."""
        if requires_initialization:
            iterator = make_initializable_iterator(dataset, shared_name)
            self.evaluate(iterator.initializer)
        else:
            iterator = make_one_shot_iterator(dataset)
        element = iterator.get_next()
        return lambda: element.stack() if isinstance(element, TensorArray) else element

    def _compare(self, results, expected, in_any_order):
        if in_any_order:
            self.assertItemsEqual(results, expected)
            return
        for result, wanted in zip(results, map(_element, expected)):
            nest.assert_same_structure(result, wanted)
            for a, b in zip(nest.flatten(result), nest.flatten(wanted)):
                self.assertValuesEqual(b, a)

    def getDatasetOutput(self, dataset: Dataset, requires_initialization: bool = False) -> list[Any]:  # noqa: N802
        return self.getIteratorOutput(self.getNext(dataset, requires_initialization))

    def getIteratorOutput(self, get_next: Callable[[], Any]) -> list[Any]:  # noqa: N802
        """All elements up to the end."""
        made = []
        while True:
            try:
                made.append(self.evaluate(get_next()))
            except errors.OutOfRangeError:
                return made

    def assertDatasetProduces(self, dataset: Dataset, expected_output: Sequence[Any] | None = None,  # noqa: N802
                              expected_shapes: Any = None, expected_error: tuple[type, Any] | None = None,
                              requires_initialization: bool = False, num_test_iterations: int = 1, assert_items_equal: bool = False,
                              expected_error_iter: int = 1) -> None:
        """These elements and then the end, as often as told, or this error by the time of so many elements."""
        which = "Exactly one of expected_output or expected error should be provided."
        self.assertTrue(expected_error is not None or expected_output is not None, which)
        if expected_error:
            self.assertTrue(expected_output is None, which)
            with self.assertRaisesWithPredicateMatch(expected_error[0], expected_error[1]):
                get_next = self.getNext(dataset, requires_initialization)
                for _ in range(expected_error_iter):
                    self.evaluate(get_next())
            return
        assert expected_output is not None
        if expected_shapes:
            self.assertEqual(expected_shapes, dataset.output_shapes)
        self.assertGreater(num_test_iterations, 0)
        for _ in range(num_test_iterations):
            get_next = self.getNext(dataset, requires_initialization)
            result: list[Any] = []
            for _ in expected_output:
                try:
                    result.append(self.evaluate(get_next()))
                except errors.OutOfRangeError:
                    raise AssertionError(f"Dataset ended early, producing {len(result)} elements out of {len(expected_output)}. "
                                         f"Dataset output: {result}") from None
            self._compare(result, expected_output, assert_items_equal)
            for _ in range(2):
                with self.assertRaises(errors.OutOfRangeError):
                    self.evaluate(get_next())

    def assertDatasetsEqual(self, dataset1: Dataset, dataset2: Dataset) -> None:  # noqa: N802
        """Of the same types, and the same elements in the same order; numbers may be almost the same."""
        nest.assert_same_structure(dataset1.output_types, dataset2.output_types)
        types = nest.flatten(dataset1.output_types)
        self.assertEqual(types, nest.flatten(dataset2.output_types))
        first, second = self.getDatasetOutput(dataset1), self.getDatasetOutput(dataset2)
        self.assertLen(first, len(second))
        for a, b in zip(first, second):
            for kind, x, y in zip(types, nest.flatten(a), nest.flatten(b)):
                if isinstance(x, SparseTensorValue) or kind == dtypes.string:
                    self.assertValuesEqual(x, y)
                else:
                    self.assertAllClose(x, y)

    def assertDatasetsRaiseSameError(self, dataset1: Dataset, dataset2: Dataset, exception_class: type[errors.OpError],  # noqa: N802
                                     replacements: Sequence[tuple[str, str, int]] | None = None) -> None:
        """For their first elements; the second's text has the first line of the first's, with these replaced."""
        first, second = self.getNext(dataset1), self.getNext(dataset2)
        try:
            self.evaluate(first())
        except exception_class as error:
            # What follows names operations.
            message = error.message.partition("\n")[0]
        else:
            raise ValueError(f"Expected dataset to raise an error of type {exception_class!r}, but it did not.")
        for old, new, count in replacements or ():
            message = message.replace(old, new, count)
        with self.assertRaisesRegex(exception_class, re.escape(message)):
            self.evaluate(second())

    def structuredDataset(self, dataset_structure: Any, shape: Any = None, dtype: Any = dtypes.int64) -> Dataset:  # noqa: N802
        """Of one element, zeros in a nest of tuples with None as leaves."""
        if dataset_structure is None:
            return Dataset.from_tensors(array_ops.zeros(shape or [], dtype=dtype))
        return Dataset.zip(tuple(self.structuredDataset(s, shape, dtype) for s in dataset_structure))

    def structuredElement(self, element_structure: Any, shape: Any = None, dtype: Any = dtypes.int64) -> Any:  # noqa: N802
        """Zeros in a nest of tuples with None as leaves."""
        if element_structure is None:
            return array_ops.zeros(shape or [], dtype=dtype)
        return tuple(self.structuredElement(s, shape, dtype) for s in element_structure)

    def textFileInitializer(self, vals: Sequence[Any]) -> TextFileInitializer:  # noqa: N802
        """Of a table from the numbers of lines to the values in them."""
        from troupe.lookup import TextFileIndex, TextFileInitializer

        path = os.path.join(self.get_temp_dir(), "text_file_initializer")
        with open(path, "w") as file:
            file.write("".join(f"{v}\n" for v in vals))
        return TextFileInitializer(path, dtypes.int64, TextFileIndex.LINE_NUMBER, dtypes.int64, TextFileIndex.WHOLE_LINE)

    def keyValueTensorInitializer(self, vals: Sequence[Any]) -> KeyValueTensorInitializer:  # noqa: N802
        from troupe.constant_op import constant
        from troupe.lookup import KeyValueTensorInitializer

        return KeyValueTensorInitializer(constant(list(range(len(vals))), dtype=dtypes.int64), constant(vals))


def default_test_combinations() -> list[dict[str, Any]]:
    """Parameters of tests for all modes: there is one, that of graphs."""
    return combine(tf_api_version=1, mode="graph")


graph_only_combinations = v1_only_combinations = default_test_combinations


def eager_only_combinations() -> list[dict[str, Any]]:
    """Parameters of tests that have no graph, or another interface: none."""
    return []


v2_eager_only_combinations = v2_only_combinations = eager_only_combinations
