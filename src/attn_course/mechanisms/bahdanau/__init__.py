"""Additive attention: a small network scores (Bahdanau, Cho & Bengio 2015).

additive_attention(query, memory, parameters, mask=None, *, prepared=None)
AdditiveAttention(query_dim, memory_dim, hidden_dim)
    (query (B, T, D), memory (B, S, E), mask (B, S) or (B, T, S))
    -> context (B, T, E), weights (B, T, S)
BahdanauDecoder(vocab_size, embedding_dim, hidden_dim, *, memory_dim, attention_dim)
    a ``RecurrentDecoder`` (``attn_course.mechanisms.recurrent``) that attends before
    every step

    score[i, j]  = v_a . tanh(W_a s[i-1] + U_a h[j])
    weight[i, :] = softmax(score[i, :])
    context[i]   = sum over j of weight[i, j] h[j]
    s[i]         = GRU(s[i-1], [embedding of y[i-1]; context[i]])

Parameters (same keys and (in, out) layouts everywhere, see ``attn_course.parity``):
    attention: ``query_weight`` W_a (D, A), ``memory_weight`` U_a (E, A),
        ``score_weight`` v_a (A)
    decoder: as in ``attn_course.mechanisms.recurrent``, and ``attention``

Source: arXiv:1409.0473, section 3 and appendix A. What differs from the paper:
    - the recurrent cell and the output layer, see ``attn_course.mechanisms.recurrent``;
    - the first state is made from the backward GRU's state at the first word, as in
      appendix A.2.2, with a bias.
"""

from attn_course.core.declaration import MEMORY, WRITER, Layer, Mechanism, Timed

MECHANISMS = (
    Mechanism(
        name="additive_attention",
        layer="AdditiveAttention",
        paper="Bahdanau, Cho & Bengio 2015, section 3.1 and appendix A.1.2",
        chapter="02_bahdanau",
        time="O(n^2 d)",
        memory="O(n^2 d)",
        form=MEMORY,
        sizes={"query_dim": 13, "memory_dim": 26, "hidden_dim": 17},
        timed=Timed("memory", 1024, {"hidden_dim": "width"}),
    ),
)
LAYERS = (
    Layer(
        name="bahdanau_decoder",
        layer="BahdanauDecoder",
        form=WRITER,
        sizes={
            "vocab_size": 11,
            "embedding_dim": 2,
            "hidden_dim": 13,
            "memory_dim": 26,
            "attention_dim": 17,
        },
        cell=True,
        fixed="T",
    ),
)
