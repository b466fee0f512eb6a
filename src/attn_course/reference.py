"""Every public specification of the course, in NumPy and float64."""

# ruff: noqa: F403
from attn_course.bahdanau.reference import *
from attn_course.block_sparse.reference import *
from attn_course.decoder.reference import *
from attn_course.delta_rule.reference import *
from attn_course.dot_product.reference import *
from attn_course.encoder.reference import *
from attn_course.feed_forward.reference import *
from attn_course.flash.reference import *
from attn_course.grouped_query.reference import *
from attn_course.hashing.reference import *
from attn_course.latent.reference import *
from attn_course.lengthening.reference import *
from attn_course.linear.reference import *
from attn_course.low_rank.reference import *
from attn_course.luong.reference import *
from attn_course.multi_head.reference import *
from attn_course.positional.reference import *
from attn_course.random_features.reference import *
from attn_course.recurrent.reference import *
from attn_course.relative.reference import *
from attn_course.self_attention.reference import *
from attn_course.strided.reference import *
from attn_course.transformer.reference import *
from attn_course.window.reference import *

__all__ = sorted(name for name in globals() if not name.startswith("_"))
