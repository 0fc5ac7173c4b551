"""Names that fewer programs use: settings of sessions, what says that it is no part of the package, functions of values, signatures, saved models."""

import inspect
import json
import pathlib

import numpy as np
import pytest
import troupe as tf
from troupe import exports, stacks

SIGNATURES = json.loads((pathlib.Path(__file__).parent / "later_signatures.json").read_text())


@pytest.fixture
def settings():
    """Nothing is set, before and after."""
    stacks.session_config = None
    yield tf.config
    stacks.session_config = None
    from troupe import device_config

    device_config._visible.clear()
    device_config._options.clear()


def _find(name):
    found = tf
    for part in name.split("."):
        found = getattr(found, part)
    return found


@pytest.mark.parametrize("name", sorted(SIGNATURES))
def test_parameters_are_tensorflows(name):
    assert list(inspect.signature(_find(name)).parameters) == SIGNATURES[name]


@pytest.mark.parametrize("name", sorted(exports.APART))
def test_what_is_apart_says_what_to_use(name):
    with pytest.raises(AttributeError, match=f"tf.{name} is not part of this package"):
        getattr(tf, name)


def test_a_name_that_is_nowhere_is_no_attribute():
    for module in (tf, tf.data.experimental, tf.ragged, tf.dtypes, tf.config, tf.train, tf.nn):
        with pytest.raises(AttributeError, match="nothing_of_this_name"):
            module.nothing_of_this_name  # noqa: B018


def test_there_is_a_cpu(settings):
    assert settings.PhysicalDevice("/physical_device:CPU:0", "CPU") in settings.list_physical_devices()
    assert settings.list_logical_devices("CPU") == [settings.LogicalDevice("/device:CPU:0", "CPU")]
    assert settings.list_physical_devices("nothing") == []


def test_settings_are_those_of_sessions_without_a_config(settings):
    cpu = settings.list_physical_devices("CPU")[0]
    settings.set_logical_device_configuration(cpu, [settings.LogicalDeviceConfiguration()] * 3)
    with tf.Graph().as_default(), tf.Session() as session:
        assert len([d for d in session.list_devices() if d.device_type == "CPU"]) == 3
    with tf.Graph().as_default(), tf.Session(config=tf.ConfigProto()) as session:
        assert len([d for d in session.list_devices() if d.device_type == "CPU"]) == 1


def test_soft_placement_is_a_setting(settings):
    def run():
        with tf.Graph().as_default(), tf.Session() as session:
            with tf.device("/device:GPU:7"):
                return session.run(tf.constant(1.0) + 1)

    with pytest.raises(tf.errors.InvalidArgumentError):
        run()
    settings.set_soft_device_placement(True)
    assert run() == 2 and settings.get_soft_device_placement()


def test_threads_and_rewritings_are_in_the_config(settings):
    assert settings.threading.get_inter_op_parallelism_threads() == 0
    settings.threading.set_inter_op_parallelism_threads(3)
    settings.threading.set_intra_op_parallelism_threads(2)
    settings.optimizer.set_experimental_options({"constant_folding": False, "disable_meta_optimizer": True})
    tf.debugging.set_log_device_placement(True)
    config = stacks.session_config
    assert (config.inter_op_parallelism_threads, config.intra_op_parallelism_threads, config.log_device_placement) == (3, 2, True)
    assert config.graph_options.rewrite_options.disable_meta_optimizer
    assert settings.threading.get_intra_op_parallelism_threads() == 2 and tf.debugging.get_log_device_placement()
    assert settings.optimizer.get_experimental_options() == {"constant_folding": False, "disable_meta_optimizer": True, "disable_model_pruning": False}
    tf.debugging.set_log_device_placement(False)
    with tf.Graph().as_default(), tf.Session() as session:
        assert session.run(tf.constant(2) * 3) == 6


def test_settings_of_devices_that_are_not_there_are_refused(settings):
    cpu = settings.list_physical_devices("CPU")[0]
    other = settings.PhysicalDevice("/physical_device:GPU:77", "GPU")
    for call in (lambda: settings.set_visible_devices([other]), lambda: settings.experimental.set_memory_growth(cpu, True),
                 lambda: settings.experimental.set_memory_growth(other, True), lambda: settings.set_visible_devices([], "CPU"),
                 lambda: settings.set_logical_device_configuration(cpu, [settings.LogicalDeviceConfiguration(memory_limit=3)]),
                 lambda: settings.experimental.get_memory_info("CPU:0"), lambda: settings.experimental.set_device_policy("explicit")):
        with pytest.raises(ValueError):
            call()
    settings.set_visible_devices([], "GPU")
    assert settings.get_visible_devices() == [d for d in settings.list_physical_devices() if d.device_type != "GPU"]


def test_statements_of_python_stay_what_they_are():
    def double(x):
        return x * 2

    assert tf.autograph.experimental.do_not_convert(double) is double
    with pytest.raises(NotImplementedError, match="tf.cond"):
        tf.autograph.to_graph(double)
    for call in (lambda: tf.load_op_library("ops.so"), lambda: tf.load_library("ops"), lambda: tf.load_file_system_library("files.so")):
        with pytest.raises(RuntimeError, match="TensorFlow's runtime"):
            call()


def test_a_py_function_gets_values():
    def doubled(number, words):
        assert number.numpy().dtype == np.float32 and words.numpy() == b"ab"
        return number.numpy() * 2, len(words.numpy())

    with tf.Graph().as_default(), tf.Session() as session:
        made = tf.py_function(doubled, [tf.constant([1.5, 2.0]), tf.constant("ab")], [tf.float64, tf.int32])
        values = session.run(made)
        assert values[0].tolist() == [3.0, 4.0] and values[0].dtype == np.float64 and values[1] == 2
        with pytest.raises(tf.errors.InvalidArgumentError, match="nothing is eager"):
            session.run(tf.py_function(lambda x: tf.constant(1.0), [1.0], tf.float32))


def test_several_devices_are_not_mirrored():
    with pytest.raises(ValueError, match="one device"):
        tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
    with tf.Graph().as_default():
        with tf.distribute.MirroredStrategy(["/cpu:0"]).scope() as strategy:
            assert tf.get_variable("v", [2]).op.name == "v" and strategy.num_replicas_in_sync == 1
            context = strategy.run(tf.distribute.get_replica_context)
            assert context.merge_call(lambda s, x: (s is strategy, tf.distribute.in_cross_replica_context(), x), (3,)) == (True, True, 3)


def test_a_profile_is_shown(capsys):
    with tf.Graph().as_default() as graph:
        tf.get_variable("layer/kernel", [2, 3])
        found = tf.profiler.profile(graph)
        assert found.total_parameters == 6
        assert capsys.readouterr().out.splitlines() == ["node name | # parameters", "_TFProfRoot (--/6 params)", "  layer (--/6 params)",
                                                         "    layer/kernel (2x3, 6/6 params)"]
        with pytest.raises(ValueError, match="unknown cmd"):
            tf.profiler.profile(graph, cmd="other")


def test_times_of_a_step_are_profiled():
    with tf.Graph().as_default() as graph, tf.Session() as session:
        product = tf.matmul(tf.placeholder_with_default(tf.ones([300, 300]), [300, 300]), tf.ones([300, 300]), name="product")
        metadata = tf.RunMetadata()
        session.run(product, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
        builder = tf.profiler.ProfileOptionBuilder
        root = tf.profiler.profile(graph, metadata, options=builder(builder.time_and_memory()).with_empty_output().build())
        assert root.total_exec_micros > 0 and "product" in [c.name for c in root.children]


def test_signatures_are_checked():
    with tf.Graph().as_default():
        x, y = tf.placeholder(tf.float32, [None], name="x"), tf.placeholder(tf.string, [None], name="y")
        utils = tf.saved_model.signature_def_utils
        assert utils.is_valid_signature(tf.saved_model.predict_signature_def({"a": x}, {"b": y}))
        assert utils.is_valid_signature(tf.saved_model.regression_signature_def(y, x))
        assert utils.is_valid_signature(tf.saved_model.classification_signature_def(y, y, x))
        assert not utils.is_valid_signature(tf.saved_model.build_signature_def({}, {}, "other"))
        assert not utils.is_valid_signature(None)


def test_resources_are_beside_programs(tmp_path):
    folder = pathlib.Path(__file__).resolve().parent
    assert pathlib.Path(tf.resource_loader.get_path_to_datafile("recorded.py")).resolve() == folder / "recorded.py"
    assert pathlib.Path(tf.resource_loader.get_data_files_path()).resolve() == folder
    assert tf.resource_loader.load_resource("__init__.py").startswith(b'"""TensorFlow 1')
    assert tf.sysconfig.get_include() in tf.sysconfig.get_compile_flags()[0]


def test_options_of_a_checkpoint_that_cannot_be(tmp_path):
    with tf.Graph().as_default():
        checkpoint = tf.train.Checkpoint(v=tf.get_variable("v", [2]))
        with pytest.raises(RuntimeError, match="in a session"):
            checkpoint.save(str(tmp_path / "x"))
        with pytest.raises(ValueError, match="step_counter"):
            tf.train.CheckpointManager(checkpoint, tmp_path, 2, checkpoint_interval=1)


def test_a_manager_saves_once_in_an_interval(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        step = tf.train.get_or_create_global_step()
        manager = tf.train.CheckpointManager(tf.train.Checkpoint(step=step), tmp_path, 3, step_counter=step, checkpoint_interval=2)
        session.run(tf.global_variables_initializer())
        saved = []
        for _ in range(5):
            session.run(step.assign_add(1))
            saved.append(manager.save() is not None)
        assert saved == [True, False, True, False, True]


def test_specs_are_values():
    spec = tf.TensorSpec([None, 2], tf.int32, "x")
    assert spec == tf.TensorSpec([None, 2], tf.int32, "x") and hash(spec) == hash(tf.TensorSpec([None, 2], tf.int32, "x"))
    assert spec != tf.TensorSpec([1, 2], tf.int32, "x") and spec != tf.TensorSpec([None, 2], tf.int32)
    with tf.Graph().as_default():
        assert spec.is_compatible_with(tf.constant([[1, 2]])) and not spec.is_compatible_with(tf.constant([[1.0, 2.0]]))
        sparse = tf.SparseTensor([[0, 1]], [1.0], [2, 3])
        assert tf.SparseTensorSpec([2, 3]).is_compatible_with(sparse) and not tf.SparseTensorSpec([2, 4]).is_compatible_with(sparse)
        assert tf.type_spec_from_value(tf.ragged.constant([[1], []])) == tf.RaggedTensorSpec([2, None], tf.int32, 1)
        with pytest.raises(TypeError, match="TypeSpec"):
            tf.type_spec_from_value(object())


def test_a_dataset_is_not_loaded_while_it_is_written(tmp_path):
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="wait"):
            tf.data.Dataset.load(str(tmp_path), wait=True)
        with pytest.raises(tf.errors.NotFoundError):
            tf.data.Dataset.load(str(tmp_path / "nothing"))


def test_resampled_classes_are_as_often_as_they_are_to_be():
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(3)
        data = tf.data.Dataset.from_tensor_slices(np.arange(4)).repeat().shuffle(50, seed=1)
        for initial in ([0.75, 0.25], None):
            made = data.rejection_resample(lambda x: tf.cast(tf.equal(x, 3), tf.int32), [0.5, 0.5], initial, seed=5)
            label, value = made.batch(600).make_one_shot_iterator().get_next()
            labels, values = session.run([label, value])
            assert (labels == (values == 3)).all() and abs(labels.mean() - 0.5) < 0.08


def test_values_that_a_saver_wrote_are_found_by_the_names_of_variables(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable("v", initializer=[1.0, 2.0])
        session.run(v.initializer)
        path = tf.train.Saver([v]).save(session, str(tmp_path / "named"))
        session.run(v.assign([3.0, 4.0]))
        tf.train.Checkpoint(one=v).restore(path).run_restore_ops(session)
        assert session.run(v).tolist() == [1.0, 2.0]


@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
def test_transforms_of_any_dimensions_are_numpys(norm):
    x = np.random.RandomState(1).normal(size=(3, 4, 5)).astype(np.float32)
    z = (x + 1j * x[::-1]).astype(np.complex64)
    signal, fft = tf.signal, np.fft
    with tf.Graph().as_default(), tf.Session() as session:
        made = [signal.fftnd(z, norm=norm), signal.ifftnd(z, norm=norm), signal.rfftnd(x, norm=norm), signal.irfftnd(fft.rfftn(x).astype(np.complex64), [3, 4, 5], norm=norm),
                signal.fftnd(z, [4, 6], [1, 2], norm=norm)]
        wanted = [fft.fftn(z, norm=norm), fft.ifftn(z, norm=norm), fft.rfftn(x, norm=norm), fft.irfftn(fft.rfftn(x), [3, 4, 5], norm=norm),
                  fft.fftn(z, [4, 6], [1, 2], norm=norm)]
        for tensor, value, found in zip(made, wanted, session.run(made)):
            assert tensor.shape.as_list() == list(value.shape)
            np.testing.assert_allclose(found, value, rtol=1e-4, atol=1e-4)


def test_a_manager_restores_the_last_or_initializes(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable("v", initializer=3.0)
        manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=v), tmp_path, 1, init_fn=lambda: session.run(v.initializer))
        assert manager.restore_or_initialize() is None and session.run(v) == 3
        path = manager.save()
        session.run(v.assign(4.0))
        assert manager.restore_or_initialize() == path and session.run(v) == 3
