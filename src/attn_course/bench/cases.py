"""How every mechanism is called; one definition serves both frameworks."""

from typing import NamedTuple

import numpy as np

WIDTH, BLOCK, SUMMARY = 64, 64, 8
# Rows of the catalog that scale queries and mix no positions: nothing to compare.
NO_ATTENTION = {"log_length_scale"}


class Case(NamedTuple):
    """How a mechanism is called.

    make: of a face, a function that draws, and a length; returns a function and what
    it is called with. longest: the longest length that is measured. counted: two
    lengths at which operations are counted. causal: compared with causal attention.
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


def delta_rule(heads):
    """Keys of about unit norm, half of the old value overwritten."""

    def make(face, draw, n):
        def call(query, key, value, beta):
            half = beta * 0 + 0.5
            return face.delta_rule_attention(query, key / WIDTH**0.5, value, half)[0]

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


def root(n):
    """The stride of the Sparse Transformer."""
    return round(n**0.5)


def band(n):
    """Each block sees itself and the one before it."""
    blocks = n // BLOCK
    return np.eye(blocks, dtype=bool) | np.eye(blocks, k=-1, dtype=bool)


PAIRS, FAR = 4096, 8192  # the longest: with all weights; without
STEPS = {"longest": 1024, "counted": (64, 256)}  # one position after the other


def cases(heads, window, rank):
    """name -> ``Case``, for every row of the catalog."""
    return with_all_pairs(heads) | with_fewer_pairs(heads, window, rank)


def with_all_pairs(heads):
    """The layers of the first chapters, and dense attention of heads."""
    model, one = heads * WIDTH, (WIDTH, WIDTH)
    latent = {"latent_dim": WIDTH, "rope_dim": 32}
    latent |= {"key_dim": WIDTH, "value_dim": WIDTH}
    local = {"half_width": 10, "hidden_dim": WIDTH}
    makes = {
        "scaled_dot_product_attention": on_heads("scaled_dot_product_attention", heads),
        "luong_attention": on_words("LuongAttention", *one, count=2, score="general"),
        "local_attention": on_words("LocalAttention", *one, count=2, **local),
        "self_attention": on_words(
            "SelfAttention", WIDTH, key_dim=WIDTH, value_dim=WIDTH
        ),
        "multi_head_attention": on_words("MultiHeadAttention", model, heads),
        "grouped_query_attention": on_words(
            "GroupedQueryAttention", model, heads, num_kv_heads=1
        ),
        "latent_attention": on_words("LatentAttention", model, heads, **latent),
    }
    wide = {  # a vector per pair
        "additive_attention": on_words("AdditiveAttention", *one, WIDTH, count=2),
        "relative_attention": on_words(
            "RelativeAttention", model, heads, max_distance=16
        ),
    }
    return {
        **{name: Case(make, PAIRS) for name, make in makes.items()},
        **{name: Case(make, 1024) for name, make in wide.items()},
        "fixed_context_decoder": Case(decoder, **STEPS),
    }


def with_fewer_pairs(heads, window, rank):
    """What was made for long sequences."""
    wide = {"window": window}
    makes = {
        "linear_attention": on_heads("linear_attention", heads),
        "performer_attention": on_heads("performer_attention", heads),
        "random_feature_attention": on_heads("random_feature_attention", heads),
        "linformer_attention": linformer(heads, rank),
        "lsh_attention": lsh(heads),
        "sliding_window_attention": on_heads("sliding_window_attention", heads, **wide),
        "dilated_window_attention": on_heads(
            "dilated_window_attention", heads, **wide, dilation=2
        ),
        "longformer_attention": on_heads(
            "longformer_attention", heads, **wide, positions=(0,)
        ),
        "block_sparse_attention": on_heads(
            "block_sparse_attention", heads, layout=band, block_size=BLOCK
        ),
        "big_bird_attention": on_heads(
            "big_bird_attention", heads, block_size=BLOCK, num_random=3, seed=0
        ),
    }
    causal = {
        "delta_rule_attention": delta_rule(heads),
        "strided_attention": on_heads("strided_attention", heads, stride=root),
        "fixed_attention": on_heads(
            "fixed_attention", heads, stride=root, summary=SUMMARY
        ),
    }
    return {
        **{name: Case(make, FAR) for name, make in makes.items()},
        **{name: Case(make, FAR, causal=True) for name, make in causal.items()},
        "flash_attention": Case(
            on_heads("flash_attention", heads), FAR, counted=(1024, 4096)
        ),
    }
