"""What Luong's decoder carries from step to step, in either framework."""

from typing import Any, NamedTuple


class LuongState(NamedTuple):
    """The recurrent and the attentional state, both (B, H), and the step's number."""

    hidden: Any
    attentional: Any
    step: int
