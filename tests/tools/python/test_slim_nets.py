"""The networks of tf.contrib.slim.nets: their variables have the names and shapes of the published checkpoints."""

import numpy as np
import pytest

import troupe as tf

slim = tf.contrib.slim
nets = slim.nets


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(3)
        yield graph


def size(variables):
    return sum(int(np.prod(v.shape.as_list())) for v in variables)


@pytest.mark.parametrize(
    "net, scope, picture, parameters",
    [
        (nets.vgg.vgg_16, nets.vgg.vgg_arg_scope, 224, 138357544),
        (nets.vgg.vgg_19, nets.vgg.vgg_arg_scope, 224, 143667240),
        (nets.alexnet.alexnet_v2, nets.alexnet.alexnet_v2_arg_scope, 224, 50303912),
        (nets.resnet_v1.resnet_v1_50, nets.resnet_v1.resnet_arg_scope, 224, 25557032),
        (nets.resnet_v1.resnet_v1_101, nets.resnet_v1.resnet_arg_scope, 224, 44549160),
        (nets.resnet_v2.resnet_v2_50, nets.resnet_v2.resnet_arg_scope, 224, 25568360),
        (nets.inception.inception_v1, nets.inception.inception_v1_arg_scope, 224, None),
        (nets.inception.inception_v3, nets.inception.inception_v3_arg_scope, 299, None),
    ],
)
def test_networks_have_so_many_parameters(net, scope, picture, parameters):
    x = tf.placeholder(tf.float32, [None, picture, picture, 3])
    more = {} if "resnet" not in net.__name__ else {"spatial_squeeze": True}
    with slim.arg_scope(scope()):
        logits, points = net(x, num_classes=1000, is_training=False, **more)
    assert logits.shape.as_list() == [None, 1000] and net.default_image_size == (picture if "overfeat" not in net.__name__ else 231)
    if parameters:
        assert size(tf.trainable_variables()) == parameters
    assert len(points) > 5


def test_names_are_those_of_checkpoints():
    x = tf.placeholder(tf.float32, [2, 224, 224, 3])
    with slim.arg_scope(nets.resnet_v1.resnet_arg_scope()):
        _, points = nets.resnet_v1.resnet_v1_50(x, 1000, is_training=False)
    with slim.arg_scope(nets.vgg.vgg_arg_scope()):
        _, vgg = nets.vgg.vgg_16(x, is_training=False)
    with slim.arg_scope(nets.inception.inception_v3_arg_scope()):
        _, inception = nets.inception.inception_v3(tf.placeholder(tf.float32, [2, 299, 299, 3]), 1001, is_training=False)
    names = {v.op.name: v.shape.as_list() for v in tf.global_variables()}
    assert names["resnet_v1_50/block1/unit_1/bottleneck_v1/shortcut/weights"] == [1, 1, 64, 256]
    assert names["resnet_v1_50/block4/unit_3/bottleneck_v1/conv2/BatchNorm/moving_mean"] == [512] and names["resnet_v1_50/logits/biases"] == [1000]
    assert names["vgg_16/conv3/conv3_2/weights"] == [3, 3, 256, 256] and names["vgg_16/fc6/weights"] == [7, 7, 512, 4096]
    assert names["InceptionV3/Mixed_5c/Branch_1/Conv_1_0c_5x5/weights"] == [5, 5, 48, 64]
    assert names["InceptionV3/Mixed_7b/Branch_1/Conv2d_0b_3x1/weights"] == [3, 1, 384, 384] and names[
        "InceptionV3/AuxLogits/Conv2d_2a_5x5/weights"
    ] == [5, 5, 128, 768]
    assert points["resnet_v1_50/block3"].shape.as_list() == [2, 7, 7, 1024] and points["predictions"].shape.as_list() == [2, 1, 1, 1000]
    assert vgg["vgg_16/pool5"].shape.as_list() == [2, 7, 7, 512] and vgg["vgg_16/fc8"].shape.as_list() == [2, 1000]
    assert inception["Mixed_7c"].shape.as_list() == [2, 8, 8, 2048] and inception["Mixed_6e"].shape.as_list() == [2, 17, 17, 768]


def test_gaps_keep_pictures_large():
    x = tf.placeholder(tf.float32, [1, 65, 65, 3])
    with slim.arg_scope(nets.resnet_v1.resnet_arg_scope()):
        net, _ = nets.resnet_v1.resnet_v1_50(x, None, is_training=False, global_pool=False, output_stride=8)
    assert net.shape.as_list() == [1, 9, 9, 2048]
    with pytest.raises(ValueError, match="needs to be a multiple of 4"):
        nets.resnet_v2.resnet_v2_50(x, None, output_stride=6)
    with pytest.raises(ValueError, match="cannot be reached"):
        nets.resnet_v2.resnet_v2_50(x, None, output_stride=64, scope="other")


def test_a_small_residual_network_learns():
    random = np.random.RandomState(0)
    kinds = np.arange(8) % 2
    pictures = random.rand(8, 16, 16, 3).astype("f") * 0.3 + kinds[:, None, None, None] * 0.5
    blocks = [nets.resnet_v2.resnet_v2_block("block1", 2, 2, 2), nets.resnet_v2.resnet_v2_block("block2", 4, 1, 1)]
    with slim.arg_scope(nets.resnet_v2.resnet_arg_scope(batch_norm_decay=0.9)):
        logits, _ = nets.resnet_v2.resnet_v2(
            tf.constant(pictures.astype("f")), blocks, 2, include_root_block=False, spatial_squeeze=True, scope="small"
        )
    slim.losses.sparse_softmax_cross_entropy(logits, kinds)
    loss = slim.losses.get_total_loss()
    assert len(slim.losses.get_regularization_losses()) == 12
    train = slim.learning.create_train_op(loss, tf.train.MomentumOptimizer(0.05, 0.9))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found = [session.run(train) for _ in range(25)]
    assert found[-1] < 0.3 < found[0]
