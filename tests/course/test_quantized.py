"""A cache that is rounded: by hand, and on the model that ships."""

import both_frameworks  # noqa: F401
import pytest
import torch

from attn_course.course.labs import load_record
from experiments.quantized import KINDS, RoundedCache, rounded, run


def test_rounding_by_hand():
    """4 bits: 7 steps to the largest; a scale for each vector, or one that was given."""
    x = torch.tensor([[7.0, -3.4, 0.6], [70.0, -34.0, 4.0]])
    assert rounded(x, 4).tolist() == [[7.0, -3.0, 1.0], [70.0, -30.0, 0.0]]
    assert rounded(x, 4, 7).tolist() == [[7.0, -3.0, 1.0], [7.0, -7.0, 4.0]]
    assert rounded(x, 0) is x
    error = (rounded(x, 8) - x).abs().amax(dim=-1) / x.abs().amax(dim=-1)
    assert (error <= 0.5 / 127 + 1e-6).all()


def test_a_cache_hands_back_what_it_rounded():
    cache = RoundedCache(1, 1, 4, 2)
    cache.bits = 4, 0
    key, value = torch.tensor([[[[7.0, 0.4]]]]), torch.tensor([[[[7.0, 0.4]]]])
    seen = cache.update(key, value)
    assert seen[0].tolist() == [[[[7.0, 0.0]]]] and torch.equal(seen[1], value)


@pytest.mark.parametrize("kind", ["32 bits", "4 bits"])
def test_the_record_is_what_the_model_says(kind):
    stored = [row for row in load_record("quantized")["rows"] if (row["kind"], row["seed"]) == (kind, 0)]
    (row,) = run(kind, 0)
    near = {key: pytest.approx(stored[0][key], abs=2e-3) for key in ("loss", "exact")}
    assert row == {**stored[0], **near}
    assert {row["kind"] for row in load_record("quantized")["rows"]} == set(KINDS)
