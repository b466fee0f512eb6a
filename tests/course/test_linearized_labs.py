"""The labs of chapter 11: recall, random features against their number, decoding, and the writer of digits."""

from itertools import islice

import both_frameworks  # noqa: F401
import numpy as np
import pytest
from support import twinned

from attn_course import reference
from attn_course.course.labs import pixels
from attn_course.course.labs.pixels import pytorch as in_torch
from attn_course.course.labs.pixels import tf as in_tf
from attn_course.frameworks import keras, torch
from attn_course.tasks.digits import load_digits
from experiments import decoding
from experiments.tasks.recall import ASKED, NAMES, UNKNOWN, VALUES, recall


@pytest.mark.parametrize("times", [1, 2])
def test_what_is_asked_was_written_and_the_last_value_counts(times):
    for pairs, batch in zip((5, 23, 5, 23), recall(7, pairs=[5, 23], times=times), strict=False):
        count = min(pairs, ASKED)
        assert batch.names.shape == batch.values.shape == (7, times * pairs + count)
        assert batch.answer.shape == batch.old.shape == (7, count)
        assert batch.names.max() < NAMES and (batch.values[:, -count:] == UNKNOWN).all()
        for names, values, answer, old in zip(*batch, strict=True):
            written = {}
            for name, value in zip(names[:-count], values[:-count], strict=True):
                written.setdefault(name, []).append(value)
            assert {len(x) for x in written.values()} == {times} and len(written) == pairs
            found = [written[name] for name in names[-count:]]
            assert [x[-1] for x in found] == answer.tolist() and [x[0] for x in found] == old.tolist()
            assert times == 1 or all(x[0] != x[1] for x in found)
            assert values[:-count].min() >= 0 and values[:-count].max() < VALUES


def test_the_ways_to_the_next_token():
    """The last row of everything anew is what the cache gives; a state has one size."""
    ways = decoding.programs(1, 64)
    last = ways["recompute"]()[0][:, :, -1:]
    torch.testing.assert_close(ways["cache"]()[0], last)
    assert ways["state"]()[0].shape == last.shape
    assert set(decoding.programs(16, 4096)) == {"cache", "state"}


def test_pixels_and_what_is_read():
    digits = load_digits("test")
    rows = pixels.levels(digits)
    assert rows.shape == (445, 64) and rows.min() == 0 and rows.max() == 16
    np.testing.assert_allclose(rows.reshape(-1, 8, 8) / 16, digits.images)
    read, written = next(pixels.batches(digits, seed=0))
    assert (read[:, 0] == pixels.BEGIN).all() and np.array_equal(read[:, 1:], written[:, :-1])
    assert len(list(islice(pixels.batches(digits, seed=0), 20))) == 20


def test_choosing_a_level():
    probability = np.array([[0.0, 1.0, 0.0], [0.7, 0.1, 0.2]])
    assert pixels.choose(probability, None).tolist() == [1, 0]
    rng, many = np.random.default_rng(0), np.tile(probability[1], (5000, 1))
    share = np.bincount(pixels.choose(many, rng), minlength=3) / 5000
    np.testing.assert_allclose(share, probability[1], atol=0.03)
    assert set(pixels.choose(np.tile(probability[0], (50, 1)), rng)) == {1}


@pytest.mark.parametrize("attention", pixels.ATTENTIONS)
def test_writers_agree_and_see_no_future(attention):
    keras.utils.set_random_seed(0)
    ours, theirs = in_torch.Writer(attention), in_tf.Writer(attention)
    read = pixels.shifted(pixels.levels(load_digits("test"))[:3])
    theirs(read)
    twinned(ours, theirs)
    logits = ours(torch.from_numpy(read)).detach().numpy()
    np.testing.assert_allclose(theirs(read).numpy(), logits, rtol=1e-3, atol=1e-3)
    changed = read.copy()
    changed[:, 20] = (read[:, 20] + 5) % 17
    found = ours(torch.from_numpy(changed)).detach().numpy()
    np.testing.assert_allclose(found[:, :20], logits[:, :20], atol=1e-5)
    assert np.abs(found[:, 20:] - logits[:, 20:]).max() > 1e-3


@pytest.mark.parametrize("module", [in_torch, in_tf], ids=["pytorch", "tf"])
def test_the_state_writes_what_the_whole_sequence_would(module):
    keras.utils.set_random_seed(1)
    model, given = module.Writer(), pixels.levels(load_digits("test"))[:2, :32]
    written = pixels.write(model, module.step, given)
    assert written.shape == (2, 64) and np.array_equal(written[:, :32], given)
    whole = model(torch.from_numpy(pixels.shifted(written)) if module is in_torch else pixels.shifted(written))
    whole = whole.detach().numpy() if module is in_torch else whole.numpy()
    assert np.array_equal(whole.argmax(axis=-1)[:, 32:], written[:, 32:])
    if module is in_tf:
        return
    drawn = [pixels.write(model, module.step, given[:, :60], seed=seed) for seed in (0, 0, 1)]
    assert np.array_equal(drawn[0], drawn[1])


def test_additive_recall_differs_from_the_delta_rule_by_its_correction_alone():
    """On keys at right angles both are the same."""
    keys, values = np.eye(5), np.arange(10.0).reshape(5, 2)
    added, _ = reference.linear_attention(keys, keys, values, feature_map="identity", normalize=False, causal=True)
    corrected, _ = reference.delta_rule_attention(keys, keys, values, np.ones(5))
    np.testing.assert_allclose(added, corrected)
