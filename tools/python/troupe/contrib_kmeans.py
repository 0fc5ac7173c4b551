"""tf.contrib.factorization.KMeans: clusters of rows, by whole passes or small batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from troupe import array_ops, control_flow_ops, math_ops, nn, op_call, ops, random_ops, stacks
from troupe.composite import IndexedSlices
from troupe.conversion import convert_to_tensor
from troupe.variables import Variable, assign

if TYPE_CHECKING:
    from collections.abc import Callable

    from troupe.tensor import Operation, Tensor

SQUARED_EUCLIDEAN_DISTANCE, COSINE_DISTANCE = "squared_euclidean", "cosine"
RANDOM_INIT, KMEANS_PLUS_PLUS_INIT = "random", "kmeans_plus_plus"


class KMeans:
    """Of rows [number, dimensions], or of several such tensors. First centres are rows at random, rows far apart ("kmeans_plus_plus"), given ones, or
    what a function of the rows and their number gives. With `use_mini_batch` each centre moves by what all batches so far had of it. ValueError for
    unknown distances."""

    def __init__(self, inputs: Any, num_clusters: int | Tensor, initial_clusters: Any = RANDOM_INIT, distance_metric: str = SQUARED_EUCLIDEAN_DISTANCE,
                 use_mini_batch: bool = False, mini_batch_steps_per_iteration: int = 1, random_seed: int | None = 0,
                 kmeans_plus_plus_num_retries: int = 2) -> None:
        if distance_metric not in (SQUARED_EUCLIDEAN_DISTANCE, COSINE_DISTANCE):
            raise ValueError(f"Unsupported distance metric passed to Kmeans {distance_metric}")
        if mini_batch_steps_per_iteration != 1:
            raise NotImplementedError("KMeans with mini_batch_steps_per_iteration other than 1")
        self._inputs = [convert_to_tensor(i) for i in (inputs if isinstance(inputs, list) else [inputs])]
        self._k, self._first, self._seed, self._retries = num_clusters, initial_clusters, random_seed, kmeans_plus_plus_num_retries
        self._cosine, self._by_batches = distance_metric == COSINE_DISTANCE, use_mini_batch

    def training_graph(self) -> tuple[list[Tensor], list[Tensor], list[Tensor], Tensor, Operation, Operation]:
        """(distances of all rows to all centres, the nearest centre's index, the distance to that, whether centres were initialised, the operation
        that does so, the operation that moves them); the first three are lists, one of each tensor of inputs."""
        with ops.name_scope("kmeans"):
            dtype = self._inputs[0].dtype.base_dtype
            centers = Variable(array_ops.zeros([0, 0], dtype), name="clusters", trainable=False, validate_shape=False)
            initialized = Variable(False, name="initialized", trainable=False)
            counts = Variable(array_ops.zeros([0], dtype), name="counts", trainable=False, validate_shape=False)
            inputs = [nn.l2_normalize(i, 1) for i in self._inputs] if self._cosine else self._inputs
            distances = [self._distances(i, convert_to_tensor(centers)) for i in inputs]
            nearest = [math_ops.argmin(d, 1) for d in distances]
            scores = [math_ops.reduce_min(d, 1) for d in distances]
            train = self._train_op(inputs, nearest, centers, counts)
            return distances, nearest, scores, initialized.read_value(), self._init_op(inputs, centers, initialized, counts), train

    def _distances(self, rows, centers):
        product = math_ops.matmul(rows, nn.l2_normalize(centers, 1) if self._cosine else centers, transpose_b=True)
        if self._cosine:
            return 1.0 - product
        square = lambda x, axis: math_ops.reduce_sum(math_ops.square(x), 1, keepdims=True) if axis else math_ops.reduce_sum(math_ops.square(x), 1)
        return square(rows, True) - 2.0 * product + square(centers, False)

    def _chosen(self, rows):
        first: str | Callable[..., Any] | Any = self._first
        if callable(first):
            return first(rows, self._k)
        if isinstance(first, str) and first == RANDOM_INIT:
            count = math_ops.cast(array_ops.shape(rows)[0], "int32")
            return array_ops.gather(rows, random_ops.random_shuffle(math_ops.range(count), seed=self._seed)[:self._k])
        if isinstance(first, str) and first == KMEANS_PLUS_PLUS_INIT:
            return op_call.call("KmeansPlusPlusInitialization", None, points=rows, num_to_sample=math_ops.cast(self._k, "int64"),
                                seed=math_ops.cast(self._seed or 0, "int64"), num_retries_per_sample=math_ops.cast(self._retries, "int64"))
        if isinstance(first, str):
            raise ValueError(f"Unsupported initial_clusters: {first}")
        return convert_to_tensor(first, rows.dtype.base_dtype)

    def _init_op(self, inputs, centers, initialized, counts):
        def initialize():
            chosen = self._chosen(array_ops.concat(inputs, 0) if len(inputs) > 1 else inputs[0])
            chosen = nn.l2_normalize(chosen, 1) if self._cosine else chosen
            made = [assign(centers, chosen, validate_shape=False).op,
                    assign(counts, array_ops.zeros(array_ops.shape(chosen)[:1], chosen.dtype), validate_shape=False).op]
            with stacks.get_default_graph().control_dependencies(made):
                return initialized.assign(True).op

        # Once: those that are there stay.
        return control_flow_ops.cond(initialized.read_value(), control_flow_ops.no_op, lambda: control_flow_ops.group(initialize())).op

    def _train_op(self, inputs, nearest, centers, counts):
        count = array_ops.shape(centers)[0]
        totals = lambda values: math_ops.add_n([op_call.call("UnsortedSegmentSum", None, data=v, segment_ids=n, num_segments=count)
                                                for v, n in zip(values, nearest)])
        sums, numbers = totals(inputs), totals([array_ops.ones_like(i[:, 0]) for i in inputs])
        if self._by_batches:
            grown = counts.assign_add(numbers)
            rate = array_ops.expand_dims(math_ops.div_no_nan(array_ops.ones_like(numbers), grown), 1)
            return centers.assign_add((sums - convert_to_tensor(centers) * array_ops.expand_dims(numbers, 1)) * rate).op
        # A centre without rows stays.
        there = array_ops.reshape(array_ops.where(numbers > 0), [-1])
        means = array_ops.gather(sums, there) / array_ops.expand_dims(array_ops.gather(numbers, there), 1)
        return centers.scatter_update(IndexedSlices(means, there)).op
