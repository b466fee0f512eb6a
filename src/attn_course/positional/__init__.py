"""Where a token stands: five ways to tell attention.

Absolute: a vector for every position, added to the input.
    sinusoidal_encoding(length, dim, *, first_position=0, base=10000.0)
    SinusoidalEncoding(model_dim, *, base=10000.0)
    LearnedEncoding(max_length, model_dim)
        (x (B, T, D), *, first_position=0) -> (B, T, D)
Rotary: query and key turn by angles that grow with the position.
    rotate(x, positions, *, layout="half", base=10000.0)
    change_layout(x, *, to)
    RotaryEncoding(key_dim, *, layout="half", base=10000.0)
        (query (..., T, K), key (..., S, K), *, first_position=0) -> query, key
Bias: a number for every pair of positions, added to the score.
    alibi_slopes(num_heads)
    alibi_bias(num_heads, T, S)
    relative_buckets(T, S, *, num_buckets=32, max_distance=128, bidirectional=True)
    AlibiBias(num_heads)
    RelativeBias(num_heads, *, num_buckets=32, max_distance=128, bidirectional=True)
        (T, S) -> (1, H, T, S), for ``bias=`` of any attention over heads

    sinusoid  x[t] + PE[t];   PE[t, 2i] = sin(t f_i), PE[t, 2i+1] = cos(t f_i)
    rotary    score[t, s] = R(t) query[t] . R(s) key[s] = query[t] . R(s - t) key[s]
    ALiBi     score[t, s] - slope |t - s|
    T5        score[t, s] + weight[bucket(s - t)]

where f_i = base^(-2i / D), and R(t) turns the i-th pair of columns by the angle t f_i.
Query i of T stands at position i + S - T, key j of S at j, as in
``attn_course.masks``: the last query stands on the last key.

Parameters (see ``attn_course.parity``):
    learned: ``weight`` (max_length, D). T5: ``weight`` (num_buckets, H).

Sources: Vaswani et al. 2017 (arXiv:1706.03762), section 3.5; Raffel et al. 2020
(arXiv:1910.10683), section 2.1; Su et al. 2021 (arXiv:2104.09864); Press, Smith & Lewis
2022 (arXiv:2108.12409). A sixth way, Shaw's, is ``attn_course.relative``.
"""
