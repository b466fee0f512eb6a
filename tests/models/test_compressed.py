"""The attentions of DeepSeek-V4 and MiniMax-M3, from stored weights: what sees what, gradients, what is refused."""

from dataclasses import replace

import numpy as np
import pytest
from oracle_modules import module, rebuilt
from support import FACE, close, draw, gradients, in_chunks, numbers, tensor

from attn_course import pytorch, tf
from attn_course.frameworks import keras, tf as tensorflow, torch
from attn_course.parity import get_parameters, set_parameters

ROWS = ("deepseek-v4 window", "deepseek-v4 hca", "deepseek-v4 csa", "minimax-m3")
ROW = pytest.mark.parametrize("row", ROWS)
B, T, D = 2, 31, 12
X = draw(B, T, D, seed=3).astype("float32")
EACH = np.eye(T)[:, :, None] * X[:1]  # as many texts, another word in each


def made(face, row, **changes):
    """Ours, with other options where there are changes."""
    return rebuilt(face, module(row), lambda recipe: replace(recipe, options=recipe.options | changes))


def moved(layer):
    """Which words s, made another, change the output at t: (T, T), at [t, s]."""
    x = np.concatenate([X[:1], X[:1] + EACH])
    whole, *others = numbers(layer.double()(tensor(pytorch, x))[0])
    return (np.abs(others - whole).max(axis=-1) > 1e-12).T


@pytest.mark.parametrize(("m", "window"), [(8, 6), (3, 3), (4, 2)])
def test_what_a_word_sees_of_entries(m, window):
    """The words of its window, and all of the whole blocks; others in no form."""
    layer = made(pytorch, "deepseek-v4 hca", window=window)
    layer.block_size = m
    layer.pool.bias.data = tensor(pytorch, draw(m, 6, seed=5).astype("float32"))
    t, s = np.arange(T)[:, None], np.arange(T)
    seen = (s <= t) & ((s > t - window) | (s < (t + 1) // m * m))
    np.testing.assert_array_equal(moved(layer), seen)


@pytest.mark.parametrize("row", ROWS)
def test_no_word_sees_the_future(row):
    assert not np.triu(moved(made(pytorch, row)), 1).any()


@FACE
def test_all_entries_chosen(face):
    """An indexer that may choose all changes nothing, one that may choose a single entry does."""
    found = [numbers(made(face, "deepseek-v4 csa", top_k=k)(tensor(face, X))[0]) for k in (1, 15, 99)]
    close(found[1], found[2])
    assert np.abs(found[0] - found[1]).max() > 1e-3


@FACE
def test_all_blocks_chosen(face):
    """It is grouped attention then."""
    layer, x = made(face, "minimax-m3", top_k=16), tensor(face, X)
    parameters = {name: x for name, x in get_parameters(layer).items() if not name.startswith("index")}
    dense = made(face, "minimax-m3 dense")
    set_parameters(dense, parameters)
    close(layer(x)[0], dense(x, causal=True)[0], 1e-5)
    few = numbers(made(face, "minimax-m3")(x)[0])
    assert np.abs(few - numbers(dense(x, causal=True)[0])).max() > 1e-3


def test_a_group_of_heads_has_one_choice():
    """And its own: the weights of heads of one group are 0 at the same keys."""
    _, weights = made(pytorch, "minimax-m3")(tensor(pytorch, X))
    read = numbers(weights) > 0
    np.testing.assert_array_equal(read[:, ::2], read[:, 1::2])
    assert (read[:, 0] != read[:, 2]).any() and read.sum(axis=-1).max() == 4  # two blocks of two
    assert read[..., np.arange(T), np.arange(T)].all()  # its own block


@ROW
def test_both_learn_alike(row):
    found = []
    for face in (pytorch, tf):
        layer = made(face, row)
        found.append(gradients(face, lambda x, layer=layer: layer(x)[0], {"x": X}, layer))
    assert found[0].keys() == found[1].keys()
    for name, x in found[0].items():
        close(x, found[1][name], 1e-4)


@ROW
def test_it_is_saved_with_a_model_of_keras(row, tmp_path):
    layer, x = made(tf, row), keras.Input((None, D))
    model = keras.Model(x, layer(x)[0])
    model.save(tmp_path / "model.keras")
    close(keras.models.load_model(tmp_path / "model.keras")(X), model(X))


# --- token by token --------------------------------------------------------------------


@FACE
@ROW
@torch.no_grad()
def test_step_by_step_is_the_whole_pass(face, row):
    """Where few blocks or entries are chosen; the second text in the memory of the first."""
    layer = made(face, row)
    whole, cache = numbers(layer(tensor(face, X))[0]), layer.new_cache(B, T)
    for chunks in ((1,) * 13, (5, 7, 1, 1, 10, 7)):
        cache.reset()
        length = sum(chunks)
        close(in_chunks(face, layer, X[:, :length], chunks, cache=cache), whole[:, :length], 1e-5)
        assert cache.length == length


@ROW
def test_a_graph_of_any_length_decodes_as_well(row):
    """TensorFlow's: a prompt, a chunk and steps, with a cache."""
    layer, x = made(tf, row), tensor(tf, X[:, :12])
    expected, cache = numbers(layer(x)[0]), layer.new_cache(B, 12)
    kinds = [tensorflow.TensorSpec((None, None, D), "float32")]
    run = tensorflow.function(lambda x: layer(x, cache=cache)[0], input_signature=kinds)
    found = [numbers(run(x[:, a:b])) for a, b in ((0, 5), (5, 9), (9, 10), (10, 11), (11, 12))]
    np.testing.assert_allclose(np.concatenate(found, axis=1), expected, rtol=1e-5, atol=1e-5)


@FACE
def test_what_a_block_more_takes(face):
    """One entry and its small key, of as many words; of M3 the keys of two groups and a small one, and the values."""
    for row, words, each in zip(ROWS, (1, 3, 2, 1), (0, 6, 6 + 8, 5 * 6), strict=True):
        layer = made(face, row)
        few, more = (layer.new_cache(B, words * n).nbytes for n in (5, 6))
        assert more - few == B * each * 4


@FACE
def test_what_ours_has_not_is_refused(face):
    for row in ROWS:
        with pytest.raises(ValueError, match="mask is not supported by"):
            made(face, row)(tensor(face, X), mask=tensor(face, np.ones((B, 1, 1, T), bool)))
    layer = made(face, "minimax-m3")
    with pytest.raises(ValueError, match="window is not supported by IndexedBlocksAttention"):
        layer(tensor(face, X), cache=layer.new_cache(B, None, window=5))
    with pytest.raises(ValueError, match="index_head_dim=6, got 8"):
        face.from_huggingface(module("minimax-m3", index_head_dim=8))
