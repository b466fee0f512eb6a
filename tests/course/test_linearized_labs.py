"""The labs of chapter 11: recall and decoding."""

import both_frameworks  # noqa: F401
import numpy as np
import pytest

from attn_course import reference
from attn_course.frameworks import torch
from experiments import decoding
from experiments.associative import ASKED, NAMES, UNKNOWN, VALUES, recall


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


def test_additive_recall_differs_from_the_delta_rule_by_its_correction_alone():
    """On keys at right angles both are the same."""
    keys, values = np.eye(5), np.arange(10.0).reshape(5, 2)
    added, _ = reference.linear_attention(keys, keys, values, feature_map="identity", normalize=False, causal=True)
    corrected, _ = reference.delta_rule_attention(keys, keys, values, np.ones(5))
    np.testing.assert_allclose(added, corrected)
