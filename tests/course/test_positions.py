"""The help texts as they are shipped, and the models and measures of chapter 7."""

import both_frameworks  # noqa: F401
import numpy as np
import pytest
from support import twinned

from attn_course import pytorch, tf as tensorflow
from attn_course.course.labs.positions import POSITIONS, pytorch as in_torch, rate_at, tf as in_tf
from attn_course.frameworks import keras, tf, torch
from attn_course.parity import get_parameters
from attn_course.tasks import topics
from experiments import draw_from, length, patches

MODULES = pytest.mark.parametrize("module", [in_torch, in_tf], ids=["pytorch", "tf"])
SIZES = {"symbols": 7, "width": 12, "heads": 2, "layers": 2}


def paragraphs(split):
    texts = topics.read_topics(split).values()
    return {" ".join(part.split()) for text in texts for part in text.split("\n\n")}


def test_the_topics():
    names = {split: set(topics.read_topics(split)) for split in topics.SPLITS}
    assert len(names["train"]) == 40 and len(names["test"]) == 9
    assert not names["train"] & names["test"]
    assert not paragraphs("train") & paragraphs("test")
    sizes = {split: len(topics.load_topics(split)) for split in topics.SPLITS}
    assert sizes == {"train": 259_700, "test": 109_976}
    text = topics.load_topics("test")
    assert text.dtype == np.int64 and text.min() > 0 and text.max() < 256
    assert bytes(text[:22].astype(np.uint8)) == b'The "assert" statement'
    assert topics.DATA.stat().st_size < 250_000
    with pytest.raises(ValueError, match="split: expected one of train, test, got 'dev'"):
        topics.load_topics("dev")


def test_rates():
    rates = [rate_at(step, 100, 2.0) for step in range(1, 101)]
    assert max(rates) <= 2 and rates[0] == pytest.approx(0.2) and rates[-1] < 0.05
    assert np.argmax(rates) == 9 and (np.diff(rates[10:]) < 0).all()


def test_windows_of_all_kinds_ask_for_the_same_bytes():
    text = np.arange(length.TESTED + 600)
    for size in length.LENGTHS:
        for kind in length.ASKED:
            inputs, targets, counted = length.windows(text, size, kind)
            assert inputs.shape[1] == size and (targets == inputs + 1).all()
            asked = targets[:, -counted:].ravel()
            np.testing.assert_array_equal(asked, 513 + np.arange(length.TESTED))


def test_a_shuffled_past_keeps_its_bytes_and_its_last():
    text = np.random.default_rng(0).integers(256, size=length.TESTED + 600)
    (ordered, targets, counted), (shuffled, same, _) = (length.windows(text, 64, kind) for kind in length.PASTS)
    assert counted == 1 and len(ordered) == length.TESTED
    np.testing.assert_array_equal(targets[:, -1], text[513 : 513 + length.TESTED])
    np.testing.assert_array_equal(targets, same)
    np.testing.assert_array_equal(ordered[:, -1], shuffled[:, -1])
    np.testing.assert_array_equal(np.sort(ordered), np.sort(shuffled))
    assert (ordered != shuffled).mean() > 0.9


def test_evaluate_counts_only_what_is_asked(monkeypatch):
    monkeypatch.setattr(length, "TESTED", 64)
    text = np.zeros(1200, int)

    def score(model, inputs, targets):
        place = np.broadcast_to(np.arange(inputs.shape[1]), inputs.shape)
        return place.astype(float), place % 2 == 0

    assert length.evaluate(score, None, text, 64, "apart") == (31.5, 0.5)
    assert length.evaluate(score, None, text, 64, "sliding") == (47.5, 0.5)


def twins(positions, causal):
    """The same parameters in a model of each framework."""
    kind = {"positions": positions, "max_length": 11, "causal": causal}
    draw_from(0)
    one, other = in_torch.TokenModel(**SIZES, **kind), in_tf.TokenModel(**SIZES, **kind)
    other(tf.zeros((1, 5), tf.int64))
    return twinned(one, other)


@MODULES
def test_the_layers_are_those_of_the_package(module):
    blocks = module.TokenModel(**SIZES, positions="rotary", max_length=9).blocks
    face = pytorch if module is in_torch else tensorflow
    assert type(blocks.encoder) is face.Encoder and len(blocks.encoder.layers) == 2
    assert blocks.encoder.config["norm"] == "pre" and blocks.encoder.config["ff_dim"] == 4 * 12


def dense(inputs, outputs):
    layer = keras.layers.Dense(outputs)
    layer.build((None, inputs))
    return layer


@MODULES
@pytest.mark.parametrize("positions", ["none", "t5", "shaw"])
def test_a_seed_draws_what_the_records_began_with(module, positions):
    """Layer by layer: the attention, then the network as the library draws linear maps."""
    face, linear = (pytorch, torch.nn.Linear) if module is in_torch else (tensorflow, dense)
    draw_from(5)
    blocks = module.Blocks(12, 2, 2, positions=positions, max_length=9)
    found = [blocks.bias] if positions == "t5" else []
    for layer in blocks.encoder.layers:
        found += [layer.attention, layer.feed_forward.inner, layer.feed_forward.outer]
    found.append(linear(2, 3))  # what is drawn behind the blocks
    draw_from(5)
    expected = [face.RelativeBias(2, num_buckets=16, max_distance=32)] if positions == "t5" else []
    for _ in range(2):
        if positions == "shaw":
            expected.append(face.RelativeAttention(12, 2, max_distance=16, use_bias=True))
        else:
            expected.append(face.MultiHeadAttention(12, 2))
        expected += [linear(12, 48), linear(48, 12)]
    expected.append(linear(2, 3))
    for one, other in zip(found, expected, strict=True):
        one, other = get_parameters(one), get_parameters(other)
        assert one and one.keys() == other.keys()
        for name in one:
            np.testing.assert_array_equal(one[name], other[name], name)


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("positions", POSITIONS)
def test_both_frameworks_read_alike(positions, causal):
    one, other = twins(positions, causal)
    tokens = np.random.default_rng(0).integers(7, size=(3, 11))
    found, weights = one(torch.from_numpy(tokens), need_weights=True)
    expected, theirs = other(tf.constant(tokens), need_weights=True)
    np.testing.assert_allclose(found.detach().numpy(), expected.numpy(), atol=2e-5)
    np.testing.assert_allclose(weights.detach().numpy(), theirs.numpy(), atol=1e-5)
    bits, right = in_torch.score(one, tokens, tokens)
    others = in_tf.score(other, tokens, tokens)
    np.testing.assert_allclose(bits, others[0], atol=5e-5)
    np.testing.assert_array_equal(right, others[1])
    nats = torch.nn.functional.cross_entropy(found.flatten(0, 1), torch.from_numpy(tokens).flatten())
    assert bits.mean() * np.log(2) == pytest.approx(nats.item(), rel=1e-4)


@pytest.mark.parametrize("positions", POSITIONS)
def test_only_without_positions_the_order_is_lost(positions):
    torch.manual_seed(0)
    model = in_torch.TokenModel(**SIZES, positions=positions, max_length=9)
    tokens, order = torch.arange(7)[None], torch.tensor([3, 0, 6, 2, 5, 1, 4])
    moved, kept = model(tokens[:, order])[0], model(tokens)[0][:, order]
    assert torch.allclose(moved, kept, atol=1e-5) == (positions == "none")


def test_patches():
    images = np.arange(2 * 64).reshape(2, 8, 8)
    found = patches.to_patches(images)
    assert found.shape == (2, 16, 4)
    np.testing.assert_array_equal(found[1, 6], images[1, 2:4, 4:6].ravel())


def test_a_grid_knows_rows_and_columns():
    found = patches.grid_encoding(4, 12)
    assert found.shape == (16, 12) and found.dtype == np.float32
    assert len(np.unique(found, axis=0)) == 16
    np.testing.assert_array_equal(found[4:8, :6], np.tile(found[4, :6], (4, 1)))
    np.testing.assert_array_equal(found[1::4, 6:], np.tile(found[1, 6:], (4, 1)))


@MODULES
@pytest.mark.parametrize("kind", patches.KINDS)
def test_patch_models(module, kind):
    """Without positions the order of the patches does not matter."""
    draw_from(0)
    model = module.PatchModel(**patches.settings(kind))
    if kind == "learned" and module is in_torch:
        model.blocks.added.weight.data.normal_()
    x = np.random.default_rng(0).normal(size=(2, 16, 4)).astype(np.float32)
    labels = np.array([3, 7])
    bits, _ = module.score(model, x, labels)
    moved, _ = module.score(model, x[:, ::-1].copy(), labels)
    assert bits.shape == (2,) and np.allclose(bits, moved, atol=1e-4) == (kind == "none")
    log = module.train(model, iter([(x, labels)] * 2), steps=2, rate=1e-3, every=1)
    assert len(log) == 2
