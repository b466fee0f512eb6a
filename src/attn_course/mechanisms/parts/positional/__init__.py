"""Positional encodings: where a token stands, told in three ways.

Absolute: a vector for every position, added to the input.
    sinusoidal_encoding(length, dim, *, first_position=0, base=10000.0)
    SinusoidalEncoding(model_dim, *, base=10000.0)
    LearnedEncoding(max_length, model_dim)
        (x (B, T, D), *, first_position=0) -> (B, T, D)
Rotary: query and key turn by angles that grow with the position.
    rotate(x, positions, *, layout="half", base=10000.0, frequencies=None, scale=1.0)
    change_layout(x, *, to)
    RotaryEncoding(key_dim, *, layout="half", base=10000.0, frequencies=None, scale=1.0)
        (query (..., T, K), key (..., S, K), *, first_position=0) -> query, key
        waves(positions, dtype) -> what may stand for first_position, in many layers

    sinusoid  x[t] + PE[t];   PE[t, 2i] = sin(t f_i), PE[t, 2i+1] = cos(t f_i)
    rotary    score[t, s] = R(t) query[t] . R(s) key[s] = query[t] . R(s - t) key[s]

where f_i = base^(-2i / D), and R(t) turns the i-th pair of columns by the angle t f_i.
Query i of T stands at position i + S - T, key j of S at j, as in
``attn_course.masks``: the last query stands on the last key.

Other frequencies, for inputs longer than in training:
``attn_course.mechanisms.parts.lengthening``.
What tells distances instead of positions is ``attn_course.mechanisms.relative``.

Parameters (see ``attn_course.parity``): learned: ``weight`` (max_length, D).

Sources: Vaswani et al. 2017 (arXiv:1706.03762), section 3.5; Su et al. 2021
(arXiv:2104.09864).
"""

from attn_course.core.declaration import ENCODING, PAIR, POSITIVE, Layer

LAYERS = (
    Layer(
        name="sinusoidal_encoding",
        layer="SinusoidalEncoding",
        form=ENCODING,
        sizes={"model_dim": 13},
        options={"base": POSITIVE},
    ),
    Layer(
        name="learned_encoding",
        layer="LearnedEncoding",
        form=ENCODING,
        sizes={"max_length": 17, "model_dim": 13},
    ),
    Layer(
        name="rotary_encoding",
        layer="RotaryEncoding",
        form=PAIR,
        sizes={"key_dim": 18},
        options={
            "base": POSITIVE,
            "scale": POSITIVE,
            "layout": ("half", "interleaved"),
        },
        wrong=(
            ({"key_dim": 5}, "key_dim"),
            ({"frequencies": []}, "frequencies"),
            ({"frequencies": [1.0] * 10}, "frequencies"),
            ({"frequencies": 1.0}, "frequencies"),
        ),
    ),
)
