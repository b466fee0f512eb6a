"""The topics of the course, and from what they declare: the catalog.

A topic stands in ``TOPICS``, in the course's order. ``CATALOG`` has the mechanisms, one
row each, for tests, tables and pages; ``DECLARED`` has, by topic, all that its
``__init__`` declares (``attn_course.core.declaration``).
"""

from attn_course.core import kv_cache, paged, quantized
from attn_course.core.declaration import Mechanism, Row
from attn_course.mechanisms import (
    bahdanau,
    block_sparse,
    chosen_blocks,
    delta_rule,
    differential,
    dot_product,
    flash,
    grouped_query,
    hashing,
    indexed,
    latent,
    linear,
    low_rank,
    luong,
    multi_head,
    random_features,
    recurrent,
    relative,
    self_attention,
    strided,
    window,
)
from attn_course.mechanisms.parts import gated, lengthening, positional
from attn_course.models import (
    decoder,
    decoding,
    encoder,
    feed_forward,
    huggingface,
    language_model,
    serving,
    speculative,
    transformer,
)

TOPICS = (
    dot_product,
    recurrent,
    bahdanau,
    luong,
    self_attention,
    multi_head,
    gated,
    positional,
    relative,
    lengthening,
    feed_forward,
    encoder,
    decoder,
    transformer,
    language_model,
    huggingface,
    decoding,
    speculative,
    linear,
    delta_rule,
    random_features,
    low_rank,
    hashing,
    grouped_query,
    kv_cache,
    paged,
    quantized,
    latent,
    indexed,
    chosen_blocks,
    differential,
    window,
    strided,
    block_sparse,
    flash,
    serving,
)
DECLARED = {
    topic.__name__.rpartition(".")[2]: (
        *getattr(topic, "MECHANISMS", ()),
        *getattr(topic, "LAYERS", ()),
    )
    for topic in TOPICS
}
CATALOG = tuple(
    Row(**{f: topic if f == "topic" else getattr(made, f) for f in Row._fields})
    for topic, declared in DECLARED.items()
    for made in declared
    if isinstance(made, Mechanism)
)
