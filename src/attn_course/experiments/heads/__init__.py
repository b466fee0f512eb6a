"""What heads are for: several look-ups at once, and a reader whose heads are named.

``heads.pytorch`` and ``heads.tf`` have the models and their training.

python -m attn_course.experiments.heads --seeds 0 1 2
"""

import numpy as np

from attn_course.tasks.text import PAD, UNKNOWN

MODEL_DIM = 64
# The asker: one multi-head attention over a dictionary.
ASKER_BATCH, ASKER_STEPS = 128, 1000
# The reader: characters of dates, some hidden, to be filled in.
LAYERS, HEADS = 4, 4
READER_BATCH, READER_STEPS = 64, 800
RATE = 3e-3
HIDDEN = 0.15


def hide(source, mask, rng):
    """Replace some characters by UNKNOWN: tokens (B, T) and what to fill in (B, T).

    What need not be filled in is PAD in the second, so that a loss can skip it.
    """
    hidden = (rng.random(source.shape) < HIDDEN) & mask
    return np.where(hidden, UNKNOWN, source), np.where(hidden, source, PAD)


def head_scores(weights, mask, separators):
    """How much weight a head of a layer puts on some places, as a mean over queries.

    Shapes:
        weights: (B, H, T, T). mask: (B, T), real positions. separators: (B, T).
        returns: name -> (H): "previous", "next" and "itself", the position before the
            query's, after it, and its own; "separator", all separators together.
    """
    T = weights.shape[-1]
    real = mask[:, None, :, None]
    asking = weights * real / mask.sum()
    steps = {"previous": -1, "itself": 0, "next": 1}
    scores = {
        name: np.trace(asking, offset=step, axis1=2, axis2=3).sum(axis=0)
        for name, step in steps.items()
        if abs(step) < T
    }
    scores["separator"] = (asking * separators[:, None, None]).sum(axis=(0, 2, 3))
    return scores
