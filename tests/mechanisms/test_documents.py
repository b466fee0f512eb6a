"""Packed documents: numbers in the place of padding give each document what it gives alone."""

import numpy as np
import pytest
from support import FACE, build, close, draw, drawn, gradients, numbers, tensor

from attn_course import masks, pytorch

B, T, D, H = 2, 29, 12, 3
LENGTHS = [[11, 1, 13], [3, 9, 2, 15]]  # the first row ends with padding
NUMBERS = masks.document_numbers(LENGTHS, T)[:, None, None]
COUNTED = 1.0 * (NUMBERS[:, 0, 0, :, None] != 0)
HASHING = {"num_buckets": 4, "num_rounds": 2, "chunk_size": 4}
BOTH_WAYS = [
    ("SlidingWindowAttention", {"window": 4}),
    ("DilatedWindowAttention", {"window": 3, "dilation": 2}),
    ("LongformerAttention", {"window": 3, "positions": []}),
    ("LSHAttention", HASHING),
]
STATES = [
    ("LinearAttention", {}),
    ("LinearAttention", {"decay": "learned", "normalize": False}),
    ("DeltaRuleAttention", {}),
    ("DeltaRuleAttention", {"decay": "columns"}),
    ("PerformerAttention", {"num_features": 8}),
    ("PerformerAttention", {"num_features": 8, "features": "trigonometric"}),
    ("RandomFeatureAttention", {"num_features": 8, "gate": True}),
]
CASES = [(*case, True) for case in BOTH_WAYS + STATES] + [(*case, False) for case in BOTH_WAYS]


def made(face, name, sizes):
    """Rotated where then only distances count, as features, hashes and columns do not let it."""
    rotary = face.RotaryEncoding(4, **({} if face is pytorch else {"dtype": "float64"}))
    near = name.startswith(("Sliding", "Dilated", "Longformer")) or (name.startswith("Delta") and not sizes)
    parts = {"rotary": rotary} if near else {}
    return drawn(build(face, name, D, H, **parts, **sizes))


def of(layer, causal, mask=None, counted=1.0):
    """The layer as a function of its input; what padding reads counts nothing."""
    return lambda x: counted * layer(x, mask=mask, causal=causal)[0]


@FACE
@pytest.mark.parametrize(("name", "sizes", "causal"), CASES, ids=str)
def test_documents_are_as_they_are_alone(face, name, sizes, causal):
    """Values, and what their sum gives to every word."""
    layer, x = made(face, name, sizes), draw(B, T, D, seed=9)
    found, slope = both(face, of(layer, causal, *(tensor(face, y) for y in (NUMBERS, COUNTED))), x)
    for row, own in enumerate(LENGTHS):
        for start, length in zip(np.cumsum([0, *own]), own, strict=False):
            here = np.s_[row : row + 1, start : start + length]
            value, gradient = both(face, of(layer, causal), x[here])
            close(found[here], value, 1e-9)
            close(slope[here], gradient, 1e-8)


def both(face, function, x):
    return numbers(function(tensor(face, x))), gradients(face, function, {"x": x})["x"]


QUERY, KEY, VALUE = (draw(B, H, T, D, seed=n) for n in range(3))


@FACE
@pytest.mark.parametrize("causal", [True, False])
def test_positions_that_all_see_are_those_of_their_document(face, causal):
    positions = [1, 12, 13]
    mask = masks.longformer_mask(T, T, window=3, positions=positions, causal=causal)
    mask = mask & masks.document_mask(LENGTHS, T)
    options = {"window": 3, "positions": positions, "causal": causal, "mask": tensor(face, NUMBERS)}

    def asked(query, key, value):
        return face.longformer_attention(query, key, value, **options)[0]

    def dense(query, key, value):
        return face.scaled_dot_product_attention(query, key, value, tensor(face, mask))[0]

    inputs = {"query": QUERY, "key": KEY, "value": VALUE}
    close(asked(*(tensor(face, x) for x in inputs.values())), dense(*(tensor(face, x) for x in inputs.values())))
    expected = gradients(face, dense, inputs)
    for name, x in gradients(face, asked, inputs).items():
        close(x, expected[name], 1e-9)


@FACE
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("asking", [7, 1])
def test_the_last_queries_ask_their_document(face, causal, asking):
    """Fewer queries than keys, as behind a cache."""
    query = QUERY[:, :, -asking:]
    mask = masks.document_mask(LENGTHS, T)[:, :, -asking:] & masks.sliding_window_mask(asking, T, 5, causal)
    inputs = [tensor(face, x) for x in (query, KEY, VALUE)]
    found = face.sliding_window_attention(*inputs, 5, tensor(face, NUMBERS), causal=causal)[0]
    close(found, face.scaled_dot_product_attention(*inputs, tensor(face, mask))[0])


@FACE
def test_short_keys_of_one_document_take_nothing_from_the_next(face):
    """The Performer's exponents are shifted by the largest so far: of the document."""
    key = KEY.copy()
    key[0, :, 12:25] *= 20  # the third document's, whose exponents are far below those before
    inputs = [tensor(face, x, "float32") for x in (QUERY, key, VALUE)]
    found = face.performer_attention(*inputs, tensor(face, NUMBERS), num_features=16, causal=True)[0]
    alone = [x[:1, :, 12:25] for x in inputs]
    expected = face.performer_attention(*alone, num_features=16, causal=True)[0]
    close(found[:1, :, 12:25], expected, 1e-4)


@FACE
@pytest.mark.parametrize(("name", "sizes"), STATES, ids=str)
def test_a_state_is_of_one_document_where_it_is_causal(face, name, sizes):
    if name == "DeltaRuleAttention":
        return  # always causal
    layer = made(face, name, {key: x for key, x in sizes.items() if key not in ("decay", "gate")})
    with pytest.raises(ValueError, match=r"mask must be bool .*, got int"):
        layer(tensor(face, draw(B, T, D)), mask=tensor(face, NUMBERS))


@FACE
def test_a_cache_is_of_one_text(face):
    for name, sizes in (("SlidingWindowAttention", {"window": 4}), ("LinearAttention", {})):
        layer = made(face, name, sizes)
        with pytest.raises(ValueError, match=r"mask must be bool .*, got int"):
            layer(tensor(face, draw(B, T, D)), mask=tensor(face, NUMBERS), causal=True, cache=layer.new_cache(B, T))
