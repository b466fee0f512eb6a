"""Longer than training: slower rotations, and queries that grow with the length.

    rotary_frequencies(dim, *, base=10000.0, method=None, factor=1.0,
                       trained_length=None, length=None, low=None, high=None,
                       truncate=True, short=None, long=None)
        -> frequencies (dim / 2), scale
    log_length_scale(positions, *, trained_length, strength=0.1) -> (T)
    LogLengthScale(trained_length, *, strength=0.1)
        (query (..., T, K), key (..., S, K), *, first_position=0) -> query, key

What ``rotary_frequencies`` gives goes into ``RotaryEncoding(dim, frequencies=...,
scale=...)``; what it is called with, as a dict, where "ntk" or "longrope" are to follow
the length of each text. Pair i turns by theta_i = base^(-2i / dim) per position:

    None      theta_i
    "linear"  theta_i / factor, which is position / factor: position interpolation
    "ntk"     theta_i of base * factor^(dim / (dim - 2)): the slowest pair is divided by
              factor, the fastest is left alone
    "yarn"    as "linear" for pairs that turn at most ``low`` times within
              trained_length, as None for those that turn at least ``high`` times, and
              a ramp over the pairs between; query and key are scaled
    "llama3"  the same, with a ramp over the turns; nothing is scaled
    "longrope"  theta_i / short_i up to trained_length, theta_i / long_i beyond it

``LogLengthScale`` stands where a rotation stands (``rotary=`` of a layer of heads). It
turns nothing, so such a layer knows no positions (NoPE), but its softmax stays sharp.

Sources: Chen et al. 2023 (arXiv:2306.15595); Peng et al. 2023 (arXiv:2309.00071); Ding
et al. 2024 (arXiv:2402.13753); Llama 3.1 and Llama 4 as in Hugging Face's
``transformers``.
"""

from attn_course.core.declaration import PAIR, POSITIVE, Mechanism, Timed

MECHANISMS = (
    Mechanism(
        name="log_length_scale",
        layer="LogLengthScale",
        paper="Llama 4, as in transformers",
        chapter="15_longer_than_training",
        family="parts of a layer",
        time="O(n d)",
        memory="O(n d)",
        form=PAIR,
        sizes={"trained_length": 3},
        options={"strength": POSITIVE},
        timed=Timed("form", 4096),
    ),
)
