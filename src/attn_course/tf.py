# Made by `make derived`; edit the literal `__all__` of a topic.
"""Every public name in TensorFlow."""

from attn_course.core.kv_cache.tf import *
from attn_course.core.paged.tf import *
from attn_course.core.quantized.tf import *
from attn_course.mechanisms.bahdanau.tf import *
from attn_course.mechanisms.block_sparse.tf import *
from attn_course.mechanisms.chosen_blocks.tf import *
from attn_course.mechanisms.delta_rule.tf import *
from attn_course.mechanisms.differential.tf import *
from attn_course.mechanisms.dot_product.tf import *
from attn_course.mechanisms.flash.tf import *
from attn_course.mechanisms.grouped_query.tf import *
from attn_course.mechanisms.hashing.tf import *
from attn_course.mechanisms.indexed.tf import *
from attn_course.mechanisms.latent.tf import *
from attn_course.mechanisms.linear.tf import *
from attn_course.mechanisms.low_rank.tf import *
from attn_course.mechanisms.luong.tf import *
from attn_course.mechanisms.multi_head.tf import *
from attn_course.mechanisms.parts.gated.tf import *
from attn_course.mechanisms.parts.lengthening.tf import *
from attn_course.mechanisms.parts.positional.tf import *
from attn_course.mechanisms.random_features.tf import *
from attn_course.mechanisms.recurrent.tf import *
from attn_course.mechanisms.relative.tf import *
from attn_course.mechanisms.self_attention.tf import *
from attn_course.mechanisms.strided.tf import *
from attn_course.mechanisms.window.tf import *
from attn_course.models.decoder.tf import *
from attn_course.models.decoding.tf import *
from attn_course.models.encoder.tf import *
from attn_course.models.feed_forward.tf import *
from attn_course.models.huggingface.tf import *
from attn_course.models.language_model.tf import *
from attn_course.models.serving.tf import *
from attn_course.models.speculative.tf import *
from attn_course.models.transformer.tf import *

__all__ = [name for name in dir() if not name.startswith("_")]
