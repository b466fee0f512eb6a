"""Everything here uses the frameworks."""

from both_frameworks import fresh_compiler  # noqa: F401
