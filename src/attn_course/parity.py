"""One dict of parameters for all: the public path of ``attn_course.core.parity``."""

from attn_course.core.parity import (
    __doc__ as __doc__,
    get_parameters,
    nested,
    set_parameters,
)

__all__ = ["get_parameters", "nested", "set_parameters"]
