"""Sizes and checks that Luong's attentions share, and what the decoder carries."""

from typing import Any, Literal, NamedTuple, get_args

from attn_course.core.shapes import Sizes, check_at_least, check_choice
from attn_course.mechanisms.recurrent.shared import (
    check_memory,
    check_names,
    whole_sizes,
)

Score = Literal["dot", "general", "concat", "location"]
Alignment = Literal["monotonic", "predictive"]
# What each score learns, with its shape; and what turns the query.
WEIGHTS = {
    "dot": {},
    "general": {"weight": "DE"},
    "concat": {"query_weight": "DA", "memory_weight": "EA", "score_weight": "A"},
    "location": {"location_weight": "DL"},
}
OF_QUERY = {
    "dot": "",
    "general": "weight",
    "concat": "query_weight",
    "location": "location_weight",
}
# The paper's map of the query, where it is not called query_weight.
PARITY_NAMES = {"general": "", "location": "location"}


class LuongState(NamedTuple):
    """The recurrent and the attentional state, both (B, H), and the step's number."""

    hidden: Any
    attentional: Any
    step: int


def attention_config(
    query_dim: int,
    memory_dim: int,
    score: str,
    hidden_dim: int | None,
    max_length: int | None,
) -> dict[str, Any]:
    """What ``LuongAttention`` is built from.

    Raises:
        ValueError: the score is unknown or lacks the size that it needs, a size isn't
        whole and at least 1, or the widths differ where the score is "dot".
    """
    check_choice("score", score, WEIGHTS)
    more = {"hidden_dim": hidden_dim, "max_length": max_length}
    needed = {"concat": "hidden_dim", "location": "max_length"}.get(score)
    if needed and more[needed] is None:
        raise ValueError(f"{needed} must be given for score={score!r}, got None")
    if score == "dot" and query_dim != memory_dim:
        equal = f"query_dim = {query_dim} for score='dot'"
        raise ValueError(f"memory_dim must equal {equal}, got {memory_dim}")
    sizes = {"query_dim": query_dim, "memory_dim": memory_dim}
    sizes |= {name: size for name, size in more.items() if size is not None}
    return {"score": score, **more, **whole_sizes(**sizes)}


def query_width(config: dict[str, Any]) -> int | None:
    """How wide the query is once it is projected; None where it is not."""
    widths = {"general": "memory_dim", "concat": "hidden_dim", "location": "max_length"}
    return config.get(widths.get(config["score"]))


def check_local(half_width: Any, alignment: Any) -> None:
    """Raise ValueError unless half_width is a size and the alignment is known."""
    check_choice("alignment", alignment, get_args(Alignment))
    check_at_least(1, half_width=half_width)


def check_score_inputs(
    query: Any, memory: Any, parameters: dict[str, Any], score: str, mask: Any = None
) -> Sizes:
    """Raise ValueError unless query, memory, mask and parameters fit each other."""
    check_choice("score", score, WEIGHTS)
    check_names(parameters, *WEIGHTS[score])
    weights = {name: (parameters[name], spec) for name, spec in WEIGHTS[score].items()}
    spec = "BSD" if score == "dot" else "BSE"
    sizes = check_memory(query, memory, mask, memory_spec=spec, **weights)
    check_longest(memory, sizes.get("L"))
    return sizes


def check_longest(memory: Any, max_length: int | None) -> None:
    """Raise ValueError if a location score has no row for some positions."""
    positions = memory.shape[1]
    if None not in (max_length, positions) and positions > max_length:
        most = f"at most max_length = {max_length} positions"
        raise ValueError(f"memory must have {most}, got {positions}")
