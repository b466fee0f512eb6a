"""Sizes, checks and the cutting of heads that all three implementations share."""

from attn_course.shapes import (
    check_at_least,
    check_floats,
    check_head_mask,
    check_shapes,
    dtype_name,
    shape_of,
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


def layer_sizes(
    model_dim, num_heads, key_dim, value_dim, memory_dim, use_bias, dropout
):
    """What a layer is built from, defaults filled in; raises ValueError if wrong."""
    check_at_least(1, model_dim=model_dim, num_heads=num_heads)
    if key_dim is None and model_dim % num_heads:
        wanted = f"divisible by num_heads = {num_heads} where key_dim is None"
        raise ValueError(f"model_dim must be {wanted}, got {model_dim}")
    if not 0 <= dropout < 1:
        raise ValueError(f"dropout must be at least 0 and below 1, got {dropout}")
    key_dim = model_dim // num_heads if key_dim is None else key_dim
    value_dim = key_dim if value_dim is None else value_dim
    check_at_least(1, key_dim=key_dim, value_dim=value_dim)
    memory_dim = model_dim if memory_dim is None else memory_dim
    if not isinstance(memory_dim, tuple | list):
        memory_dim = (memory_dim, memory_dim)
    for width in memory_dim:
        check_at_least(1, memory_dim=width)
    return {
        "model_dim": int(model_dim),  # also of NumPy: a Keras file takes Python's own
        "num_heads": int(num_heads),
        "key_dim": int(key_dim),
        "value_dim": int(value_dim),
        "memory_dim": tuple(map(int, memory_dim)),
        "use_bias": use_bias,
        "dropout": dropout,
    }


def weight_shapes(sizes):
    """The shape of every parameter by name, weights first."""
    letters = {
        "D": sizes["model_dim"],
        "E": sizes["memory_dim"][0],
        "F": sizes["memory_dim"][1],
        "X": sizes["num_heads"] * sizes["key_dim"],
        "Y": sizes["num_heads"] * sizes["value_dim"],
    }
    return {
        name: tuple(letters[letter] for letter in spec)
        for name, spec in SPECS.items()
        if sizes["use_bias"] or name.endswith("weight")
    }


def check_multi_head(inputs, parameters, num_heads, *, mask, bias, head_mask):
    """Raise ValueError unless query, key, value and the options fit the parameters."""
    # The weights first: where a width is wrong, the input is to blame.
    weights = {name: (parameters[name], SPECS[name]) for name in parameters}
    specs = {"query": "BTD", "key": "BSE", "value": "BSF"}
    sizes = check_shapes(**weights, **{n: (inputs[n], specs[n]) for n in specs})
    for letter, name in (("X", "key_weight"), ("Y", "value_weight")):
        check_divisible(name, sizes[letter], num_heads)
    score = (sizes["B"], num_heads, sizes["T"], sizes["S"])
    if mask is not None:
        check_head_mask(mask, score)
    if bias is not None:
        _check_bias(bias, score)
    if head_mask is not None:
        _check_head_share(head_mask, sizes["B"], num_heads)


def check_dtypes(inputs, parameters, bias):
    """Raise ValueError unless inputs, bias and parameters are floating and alike."""
    check_floats(**inputs, **({} if bias is None else {"bias": bias}), **parameters)


def check_divisible(name, width, num_heads):
    """Raise ValueError unless a width can be cut into num_heads equal parts."""
    if width is not None and width % num_heads:
        wanted = f"a width divisible by num_heads = {num_heads}"
        raise ValueError(f"{name} must have {wanted}, got {width}")


def _check_bias(bias, score):
    """A bias must not make the scores larger than they are."""
    shape = shape_of(bias)
    tail = score[len(score) - len(shape) :]
    fits = len(shape) <= len(score) and all(
        size in (1, wanted) or None in (size, wanted)
        for size, wanted in zip(shape, tail, strict=True)
    )
    if not fits:
        wanted = f"be broadcastable to the scores (B, H, T, S) = {score}"
        raise ValueError(f"bias must {wanted}, got {shape}")


def _check_head_share(head_mask, batch, num_heads):
    dtype = dtype_name(head_mask)
    if dtype != "bool" and "float" not in dtype:
        raise ValueError(f"head_mask must be bool or floating, got {dtype}")
    spec = "H" if len(shape_of(head_mask)) == 1 else "BH"
    check_shapes({"B": batch, "H": num_heads}, head_mask=(head_mask, spec))


def remaining_heads(heads, num_heads):
    """The heads that are left without these, in order; ValueError if none is."""
    heads = set(heads)
    if not heads <= set(range(num_heads)):
        wanted = f"between 0 and {num_heads - 1}"
        raise ValueError(f"heads must lie {wanted}, got {sorted(heads)}")
    if len(heads) == num_heads:
        raise ValueError(f"heads must leave at least one of {num_heads}, got all")
    return [head for head in range(num_heads) if head not in heads]


def keep_heads(name, array, num_heads, heads):
    """The part of a parameter, NumPy or PyTorch, that belongs to these heads.

    The output's weight has a block of rows a head, the others a block of columns.
    """
    if name == "output_bias":
        return array
    if name == "output_weight":
        width = array.shape[-1]
        return array.reshape(num_heads, -1, width)[heads].reshape(-1, width)
    lead = array.shape[:-1]
    return array.reshape(*lead, num_heads, -1)[..., heads, :].reshape(*lead, -1)


def check_options(name, *options):
    """Raise ValueError unless each (option, found, wanted) is as wanted."""
    for option, found, wanted in options:
        if found != wanted:
            raise ValueError(f"{name} must have {option}={wanted}, got {found}")


def check_losses(losses, head_masks):
    """Raise ValueError unless every mask is (B, H) and there is a loss an example."""
    for mask in head_masks:
        B = check_shapes(head_mask=(mask, "BH"))["B"]
        check_shapes({"B": B}, loss=(losses, "B"))


def check_used(gradients):
    """Raise ValueError unless the loss depends on every head_mask."""
    if any(gradient is None for gradient in gradients):
        raise ValueError("loss must depend on every head_mask, got one that is unused")
