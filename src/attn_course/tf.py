"""Every public name in TensorFlow. Written by `make faces`."""

from attn_course.core.kv_cache.tf import (
    KVCache,
)
from attn_course.core.paged.tf import (
    BlockPool,
    PagedKVCache,
    paged_attention,
)
from attn_course.mechanisms.bahdanau.tf import (
    AdditiveAttention,
    BahdanauDecoder,
    additive_attention,
)
from attn_course.mechanisms.block_sparse.tf import (
    BigBirdAttention,
    BlockSparseAttention,
    big_bird_attention,
    block_sparse_attention,
)
from attn_course.mechanisms.delta_rule.tf import (
    DeltaRuleAttention,
    delta_rule_attention,
    delta_rule_step,
)
from attn_course.mechanisms.differential.tf import (
    DifferentialAttention,
    differential_attention,
)
from attn_course.mechanisms.dot_product.tf import (
    masked_softmax,
    scaled_dot_product_attention,
)
from attn_course.mechanisms.flash.tf import (
    FlashAttention,
    flash_attention,
    memory_traffic,
    online_softmax,
)
from attn_course.mechanisms.grouped_query.tf import (
    GroupedQueryAttention,
    grouped_query_attention,
    to_grouped,
)
from attn_course.mechanisms.hashing.tf import (
    LSHAttention,
    ReversibleLayers,
    lsh_attention,
    lsh_buckets,
)
from attn_course.mechanisms.latent.tf import (
    LatentAttention,
)
from attn_course.mechanisms.linear.tf import (
    LinearAttention,
    linear_attention,
    linear_attention_step,
    retention_decay,
)
from attn_course.mechanisms.low_rank.tf import (
    LinformerAttention,
    linformer_attention,
)
from attn_course.mechanisms.luong.tf import (
    LocalAttention,
    LuongAttention,
    LuongDecoder,
    local_window,
    luong_score,
)
from attn_course.mechanisms.multi_head.tf import (
    MultiHeadAttention,
    head_importance,
    merge_heads,
    split_heads,
)
from attn_course.mechanisms.parts.gated.tf import (
    CappedSoftmax,
    OutputGate,
    QueryKeyNorm,
    SinkSoftmax,
)
from attn_course.mechanisms.parts.lengthening.tf import (
    LogLengthScale,
    log_length_scale,
    rotary_frequencies,
)
from attn_course.mechanisms.parts.positional.tf import (
    LearnedEncoding,
    RotaryEncoding,
    SinusoidalEncoding,
    change_layout,
    rotate,
    sinusoidal_encoding,
)
from attn_course.mechanisms.random_features.tf import (
    PerformerAttention,
    RandomFeatureAttention,
    gaussian_projection,
    orthogonal_projection,
    performer_attention,
    random_feature_attention,
    softmax_features,
)
from attn_course.mechanisms.recurrent.tf import (
    EncoderDecoder,
    FixedContextDecoder,
    RecurrentEncoder,
)
from attn_course.mechanisms.relative.tf import (
    AlibiBias,
    RelativeAttention,
    RelativeBias,
    alibi_bias,
    alibi_slopes,
    relative_buckets,
)
from attn_course.mechanisms.self_attention.tf import (
    FeatureMapAttention,
    IntraAttentionLSTM,
    SelfAttention,
    image_to_tokens,
    tokens_to_image,
)
from attn_course.mechanisms.strided.tf import (
    FixedAttention,
    StridedAttention,
    fixed_attention,
    strided_attention,
)
from attn_course.mechanisms.window.tf import (
    DilatedWindowAttention,
    LongformerAttention,
    SlidingWindowAttention,
    dilated_window_attention,
    longformer_attention,
    sliding_window_attention,
)
from attn_course.models.decoder.tf import (
    Decoder,
    DecoderLayer,
)
from attn_course.models.decoding.tf import (
    beam_search,
    generate,
    greedy_decode,
)
from attn_course.models.encoder.tf import (
    Encoder,
    EncoderLayer,
)
from attn_course.models.feed_forward.tf import (
    FeedForward,
)
from attn_course.models.huggingface.tf import (
    from_huggingface,
)
from attn_course.models.language_model.tf import (
    LanguageModel,
)
from attn_course.models.transformer.tf import (
    Transformer,
    label_smoothing,
    warm_up_rate,
)

__all__ = [
    "AdditiveAttention",
    "AlibiBias",
    "BahdanauDecoder",
    "BigBirdAttention",
    "BlockPool",
    "BlockSparseAttention",
    "CappedSoftmax",
    "Decoder",
    "DecoderLayer",
    "DeltaRuleAttention",
    "DifferentialAttention",
    "DilatedWindowAttention",
    "Encoder",
    "EncoderDecoder",
    "EncoderLayer",
    "FeatureMapAttention",
    "FeedForward",
    "FixedAttention",
    "FixedContextDecoder",
    "FlashAttention",
    "GroupedQueryAttention",
    "IntraAttentionLSTM",
    "KVCache",
    "LSHAttention",
    "LanguageModel",
    "LatentAttention",
    "LearnedEncoding",
    "LinearAttention",
    "LinformerAttention",
    "LocalAttention",
    "LogLengthScale",
    "LongformerAttention",
    "LuongAttention",
    "LuongDecoder",
    "MultiHeadAttention",
    "OutputGate",
    "PagedKVCache",
    "PerformerAttention",
    "QueryKeyNorm",
    "RandomFeatureAttention",
    "RecurrentEncoder",
    "RelativeAttention",
    "RelativeBias",
    "ReversibleLayers",
    "RotaryEncoding",
    "SelfAttention",
    "SinkSoftmax",
    "SinusoidalEncoding",
    "SlidingWindowAttention",
    "StridedAttention",
    "Transformer",
    "additive_attention",
    "alibi_bias",
    "alibi_slopes",
    "beam_search",
    "big_bird_attention",
    "block_sparse_attention",
    "change_layout",
    "delta_rule_attention",
    "delta_rule_step",
    "differential_attention",
    "dilated_window_attention",
    "fixed_attention",
    "flash_attention",
    "from_huggingface",
    "gaussian_projection",
    "generate",
    "greedy_decode",
    "grouped_query_attention",
    "head_importance",
    "image_to_tokens",
    "label_smoothing",
    "linear_attention",
    "linear_attention_step",
    "linformer_attention",
    "local_window",
    "log_length_scale",
    "longformer_attention",
    "lsh_attention",
    "lsh_buckets",
    "luong_score",
    "masked_softmax",
    "memory_traffic",
    "merge_heads",
    "online_softmax",
    "orthogonal_projection",
    "paged_attention",
    "performer_attention",
    "random_feature_attention",
    "relative_buckets",
    "retention_decay",
    "rotary_frequencies",
    "rotate",
    "scaled_dot_product_attention",
    "sinusoidal_encoding",
    "sliding_window_attention",
    "softmax_features",
    "split_heads",
    "strided_attention",
    "to_grouped",
    "tokens_to_image",
    "warm_up_rate",
]
