"""Gates, norms and softmaxes: parts that are handed to any layer over heads.

    OutputGate       context * sigmoid(x W + b), before the output's projection
    QueryKeyNorm     g * q / rms(q), and so of the key, before positions and cache
    SinkSoftmax      softmax with one more score b_h a head, whose weight is dropped
    CappedSoftmax    softmax(c * tanh(score / c) + bias): no score beyond c

They are handed to a layer, any of them, and know nothing of it:

    GroupedQueryAttention(model_dim, num_heads, num_kv_heads=2,
                          query_key_norm=QueryKeyNorm(key_dim),
                          softmax=SinkSoftmax(num_heads),
                          output_gate=OutputGate(model_dim, num_heads, key_dim))

Public names, alike in ``pytorch`` and ``tf``; in ``reference`` a function of each one's
parameters, ``output_gate(context, x, parameters)`` and so on:

    OutputGate(model_dim, num_heads, value_dim=None, *, use_bias=True)
        (context (B, H, T, V), x (B, T, D)) -> (B, H, T, V); value_dim None: one gate
        a head, else one an element
    QueryKeyNorm(key_dim, *, epsilon=1e-6, num_heads=None, num_kv_heads=None,
                 use_scale=True)
        (query (B, H, T, K), key (B, G, S, K)) -> the same shapes; with num_heads one
        length for all heads together, as OLMo 2 has it, else one for each; use_scale
        False: nothing is learned, g is 1, as in Llama 4
    SinkSoftmax(num_heads)     (score (B, H, ..., S), mask=None) -> weights
    CappedSoftmax(cap)         (score (..., S), mask=None, bias=None) -> weights; a
        layer's bias is given to it (``takes_bias``), to any other part within the score

A sink's weights are ``sigmoid(lse - b) * softmax(score)``, lse = log sum exp(score), so
a row sums to less than 1: a head may attend to nothing. b = 0 is the softmax off by
one.

Parameters: ``weight`` (D, H*V) or (D, H), ``bias``; ``query.scale`` (K), ``key.scale``
(K), over all heads (H*K) and (G*K); ``sink`` (H). In a layer: ``output_gate.weight``,
``softmax.sink`` ...

Sources: Qiu et al. 2025 (arXiv:2505.06708), the gate; Henry et al. 2020
(arXiv:2010.04245), the norm; Xiao et al. 2024 (arXiv:2309.17453) and gpt-oss, the sink;
Gemma Team 2024 (arXiv:2408.00118), section 2, the cap.
"""

from attn_course.core.declaration import (
    CONTEXT,
    FLAG,
    PAIR,
    POSITIVE,
    SCORE,
    Mechanism,
    Timed,
)

MECHANISMS = (
    Mechanism(
        name="output_gate",
        layer="OutputGate",
        paper="Qiu et al. 2025, section 2.2",
        chapter="16_one_layer_2026",
        family="parts of a layer",
        time="O(n d^2)",
        memory="O(n d)",
        form=CONTEXT,
        sizes={"model_dim": 13, "num_heads": 2, "value_dim": 19},
        options={"use_bias": FLAG},
        timed=Timed("form", 4096),
    ),
    Mechanism(
        name="query_key_norm",
        layer="QueryKeyNorm",
        paper="Henry et al. 2020; Qwen3",
        chapter="16_one_layer_2026",
        family="parts of a layer",
        time="O(n d)",
        memory="O(n d)",
        form=PAIR,
        sizes={"key_dim": 17},
        options={"epsilon": POSITIVE, "use_scale": FLAG},
        wrong=(({"use_scale": False, "num_heads": 2}, "num_heads"),),
        timed=Timed("form", 4096),
    ),
    Mechanism(
        name="sink_softmax",
        layer="SinkSoftmax",
        paper="Xiao et al. 2024; gpt-oss",
        chapter="16_one_layer_2026",
        family="parts of a layer",
        time="O(n^2)",
        memory="O(n^2)",
        form=SCORE,
        sizes={"num_heads": 2},
        timed=Timed("form", 4096),
    ),
    Mechanism(
        name="capped_softmax",
        layer="CappedSoftmax",
        paper="Gemma Team 2024, section 2",
        chapter="16_one_layer_2026",
        family="parts of a layer",
        time="O(n^2)",
        memory="O(n^2)",
        form=SCORE,
        sizes={"cap": 2.0},
        options={"cap": POSITIVE},
        timed=Timed("form", 4096),
    ),
)
