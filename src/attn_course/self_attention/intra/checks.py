"""The check that all three implementations share."""

from attn_course.shapes import check_floats, check_mask_dtype, check_shapes

PARTS = 4  # input, forget and output gate, candidate
SPECS = {
    "query_weight": "DA",
    "memory_weight": "HA",
    "summary_weight": "HA",
    "score_weight": "A",
    "input_weight": "DG",
    "state_weight": "HG",
    "bias": "G",
}


def check_intra(x, parameters, mask):
    """Raise ValueError unless x and mask fit each other and the parameters."""
    check_floats(**{name: parameters[name] for name in SPECS}, x=x)
    weights = {name: (parameters[name], spec) for name, spec in SPECS.items()}
    sizes = check_shapes(**weights, x=(x, "BTD"))
    if mask is not None:
        check_mask_dtype(mask)
        check_shapes({"B": sizes["B"], "T": sizes["T"]}, mask=(mask, "BT"))
