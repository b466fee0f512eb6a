"""Checks that the language models of both frameworks share."""

from typing import Any, Literal, get_args

from attn_course.core.shapes import check_choice, check_positive, check_shapes
from attn_course.models.transformer.shared import check_tokens

Positions = Literal["rotary", "alibi", "sinusoidal"]
POSITIONS = get_args(Positions)


def check_positions(positions: Any, rotary: bool, attention: Any) -> None:
    """Raise ValueError unless positions are known, and stand in one place only."""
    if isinstance(positions, str):
        check_choice("positions", positions, POSITIONS)
    elif positions is not None and not callable(positions):
        came = type(positions).__name__
        raise ValueError(f"positions must be a name, a layer or None, got {came}")
    if rotary and attention is not None:
        mend = "give the attention its rotary=, and positions=None, or another name"
        wrong = "positions must not be rotary, the default, beside an attention"
        raise ValueError(f"{wrong}: {mend}")


def check_places(positions: Any, tokens: Any) -> None:
    """Raise ValueError unless positions are integers, one for each token (B, T)."""
    sizes = check_shapes(tokens=(tokens, "BT"))
    check_tokens(sizes, positions=(positions, "BT"))


def is_padding(mask: Any, x: Any) -> bool:
    """Whether a mask is padding, and fits; what doesn't is named by the stack."""
    if mask is None or len(mask.shape) != 4 or tuple(mask.shape[1:3]) != (1, 1):
        return False
    (B, T), (rows, S) = x.shape[:2], (mask.shape[0], mask.shape[3])
    return rows in (1, B, None) and (None in (S, T) or S >= T)


def scale_given(embedding_scale: float | None) -> dict[str, float]:
    """The scale for a model's config, where one is given; ValueError if it is wrong."""
    if embedding_scale is None:
        return {}
    check_positive(embedding_scale=embedding_scale)
    return {"embedding_scale": float(embedding_scale)}


def scale_of(config: dict[str, Any]) -> float:
    """What multiplies the vectors of the tokens."""
    return config.get("embedding_scale", config["model_dim"] ** 0.5)
