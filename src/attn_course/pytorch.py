"""Every public name of the course in PyTorch: what topics list in ``__all__``."""

# ruff: noqa: F403
from attn_course.bahdanau.pytorch import *
from attn_course.block_sparse.pytorch import *
from attn_course.decoder.pytorch import *
from attn_course.decoding.pytorch import *
from attn_course.delta_rule.pytorch import *
from attn_course.dot_product.pytorch import *
from attn_course.encoder.pytorch import *
from attn_course.feed_forward.pytorch import *
from attn_course.flash.pytorch import *
from attn_course.grouped_query.pytorch import *
from attn_course.hashing.pytorch import *
from attn_course.kv_cache.pytorch import *
from attn_course.latent.pytorch import *
from attn_course.lengthening.pytorch import *
from attn_course.linear.pytorch import *
from attn_course.low_rank.pytorch import *
from attn_course.luong.pytorch import *
from attn_course.multi_head.pytorch import *
from attn_course.positional.pytorch import *
from attn_course.random_features.pytorch import *
from attn_course.recurrent.pytorch import *
from attn_course.relative.pytorch import *
from attn_course.self_attention.pytorch import *
from attn_course.strided.pytorch import *
from attn_course.transformer.pytorch import *
from attn_course.window.pytorch import *

__all__ = sorted(name for name in globals() if not name.startswith("_"))
