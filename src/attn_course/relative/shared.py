"""Sizes and checks that the relative attention of all three implementations shares."""

from attn_course.multi_head import checks as multi_head
from attn_course.shapes import check_at_least, check_shapes


def layer_sizes(
    model_dim, num_heads, max_distance, key_dim, value_dim, use_bias, dropout
):
    """What a layer is built from, defaults filled in; raises ValueError if wrong."""
    check_at_least(0, max_distance=max_distance)
    sizes = multi_head.layer_sizes(
        model_dim, num_heads, key_dim, value_dim, None, use_bias, dropout
    )
    del sizes["memory_dim"]
    return sizes | {"max_distance": max_distance}


def weight_shapes(sizes):
    """The shape of every parameter by name."""
    memory_dim = (sizes["model_dim"], sizes["model_dim"])
    shapes = multi_head.weight_shapes({**sizes, "memory_dim": memory_dim})
    rows = 2 * sizes["max_distance"] + 1
    tables = {
        "relative_key": (rows, sizes["key_dim"]),
        "relative_value": (rows, sizes["value_dim"]),
    }
    return shapes | tables


def check_relative(inputs, parameters, num_heads, *, mask, bias):
    """Raise ValueError unless query, key, value and the options fit the parameters."""
    tables = ("relative_key", "relative_value")
    shared = {name: x for name, x in parameters.items() if name not in tables}
    options = {"mask": mask, "bias": bias, "head_mask": None}
    multi_head.check_multi_head(inputs, shared, num_heads, **options)
    widths = {"K": parameters["key_weight"], "V": parameters["value_weight"]}
    rows = check_shapes(
        {letter: x.shape[1] // num_heads for letter, x in widths.items()},
        relative_key=(parameters["relative_key"], "RK"),
        relative_value=(parameters["relative_value"], "RV"),
    )["R"]
    if rows % 2 == 0:
        wanted = "2 max_distance + 1 rows, one a distance"
        raise ValueError(f"relative_key must have {wanted}, got {rows}")
