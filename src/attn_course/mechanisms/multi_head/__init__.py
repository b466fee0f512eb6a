"""Multi-head attention: several small attentions side by side (Vaswani et al. 2017).

Public names, alike in ``pytorch`` and ``tf``:

    split_heads(x, num_heads)        (B, T, H*K) -> (B, H, T, K)
    merge_heads(x)                   (B, H, T, K) -> (B, T, H*K)
    MultiHeadAttention(model_dim, num_heads, *, key_dim=None, value_dim=None,
                       memory_dim=None, use_bias=True, dropout=0.0, rotary=None, ...)
        (query (B, T, D), key=None (B, S, E), value=None (B, S, F), mask=None, *,
         bias=None, causal=False, need_weights=True, head_mask=None, cache=None)
        -> output (B, T, D), weights (B, H, T, S)
        prune_heads(heads) -> a smaller layer
        from_torch(module) in ``pytorch``, from_keras(layer) in ``tf``
    head_importance(loss, head_mask) -> the importance of every head

and in ``reference``: the first two, ``multi_head_attention`` (one head after the other)
and ``multi_head_attention_at_once``. How a layer projects, splits and merges stands in
``attn_course.core.layer``, once for all attention over heads.

    head_h = attention(query @ query_weight[h], key @ key_weight[h],
                       value @ value_weight[h])
    output = [head_1, ..., head_H] @ output_weight

A head gets a slice of the projections, never of the input: each sees all of it. Where
[h] stands, take the h-th block of K (or V) columns.

Sizes:
    key_dim, value_dim: K and V, per head. key_dim None means model_dim / num_heads,
        value_dim None means key_dim.
    memory_dim: the width of key and value before they are projected, E = F; or a pair
        (E, F) where they differ. None means model_dim.
    ...: what any layer over heads takes (``attn_course.core.layer``).
    rotary: called as ``rotary(query (B, H, T, K), key (B, H, S, K))``, it gives both
        back, turned by their positions (query i stands at i + S - T); behind a cache
        also with ``first_position``, how many keys it holds.

Parameters (see ``attn_course.parity``):
    ``query_weight`` (D, H*K), ``key_weight`` (E, H*K), ``value_weight`` (F, H*V),
    ``output_weight`` (H*V, D); with use_bias ``query_bias`` (H*K), ``key_bias`` (H*K),
    ``value_bias`` (H*V), ``output_bias`` (D).

The importance of a head is how much the loss of an example changes with the head's
share, as a mean over examples (Michel et al. 2019, arXiv:1905.10650, equation 2):

    importance[h] = mean over examples b of |d loss_b / d head_mask[b, h]|, at 1

    head_importance(lambda head_mask: losses_of(model(x, head_mask=head_mask)),
                    ones of shape (B, H))

For a model of several layers pass a tuple of such ones, one per layer: the loss gets
the tuple, and a tuple comes back. The loss returns (B), a number per example, not the
mean.

Source: arXiv:1706.03762, section 3.2.2. What differs from the paper:
    - the linear maps have biases unless ``use_bias=False``;
    - dropout acts on the weights, as in the authors' code; the paper doesn't name it.
"""

from attn_course.core.declaration import (
    BASE,
    HEAD_OPTIONS,
    HEAD_SIZES,
    UNEVEN,
    Mechanism,
    Timed,
)

MECHANISMS = (
    Mechanism(
        name="multi_head_attention",
        layer="MultiHeadAttention",
        paper="Vaswani et al. 2017, section 3.2.2",
        chapter="06_multi_head",
        time="O(n^2 d + n d^2)",
        memory="O(h n^2)",
        orders=BASE,
        sizes=HEAD_SIZES,
        options=HEAD_OPTIONS,
        wrong=(
            UNEVEN,
            *(
                ({"memory_dim": width}, "memory_dim")
                for width in ((3, 4, 5), (3,), (0, 3), (3, 2.5), "3")
            ),
        ),
        timed=Timed("words", 4096),
    ),
)
