# Made by `make derived`; edit the literal `__all__` of a topic.
"""Every public specification, in NumPy and float64."""

from attn_course.core.quantized.reference import *
from attn_course.mechanisms.bahdanau.reference import *
from attn_course.mechanisms.block_sparse.reference import *
from attn_course.mechanisms.chosen_blocks.reference import *
from attn_course.mechanisms.delta_rule.reference import *
from attn_course.mechanisms.differential.reference import *
from attn_course.mechanisms.dot_product.reference import *
from attn_course.mechanisms.flash.reference import *
from attn_course.mechanisms.grouped_query.reference import *
from attn_course.mechanisms.hashing.reference import *
from attn_course.mechanisms.indexed.reference import *
from attn_course.mechanisms.latent.reference import *
from attn_course.mechanisms.linear.reference import *
from attn_course.mechanisms.low_rank.reference import *
from attn_course.mechanisms.luong.reference import *
from attn_course.mechanisms.multi_head.reference import *
from attn_course.mechanisms.parts.gated.reference import *
from attn_course.mechanisms.parts.lengthening.reference import *
from attn_course.mechanisms.parts.positional.reference import *
from attn_course.mechanisms.random_features.reference import *
from attn_course.mechanisms.recurrent.reference import *
from attn_course.mechanisms.relative.reference import *
from attn_course.mechanisms.self_attention.reference import *
from attn_course.mechanisms.strided.reference import *
from attn_course.mechanisms.window.reference import *
from attn_course.models.decoder.reference import *
from attn_course.models.encoder.reference import *
from attn_course.models.feed_forward.reference import *
from attn_course.models.language_model.reference import *
from attn_course.models.speculative.reference import *
from attn_course.models.transformer.reference import *

__all__ = [name for name in dir() if not name.startswith("_")]
