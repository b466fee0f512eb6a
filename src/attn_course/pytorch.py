# Made by `make derived`; edit the literal `__all__` of a topic.
"""Every public name in PyTorch."""

from attn_course.core.kv_cache.pytorch import *
from attn_course.core.paged.pytorch import *
from attn_course.core.quantized.pytorch import *
from attn_course.mechanisms.bahdanau.pytorch import *
from attn_course.mechanisms.block_sparse.pytorch import *
from attn_course.mechanisms.chosen_blocks.pytorch import *
from attn_course.mechanisms.delta_rule.pytorch import *
from attn_course.mechanisms.differential.pytorch import *
from attn_course.mechanisms.dot_product.pytorch import *
from attn_course.mechanisms.flash.pytorch import *
from attn_course.mechanisms.grouped_query.pytorch import *
from attn_course.mechanisms.hashing.pytorch import *
from attn_course.mechanisms.indexed.pytorch import *
from attn_course.mechanisms.latent.pytorch import *
from attn_course.mechanisms.linear.pytorch import *
from attn_course.mechanisms.low_rank.pytorch import *
from attn_course.mechanisms.luong.pytorch import *
from attn_course.mechanisms.multi_head.pytorch import *
from attn_course.mechanisms.parts.gated.pytorch import *
from attn_course.mechanisms.parts.lengthening.pytorch import *
from attn_course.mechanisms.parts.positional.pytorch import *
from attn_course.mechanisms.random_features.pytorch import *
from attn_course.mechanisms.recurrent.pytorch import *
from attn_course.mechanisms.relative.pytorch import *
from attn_course.mechanisms.self_attention.pytorch import *
from attn_course.mechanisms.strided.pytorch import *
from attn_course.mechanisms.window.pytorch import *
from attn_course.models.decoder.pytorch import *
from attn_course.models.decoding.pytorch import *
from attn_course.models.encoder.pytorch import *
from attn_course.models.feed_forward.pytorch import *
from attn_course.models.huggingface.pytorch import *
from attn_course.models.language_model.pytorch import *
from attn_course.models.serving.pytorch import *
from attn_course.models.speculative.pytorch import *
from attn_course.models.transformer.pytorch import *

__all__ = [name for name in dir() if not name.startswith("_")]
