"""Latent attention: one short vector per position stands for all its keys.

    latent = rms(x @ W_latent), of width R         what a cache keeps, with the next
    turned = rotate(x @ W_latent'), of width P     one key that all heads share
    key[h], value[h] = latent @ W_key_value[h]
    score  = query[h] . key[h] + query'[h] . turned, divided by sqrt(key_dim + P)

The two forms give the same output. The naive one builds keys and values of all heads
from the latents, in every step anew. The absorbed one multiplies the query by the
key's matrix and the context by the value's: then the latents themselves are keys and
values, and it is multi-query attention with one key of width R + P.

Public names: ``latent_attention(x, parameters, ...)``, the specification, in
``reference``; in ``pytorch`` and ``tf``:

    LatentAttention(model_dim, num_heads, *, latent_dim, rope_dim, key_dim, value_dim,
                    query_latent_dim=None, base=10000.0, dropout=0.0, scale=None,
                    rotary=None, softmax=None, output_gate=None)
        call (x (B, T, D), mask=None, *, bias=None, causal=True, absorbed=False,
              need_weights=True, head_mask=None, cache=None) -> output, weights
        new_cache(batch, capacity), from_huggingface(module)

DeepSeek-V3 as it was released, with YaRN's frequencies and its larger scale:

    RotaryEncoding(rope_dim, layout="interleaved", frequencies=...), scale=...

which ``from_huggingface`` reads from the module. The absorbed form asks ``key_value``
for its matrix by calling it where something else than a plain linear map stands in its
place, so that adapters, hooks and quantization change both forms alike.

Sizes: latent_dim is R, rope_dim is P, which must be even; query_latent_dim is Q, and
without it the query has no latent; key_dim and value_dim are a head's K and V.
absorbed=True computes the second form.

Parameters: ``query_weight`` (D, H*(K+P)), or where there is a latent of the query
``query_down_weight`` (D, Q), ``query_norm.scale`` (Q), ``query_up_weight``
(Q, H*(K+P)); ``latent_weight`` (D, R+P), ``latent_norm.scale`` (R),
``key_value_weight`` (R, H*(K+V)), ``output_weight`` (H*V, D). In a head's block of
columns the part without rotation stands first, and the key before the value.

Source: DeepSeek-AI 2024, "DeepSeek-V2" (arXiv:2405.04434), section 2.1 and appendix C.
"""

from attn_course.core.declaration import ITSELF, POSITIVE, Mechanism, Timed

MECHANISMS = (
    Mechanism(
        name="latent_attention",
        layer="LatentAttention",
        paper="DeepSeek-AI 2024 (DeepSeek-V2), section 2.1",
        chapter="13_mqa_gqa",
        family="shared keys",
        time="O(n^2 d + n d^2)",
        memory="O(h n^2)",
        form=ITSELF,
        sizes={
            "model_dim": 13,
            "num_heads": 2,
            "latent_dim": 11,
            "rope_dim": 4,
            "key_dim": 5,
            "value_dim": 7,
            "query_latent_dim": 17,
        },
        options={"base": POSITIVE},
        wrong=(({"rope_dim": 3}, "rope_dim"),),
        timed=Timed(
            "words",
            4096,
            {
                "latent_dim": "width",
                "rope_dim": 32,
                "key_dim": "width",
                "value_dim": "width",
            },
        ),
    ),
)
