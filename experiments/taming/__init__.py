"""A language model of bytes at rates that are too high, with and without tamed scores.

Two widths, five learning rates, three kinds: plain, the norm of queries and keys, and
capped scores. No warm-up, no decay, no clipping: what keeps the scores small is the
part alone. The largest score of any pair is kept over the training. ``taming.pytorch``
and ``taming.tf`` have the model.

python -m experiments.taming --seeds 0 1 2
"""

STEPS, LENGTH, BATCH, EVERY = 200, 48, 8, 10
WIDTHS, RATES = (32, 96), (3e-3, 1e-2, 3e-2, 1e-1, 3e-1)
KINDS, CAP, HEAD = ("plain", "norm", "cap"), 20.0, 16


def make_stack(face, width, kind, watched):
    """Two layers, pre-norm, with RoPE; face: ``attn_course.pytorch`` or ``.tf``."""

    def attention(number):
        norm = face.QueryKeyNorm(HEAD) if kind == "norm" else None
        parts = {"rotary": face.RotaryEncoding(HEAD), "query_key_norm": norm}
        parts["softmax"] = watched[number]
        return face.MultiHeadAttention(width, width // HEAD, **parts)

    options = {"norm": "pre", "attention": attention}
    return face.Encoder(2, width, width // HEAD, 4 * width, **options)
