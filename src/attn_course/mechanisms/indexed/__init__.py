"""A trained indexer: a small, cheap attention chooses which keys the large one reads.

    score[t, s] = sum over i of weight[t, i] relu(query[i, t] . key[s]) / sqrt(I J)
    chosen[t]   = the top_k keys of the highest scores; of equal ones the first
    output[t]   = latent attention of t over the keys of chosen[t]

I small heads of width J share one key a position, and all heads of the attention one
choice. ReLU makes many scores exactly 0: without a rule for equal ones a step could
choose otherwise than the whole pass did.

Public names, alike in ``reference``, ``pytorch`` and ``tf``; the layer in the last two:

    index_scores(query, key, weight) -> score
    top_keys(score, k, mask=None, *, causal=False) -> chosen
    index_loss(score, weights, mask=None, *, causal=False) -> one number
    IndexedAttention(model_dim, num_heads, *, query_latent_dim, index_heads, index_dim,
                     top_k, latent_dim, rope_dim, key_dim, value_dim, ...)
        call as ``LatentAttention``; index(x) -> score (B, T, T); from_huggingface

Shapes: query (..., I, T, J), key (..., S, J), weight (..., T, I), score (..., T, S),
weights of the attention (..., H, T, S). ``chosen`` (..., T, S) is boolean, a mask:
``mask=chosen[:, None]`` gives it to any layer of heads. A k above the number of keys
chooses all that are seen.

A choice has no gradient: the loss of the output leaves the indexer as it is. It learns
from ``index_loss(layer.index(x), weights)`` alone, whose gradient reaches nothing else.

The cache holds (latent_dim + rope_dim + index_dim) numbers a position. Behind it a step
with ``need_weights=False`` and no bias reads the chosen entries alone, whatever stands
before. Many queries at once choose by a mask, which saves no products.

Parameters: those of ``latent_attention`` with a latent of the query of width Q;
``index_query_weight`` (Q, I*J), ``index_key_weight`` (D, J), ``index_norm.scale`` and
``index_norm.bias`` (J), ``index_head_weight`` (D, I). The last rope_dim columns of the
small heads are turned.

Source: DeepSeek-AI 2025, "DeepSeek-V3.2" (arXiv:2512.02556), section 2.1.
"""

from attn_course.core.declaration import ITSELF, POSITIVE, Mechanism, Timed

MECHANISMS = (
    Mechanism(
        name="indexed_attention",
        layer="IndexedAttention",
        paper="DeepSeek-AI 2025 (DeepSeek-V3.2), section 2.1",
        chapter="12_low_rank_and_hashing",
        family="sparse",
        time="O(n^2 d + n d^2)",
        memory="O(h n^2)",
        form=ITSELF,
        jumps=True,
        sizes={
            "model_dim": 13,
            "num_heads": 2,
            "latent_dim": 11,
            "rope_dim": 4,
            "key_dim": 5,
            "value_dim": 7,
            "query_latent_dim": 17,
            "index_heads": 3,
            "index_dim": 6,
            "top_k": 2,
        },
        options={"base": POSITIVE},
        wrong=(
            ({"rope_dim": 3}, "rope_dim"),
            ({"index_dim": 3}, "index_dim"),
            ({"query_latent_dim": None}, "query_latent_dim"),
        ),
        timed=Timed(
            "words",
            4096,
            {
                "latent_dim": "width",
                "rope_dim": 32,
                "key_dim": "width",
                "value_dim": "width",
                "query_latent_dim": "width",
                "index_heads": 4,
                "index_dim": "width",
                "top_k": 512,
            },
        ),
    ),
)
