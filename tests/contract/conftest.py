"""Everything here uses the frameworks."""

from both_frameworks import (
    first_weights,  # noqa: F401
    fresh_compiler,  # noqa: F401
)
from chunked import several_chunks  # noqa: F401
