"""What heads are for: several look-ups at once, and dates whose heads are named.

``heads.pytorch`` and ``heads.tf`` have the models and their training.

python -m experiments.heads --seeds 0 1 2
"""

from functools import partial
from itertools import combinations

import numpy as np

from attn_course.tasks.text import PAD, UNKNOWN

MODEL_DIM = 64
# The look-up model: one multi-head attention over a dictionary.
LOOK_UP_BATCH, LOOK_UP_STEPS = 128, 1000
# The date model: characters of dates, some hidden, to be filled in.
LAYERS, HEADS = 4, 4
DATE_BATCH, DATE_STEPS = 64, 800
RATE = 3e-3
HIDDEN = 0.15
# Heads cut away: how many, and how often at random.
CUTS = (2, 4, 6, 8, 10, 12)
DRAWS = 20
STUDENT = 2.093  # 95 % of Student's t with DRAWS - 1 degrees of freedom


def hide(source, mask, rng):
    """Replace some characters by UNKNOWN: tokens (B, T) and what to fill in (B, T).

    What need not be filled in is PAD in the second, so that a loss can skip it.
    """
    hidden = (rng.random(source.shape) < HIDDEN) & mask
    return np.where(hidden, UNKNOWN, source), np.where(hidden, source, PAD)


def hidden(batches, *, seed):
    """Batches for filling in: tokens, mask and what is missing, each (B, T)."""
    rng = np.random.default_rng(seed)
    for batch in batches:
        tokens, missing = hide(batch.source, batch.source_mask, rng)
        yield tokens, batch.source_mask, missing


class DateModel:
    """Layers of attention alone, each added to what came before it.

    Shapes:
        tokens (B, T), mask (B, T), head_masks: one (H) or (B, H) a layer
        -> logits (B, T, N), weights: one (B, H, T, T) or None a layer.
    """

    def __init__(self, vocab_size):
        super().__init__()
        self.embedding = self.table(vocab_size, MODEL_DIM)
        self.norms = self.listed(self.norm(MODEL_DIM) for _ in range(LAYERS))
        self.attentions = self.listed(self.make_attention() for _ in range(LAYERS))
        self.final_norm = self.norm(MODEL_DIM)
        self.logits = self.linear(MODEL_DIM, vocab_size)

    def make_attention(self):
        """Positions: each query and key is turned by an angle (chapter 7)."""
        rotary = self.face.RotaryEncoding(MODEL_DIM // HEADS)
        return self.face.MultiHeadAttention(MODEL_DIM, HEADS, rotary=rotary)

    def call(self, tokens, mask, head_masks=None, need_weights=False):
        x, padding = self.embedding(tokens), mask[:, None, None]
        head_masks = [None] * LAYERS if head_masks is None else head_masks
        layers, maps = zip(self.norms, self.attentions, head_masks, strict=True), []
        for norm, attention, heads in layers:
            options = {"head_mask": heads, "need_weights": need_weights}
            found, weights = attention(norm(x), mask=padding, **options)
            x = x + found
            maps.append(weights)
        return self.logits(self.final_norm(x)), tuple(maps)


def fill_in(model, tokens, mask, need_weights=False):
    """The likeliest characters (B, T), and the weights of every layer, as arrays."""
    asked = partial(model, need_weights=need_weights)
    logits, maps = model.loop.read(asked, tokens, mask)
    return logits.argmax(axis=-1), maps if need_weights else None


def cut_in_three_orders(importance, loss, rng):
    """A row for every number of heads in CUTS: what the loss is without so many.

    importance: a number a head. loss: of a list of heads that are cut away.
    "low" and "high" are the ends of the 95 % interval of the mean over DRAWS draws.
    """
    order, rows = np.argsort(importance, kind="stable").tolist(), []
    for count in CUTS:
        drawn = [loss(rng.permutation(len(order))[:count]) for _ in range(DRAWS)]
        middle, half = np.mean(drawn), STUDENT * np.std(drawn, ddof=1) / DRAWS**0.5
        row = {"least important": loss(order[:count])}
        row["most important"] = loss(order[-count:])
        row |= {"random": middle, "low": middle - half, "high": middle + half}
        rows.append({"cut": count} | {k: round(float(x), 4) for k, x in row.items()})
    return rows


def head_scores(weights, mask, separators):
    """How much weight the heads of a layer put on some places: means over queries.

    Shapes:
        weights: (B, H, T, T). mask: (B, T), real positions. separators: (B, T).
        returns: name -> (B, H), a mean per example: "previous", "itself" and "next",
            the position before the query's, its own and the one after; "separator",
            all separators together.
    """
    weights = weights * mask[:, None, :, None]  # no query is padding
    steps = {"previous": -1, "itself": 0, "next": 1}
    scores = {name: np.trace(weights, step, 2, 3) for name, step in steps.items()}
    scores["separator"] = (weights * separators[:, None, None]).sum(axis=(2, 3))
    return {name: score / mask.sum(axis=1)[:, None] for name, score in scores.items()}


def without_heads(answer, num_heads):
    """What a layer of heads answers without every set of them: {off: answer}.

    answer: of the heads that are kept, float32 (num_heads). off: a tuple of places
    (0, head), as ``attn_course.course.plots.explore.explore_heads`` names them.
    """
    found = {}
    for count in range(num_heads + 1):
        for off in combinations(range(num_heads), count):
            kept = np.ones(num_heads, dtype=np.float32)
            kept[list(off)] = 0
            found[tuple((0, head) for head in off)] = answer(kept)
    return found
