"""tf.contrib.image, beside NumPy."""

import numpy as np
import pytest

import troupe as tf

image = tf.contrib.image


def values(fetches):
    with tf.Session() as session:
        return session.run(fetches)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def test_pictures_are_turned_and_moved():
    x = np.arange(2 * 5 * 5 * 3, dtype="f").reshape(2, 5, 5, 3)
    t = tf.constant(x)
    quarter, both, moved, each, flat = values([
        image.rotate(t, np.pi / 2), image.rotate(t, [0.0, np.pi]), image.translate(t, [2.0, 1.0]), image.translate(t, [[1.0, 0.0], [0.0, -1.0]]),
        image.rotate(t[0, :, :, 0], np.pi / 2)])
    np.testing.assert_array_equal(quarter, np.rot90(x, 1, (1, 2)))
    np.testing.assert_array_equal(both, [x[0], x[1, ::-1, ::-1]])
    wanted = np.zeros_like(x)
    wanted[:, 1:, 2:] = x[:, :-1, :-2]
    np.testing.assert_array_equal(moved, wanted)
    np.testing.assert_array_equal(each[0, :, 1:], x[0, :, :-1])
    np.testing.assert_array_equal(each[1, :-1], x[1, 1:])
    np.testing.assert_array_equal(flat, np.rot90(x[0, :, :, 0]))


def test_transforms_are_put_together():
    turn = image.angles_to_projective_transforms(np.pi / 2, 4, 6)
    move = image.translations_to_projective_transforms([1.0, 2.0])
    matrices = values([image.flat_transforms_to_matrices(turn), image.flat_transforms_to_matrices(move)])
    both, back = values([image.compose_transforms(turn, move), image.matrices_to_flat_transforms(matrices[0])])
    np.testing.assert_allclose(both.ravel(), (matrices[0][0] @ matrices[1][0]).ravel()[:8], atol=1e-5)
    np.testing.assert_allclose(back, values(turn), atol=1e-6)
    x = np.arange(16, dtype="f").reshape(1, 4, 4, 1)
    halved = values(image.transform(x, [2.0, 0, 0, 0, 2.0, 0, 0, 0], output_shape=[2, 2]))
    np.testing.assert_array_equal(halved[0, :, :, 0], x[0, ::2, ::2, 0])
    with pytest.raises(ValueError, match="transforms cannot be empty"):
        image.compose_transforms()
    with pytest.raises(TypeError, match="Images should have rank between 2 and 4"):
        image.rotate(tf.zeros([3]), 1.0)
    with pytest.raises(TypeError, match="Transforms should have rank 1 or 2"):
        image.transform(x, np.zeros([1, 1, 8]))


def test_points_between_pixels_are_by_distance():
    grid = np.random.RandomState(0).rand(2, 4, 5, 2).astype("f")
    points = np.array([[[0.5, 1.25], [3.0, 4.0]], [[-1.0, 2.0], [1.0, 9.0]]], "f")
    got, turned = values([image.interpolate_bilinear(grid, points), image.interpolate_bilinear(grid, points[..., ::-1].copy(), indexing="xy")])
    first = 0.5 * (0.75 * grid[0, 0, 1] + 0.25 * grid[0, 0, 2]) + 0.5 * (0.75 * grid[0, 1, 1] + 0.25 * grid[0, 1, 2])
    np.testing.assert_allclose(got, [[first, grid[0, 3, 4]], [grid[1, 0, 2], grid[1, 1, 4]]], rtol=1e-5)
    np.testing.assert_array_equal(got, turned)
    flow = np.zeros([2, 4, 5, 2], "f")
    flow[..., 0] = 1.0
    warped = values(image.dense_image_warp(grid, flow))
    np.testing.assert_allclose(warped[:, 1:], grid[:, :-1], rtol=1e-6)
    with pytest.raises(ValueError, match="Indexing mode"):
        image.interpolate_bilinear(grid, points, indexing="ab")


def test_colours_change_by_hue_saturation_and_value():
    pixels = np.random.RandomState(1).rand(3, 3, 3).astype("f")
    same, grey, brighter, turned = values([image.adjust_hsv_in_yiq(pixels), image.adjust_hsv_in_yiq(pixels, scale_saturation=0.0),
                                           image.adjust_hsv_in_yiq(pixels, scale_value=2.0), image.adjust_hsv_in_yiq(pixels, 2 * np.pi / 3)])
    np.testing.assert_allclose(same, pixels, atol=1e-5)
    np.testing.assert_allclose(grey, np.repeat((pixels @ [0.299, 0.587, 0.114])[..., None], 3, -1), atol=1e-5)
    np.testing.assert_allclose(brighter, 2 * pixels, atol=1e-5)
    np.testing.assert_allclose(turned @ [0.299, 0.587, 0.114], pixels @ [0.299, 0.587, 0.114], atol=1e-5)
    assert np.abs(turned - pixels).max() > 0.1
    made = values(image.random_hsv_in_yiq(pixels, 0.2, 0.5, 1.5, 0.9, 1.1, seed=3))
    assert made.shape == pixels.shape and np.abs(made - pixels).max() > 1e-3
    with pytest.raises(ValueError, match="max_delta must be non-negative"):
        image.random_hsv_in_yiq(pixels, -1.0)
