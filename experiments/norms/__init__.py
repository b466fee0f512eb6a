"""Norm before or after, trained with and without warm-up.

python -m experiments.norms --seeds 0 1 2
"""

from attn_course.core.frameworks import torch
from attn_course.course.labs.norms import BATCH, LENGTH


def pieces(text, seed):
    """Endless batches of random pieces of the text, (BATCH, LENGTH + 1)."""
    generator = torch.Generator().manual_seed(seed)
    places = torch.arange(LENGTH + 1)
    while True:
        start = torch.randint(len(text) - LENGTH - 1, (BATCH, 1), generator=generator)
        yield (text[(start + places).numpy()],)
