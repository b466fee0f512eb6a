"""Checks that all three implementations share, and what is left of pruned heads."""

from collections.abc import Iterable
from typing import Any

from attn_course.core.layer.shared import check_divisible, check_head_share
from attn_course.core.shapes import (
    check_at_least,
    check_bias,
    check_floats,
    check_head_mask,
    check_not_empty,
    check_parameters,
    check_shapes,
)

SPECS = {
    "query_weight": "DX",
    "key_weight": "EX",
    "value_weight": "FY",
    "output_weight": "YD",
    "query_bias": "X",
    "key_bias": "X",
    "value_bias": "Y",
    "output_bias": "D",
}


def check_multi_head(
    inputs: dict[str, Any],
    parameters: dict[str, Any],
    num_heads: int,
    *,
    mask: Any = None,
    bias: Any = None,
    head_mask: Any = None,
) -> None:
    """Raise ValueError unless query, key, value and the options fit the parameters."""
    check_at_least(1, num_heads=num_heads)
    check_floats(**inputs)
    check_parameters(parameters, *(name for name in SPECS if "weight" in name))
    # The weights first: where a width is wrong, the input is to blame.
    weights = {n: (parameters[n], spec) for n, spec in SPECS.items() if n in parameters}
    specs = {"query": "BTD", "key": "BSE", "value": "BSF"}
    sizes = check_shapes(**weights, **{n: (inputs[n], specs[n]) for n in specs})
    check_not_empty(sizes)
    for letter, name in (("X", "key_weight"), ("Y", "value_weight")):
        check_divisible(name, sizes[letter], num_heads)
    score = (sizes["B"], num_heads, sizes["T"], sizes["S"])
    if mask is not None:
        check_head_mask(mask, score)
    if bias is not None:
        check_bias(bias, score)
    if head_mask is not None:
        check_head_share(head_mask, sizes["B"], num_heads)


def remaining_heads(heads: Iterable[int], num_heads: int) -> list[int]:
    """The heads that are left without these, in order; ValueError if none is."""
    if not isinstance(heads, Iterable):
        raise ValueError(f"heads must be several numbers, got {heads!r}")
    heads = set(heads)
    if not heads <= set(range(num_heads)):
        wanted = f"between 0 and {num_heads - 1}"
        raise ValueError(f"heads must lie {wanted}, got {sorted(heads)}")
    if len(heads) == num_heads:
        raise ValueError(f"heads must leave at least one of {num_heads}, got all")
    return [head for head in range(num_heads) if head not in heads]


def keep_heads(name: str, array: Any, num_heads: int, heads: list[int]) -> Any:
    """The part of a parameter of ``attn_course.parity`` that belongs to these heads.

    The output's weight has a block of rows per head, the others a block of columns.
    """
    if name == "output_bias" or "." in name:  # "." is in the names of a part
        return array
    if name == "output_weight":
        width = array.shape[-1]
        return array.reshape(num_heads, -1, width)[heads].reshape(-1, width)
    lead = array.shape[:-1]
    return array.reshape(*lead, num_heads, -1)[..., heads, :].reshape(*lead, -1)


def check_losses(losses: Any, head_masks: tuple) -> None:
    """Raise ValueError unless every mask is (B, H) and there is a loss per example."""
    for mask in head_masks:
        B = check_shapes(head_mask=(mask, "BH"))["B"]
        check_shapes({"B": B}, loss=(losses, "B"))


def check_used(gradients: tuple) -> None:
    """Raise ValueError unless the loss depends on every head_mask."""
    if any(gradient is None for gradient in gradients):
        raise ValueError("loss must depend on every head_mask, got one that is unused")
