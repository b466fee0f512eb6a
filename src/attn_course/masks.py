"""The masks of the course: the public path of ``attn_course.core.masks``."""

from attn_course.core.masks import *  # noqa: F403
from attn_course.core.masks import __all__ as __all__, __doc__ as __doc__
