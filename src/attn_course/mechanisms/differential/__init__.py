"""Differential attention: one softmax minus another, and each head's length fixed.

    factor  = exp(lambda_query[0] . lambda_key[0])
              - exp(lambda_query[1] . lambda_key[1]) + lambda_init
    weights = softmax(Q_1 K_1^T / sqrt(K / 2)) - factor softmax(Q_2 K_2^T / sqrt(K / 2))
    output  = (1 - lambda_init) rms_norm(weights V)

Q_1 and Q_2 are the first and the second half of a head's columns of the query, K_1 and
K_2 of the key. What both softmaxes give to every key cancels. Weights may be below 0,
and a row sums to 1 - factor.

Public names, alike in ``reference``, ``pytorch`` and ``tf``; the layer in the last two:

    differential_attention(query, key, value, mask=None, *, lambda_query, lambda_key,
                           lambda_init=0.8, epsilon=1e-5, causal=False)
    DifferentialAttention(model_dim, num_heads, *, lambda_init=0.8, epsilon=1e-5, ...)

Shapes: query (..., T, K), key (..., S, K), value (..., S, V), lambda_query and
lambda_key (2, K / 2); output (..., T, V), weights (..., T, S). A row that may attend to
nothing gives zero weights and output.

The layer's parts ``query_key_norm`` and ``rotary`` see the halves as heads of their
own, 2 H of them with K / 2 columns: ``RotaryEncoding(key_dim // 2)``. The published
layers have half as many heads as a plain one, of twice its width.

Parameters: those of ``multi_head``, and ``lambda_query``, ``lambda_key`` (2, K / 2).

Source: Ye et al. 2024, "Differential Transformer" (arXiv:2410.05258), section 2.1.
"""

from attn_course.core.declaration import (
    HEAD_SIZES,
    POSITIVE,
    SHARE,
    UNDROPPED,
    UNEVEN,
    Mechanism,
    Timed,
)

MECHANISMS = (
    Mechanism(
        name="differential_attention",
        layer="DifferentialAttention",
        paper="Ye et al. 2024, section 2.1",
        chapter="16_one_layer_2026",
        time="O(n^2 d)",
        memory="O(n^2)",
        sums="less",
        sizes=HEAD_SIZES | {"key_dim": 14},
        options=UNDROPPED | {"lambda_init": SHARE, "epsilon": POSITIVE},
        wrong=(UNEVEN, ({"key_dim": 17}, "key_dim")),
        timed=Timed("words", 4096),
    ),
)
