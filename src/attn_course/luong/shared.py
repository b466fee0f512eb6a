"""The checks that the attentions of all three implementations share."""

from typing import Any, NamedTuple

from attn_course.shapes import (
    check_choice,
    check_floats,
    check_memory_mask,
    check_shapes,
)

SCORES = ("dot", "general", "concat", "location")
ALIGNMENTS = ("monotonic", "predictive")
SPECS = {
    "weight": "DE",
    "query_weight": "DA",
    "memory_weight": "EA",
    "score_weight": "A",
    "location_weight": "DL",
}


def check_score(score, *, hidden_dim="given", max_length="given"):
    """Raise ValueError unless the score is known and has the size that it needs."""
    check_choice("score", score, SCORES)
    if score == "concat" and hidden_dim is None:
        raise ValueError("hidden_dim must be given for score='concat', got None")
    if score == "location" and max_length is None:
        raise ValueError("max_length must be given for score='location', got None")


def check_half_width(half_width):
    """Raise ValueError unless the half width is a positive number."""
    if not half_width > 0:
        raise ValueError(f"half_width must be positive, got {half_width}")


def check_score_inputs(query, memory, parameters, score):
    """Raise ValueError unless query and memory fit each other and the parameters."""
    check_score(score)
    needed = {"dot": (), "general": ("weight",), "location": ("location_weight",)}
    names = needed.get(score, ("query_weight", "memory_weight", "score_weight"))
    check_floats(query=query, memory=memory, **{n: parameters[n] for n in names})
    memory_spec = "BSD" if score == "dot" else "BSE"
    weights = {name: (parameters[name], SPECS[name]) for name in names}
    # The weights first: where a width is wrong, query or memory is to blame.
    sizes = check_shapes(**weights, query=(query, "BTD"), memory=(memory, memory_spec))
    positions, longest = sizes["S"], sizes.get("L")
    if longest is not None and positions is not None and positions > longest:
        most = f"at most max_length = {longest} positions"
        raise ValueError(f"memory must have {most}, got {positions}")
    return sizes


def check_attention(query, memory, parameters, score, mask):
    """As ``check_score_inputs``, and the mask; returns the size of every letter."""
    sizes = check_score_inputs(query, memory, parameters, score)
    if mask is not None:
        check_memory_mask(mask, sizes["B"], sizes["T"], sizes["S"])
    return sizes


class LuongState(NamedTuple):
    """The recurrent and the attentional state, both (B, H), and the step's number."""

    hidden: Any
    attentional: Any
    step: int
