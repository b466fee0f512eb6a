"""The decays that the delta rule can have."""

from dataclasses import dataclass
from typing import ClassVar

from attn_course.mechanisms.linear.shared import DECAYS, DecaySizes


@dataclass(frozen=True, kw_only=True)
class DeltaSizes(DecaySizes):
    """One more kind: learned for each column of a key."""

    decays: ClassVar = (*DECAYS, "columns")
