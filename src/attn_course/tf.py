"""Every public name of the course in TensorFlow: what topics list in ``__all__``."""

# ruff: noqa: F403
from attn_course.bahdanau.tf import *
from attn_course.block_sparse.tf import *
from attn_course.decoder.tf import *
from attn_course.decoding.tf import *
from attn_course.delta_rule.tf import *
from attn_course.dot_product.tf import *
from attn_course.encoder.tf import *
from attn_course.feed_forward.tf import *
from attn_course.flash.tf import *
from attn_course.grouped_query.tf import *
from attn_course.hashing.tf import *
from attn_course.kv_cache.tf import *
from attn_course.latent.tf import *
from attn_course.lengthening.tf import *
from attn_course.linear.tf import *
from attn_course.low_rank.tf import *
from attn_course.luong.tf import *
from attn_course.multi_head.tf import *
from attn_course.positional.tf import *
from attn_course.random_features.tf import *
from attn_course.recurrent.tf import *
from attn_course.relative.tf import *
from attn_course.self_attention.tf import *
from attn_course.strided.tf import *
from attn_course.transformer.tf import *
from attn_course.window.tf import *

__all__ = sorted(name for name in globals() if not name.startswith("_"))
