"""Every public specification, in NumPy and float64. Written by `make faces`."""

from attn_course.mechanisms.bahdanau.reference import (
    additive_attention,
    bahdanau_decoder,
)
from attn_course.mechanisms.block_sparse.reference import (
    big_bird_attention,
    block_sparse_attention,
)
from attn_course.mechanisms.delta_rule.reference import (
    delta_rule_attention,
    delta_rule_step,
)
from attn_course.mechanisms.differential.reference import (
    differential_attention,
)
from attn_course.mechanisms.dot_product.reference import (
    masked_softmax,
    scaled_dot_product_attention,
)
from attn_course.mechanisms.flash.reference import (
    flash_attention,
    memory_traffic,
    online_softmax,
)
from attn_course.mechanisms.grouped_query.reference import (
    grouped_query_attention,
    grouped_query_layer,
)
from attn_course.mechanisms.hashing.reference import (
    lsh_attention,
    lsh_buckets,
)
from attn_course.mechanisms.latent.reference import (
    latent_attention,
)
from attn_course.mechanisms.linear.reference import (
    linear_attention,
    linear_attention_step,
    retention_decay,
)
from attn_course.mechanisms.low_rank.reference import (
    linformer_attention,
)
from attn_course.mechanisms.luong.reference import (
    local_attention,
    local_window,
    luong_attention,
    luong_decoder,
    luong_score,
)
from attn_course.mechanisms.multi_head.reference import (
    merge_heads,
    multi_head_attention,
    multi_head_attention_at_once,
    split_heads,
)
from attn_course.mechanisms.parts.gated.reference import (
    capped_softmax,
    output_gate,
    query_key_norm,
    sink_softmax,
)
from attn_course.mechanisms.parts.lengthening.reference import (
    log_length_scale,
    rotary_frequencies,
)
from attn_course.mechanisms.parts.positional.reference import (
    change_layout,
    learned_encoding,
    rotate,
    sinusoidal_encoding,
    sinusoidal_shift,
)
from attn_course.mechanisms.random_features.reference import (
    gaussian_projection,
    orthogonal_projection,
    performer_attention,
    random_feature_attention,
    softmax_features,
)
from attn_course.mechanisms.recurrent.reference import (
    fixed_context_decoder,
    gru_step,
    recurrent_encoder,
)
from attn_course.mechanisms.relative.reference import (
    alibi_bias,
    alibi_slopes,
    relative_attention,
    relative_bias,
    relative_buckets,
)
from attn_course.mechanisms.self_attention.reference import (
    feature_map_attention,
    image_to_tokens,
    intra_attention_lstm,
    self_attention,
    tokens_to_image,
)
from attn_course.mechanisms.strided.reference import (
    fixed_attention,
    strided_attention,
)
from attn_course.mechanisms.window.reference import (
    dilated_window_attention,
    longformer_attention,
    sliding_window_attention,
)
from attn_course.models.decoder.reference import (
    decoder,
    decoder_layer,
)
from attn_course.models.encoder.reference import (
    encoder,
    encoder_layer,
)
from attn_course.models.feed_forward.reference import (
    feed_forward,
    layer_norm,
    rms_norm,
)
from attn_course.models.language_model.reference import (
    language_model,
)
from attn_course.models.transformer.reference import (
    label_smoothing,
    transformer,
    warm_up_rate,
)

__all__ = [
    "additive_attention",
    "alibi_bias",
    "alibi_slopes",
    "bahdanau_decoder",
    "big_bird_attention",
    "block_sparse_attention",
    "capped_softmax",
    "change_layout",
    "decoder",
    "decoder_layer",
    "delta_rule_attention",
    "delta_rule_step",
    "differential_attention",
    "dilated_window_attention",
    "encoder",
    "encoder_layer",
    "feature_map_attention",
    "feed_forward",
    "fixed_attention",
    "fixed_context_decoder",
    "flash_attention",
    "gaussian_projection",
    "grouped_query_attention",
    "grouped_query_layer",
    "gru_step",
    "image_to_tokens",
    "intra_attention_lstm",
    "label_smoothing",
    "language_model",
    "latent_attention",
    "layer_norm",
    "learned_encoding",
    "linear_attention",
    "linear_attention_step",
    "linformer_attention",
    "local_attention",
    "local_window",
    "log_length_scale",
    "longformer_attention",
    "lsh_attention",
    "lsh_buckets",
    "luong_attention",
    "luong_decoder",
    "luong_score",
    "masked_softmax",
    "memory_traffic",
    "merge_heads",
    "multi_head_attention",
    "multi_head_attention_at_once",
    "online_softmax",
    "orthogonal_projection",
    "output_gate",
    "performer_attention",
    "query_key_norm",
    "random_feature_attention",
    "recurrent_encoder",
    "relative_attention",
    "relative_bias",
    "relative_buckets",
    "retention_decay",
    "rms_norm",
    "rotary_frequencies",
    "rotate",
    "scaled_dot_product_attention",
    "self_attention",
    "sink_softmax",
    "sinusoidal_encoding",
    "sinusoidal_shift",
    "sliding_window_attention",
    "softmax_features",
    "split_heads",
    "strided_attention",
    "tokens_to_image",
    "transformer",
    "warm_up_rate",
]
