"""The labs of chapter 12: readers with a shortcut, maps and their ranks, recall of hashing, memory of layers."""

import both_frameworks  # noqa: F401
import numpy as np
import pytest
from support import twinned

from attn_course.course.labs.shortcuts import KINDS, NAMES, NUMBERS, PICTURES, POSITIONS, batches
from attn_course.course.labs.shortcuts import pytorch as in_torch
from attn_course.course.labs.shortcuts import tf as in_tf
from attn_course.frameworks import keras, torch
from attn_course.frameworks import tf as tensorflow
from attn_course.parity import get_parameters
from experiments import recall, reversible, spectra


def test_every_card_has_one_twin():
    assert len(set(NAMES)) == PICTURES
    seen, right = next(batches("twins", size=5))
    again = next(batches("twins", size=5))[0]
    assert np.array_equal(seen, again) and not np.array_equal(seen, next(batches("twins", "test", size=5))[0])
    pictures, numbers = seen[..., :PICTURES].argmax(-1), seen[..., PICTURES:].argmax(-1)
    assert seen.shape == (5, POSITIONS, PICTURES + NUMBERS) and (seen.sum(-1) == 2).all()
    for row in range(5):
        for place in range(POSITIONS):
            (twin,) = (p for p in range(POSITIONS) if pictures[row, p] == pictures[row, place] and p != place)
            assert right[row, place] == numbers[row, twin]


def test_digits_are_rows_of_pixels():
    pixels, labels = next(batches("digits", seed=1))
    assert pixels.shape == (32, POSITIONS, 1) and labels.shape == (32,) and pixels.max() == 1


@pytest.mark.parametrize(
    "task, kind", [("digits", "none"), ("digits", "Linformer 8"), ("twins", "full"), ("twins", "LSH 1")]
)
def test_both_frameworks_read_alike(task, kind):
    assert kind in KINDS
    torch.manual_seed(0)
    inputs, _ = next(batches(task, size=3))
    one, other = in_torch.Reader(task, kind, 5).eval(), in_tf.Reader(task, kind, 5)
    other(tensorflow.constant(inputs))
    twinned(one, other)
    expected = other(tensorflow.constant(inputs)).numpy()
    found = one(torch.from_numpy(inputs)).detach().numpy()
    np.testing.assert_allclose(found, expected, atol=1e-4)
    assert np.array_equal(in_torch.guess(one, inputs), in_tf.guess(other, inputs))


def test_without_attention_no_card_counts_for_another():
    torch.manual_seed(0)
    inputs = torch.from_numpy(next(batches("twins", size=2))[0])
    changed = torch.cat([inputs[:, :-1], inputs[:, -1:].flip(-1)], dim=1)
    for kind, moves in (("none", False), ("full", True)):
        model = in_torch.Reader("twins", kind)
        assert torch.equal(model(inputs)[:, :-1], model(changed)[:, :-1]) != moves


@pytest.mark.parametrize("module", [in_torch, in_tf], ids=["pytorch", "tf"])
def test_more_rounds_keep_the_weights(module):
    torch.manual_seed(0)
    keras.utils.set_random_seed(0)
    inputs, _ = next(batches("twins", size=2))
    model = module.Reader("twins", "LSH 1")
    model(torch.from_numpy(inputs) if module is in_torch else tensorflow.constant(inputs))
    other = module.rehashed(model, 2)
    own, given = (get_parameters(x.encoder) for x in (other, model))
    assert own["layers.0.attention.rotations"].shape[0] == 2
    for name in own:
        assert np.array_equal(own[name], given[name]) or "rotations" in name


@pytest.mark.parametrize("module", [in_torch, in_tf], ids=["pytorch", "tf"])
def test_a_hashed_query_looks_at_as_many_keys_as_the_table_says(module):
    hashing = module.attention("LSH 1").hashing
    assert 2 * hashing["chunk_size"] == KINDS["LSH 1"] == 16
    assert hashing["chunk_size"] == 2 * POSITIONS // hashing["num_buckets"]  # the paper's


# --- maps, recall, memory -------------------------------------------------------------


def test_ranks_of_known_maps():
    same, diagonal = torch.full((1, 1, 1, 64, 64), 1 / 64), torch.eye(64)[None, None, None]
    assert spectra.rank_of(same) == [1.0] and spectra.rank_of(diagonal) == [58.0]
    assert spectra.share_of_squares(same)[0] == 1.0
    assert spectra.share_of_squares(diagonal) == [round(r / 64, 4) for r in spectra.RANKS]
    assert spectra.off(2 * diagonal, diagonal) == 1.0


def test_hooks_see_the_heads():
    torch.manual_seed(0)
    model = in_torch.Reader("digits", "full")
    inputs, _ = next(batches("digits"))
    query, key, value = spectra.heads_of(model, [x.attention for x in model.encoder.layers], inputs)
    assert query.shape == key.shape == value.shape == (2, 32, 4, 64, 8)
    x = model.encoder.layers[0].norm1(model.positions(model.input(torch.from_numpy(inputs))))
    attention = model.encoder.layers[0].attention
    found = (spectra.weights_of(query, key) @ value)[0].transpose(1, 2).flatten(2)
    torch.testing.assert_close(attention.output(found), attention(x)[0])


def test_vectors_at_an_angle():
    one, other = recall.at_an_angle(0.7, 5, np.random.default_rng(0))
    np.testing.assert_allclose((one * other).sum(-1), 0.7)
    np.testing.assert_allclose([(one**2).sum(-1), (other**2).sum(-1)], 1.0)


def test_the_ordinary_stack_is_the_same_function():
    layers = reversible.make(2, 0).double()
    x = torch.randn(2, 5, 2 * reversible.STREAM, dtype=torch.float64)
    torch.testing.assert_close(layers(x), reversible.ordinary(layers.pairs, x))
