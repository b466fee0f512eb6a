"""A cache that is rounded: by hand, and on the model that ships."""

import both_frameworks  # noqa: F401
import torch

from experiments.quantized import RoundedCache, rounded


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
