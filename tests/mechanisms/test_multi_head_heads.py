"""Heads that are cut away, how much each matters, and weights that are dropped in training."""

import numpy as np
import pytest
from multi_head_cases import PADDING, B, D, F, H, K, V, inputs, layer, run
from support import FACE, build, close, numbers, to

from attn_course import pytorch, reference, tf
from attn_course.frameworks import keras, tf as tensorflow, torch
from attn_course.parity import get_parameters, set_parameters

# --- heads ----------------------------------------------------------------------------


@FACE
@pytest.mark.parametrize("use_bias", [True, False])
@pytest.mark.parametrize("heads", [[], [1], (2, 0), {0, 1}])
def test_pruned_is_masked(face, use_bias, heads):
    sizes = {"num_heads": 3, "use_bias": use_bias}
    item = layer(face, **sizes)
    pruned = item.prune_heads(heads)
    share = np.array([float(h not in heads) for h in range(3)])
    for options in ({}, {"mask": PADDING, "causal": True}):
        expected, weights = run(face, item, inputs(), head_mask=share, **options)
        found, kept = run(face, pruned, inputs(), **options)
        close(found, expected)
        close(kept, numbers(weights)[:, share > 0])
    left = 3 - len(heads)
    found = {name: x.shape for name, x in get_parameters(pruned).items()}
    assert found["query_weight"] == (D, left * K) and found["value_weight"] == (F, left * V)
    assert found["output_weight"] == (left * V, D) and ("key_bias" in found) == use_bias
    assert pruned.num_heads == left and item.num_heads == 3
    before = get_parameters(item)
    set_parameters(pruned, {name: 0 * x for name, x in get_parameters(pruned).items()})
    assert all(np.array_equal(x, before[name]) for name, x in get_parameters(item).items())  # copies
    if face is tf:
        assert pruned.get_config()["num_heads"] == left
        again = tf.MultiHeadAttention.from_config(pruned.get_config())
        assert get_parameters(again).keys() == found.keys()


@FACE
def test_maps_of_some_heads_give_their_share(face):
    """Queries, keys, values cut by columns, the output by rows, as over devices: the parts add up to the whole."""
    shares, whole = [], run(face, layer(face, num_heads=4, use_bias=False), inputs(), causal=True)
    for heads in ([0, 1], [2, 3]):
        item = layer(face, num_heads=4, use_bias=False)
        given = item.prune_heads(heads)
        for name in ("query", "key", "value", "output"):
            name = name if face is pytorch else f"{name}_dense"
            setattr(item, name, getattr(given, name))
        shares.append(run(face, item, inputs(), causal=True))
    close(sum(numbers(output) for output, _ in reversed(shares)), numbers(whole[0]))
    close(np.concatenate([numbers(weights) for _, weights in reversed(shares)], axis=1), numbers(whole[1]))


@FACE
def test_pruned_keeps_what_the_layer_is(face):
    item = layer(face, num_heads=3, key_dim=12, dropout=0.25, dtype="float16", rotary=face.RotaryEncoding(12))
    pruned = item.prune_heads([1])
    assert {str(x.dtype) for x in get_parameters(pruned).values()} == {"float16"}
    assert pruned.config["dropout"] == 0.25 and pruned.rotary is item.rotary
    if face is pytorch:
        assert pruned.training and not item.eval().prune_heads([1]).training


@FACE
def test_head_importance(face):
    """Against differences of the specification, an example and a head at a time; of one layer and of two."""
    sizes = {"num_heads": 3, "memory_dim": None}
    rng = np.random.default_rng(11)
    shapes = {name: x.shape for name, x in get_parameters(layer(face, **sizes)).items()}
    drawn = [{name: rng.normal(size=shape) / 3 for name, shape in shapes.items()} for _ in range(2)]
    items = [layer(face, parameters, **sizes) for parameters in drawn]
    x = inputs()[0]

    def specified(masks):
        y = x
        for which, (parameters, mask) in enumerate(zip(drawn, masks, strict=True)):
            found, _ = reference.multi_head_attention_at_once(y, y, y, parameters, num_heads=3, head_mask=mask)
            y = y + found if which == 0 else found
        return np.sin(y).sum(axis=(1, 2))

    expected = np.zeros((2, B, 3))
    for place in np.ndindex(2, B, 3):
        step = np.zeros((2, B, 3))
        step[place] = 1e-5
        difference = specified(1 + step) - specified(1 - step)
        expected[place] = abs(difference[place[1]]) / 2e-5

    (tokens,) = to(face, x)
    sin_sum = (
        (lambda y: y.sin().sum(dim=(1, 2)))
        if face is pytorch
        else (lambda y: tensorflow.reduce_sum(tensorflow.sin(y), axis=(1, 2)))
    )

    def loss(masks):
        first = tokens + items[0](tokens, head_mask=masks[0], need_weights=False)[0]
        return sin_sum(items[1](first, head_mask=masks[1])[0])

    ones = to(face, np.ones((B, 3)))[0]
    found = face.head_importance(loss, (ones, ones))
    assert isinstance(found, tuple) and len(found) == 2
    close(np.stack([numbers(one) for one in found]), expected.mean(axis=1), 1e-6)
    # The absolute value stands inside the mean: signs of examples must not cancel.
    assert expected.mean(axis=1).min() > 1e-3
    alone = face.head_importance(lambda mask: loss((ones, mask)), ones)
    close(alone, found[1])


@FACE
def test_head_importance_refuses(face):
    item = layer(face)
    arrays = to(face, *inputs())
    ones, flat = to(face, np.ones((B, H)), np.ones(H))

    def losses(mask):
        output = item(*arrays, head_mask=mask)[0]
        return output[:, 0, 0]

    for loss, mask, words in (
        (lambda mask: losses(mask)[0], ones, r"loss must have shape \(B\)"),  # the batch's loss in one number
        (lambda mask: losses(mask)[:2], ones, r"loss must have shape \(B\) with B = 3"),
        (losses, flat, r"head_mask must have shape \(B, H\), got \(2,\)"),
        (lambda mask: losses(None), ones, "loss must depend on every head_mask"),
    ):
        with pytest.raises(ValueError, match=words):
            face.head_importance(loss, mask)


# --- dropout --------------------------------------------------------------------------


def seed(number):
    torch.manual_seed(number)
    keras.utils.set_random_seed(number)


@FACE
@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("name", ["MultiHeadAttention", "RelativeAttention"])
def test_dropout_drops_weights_in_training_only(face, name, need_weights):
    """With one key every weight is 1: in training a head's context is nothing or, at rate 1/2, twice the value.

    Shaw's value has a vector for its distance beside it.
    """
    more = {"max_distance": 1} if name == "RelativeAttention" else {"use_bias": False}
    parameters = {f"{part}_weight": np.eye(6) for part in ("query", "key", "value", "output")}
    if more.get("max_distance"):
        parameters |= {"relative_key": np.zeros((3, 2)), "relative_value": np.full((3, 2), 5.0)}
    seed(1)
    item, batch = build(face, name, 6, 3, dropout=0.5, **more), 40
    set_parameters(item, parameters)
    rng = np.random.default_rng(0)
    arrays = to(face, rng.normal(size=(batch, 5, 6)), rng.normal(size=(batch, 1, 6)))

    def call(training):
        if face is tf:
            return item(*arrays, need_weights=need_weights, training=training)
        return item.train(training)(*arrays, need_weights=need_weights)

    value = np.broadcast_to(numbers(arrays[1]) + 5.0 * ("max_distance" in more), (batch, 5, 6))
    close(call(False)[0], value)
    output, weights = call(True)
    share = (numbers(output) / value).reshape(batch, 5, 3, 2)
    assert np.allclose(share[..., 0], share[..., 1])  # a weight is dropped for the whole head
    close(np.sort(np.unique(share.round(6))), [0, 2])
    assert abs(share.mean() - 1) < 0.15
    assert (weights is None) != need_weights
    if need_weights:
        close(weights, np.ones((batch, 3, 5, 1)))  # as they were before
    assert not np.array_equal(numbers(call(True)[0]), numbers(output))
