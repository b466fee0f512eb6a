"""How every mechanism is called; one definition serves both frameworks.

``Timed`` of a topic's declaration says it; what it can't say stands in ``OWN``.
"""

from typing import NamedTuple

import numpy as np

from attn_course.catalog import DECLARED
from attn_course.core.declaration import WIDTHS, Mechanism

WIDTH, BLOCK, SUMMARY = 64, 64, 8
RATE = 2e-5  # of a training step
MEASURED = {
    made.name: made
    for declared in DECLARED.values()
    for made in declared
    if isinstance(made, Mechanism) and made.timed
}
# Parts of a layer: measured, but not beside dense attention.
PARTS = {name for name, made in MEASURED.items() if made.timed.on == "form"}


class Program(NamedTuple):
    """What is measured of a mechanism: ``Timed``, and how it is called.

    make: of a face, a function that draws, and a length; returns a function and what
    it is called with. The rest as in ``attn_course.core.declaration.Timed``.
    """

    make: object
    longest: int
    counted: tuple = (4096, 16384)
    causal: bool = False


def drawn(draw, heads, n, count=3):
    """Query, key and value of so many heads; ``count`` of them."""
    return [draw(1, heads, n, WIDTH) for _ in range(count)]


def given(call, heads):
    """A function of query, key and value that is no mechanism of ours."""
    return lambda face, draw, n: (call, drawn(draw, heads, n))


def on_heads(name, count, /, **options):
    """A function of query, key and value; an option may depend on the length."""

    def make(face, draw, n):
        sizes = {k: v(n) if callable(v) else v for k, v in options.items()}
        return lambda *x: getattr(face, name)(*x, **sizes)[0], drawn(draw, count, n)

    return make


def on_words(name, *sizes, count=1, **options):
    """A layer on ``count`` sequences of vectors, as wide as its first size."""

    def make(face, draw, n):
        layer = getattr(face, name)(*sizes, **options)
        return lambda *x: layer(*x)[0], [draw(1, n, sizes[0]) for _ in range(count)]

    return make


def on_form(mechanism, heads):
    """A layer on inputs of the axes that it declares, each as wide as the heads are."""
    wide = {"model_dim": heads * WIDTH, "num_heads": heads}
    wide |= {"key_dim": WIDTH, "value_dim": WIDTH}
    sizes = {name: wide.get(name, size) for name, size in mechanism.sizes.items()}

    def make(face, draw, n):
        layer = getattr(face, mechanism.layer)(**sizes)
        long = {letter: wide[WIDTHS[letter]] for letter in "DHKV"}
        long |= {"B": 1, "T": n, "S": n}
        shapes = [[long[x] for x in axes] for axes in mechanism.form.inputs.values()]

        def call(*inputs):
            found = layer(*inputs)
            return found[0] if isinstance(found, tuple) else found

        return call, [draw(*shape) for shape in shapes]

    return make


def delta_rule(heads, fades=None, corrects=True, attend=None):
    """Keys of about unit norm, half of the old value overwritten.

    fades: None, a "state" as a whole or each "column" of its keys, to 0.99 a position.
    corrects: or half of the value is added to what is there, as in Mamba-2.
    attend: another than the face's.
    """
    sums = {"feature_map": "identity", "normalize": False, "causal": True}

    def make(face, draw, n):
        def call(query, key, value, beta):
            like = {None: None, "state": beta, "column": key}[fades]
            decay = None if like is None else like * 0 + 0.99
            own, beta = (query, key / WIDTH**0.5), beta * 0 + 0.5
            if attend:
                return attend(*own, value, beta, decay, corrects)[0]
            if not corrects:
                added = beta[..., None] * value
                return face.linear_attention(*own, added, decay=decay, **sums)[0]
            return face.delta_rule_attention(*own, value, beta, decay=decay)[0]

        return call, [*drawn(draw, heads, n), draw(1, heads, n)]

    return make


def linformer(heads, rank):
    """One projection for keys and values."""

    def make(face, draw, n):
        def call(query, key, value, projection):
            options = {"key_projection": projection / n**0.5, "need_weights": False}
            return face.linformer_attention(query, key, value, **options)[0]

        return call, [*drawn(draw, heads, n), draw(rank, n)]

    return make


def lsh(heads, rounds=4):
    """Buckets of about half a chunk."""

    def make(face, draw, n):
        sizes = {"num_buckets": 2 * n // BLOCK, "chunk_size": BLOCK}
        inputs = drawn(draw, heads, n, count=2)  # keys are queries
        return lambda *x: face.lsh_attention(*x, num_rounds=rounds, **sizes)[0], inputs

    return make


def decoder(face, draw, n):
    """The recurrence of chapter 1 over n words."""
    layer = face.FixedContextDecoder(11, WIDTH, WIDTH, memory_dim=WIDTH)
    inputs = [draw(1, n, whole=True), draw(1, 3, WIDTH), draw(1, WIDTH)]
    return lambda *x: layer(*x)[0], inputs


# What is called otherwise than the others.
OWN = {
    "fixed_context_decoder": lambda asked: decoder,
    "delta_rule_attention": lambda asked: delta_rule(asked["heads"]),
    "linformer_attention": lambda asked: linformer(asked["heads"], asked["rank"]),
    "lsh_attention": lambda asked: lsh(asked["heads"]),
}


def root(n):
    """The stride of the Sparse Transformer."""
    return round(n**0.5)


def band(n):
    """Each block sees itself and the one before it."""
    blocks = n // BLOCK
    return np.eye(blocks, dtype=bool) | np.eye(blocks, k=-1, dtype=bool)


FAR = 8192  # the longest without all weights
STEPS = {"longest": 1024, "counted": (64, 256)}  # one position after the other


def cases(heads, window, rank, *, parts=False):
    """name -> ``Program``, for every mechanism that is measured; with the parts too."""
    asked = {"heads": heads, "window": window, "rank": rank, "width": WIDTH}
    asked |= {"block": BLOCK, "summary": SUMMARY, "root": root, "band": band}
    return {
        name: Program(
            calling(made, asked),
            *(made.timed.longest, made.timed.counted, made.timed.causal),
        )
        for name, made in MEASURED.items()
        if parts or name not in PARTS
    }


def calling(mechanism, asked):
    """What ``Timed.on`` says, as a function that makes a program."""
    timed, heads = mechanism.timed, asked["heads"]
    options = {
        k: asked.get(v, v) if isinstance(v, str) else v
        for k, v in timed.options.items()
    }
    if timed.on == "own":
        return OWN[mechanism.name](asked)
    if timed.on == "heads":
        return on_heads(mechanism.name, heads, **options)
    if timed.on == "form":
        return on_form(mechanism, heads)
    sizes, count = {
        "words": ((heads * WIDTH, heads), 1),
        "memory": ((WIDTH, WIDTH), 2),
        "itself": ((WIDTH,), 1),
    }[timed.on]
    return on_words(mechanism.layer, *sizes, count=count, **options)
