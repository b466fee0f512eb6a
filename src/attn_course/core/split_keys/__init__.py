"""Keys in parts that are attended to at once: few queries behind a long cache.

    part p:   highest[p] = max(score),  total[p] = sum of exp(score - highest[p])
              context[p] = exp(score - highest[p]) @ value, over its own keys
    together: kept[p] = exp(highest[p] - max over parts of highest)
              output  = sum(kept * context) / sum(kept * total)

The merge is the rule by which ``online_softmax`` goes from block to block; here no part
waits for another. The kernel keeps output and log(total) + highest of each part, whose
softmax over the parts weighs their outputs: the same.

In a step of decoding a GPU has one program per sequence and head of keys: 8 sequences
and one head keep 8 of an H100's 132 multiprocessors busy, however few bytes they read.
In parts the same keys keep all of them busy.

- ``parts_of(query, key, value, bias=None)``: how many parts are worth it; None on a
  CPU, whose one thread gains nothing, where keys are few, or the GPU is busy anyway
- ``attend_in_parts(query (B, G, R, K), key (B, G, S, K), value (B, G, S, V), mask=None,
  *, bias=None, scale=None, parts)`` -> (B, G, R, V): attention, in float32 or more
- ``merge(highest, total, context, axis)``: what parts found, as one

There is no ``reference``: the specification is attention to all keys.

Source: Dao, Haziza, Massa and Sizov 2023, "Flash-Decoding for long-context inference"
(pytorch.org/blog/flash-decoding); the merge is Milakov and Gimelshein 2018
(arXiv:1805.02867), section 3.1.
"""
