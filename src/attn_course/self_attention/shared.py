"""The checks that all three implementations share."""

from attn_course.shapes import (
    check_choice,
    check_floats,
    check_head_mask,
    check_mask_dtype,
    check_shapes,
)

FORMATS = ("channels_first", "channels_last")
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


def check_self_attention(x, parameters, mask):
    """Raise ValueError unless x and mask fit each other and the parameters."""
    named = {k: spec for k, spec in SPECS.items() if k in parameters}
    check_floats(**{name: parameters[name] for name in named}, x=x)
    weights = {name: (parameters[name], spec) for name, spec in named.items()}
    # The weights first: where a width is wrong, x is to blame.
    sizes = check_shapes(**weights, x=(x, "BTD"))
    if mask is not None:
        check_head_mask(mask, (sizes["B"], sizes["T"], sizes["T"]))


def check_image(image, data_format):
    """Whether the channels come first; ValueError unless there are four axes."""
    check_choice("data_format", data_format, FORMATS)
    first = data_format == "channels_first"
    check_shapes(image=(image, "BCHW" if first else "BHWC"))
    return first


def check_tokens_of(tokens, height, width, data_format):
    """Whether the channels come first; ValueError unless the tokens fill the image."""
    check_choice("data_format", data_format, FORMATS)
    check_shapes({"T": height * width}, tokens=(tokens, "BTC"))
    return data_format == "channels_first"


def check_intra(x, parameters, mask):
    """Raise ValueError unless x and mask fit each other and the parameters."""
    check_floats(**{name: parameters[name] for name in INTRA_SPECS}, x=x)
    weights = {name: (parameters[name], spec) for name, spec in INTRA_SPECS.items()}
    sizes = check_shapes(**weights, x=(x, "BTD"))
    if mask is not None:
        check_mask_dtype(mask)
        check_shapes({"B": sizes["B"], "T": sizes["T"]}, mask=(mask, "BT"))
