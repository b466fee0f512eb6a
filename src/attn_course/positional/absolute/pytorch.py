"""Sinusoidal and learned positions in PyTorch. Formulas: ``reference.py``."""

from attn_course.frameworks import torch
from attn_course.positional.checks import check_reach, check_sequence
from attn_course.positional.frequencies import frequencies
from attn_course.shapes import check_at_least


def sinusoidal_encoding(
    length, dim, *, first_position=0, base=10000.0, dtype=None, device=None
):
    """See ``attn_course.reference.sinusoidal_encoding``. A dtype of None is float32."""
    check_at_least(0, length=length)
    check_at_least(1, dim=dim)
    dtype = torch.float32 if dtype is None else dtype
    positions = torch.arange(length, device=device) + first_position
    angle = position_angles(positions, dim, base=base, dtype=dtype)
    waves = torch.stack([torch.sin(angle), torch.cos(angle)], dim=-1)
    return waves.flatten(-2)[:, :dim].to(dtype)


def position_angles(positions, dim, *, base, dtype):
    """See ``attn_course.positional.absolute.reference.position_angles``.

    In float32 or more: bfloat16 holds no odd position beyond 256.
    """
    wide = torch.promote_types(dtype, torch.float32)
    steps = torch.tensor(frequencies(dim, base), dtype=wide, device=positions.device)
    return positions.to(wide)[..., None] * steps


class SinusoidalEncoding(torch.nn.Module):
    """Add ``sinusoidal_encoding`` to every token; nothing is learned.

    Shapes:
        x (B, T, model_dim) -> (B, T, model_dim). first_position: where x begins, when
        its past stands in a cache.

    Raises:
        ValueError: x is not as above.
    """

    def __init__(self, model_dim, *, base=10000.0):
        super().__init__()
        check_at_least(1, model_dim=model_dim)
        self.model_dim, self.base = model_dim, base

    def forward(self, x, *, first_position=0):
        sizes = check_sequence(x, self.model_dim)
        options = {"first_position": first_position, "base": self.base}
        options |= {"dtype": x.dtype, "device": x.device}
        return x + sinusoidal_encoding(sizes["T"], self.model_dim, **options)


class LearnedEncoding(torch.nn.Module):
    """Add a learned vector to every token: ``attn_course.reference.learned_encoding``.

    Shapes:
        x (B, T, model_dim) -> (B, T, model_dim). first_position: where x begins.

    Raises:
        ValueError: x is not as above, or ends after max_length.
    """

    def __init__(self, max_length, model_dim):
        super().__init__()
        check_at_least(1, max_length=max_length, model_dim=model_dim)
        self.max_length, self.model_dim = max_length, model_dim
        # As small as BERT's and GPT-2's: the words are louder at first.
        self.weight = torch.nn.Parameter(torch.empty(max_length, model_dim))
        torch.nn.init.normal_(self.weight, std=0.02)

    def forward(self, x, *, first_position=0):
        sizes = check_sequence(x, self.model_dim)
        check_reach(x, first_position, self.max_length)
        rows = torch.arange(sizes["T"], device=x.device) + first_position
        return x + torch.nn.functional.embedding(rows, self.weight).to(x.dtype)
