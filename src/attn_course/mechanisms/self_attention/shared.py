"""The checks that all three implementations share."""

from numbers import Integral
from typing import Any, Literal, get_args

from attn_course.core.shapes import (
    check_at_least,
    check_choice,
    check_floats,
    check_head_mask,
    check_mask_dtype,
    check_parameters,
    check_shapes,
)

Format = Literal["channels_first", "channels_last"]
FORMATS = get_args(Format)
PARTS = 4  # of the LSTM's gates: input, forget and output gate, candidate
SPECS = {
    "query_weight": "DK",
    "key_weight": "DK",
    "value_weight": "DV",
    "output_weight": "VD",
}
INTRA_SPECS = {
    "query_weight": "DA",
    "memory_weight": "HA",
    "summary_weight": "HA",
    "score_weight": "A",
    "input_weight": "DG",
    "state_weight": "HG",
    "bias": "G",
}


def check_sequence(x: Any, width: int) -> dict[str, Any]:
    """Raise ValueError unless x is floating and (B, T, width) with a position."""
    sizes = check_shapes({"D": width}, x=(x, "BTD"))
    check_floats(x=x)
    if sizes["T"] == 0:
        raise ValueError("x must have at least 1 position, got T = 0")
    return sizes


def check_self_attention(x: Any, parameters: dict[str, Any], mask: Any) -> None:
    """Raise ValueError unless x and mask fit each other and the parameters."""
    check_parameters(parameters, "query_weight", "key_weight", "value_weight")
    named = {name: spec for name, spec in SPECS.items() if name in parameters}
    # The weights first: where a width is wrong, x is to blame.
    sizes = check_shapes(**{n: (parameters[n], spec) for n, spec in named.items()})
    found = check_sequence(x, sizes["D"])
    if mask is not None:
        check_head_mask(mask, (found["B"], found["T"], found["T"]))


def check_intra(x: Any, width: int, mask: Any) -> dict[str, Any]:
    """Raise ValueError unless x is as ``check_sequence`` says and mask its padding."""
    sizes = check_sequence(x, width)
    if mask is not None:
        check_mask_dtype(mask)
        check_shapes({"B": sizes["B"], "T": sizes["T"]}, mask=(mask, "BT"))
    return sizes


def check_intra_parameters(parameters: dict[str, Any]) -> dict[str, Any]:
    """The sizes of the parameters; ValueError unless they fit each other."""
    check_parameters(parameters, *INTRA_SPECS)
    return check_shapes(**{n: (parameters[n], s) for n, s in INTRA_SPECS.items()})


def check_image(image: Any, data_format: str, channels: int | None = None) -> bool:
    """Whether the channels come first; ValueError unless there are four axes."""
    check_choice("data_format", data_format, FORMATS)
    first = data_format == "channels_first"
    check_shapes({"C": channels}, image=(image, "BCHW" if first else "BHWC"))
    check_floats(image=image)
    return first


def check_tokens_of(tokens: Any, height: Any, width: Any, data_format: str) -> bool:
    """Whether the channels come first; ValueError unless the tokens fill the image."""
    check_choice("data_format", data_format, FORMATS)
    check_at_least(1, height=height, width=width)
    positions = check_shapes(tokens=(tokens, "BTC"))["T"]
    known = all(isinstance(size, Integral) for size in (positions, height, width))
    if known and height * width != positions:
        wanted = f"height * width = {height} * {width} = {height * width} positions"
        raise ValueError(f"tokens must have {wanted}, got {positions}")
    return data_format == "channels_first"
