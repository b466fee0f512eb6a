"""Norms and softmaxes handed to layers of heads; other libraries: ``tests/clients``."""

import numpy as np
import pytest
import torch
from support import build, close, draw, numbers, tensor, to

from attn_course import pytorch, reference, tf
from attn_course.mechanisms.parts.gated import pytorch as parts, tf as keras_parts
from attn_course.parity import get_parameters, set_parameters

B, T, D, H, G, K, W = 2, 7, 24, 4, 2, 8, 3


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
