"""Mask builders, against loops and by hand."""

import numpy as np
import pytest

from attn_course.frameworks import tf as tensorflow, torch
from attn_course.masks import (
    causal_mask,
    document_mask,
    document_numbers,
    from_blocked,
    padding_mask,
    sliding_window_mask,
    tree_mask,
)
from attn_course.pytorch import scaled_dot_product_attention

SIZES = [(5, 5), (3, 7), (7, 3), (1, 11)]


@pytest.mark.parametrize(("T", "S"), SIZES)
def test_causal_by_loops(T, S):
    expected = [[key <= query + S - T for key in range(S)] for query in range(T)]
    assert (causal_mask(T, S) == expected).all()


@pytest.mark.parametrize(("T", "S"), SIZES)
@pytest.mark.parametrize("window", [1, 2, 13])
def test_window_by_loops(T, S, window):
    distance = [[query + S - T - key for key in range(S)] for query in range(T)]
    causal = [[0 <= d < window for d in row] for row in distance]
    both = [[abs(d) < window for d in row] for row in distance]
    assert (sliding_window_mask(T, S, window, causal=True) == causal).all()
    assert (sliding_window_mask(T, S, window, causal=False) == both).all()


def test_documents_by_loops():
    found = document_mask([3, 1, 2], 7)
    rows = "AAABCC-"
    assert (found == [[a == b != "-" for b in rows] for a in rows]).all()
    batch = document_mask([[3, 1, 2], [7], []], 7)
    assert batch.shape == (3, 1, 7, 7) and (batch[0, 0] == found).all() and batch[1].all() and not batch[2].any()
    assert document_numbers([[3, 1, 2], [7], []], 7).tolist() == [[1, 1, 1, 2, 3, 3, 0], [1] * 7, [0] * 7]
    assert (document_mask(np.array([[2, 5]]), 7)[0, 0] == document_mask([2, 5], 7)).all()
    with pytest.raises(ValueError, match="lengths must sum to at most size = 5, got 6"):
        document_mask([4, 2], 5)
    with pytest.raises(ValueError, match=r"lengths\[1\] must be at least 1, got 0"):
        document_mask([4, 0], 5)


@pytest.mark.parametrize("parents", [[-1, 0, 0, -1, 2, 3], [-1, 0, 1, 2], [-1, -1, -1], [-1], []], ids=str)
def test_a_tree_by_its_definition(parents):
    """A node sees itself and, by way of its parent, all that this sees; depths are what else it sees."""
    found = tree_mask(parents)
    assert found.shape == (len(parents),) * 2 and found.dtype == bool
    for node in range(len(parents)):
        branch, at = {node}, node
        while parents[at] >= 0:
            at = parents[at]
            branch.add(at)
        assert set(np.flatnonzero(found[node])) == branch


def test_a_tree_is_read_in_one_pass():
    """Behind a text of 4 tokens: every node's context is that of its branch alone, read in its order."""
    tree = np.concatenate([np.ones((6, 4), bool), tree_mask([-1, 0, 0, -1, 2, 3])], axis=1)
    query, key, value = torch.randn(3, 1, 1, 10, 8, dtype=torch.float64)
    found, _ = scaled_dot_product_attention(query[:, :, 4:], key, value, tree, causal=True)
    for node, sees in enumerate(tree):
        branch = key[:, :, sees], value[:, :, sees]
        alone, _ = scaled_dot_product_attention(query[:, :, [4 + node]], *branch)
        torch.testing.assert_close(found[:, :, [node]], alone)


@pytest.mark.parametrize(
    ("parents", "message"),
    [
        ([-1, 1], r"parents\[1\] must be below 1, got 1"),
        ([-1, 0, -2], r"parents\[2\] must be at least -1, got -2"),
        ([-1, 0.5], r"parents\[1\] must be a whole number, got 0.5"),
    ],
)
def test_what_is_no_tree(parents, message):
    with pytest.raises(ValueError, match=message):
        tree_mask(parents)


def test_padding_by_hand():
    assert padding_mask([2, 0, 3], 3).tolist() == [[True, True, False], [False] * 3, [True] * 3]


@pytest.mark.parametrize("make", [np.array, torch.tensor, tensorflow.constant], ids=["numpy", "torch", "tf"])
def test_from_blocked(make):
    """True of nn.MultiheadAttention blocks; ours attends."""
    found = from_blocked(make([[False, True, True]]))
    assert np.asarray(found).tolist() == [[True, False, False]] and type(found) is type(make([True]))
    with pytest.raises(ValueError, match=r"mask must be bool \(True = blocked\), got float32"):
        from_blocked(make(np.zeros(3, np.float32)))
