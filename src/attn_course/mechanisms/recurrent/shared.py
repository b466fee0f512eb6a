"""Sizes and checks that encoder, decoders and their attentions share."""

from typing import Any

from attn_course.core.shapes import (
    Sizes,
    check_at_least,
    check_floats,
    check_mask_dtype,
    check_memory_mask,
    check_shapes,
    check_tokens,
)

DECODER_SIZES = ("vocab_size", "embedding_dim", "hidden_dim", "memory_dim")

SPECS = {
    "token": "B",
    "targets": "BT",
    "memory": "BSE",
    "state": "BH",
    "initial_state": "BH",
    "mask": "BS",
}


def whole_sizes(**sizes: Any) -> dict[str, int]:
    """The sizes as integers; raises ValueError unless each is whole and at least 1."""
    check_at_least(1, **sizes)
    return {name: int(size) for name, size in sizes.items()}


def check_halves(memory_dim: int) -> None:
    """Raise ValueError unless a memory has two halves, one per direction."""
    check_at_least(1, memory_dim=memory_dim)
    if memory_dim % 2:
        raise ValueError(f"memory_dim must be even, got {memory_dim}")


def check_names(parameters: dict[str, Any], *names: str) -> None:
    """Raise ValueError unless the parameters have all these names."""
    path = getattr(parameters, "path", "")
    for name in names:
        if name not in parameters:
            came = ", ".join(parameters) or "none"
            raise ValueError(f"parameters must have {path}{name}, got {came}")


def check_positions(**arguments: Any) -> None:
    """Raise ValueError unless all have at least one position, on their second axis."""
    for name, array in arguments.items():
        if array.shape[1] == 0:
            came = tuple(array.shape)
            raise ValueError(f"{name} must have at least 1 position, got {came}")


def check_source(tokens: Any, mask: Any) -> None:
    """Raise ValueError unless tokens are integers (B, S), and the mask fits them."""
    check_tokens("tokens", tokens)
    check_shapes(tokens=(tokens, "BS"))
    check_positions(tokens=tokens)
    if mask is not None:
        check_mask_dtype(mask)
        check_shapes(tokens=(tokens, "BS"), mask=(mask, "BS"))


def check_decoder(
    config: dict[str, Any], mask: Any, *, mixed: bool = False, **arguments: Any
) -> None:
    """Check what a decoder of these sizes is given: tokens first.

    ``check_decoder(config, mask, token=token, memory=memory, state=state)``. mixed:
    memory and state may differ in dtype.

    Raises:
        ValueError: the tokens are not integers, the rest is not floating and of one
            dtype, the mask is not padding (B, S), or a shape is not as in ``SPECS``.
    """
    tokens, *others = arguments
    check_tokens(tokens, arguments[tokens])
    check_each({name: arguments[name] for name in others}, mixed)
    if mask is not None:
        check_mask_dtype(mask)
        arguments["mask"] = mask
    known = {"E": config["memory_dim"], "H": config["hidden_dim"]}
    check_shapes(known, **{name: (x, SPECS[name]) for name, x in arguments.items()})
    many = {name: x for name, x in arguments.items() if SPECS[name][1:2] in ("S", "T")}
    check_positions(**many)


def check_memory(
    query: Any,
    memory: Any,
    mask: Any = None,
    *,
    known: Sizes | None = None,
    mixed: bool = False,
    memory_spec: str = "BSE",
    **weights: tuple[Any, str],
) -> Sizes:
    """Check what an attention over a memory is given; returns each letter's size.

    query is (B, T, D), memory (B, S, E), the mask (B, S) or (B, T, S); weights come
    with their shapes in letters. mixed: dtypes may differ.

    Raises:
        ValueError: a shape, dtype or mask is not as above.
    """
    arrays = {name: array for name, (array, _) in weights.items()}
    check_each({"query": query, "memory": memory} | arrays, mixed)
    # The weights first: where a width is wrong, query or memory is to blame.
    inputs = {"query": (query, "BTD"), "memory": (memory, memory_spec)}
    sizes = check_shapes(known, **weights, **inputs)
    check_positions(query=query, memory=memory)
    if mask is not None:
        check_memory_mask(mask, sizes["B"], sizes["T"], sizes["S"])
    return sizes


def check_each(arguments: dict[str, Any], mixed: bool) -> None:
    """Raise ValueError unless all are floating, and of one dtype if not mixed."""
    groups = [{name: x} for name, x in arguments.items()] if mixed else [arguments]
    for group in groups:
        check_floats(**group)


def as_rows(mask: Any) -> Any:
    """A mask of padding (B, S) as one row for all queries, (B, 1, S)."""
    return mask[:, None] if mask is not None and len(mask.shape) == 2 else mask
