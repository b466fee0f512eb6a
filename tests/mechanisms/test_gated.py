"""Gate, norm and softmaxes handed to layers of heads; other libraries: ``tests/clients``."""

import numpy as np
import pytest
import torch
from support import build, close, draw, numbers, tensor, to

from attn_course import pytorch, reference, tf
from attn_course.frameworks import tf as tensorflow
from attn_course.mechanisms.parts.gated import pytorch as parts
from attn_course.mechanisms.parts.gated import tf as keras_parts
from attn_course.parity import get_parameters, set_parameters

B, T, D, H, G, K, W = 2, 7, 24, 4, 2, 8, 3


def unweighted(face, place):
    """A part of Keras has a dtype of its own, even one without weights."""
    return place if face is tf else {}


def heads(face, own, place, layer="GroupedQueryAttention", rotary=True, **options):
    options = {"num_kv_heads": G, "key_dim": K, "use_bias": False} | options
    turn = face.RotaryEncoding(K, **unweighted(face, place)) if rotary is True else rotary
    return getattr(face, layer)(D, H, rotary=turn, **options, **place)


def test_window_with_groups_norm_and_gate():
    """A window gets them for nothing: equal to grouped queries under a mask of the window."""
    from attn_course.masks import sliding_window_mask

    mask, x = sliding_window_mask(T, T, W, True), draw(B, T, D)
    for face, own, place in ((pytorch, parts, {"dtype": torch.float64}), (tf, keras_parts, {"dtype": "float64"})):
        made = [
            heads(
                face, own, place, layer, **sizes,
                query_key_norm=own.QueryKeyNorm(K, **place), output_gate=own.OutputGate(D, H, **place),
            )
            for layer, sizes in (("SlidingWindowAttention", {"window": W}), ("GroupedQueryAttention", {}))
        ]  # fmt: skip
        set_parameters(made[1], get_parameters(made[0]))
        near, _ = made[0](tensor(face, x), causal=True)
        close(near, numbers(made[1](tensor(face, x), mask=tensor(face, mask))[0]), 1e-10)


def test_a_sink_is_a_factor_of_the_softmax():
    """sigmoid(lse - b) * softmax(score) is the softmax with one more score, without its column."""
    score, mask = draw(B, H, T, T), np.tril(np.ones((T, T), bool), -1)  # the first row may see nothing
    sink = draw(H, seed=1)
    for face, own, place in ((pytorch, parts, {"dtype": torch.float64}), (tf, keras_parts, {"dtype": "float64"})):
        layer = own.SinkSoftmax(H, **place)
        set_parameters(layer, {"sink": sink})
        joined = np.concatenate(
            [np.where(mask, score, -np.inf), np.broadcast_to(sink[:, None, None], (B, H, T, 1))], -1
        )
        expected = np.exp(joined) / np.exp(joined).sum(-1, keepdims=True)
        close(layer(tensor(face, score), tensor(face, mask)), expected[..., :-1])


@pytest.mark.parametrize("face", [pytorch, tf], ids=["pytorch", "tf"])
def test_query_and_key_have_norms_of_their_own(face):
    made = build(face, "QueryKeyNorm", 5)
    drawn = {name: np.arange(1.0, 6.0) + number for number, name in enumerate(sorted(get_parameters(made)))}
    set_parameters(made, drawn)
    query, key = draw(2, 3, 4, 5), draw(2, 3, 7, 5, seed=1)
    close(made(*to(face, query, key)), reference.query_key_norm(query, key, drawn))


@pytest.mark.parametrize("face", [pytorch, tf], ids=["pytorch", "tf"])
def test_a_norm_over_all_heads(face):
    """One length for the heads together: by a loop, by the specification, and another number than head by head."""
    made = build(face, "QueryKeyNorm", 5, num_heads=3, num_kv_heads=2)
    drawn = {"query.scale": draw(15, seed=4), "key.scale": draw(10, seed=5)}
    set_parameters(made, drawn)
    query, key = draw(2, 3, 4, 5), draw(2, 2, 7, 5, seed=1)
    found = made(*to(face, query, key))
    for x, name, one in zip((query, key), drawn, found, strict=True):
        words = x.swapaxes(1, 2).reshape(2, x.shape[2], -1)
        slow = np.array([[drawn[name] * w / np.sqrt(sum(w**2) / len(w) + 1e-6) for w in row] for row in words])
        close(one, slow.reshape(2, x.shape[2], -1, 5).swapaxes(1, 2))
    for one, other in zip(found, reference.query_key_norm(query, key, drawn), strict=True):
        close(one, other)
    with pytest.raises(ValueError, match=r"key must have shape .* with G = 2"):
        made(*to(face, query, query))
    if face is tf:
        assert tf.QueryKeyNorm.from_config(made.get_config()).get_config() == made.get_config()
    layer = build(face, "MultiHeadAttention", 15, 3, query_key_norm=build(face, "QueryKeyNorm", 5, num_heads=3))
    with pytest.raises(ValueError, match="query_key_norm over all heads is not supported by prune_heads"):
        layer.prune_heads([0])
    for options, name in (({"num_heads": 0}, "num_heads"), ({"num_kv_heads": 2}, "num_kv_heads")):
        with pytest.raises(ValueError, match=name):
            face.QueryKeyNorm(5, **options)


@pytest.mark.parametrize("face", [pytorch, tf], ids=["pytorch", "tf"])
def test_a_norm_without_a_scale(face):
    """Nothing is learned: the length is the root of the width, and turning before or after is the same."""
    made = build(face, "QueryKeyNorm", 6, use_scale=False)
    query, key = draw(2, 3, 4, 6), 1e3 * draw(2, 2, 7, 6, seed=1)
    found = made(*to(face, query, key))
    assert get_parameters(made) == {}
    close(found, reference.query_key_norm(query, key, {}))
    close([np.linalg.norm(numbers(x), axis=-1) ** 2 for x in found], [np.full(x.shape[:3], 6) for x in found], 1e-4)
    turn = build(face, "RotaryEncoding", 6) if face is tf else face.RotaryEncoding(6)
    close(turn(*found), made(*turn(*to(face, query, key))))
    if face is tf:
        assert tf.QueryKeyNorm.from_config(made.get_config()).get_config() == made.get_config()


def differences(loss, x, step=1e-6):
    """The gradient of a number by x, one entry after the other moved by a step."""
    found = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        moved = [x.copy(), x.copy()]
        moved[0][place] += step
        moved[1][place] -= step
        found[place] = (loss(moved[0]) - loss(moved[1])) / (2 * step)
    return found


@pytest.mark.parametrize("face", [pytorch, tf], ids=["pytorch", "tf"])
def test_gradients_of_sink_and_gate_are_differences_of_the_specification(face):
    score, sink = draw(2, 3, 4, 5), draw(3, seed=1)
    context, x, weight = draw(2, 3, 4, 7), draw(2, 4, 6, seed=2), draw(6, 3, seed=3)
    by_score, by_context = draw(*score.shape, seed=4), draw(*context.shape, seed=5)
    cases = (
        (
            build(face, "SinkSoftmax", 3),
            {"sink": sink},
            (score,),
            by_score,
            lambda sink, score: reference.sink_softmax(score, {"sink": sink}),
        ),
        (
            build(face, "OutputGate", 6, 3, use_bias=False),
            {"weight": weight},
            (context, x),
            by_context,
            lambda weight, context, x: reference.output_gate(context, x, {"weight": weight}),
        ),
    )
    for layer, parameters, inputs, by, specified in cases:
        set_parameters(layer, parameters)
        values = [*parameters.values(), *inputs]
        for number, found in enumerate(gradients(face, layer, inputs, by)):
            given = list(values)

            def loss(moved, number=number, given=given, specified=specified, by=by):
                given[number] = moved
                return np.sum(by * specified(*given))

            close(found, differences(loss, values[number]), 1e-6)


def gradients(face, layer, inputs, by):
    """Of the sum of the layer's output times ``by``: by its only parameter, in our layout, and by the inputs."""
    if face is tf:
        inputs = [tensorflow.Variable(x) for x in inputs]
        with tensorflow.GradientTape() as tape:
            total = tensorflow.reduce_sum(by * layer(*inputs))
        return [numbers(x) for x in tape.gradient(total, [layer.trainable_variables[0].value, *inputs])]
    inputs = [torch.tensor(x, requires_grad=True) for x in inputs]
    (torch.from_numpy(by) * layer(*inputs)).sum().backward()
    (own,) = layer.parameters()
    return [numbers(own.grad.mT if own.ndim > 1 else own.grad), *(numbers(x.grad) for x in inputs)]
