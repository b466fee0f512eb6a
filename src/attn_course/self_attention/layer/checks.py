"""The checks that self-attention of all three implementations shares."""

from attn_course.shapes import check_floats, check_head_mask, check_shapes

SPECS = {
    "query_weight": "DK",
    "key_weight": "DK",
    "value_weight": "DV",
    "output_weight": "VD",
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
