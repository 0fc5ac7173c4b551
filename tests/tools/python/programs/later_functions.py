"""Functions that few programs need: signals, crosses, ragged masks and stacks, generators of random numbers, sounds, checks of shapes, sections, pools, labels."""

import numpy as np
from program import outcome, show, tf

random = np.random.RandomState(5)


def plain(value):
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if hasattr(value, "dense_shape"):
        return [plain(value.indices), plain(value.values), plain(value.dense_shape)]
    if hasattr(value, "to_list"):
        return plain(value.to_list())
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    array = np.asarray(value) if not isinstance(value, bytes) else value
    return [array.real.tolist(), array.imag.tolist()] if isinstance(array, np.ndarray) and array.dtype.kind == "c" else array if isinstance(array, bytes) else array.tolist()


with tf.Session() as session:
    run = lambda *tensors: plain(session.run(list(tensors)))
    signal = tf.signal
    show("windows", run(signal.kaiser_window(6, 5.0), signal.kaiser_window(1), signal.kaiser_bessel_derived_window(8), signal.vorbis_window(6), signal.vorbis_window(4, tf.float64)))
    sound = tf.constant(random.normal(size=(2, 24)).astype(np.float32))
    pieces = [signal.mdct(sound, 8), signal.mdct(sound, 8, pad_end=True, norm="ortho"), signal.mdct(sound, 8, window_fn=None)]
    show("mdct", run(*pieces))
    show("and back", run(signal.inverse_mdct(pieces[0]), signal.inverse_mdct(pieces[1], norm="ortho"), signal.inverse_mdct(pieces[2], window_fn=None)))
    sparse = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], ["a", "b", "c"], [2, 2])
    numbers = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], tf.constant([7, 8, 9], tf.int64), [2, 2])
    show("crosses", run(tf.sparse.cross([sparse, numbers]), tf.sparse.cross([sparse, tf.constant([["x"], ["y"]])], separator="-"), tf.sparse.cross_hashed([sparse, numbers], 100),
                        tf.sparse.cross_hashed([sparse, sparse], hash_key=3)))
    ragged = tf.ragged.constant([["a", "b"], ["c"]])
    show("ragged crosses", run(tf.ragged.cross([ragged, numbers]), tf.ragged.cross_hashed([ragged, tf.constant([[1], [2]])], 50), tf.ragged.cross([ragged, ragged])))
    counted = tf.constant([[1, 5, 1], [0, 5, 5]])
    show("counts", run(tf.sparse.bincount(counted), tf.sparse.bincount(counted, axis=-1), tf.sparse.bincount(counted, axis=-1, binary_output=True, minlength=8),
                       tf.sparse.bincount(counted, weights=[[0.5, 1.0, 2.0], [4.0, 8.0, 16.0]], axis=-1, maxlength=5), tf.sparse.bincount(numbers, axis=-1),
                       tf.sparse.bincount(tf.ragged.constant([[1, 1], [], [2]], dtype=tf.int64), axis=-1)))
    mask, rows = tf.constant([[True, False, True], [False, False, True]]), tf.ragged.constant([[1, 2, 3], [4], []])
    show("masks", run(tf.ragged.boolean_mask([[1, 2, 3], [4, 5, 6]], mask), tf.ragged.boolean_mask(rows, [True, False, True]),
                      tf.ragged.boolean_mask(rows, tf.ragged.constant([[True, False, True], [False], []], dtype=tf.bool)), tf.ragged.boolean_mask([1, 2, 3], [True, False, True])))
    show("stacks", run(tf.ragged.stack([rows, rows]), tf.ragged.stack([rows, tf.constant([[7, 8], [9, 10], [11, 12]])], axis=1), tf.ragged.stack([tf.constant([1, 2]), tf.constant([3])]),
                       tf.ragged.stack_dynamic_partitions(["a", "b", "c", "d"], [3, 0, 3, 1], 5), tf.ragged.stack_dynamic_partitions(rows, [1, 0, 1], 2)))

    seed = tf.constant([3, 5])
    stateless = tf.random
    show("stateless", run(stateless.split([1, 2], 3), stateless.fold_in([1, 2], 3), tf.random.experimental.stateless_shuffle(tf.range(8), [1, 2]),
                          stateless.stateless_binomial([4], seed, 10.0, 0.5), stateless.stateless_poisson([4], seed, [2.0, 3.0, 4.0, 5.0]), stateless.stateless_gamma([3], seed, 2.0, 3.0),
                          stateless.stateless_parameterized_truncated_normal([3], seed, 1.0, 2.0, -1.0, 3.0), tf.random.experimental.index_shuffle(tf.range(5), [4, 5], 4),
                          tf.random_index_shuffle(2, [1, 2, 3], 9)))
    generator = tf.random.Generator.from_seed(1234)
    other = tf.random.experimental.Generator.from_key_counter(5, [1, 2], "philox")
    drawn = generator.normal([3])
    with tf.control_dependencies([drawn]):
        more = generator.uniform([2, 2], 1, 5)
        with tf.control_dependencies([more]):
            last = [generator.uniform([3], 0, 100, tf.int32), generator.make_seeds(2)]
    others = other.truncated_normal([2], stddev=2.0)
    whole = tf.random.Generator(copy_from=generator)
    for made in (generator, other, whole):
        session.run(made.state.initializer)
    show("states", [plain(session.run(g.state)) for g in (generator, other, whole)])
    show("drawn", plain(session.run([drawn, more])))
    session.run(generator.state.initializer)
    show("again", plain(session.run(drawn)))
    show("skipped", [plain(session.run(generator.skip(7))), plain(session.run(generator.state))])
    show("others", [plain(session.run(others)), generator.algorithm, plain(session.run(tf.random.create_rng_state(2**70 + 3, "philox"))), str(last[0].shape), str(last[1].shape)])

    wav = tf.audio.encode_wav([[0.0, 0.5], [-0.5, 0.25], [1.0, -1.0]], 8000)
    show("wav", run(tf.audio.decode_wav(wav), tf.audio.decode_wav(wav, desired_channels=1, desired_samples=5), tf.strings.length(wav)))
    fed = tf.placeholder(tf.float32)
    checked = tf.debugging.assert_shapes([(fed, ("n", 2)), (tf.zeros([3]), ("n",))], message="about shapes")
    show("shapes", [outcome(lambda: session.run(checked, {fed: np.zeros(shape)})) for shape in ((3, 2), (2, 2), (3, 3))])
    show("known shapes", [outcome(f) for f in (
        lambda: tf.debugging.assert_shapes({tf.zeros([2, 3]): ("a", 3), tf.ones([2]): "a"}), lambda: tf.debugging.assert_shapes([(tf.zeros([2, 3]), ("a", "a"))]),
        lambda: tf.debugging.assert_shapes([(tf.zeros([2, 3]), ("*", 3)), (tf.zeros([4]), (None,)), (tf.zeros([]), ())]), lambda: tf.debugging.assert_shapes([(tf.zeros([2]), (2, 3))]),
        lambda: tf.debugging.assert_shapes([(tf.zeros([2]), 3)]), lambda: tf.debugging.assert_shapes([(tf.zeros([2, 3]), (2, "*"))]))])
    total = tf.get_variable("total", [], initializer=tf.zeros_initializer(), use_resource=True)
    section = tf.CriticalSection(name="section")
    added = section.execute(lambda: tf.identity(total.assign_add(1.0)))
    session.run(total.initializer)
    show("section", [plain(session.run(added)) for _ in range(3)])

    image = tf.constant(random.normal(size=(1, 4, 4, 1)).astype(np.float32))
    nn = tf.nn
    show("pools", run(nn.avg_pool_v2(image, 2, 2, "VALID"), nn.max_pool_v2(image, [2, 1], 1, "SAME"), nn.max_pool_v2(image[0], 2, 2, "VALID")))
    kernel = tf.constant(random.normal(size=(2, 2, 1, 1)).astype(np.float32))
    show("atrous", run(nn.atrous_conv2d_transpose(image, kernel, [1, 6, 6, 1], 2, "VALID"), nn.atrous_conv2d_transpose(image, kernel, [1, 4, 4, 1], 2, "SAME"),
                       nn.with_space_to_batch(image, [2, 2], "SAME", lambda x, n, padding: nn.conv2d(x, kernel, [1, 1, 1, 1], padding), filter_shape=[2, 2]),
                       nn.space_to_batch(image, [[0, 0], [0, 0]], 2)))
    show("labels", run(*nn.collapse_repeated([[1, 1, 2, 2, 1], [3, 3, 3, 4, 4]], [5, 3]), *nn.ctc_unique_labels([[3, 4, 4, 3], [1, 2, 3, 4]])))
    logits = tf.constant(random.normal(size=(5, 2, 4)).astype(np.float32))
    show("ctc", run(nn.ctc_loss_v2(tf.constant([[1, 2, 0], [3, 1, 2]]), logits, [2, 3], [5, 4]),
                    nn.ctc_loss_v2(tf.SparseTensor([[0, 0], [1, 0], [1, 1]], [1, 2, 0], [2, 2]), logits, None, [5, 5], blank_index=-1)))
    show("dropped", run(nn.experimental.stateless_dropout(tf.ones([2, 5]), 0.4, [1, 2]), nn.experimental.general_dropout(tf.ones([4]), 0.5, lambda shape, dtype: tf.constant([0.1, 0.6, 0.4, 0.9]))))
    show("losses", run(nn.compute_average_loss([1.0, 2.0, 3.0], sample_weight=[1.0, 0.0, 2.0]), nn.compute_average_loss([1.0, 2.0], global_batch_size=8), nn.scale_regularization_loss([1.0, 2.0])))
    boxes = tf.constant([[0, 0, 1, 1], [0, 0, 0.9, 1], [0, 2, 1, 3], [0, 2.1, 1, 3]], tf.float32)
    scores = tf.constant([0.9, 0.8, 0.3, 0.7])
    show("boxes", run(*tf.image.non_max_suppression_padded(boxes, scores, 3), *tf.image.non_max_suppression_padded(tf.stack([boxes, boxes[::-1]]), tf.stack([scores, scores]), 3, pad_to_max_output_size=True),
                      *tf.image.combined_non_max_suppression(boxes[None, :, None], tf.stack([scores, scores[::-1]], -1)[None], 2, 3)))

    volume = tf.reshape(tf.range(16.0), [1, 2, 2, 4, 1])
    variable = tf.get_variable("rows", initializer=[[1, 2, 3], [4, 5, 6]])
    session.run(variable.initializer)
    show("arrays", run(tf.extract_volume_patches(volume, [1, 2, 2, 2, 1], [1, 1, 1, 2, 1], "VALID"), tf.parallel_stack([tf.constant([1, 2]), tf.constant([3, 4])]), tf.fingerprint(["a", "b"]),
                       *tf.required_space_to_batch_paddings([5, 6], [2, 4]), *tf.required_space_to_batch_paddings([5], [3], [[1, 0]]), tf.batch_scatter_update(variable, [[1], [2]], [[20], [60]]),
                       tf.vectorized_map(lambda row: tf.reduce_sum(row) * row, tf.constant([[1.0, 2.0], [3.0, 4.0]])), *tf.ragged_fill_empty_rows([0, 0, 2], [5, 6, 7], 4, -1)[:3]))
    show("numbers", run(tf.math.erfcinv([0.5, 1.0, 1.5]), tf.math.sobol_sample(3, 4, 1), *tf.math.approx_max_k([1.0, 5.0, 3.0, 4.0], 2)))
    show("types", run(tf.dtypes.complex(1.0, 2.0), tf.dtypes.saturate_cast([300.0, -3.0], tf.uint8), tf.dtypes.as_string([1, 2]), tf.dtypes.cast([1.5], tf.int32)))
    show("sets", run(tf.sets.set_size(tf.sets.set_union([[1, 2]], [[2, 3]])), tf.sets.set_difference([[1, 2]], [[2, 3]]), tf.sets.set_intersection([[1, 2]], [[2, 3]])))
    show("dimensions", [str(tf.dimension_at_index(tf.TensorShape([2, None]), i)) for i in (0, 1)] + [str(tf.type_spec_from_value(v)) for v in (tf.constant([1.0]), sparse, ragged)])
    with tf.Graph().as_default(), tf.Session() as inner:
        bad = tf.log(tf.placeholder(tf.float32, [], name="x"))
        check = tf.add_check_numerics_ops()
        show("numerics", [outcome(lambda: inner.run(check, {"x:0": v})) for v in (2.0, -1.0)])
    step = tf.placeholder(tf.int64, [])
    decayed = tf.train.noisy_linear_cosine_decay(0.5, step, 10, initial_variance=1e-12)
    show("decay", [plain(session.run(decayed, {step: s})) for s in (0, 4, 12)])
    with tf.GradientTape() as tape:
        x = tf.constant(3.0)
        tape.watch(x)
        y = x * x
    show("tape", run(tape.gradient(y, x)))
    called = tf.py_function(lambda a, b: a.numpy() * 2 + b.numpy().sum(), [tf.constant([1.0, 2.0]), tf.constant([[1, 2], [3, 4]])], tf.float32)
    show("python", run(called))
show("failures", [outcome(f) for f in (
    lambda: tf.signal.mdct(sound, 6), lambda: tf.sparse.cross([3]), lambda: tf.sparse.bincount(counted, axis=1), lambda: tf.ragged.boolean_mask([1], True),
    lambda: tf.random.create_rng_state(1, "other"), lambda: generator.uniform([2], 1, None, tf.int32), lambda: tf.nn.experimental.stateless_dropout(tf.ones([2]), 1.0, [1, 2]),
    lambda: tf.nn.atrous_conv2d_transpose(image, kernel, [1, 6, 6, 1], 0, "VALID"), lambda: tf.image.non_max_suppression_padded(boxes[None], scores[None], 3),
    lambda: tf.nn.ctc_loss_v2(tf.SparseTensor([[0, 0]], [1], [1, 1]), logits, None, [5]), lambda: tf.TensorSpec([1], "nothing"), lambda: tf.RaggedTensorSpec([2], tf.int32, 3))])
