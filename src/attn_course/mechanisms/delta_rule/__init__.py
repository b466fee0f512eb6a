"""The delta rule: linear attention that corrects what a key reads before it writes.

    state = decay[s] * state
    state = state + key[s] (beta[s] * (value[s] - state^T key[s]))^T
    output[t] = state^T query[t]

- ``delta_rule_attention(query, key, value, beta, *, mask=None, decay=None)``
- ``delta_rule_step(state, query, key, value, beta, *, decay=None)`` -> output, state

Always causal. PyTorch and TensorFlow compute it chunk by chunk (``chunk_size``).
Shapes: query (..., T, K), key (..., S, K) as a rule of unit norm, value (..., S, V);
beta and decay (..., S), 0 to 1; mask is padding, (B, 1, 1, S), or
``document_numbers``: the state begins anew with every document. A decay (..., S, K) has
a number for each column of the key, and so for each row of the state.

Layer: ``DeltaRuleAttention``; ``new_state(batch)`` and ``step(x, state)`` decode with
its state, as many numbers after a million positions as after one. Parameters: those of
``MultiHeadAttention``, ``beta_weight`` (E, H), ``beta_bias`` (H), and as many of
``decay`` where it has one, H * K where it has one a column.

Sources: Schlag, Irie & Schmidhuber 2021 (arXiv:2102.11174); Yang et al. 2024 (DeltaNet
in chunks, arXiv:2406.06484); Yang, Kautz & Hatamizadeh 2024 (Gated DeltaNet,
arXiv:2412.06464); Kimi Team 2025 (KDA, a decay a column, arXiv:2510.26692).
"""

from attn_course.core.declaration import (
    NARROW_SIZES,
    UNDROPPED,
    UNEVEN,
    Mechanism,
    Timed,
)

MECHANISMS = (
    Mechanism(
        name="delta_rule_attention",
        layer="DeltaRuleAttention",
        paper="Schlag et al. 2021, section 4.2; Yang et al. 2024",
        chapter="11_linearized",
        family="linearized",
        time="O(n d^2 / h)",
        memory="O(n d)",
        steps="O(n / c)",
        sizes=NARROW_SIZES | {"decay": "learned"},
        weights=False,
        padding=True,
        options=UNDROPPED | {"decay": (None, "fixed", "learned", "columns")},
        refuses=("bias",),
        wrong=(UNEVEN,),
        timed=Timed("own", 8192, causal=True),
    ),
)
