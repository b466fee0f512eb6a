"""Random features: what they estimate, alike in three implementations."""

from itertools import product

import numpy as np
import pytest
from linearized_cases import LENGTHS, B, H, K, S, call, draw, padding, per_key, refused
from support import FACE, FACES, close, gradients, numbers, slope, tensor

from attn_course import pytorch, reference, tf
from attn_course.mechanisms.random_features.shared import rows_of

F = 13
KINDS = ("positive", "trigonometric")
PERFORMER, FOURIER = "performer_attention", "random_feature_attention"
ROWS = reference.orthogonal_projection(F, K, seed=3)


def features_by_loops(x, features):
    """One feature after the other, x a vector."""
    y = x / K**0.25
    half = (y @ y) / 2
    products = [row @ y for row in ROWS]
    if features == "positive":
        found = [np.exp(product - half) for product in products]
    else:
        found = [np.exp(half) * wave(product) for wave in (np.cos, np.sin) for product in products]
    return np.array(found) / np.sqrt(F)


@FACES
@pytest.mark.parametrize("features", KINDS)
def test_features_by_loops(face, features):
    x = draw()[0]
    expected = np.apply_along_axis(features_by_loops, -1, x, features)
    found = face.softmax_features(tensor(face, x), tensor(face, ROWS), features=features)
    close(numbers(found), expected)


@pytest.mark.parametrize("features", KINDS)
@pytest.mark.parametrize("draw_rows", [reference.gaussian_projection, reference.orthogonal_projection])
def test_products_of_features_are_exponentials_on_average(features, draw_rows):
    """Within four standard errors of exp(q . k / sqrt(K)); and not far more exact than that."""
    rng = np.random.default_rng(1)
    query, key = 0.5 * rng.normal(size=(2, 4, K))
    exact = np.exp(query @ key.T / np.sqrt(K))
    found = []
    for seed in range(300):
        rows = draw_rows(F, K, seed=seed)
        one, other = (reference.softmax_features(x, rows, features=features) for x in (query, key))
        found.append(one @ other.T)
    error = np.std(found, axis=0) / np.sqrt(len(found))
    assert (np.abs(np.mean(found, axis=0) - exact) < 4 * error + 1e-12).all()


def test_orthogonal_rows():
    rows = reference.orthogonal_projection(2 * K, K, seed=4)
    for block in (rows[:K], rows[K:]):
        product = block @ block.T
        close(product - np.diag(np.diag(product)), np.zeros((K, K)), 1e-12)
    assert abs(rows[:K] @ rows[K:].T).max() > 0.1
    many = np.concatenate([reference.orthogonal_projection(K, K, seed=seed) for seed in range(500)])
    assert abs((many**2).sum(1).mean() - K) < 0.2 and abs(many.mean()) < 0.05
    assert np.array_equal(pytorch.orthogonal_projection(7, K), tf.orthogonal_projection(7, K))
    # They share the directions out: the estimates vary less, where trigonometric.
    query, key = 0.25 * np.random.default_rng(0).normal(size=(2, 50, 16))
    spread = []
    for draw_rows in (reference.orthogonal_projection, reference.gaussian_projection):
        errors = []
        for seed in range(20):
            rows = draw_rows(64, 16, seed=seed)
            one, other = (reference.softmax_features(x, rows, features="trigonometric") for x in (query, key))
            errors.append(one @ other.T - np.exp(query @ key.T / 4))
        spread.append(np.std(errors))
    assert spread[0] < 0.7 * spread[1]


def by_loops(query, key, value, mask=None, *, features="positive", causal=False):
    """Every weight by its own sum of products."""
    T = query.shape[-2]
    output = np.zeros((*query.shape[:-1], value.shape[-1]))
    for b, h, t in np.ndindex(query.shape[:-1]):
        asked, total = features_by_loops(query[b, h, t], features), 0.0
        for s in range(S):
            if (causal and s > t + S - T) or (mask is not None and not mask[b, 0, 0, s]):
                continue
            weight = asked @ features_by_loops(key[b, h, s], features)
            total += weight
            output[b, h, t] += weight * value[b, h, s]
        if total != 0:
            output[b, h, t] /= total
    return output


def test_the_reference_agrees_with_loops():
    for T, features, causal, mask in product(LENGTHS, KINDS, (False, True), (None, padding())):
        options = {"features": features, "causal": causal}
        found = call(reference, PERFORMER, *draw(T), mask, projection=ROWS, **options)
        np.testing.assert_allclose(found, by_loops(*draw(T), mask, **options), rtol=1e-9, atol=1e-9)


def test_random_feature_attention_is_its_recurrence():
    """S = g S + (1 - g) phi(k) v, z = g z + (1 - g) phi(k), and the output phi(q) S / phi(q) z."""
    query, key, value = draw()
    gate, rows = per_key(), reference.gaussian_projection(7, K, seed=2)
    found = call(reference, FOURIER, query, key, value, projection=rows, gate=gate, causal=True)

    def waves(x):
        products = rows @ (x / np.linalg.norm(x))
        return np.concatenate([np.cos(products), np.sin(products)])

    for b, h in np.ndindex(B, H):
        sums, total = 0.0, 0.0
        for t in range(S):
            g, one = gate[b, h, t], waves(key[b, h, t])
            sums, total = g * sums + (1 - g) * np.outer(one, value[b, h, t]), g * total + (1 - g) * one
            asked = waves(query[b, h, t])
            close(found[b, h, t], asked @ sums / (asked @ total), 1e-8)


def test_random_feature_attention_estimates_softmax_of_unit_vectors():
    query, key, value = draw()
    unit = [x / np.linalg.norm(x, axis=-1, keepdims=True) for x in (query, key)]
    exact = reference.scaled_dot_product_attention(*unit, value, scale=1.0)[0]
    found = call(reference, FOURIER, query, key, value, num_features=40_000)
    assert np.abs(found - exact).max() < 0.05


def test_the_performer_comes_near_softmax_as_its_features_grow():
    query, key, value = (0.5 * x for x in draw())
    exact = reference.scaled_dot_product_attention(query, key, value)[0]
    errors = [
        np.mean([np.abs(call(reference, PERFORMER, query, key, value, num_features=m, seed=s) - exact).mean()
                 for s in range(20)])
        for m in (16, 256)
    ]  # fmt: skip
    assert 0.15 < errors[1] / errors[0] < 0.4  # 1 / sqrt(16)


@FACE
def test_a_large_key_to_come_does_not_push_the_past_away(face):
    """In float32 a shift by the largest of all keys would leave 0 / 0 of the first ones."""
    arrays = [x.astype(np.float32) for x in draw()]
    arrays[1][:, :, -1] *= 40
    rows = ROWS.astype(np.float32)
    found = call(face, PERFORMER, *arrays, causal=True, projection=rows, chunk_size=16)
    exact = call(reference, PERFORMER, *arrays, causal=True, projection=rows)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found[:, :, :-1], exact[:, :, :-1], rtol=2e-4, atol=2e-4)


@FACE
def test_gradients_of_waves(face):
    given = {name: 0.5 * x for name, x in zip(("query", "key", "value"), draw(3), strict=True)}
    options = {"features": "trigonometric", "num_features": 64}
    found = gradients(face, lambda *x: face.performer_attention(*x, **options)[0], given)
    for name, x in given.items():
        other = {key: y for key, y in given.items() if key != name}
        total = lambda x: reference.performer_attention(**other, **{name: x}, **options)[0].sum()  # noqa: B023, E731
        direction, expected = slope(total, x)
        assert (found[name] * direction).sum() == pytest.approx(expected, rel=1e-6)


@FACES
def test_errors(face):
    arrays = draw()
    refused(face, PERFORMER, arrays, "features must be one of positive, trig", features="other")
    refused(face, PERFORMER, arrays, "num_features must be even", features="trigonometric", num_features=7)
    refused(face, PERFORMER, arrays, "num_features must be at least 1", num_features=0)
    refused(face, PERFORMER, arrays, "projection must have shape .* with K = 5", projection=ROWS[:, 1:])
    refused(face, PERFORMER, (*arrays, np.ones((S, S), bool)), "mask must hide a key from all queries")
    refused(face, FOURIER, arrays, "gate must be None where causal is False", gate=per_key())
    refused(face, FOURIER, arrays, "gate must have shape", gate=per_key()[0], causal=True)


@FACE
def test_layers_keep_their_projection_and_redraw_it(face):
    for name, rows, options in (
        ("PerformerAttention", rows_of(14, "positive"), {}),
        ("RandomFeatureAttention", 7, {"gate": True}),
    ):
        layer = getattr(face, name)(6, 2, num_features=14, seed=3, **options)
        twin = getattr(face, name)(6, 2, num_features=14, seed=3, **options)
        before = numbers(layer.projection)
        assert before.shape == (rows, 3) and np.array_equal(before, numbers(twin.projection))
        layer.redraw(4)
        assert not np.isclose(before, numbers(layer.projection)).any()
        trained = layer.parameters() if face is pytorch else layer.trainable_variables
        assert not any(x is layer.projection and getattr(x, "requires_grad", True) for x in trained)
