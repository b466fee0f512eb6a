"""Multi-head latent attention: one short vector per position stands for all its keys.

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
                    query_latent_dim=None, base=10000.0)
        call (x (B, T, D), mask=None, *, causal=True, absorbed=False,
              need_weights=True, cache=None) -> output, weights
        new_cache(batch, capacity), from_huggingface(module)

Parameters: ``query_weight`` (D, H*(K+P)), or where there is a latent of the query
``query_down_weight`` (D, Q), ``query_norm.scale`` (Q), ``query_up_weight``
(Q, H*(K+P)); ``latent_weight`` (D, R+P), ``latent_norm.scale`` (R),
``key_value_weight`` (R, H*(K+V)), ``output_weight`` (H*V, D). In a head's block of
columns the part without rotation stands first, and the key before the value.

Source: DeepSeek-AI 2024, "DeepSeek-V2" (arXiv:2405.04434), section 2.1 and appendix C.
"""
