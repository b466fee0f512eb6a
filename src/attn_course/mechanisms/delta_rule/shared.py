"""The decays that the delta rule can have."""

from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

from attn_course.mechanisms.linear.shared import DecaySizes

DeltaDecay = Literal["fixed", "learned", "columns"]


@dataclass(frozen=True, kw_only=True)
class DeltaSizes(DecaySizes):
    """One more kind: learned for each column of a key."""

    decays: ClassVar = (None, *get_args(DeltaDecay))
