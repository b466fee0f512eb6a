"""Caches in fewer bits: keys and values as codes of 8 or 4 bits, with scales.

    int8, int4  low = min x, scale = (max x - low) / (2^bits - 1)
                code = round((x - low) / scale), and x comes back as code * scale + low
    fp8         scale = max |x| / 448, code = x / scale in 8 bits: a sign, 4 bits of
                exponent, 3 of mantissa (e4m3); x comes back as code * scale

Public names, alike in ``pytorch`` and ``tf``:

    quantize(x, *, kind="int8"/"int4"/"fp8", axis=-1) -> codes, scale, low
    dequantize(codes, scale, low=None, *, kind, dtype=None) -> x
    QuantizedKVCache(batch, num_kv_heads, capacity, key_dim, value_dim=None, *,
                     kind="int8", key_per="token", value_per="token", rotate=False,
                     block_size=32, dtype=None)          PyTorch: also device=None

and in ``reference``: ``quantize``, ``dequantize``, ``hadamard(width)``.

- Scales and lows have 16 bits: of K numbers, each takes 8 + 32 / K bits as int8,
  4 + 32 / K as int4, 8 + 16 / K as fp8. Two codes of int4 share a byte.
- An error is at most scale / 2 and what 16 bits add to low and scale, 2^-11 of their
  numbers; of fp8 at most |x| / 16, below scale / 64 at most scale / 1024.
- What is beyond +-65504, the largest number of 16 bits, is cut there.

A cache is handed to a layer as ``cache=``, as a ``KVCache`` is; to a model a tuple of
them, one a layer. What ``update`` returns has been rounded and read back, the chunk's
own positions too.

- per "token": a scale for a head's K numbers of one position. What a query sees then
  does not depend on how a text is cut into chunks.
- per "channel": a scale for ``block_size`` positions of one channel. It needs them all:
  what has not filled a block stays in full (block_size - 1 positions are kept for
  that), and a chunk that fills one sees it rounded. ``truncate`` can't go back into a
  block that is rounded, and refuses.
- rotate: every vector is multiplied by ``hadamard(K)``, orthogonal and symmetric,
  before it is rounded, and again when it is read: one large channel is spread over all.
- ``nbytes``: codes, scales, lows, and what stays in full. A step reads all codes back:
  bytes are saved here, not time. Kernels read codes back inside of the attention, and
  turn the query instead of the keys: (q R) (k R)^T = q k^T.
- No window and no sinks.

Sources: Liu et al. 2024, KIVI (arXiv:2402.02750), section 3: keys per channel, values
per token, a rest in full; Micikevicius et al. 2022 (arXiv:2209.05433), table 1: e4m3;
Ashkboos et al. 2024, QuaRot (arXiv:2404.00456), section 3: the rotation.
Differs: KIVI groups the channels of a token too; here a token has one scale a head.
"""
