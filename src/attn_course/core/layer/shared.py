"""Sizes and checks that the layers of both frameworks share."""

import functools
import inspect
from collections.abc import Callable
from typing import Any

from attn_course.core.kv_cache.shared import check_pool
from attn_course.core.shapes import (
    Together,
    check_at_least,
    check_mask_dtype,
    check_shapes,
    dtype_name,
)

WORDS = Together("D", x="BTD")
INPUTS = Together("DEF", query="BTD", key="BSE", value="BSF")


def check_groups(num_heads: int, num_kv_heads: int) -> int:
    """How many query heads share a key/value head; ValueError if unequal."""
    check_at_least(1, num_kv_heads=num_kv_heads)
    if num_heads % num_kv_heads:
        wanted = f"a divisor of num_heads = {num_heads}"
        raise ValueError(f"num_kv_heads must be {wanted}, got {num_kv_heads}")
    return num_heads // num_kv_heads


def check_inputs(
    sizes: Any,
    query: Any,
    key: Any,
    value: Any,
    head_mask: Any = None,
    *,
    mixed: bool = False,
) -> None:
    """Raise ValueError unless query, key and value fit a layer over heads.

    Mask and bias are checked where the scores are formed, by ``check_scores``.
    mixed: their dtypes may differ.
    """
    widths = sizes.model_dim, *sizes.memory_dim
    INPUTS.check(widths, query, key, value, mixed=mixed)
    if head_mask is not None:
        check_head_share(head_mask, query.shape[0], sizes.num_heads)


def check_rolled(mask: Any) -> None:
    """Raise ValueError if a mask for a cache is not boolean: a text has one cache."""
    if mask is not None:
        check_mask_dtype(mask)


def check_words(x: Any, model_dim: int, *, needed: bool = True) -> None:
    """Raise ValueError unless x is floating, (B, T, model_dim), and not too short."""
    WORDS.check((model_dim,), x)
    if needed and x.shape[1] == 0:
        raise ValueError("x must have at least 1 position, got T = 0")


def check_head_share(head_mask: Any, batch: Any, num_heads: int) -> None:
    """Raise ValueError unless head_mask is (H) or (B, H), boolean or floating."""
    spec = "H" if len(getattr(head_mask, "shape", ())) == 1 else "BH"
    check_shapes({"B": batch, "H": num_heads}, head_mask=(head_mask, spec))
    dtype = dtype_name(head_mask)
    if dtype != "bool" and "float" not in dtype:
        raise ValueError(f"head_mask must be bool or floating, got {dtype}")


def check_divisible(name: str, width: int | None, num_heads: int) -> None:
    """Raise ValueError unless a width can be cut into num_heads equal parts."""
    check_at_least(1, num_heads=num_heads)
    if width is not None and width % num_heads:
        wanted = f"a width divisible by num_heads = {num_heads}"
        raise ValueError(f"{name} must have {wanted}, got {width}")


def check_supported(layer: str, **options: Any) -> None:
    """Raise ValueError if an option is given that a mechanism can't take."""
    for name, option in options.items():
        if option is not None and option is not False:
            raise ValueError(f"{name} is not supported by {layer}, got one")


def check_ring(layer: Any, cache: Any) -> None:
    """Raise ValueError if a cache drops keys whose places a pattern counts."""
    if layer.mask_rows is not True and cache.window is not None and cache.masks_rows:
        wanted = "all positions, or be of the window layer's own new_cache"
        raise ValueError(f"cache must keep {wanted}, got a window of {cache.window}")


def cache_in_blocks(pool: Any, sizes: Any, batch: int, capacity: Any, options: dict):
    """A layer's cache whose blocks a pool gives.

    Raises:
        ValueError: the pool has other sizes, or there is an option.
    """
    check_supported("a cache in blocks", **options)
    check_pool(pool, *sizes.kept)
    return pool.new_cache(capacity, batch)


def check_parts(
    layer: type, sizes: Any, softmax: Any, query_key_norm: Any, rotary: Any
) -> None:
    """Raise ValueError if a part or a size is given that a mechanism can't take."""
    can = {
        "dropout": layer.can_drop or not sizes.dropout,
        "num_kv_heads": not layer.shared_key or sizes.num_kv_heads == sizes.num_heads,
        "softmax": layer.own_softmax or softmax is None,
        "query_key_norm": not layer.shared_key or query_key_norm is None,
        "scale": layer.own_scale or sizes.scale is None,
    }
    given = {name: True for name, fits in can.items() if not fits}
    check_supported(layer.__name__, **given)
    widths = {"query_key_norm": sizes.normed_dim, "rotary": sizes.rotary_dim}
    parts = {"query_key_norm": query_key_norm, "rotary": rotary}
    for name, width in widths.items():
        own = getattr(parts[name], "key_dim", width)
        if own != width:
            wanted = f"key_dim = {width}, the columns of a head that it gets"
            raise ValueError(f"{name} must have {wanted}, got {own}")


def spell_config(config: dict) -> str:
    """The sizes of a layer for its printed form, without those of no effect."""
    shown = {name: x for name, x in config.items() if x not in (None, 0.0)}
    return ", ".join(f"{name}={x}" for name, x in shown.items())


def whole_signature(kind: type) -> inspect.Signature:
    """A constructor's arguments, with those that it hands on by ``**options``.

    ``own``, between a class and its base, is not the caller's; what the class has in
    ``refused`` is not handed on.
    """
    left_out = {"own", *getattr(kind, "refused", ())}
    found: dict[str, inspect.Parameter] = {}
    handed_on = True  # what is given by position
    for base in kind.__mro__:
        if "__init__" not in vars(base):
            continue
        given = list(inspect.signature(base.__init__).parameters.values())[1:]
        if not given:  # Keras's Trainer, between a model and a layer
            continue
        for x in given:
            if x.name not in left_out and (x.kind is x.KEYWORD_ONLY or handed_on):
                found.setdefault(x.name, x)
        if not any(x.kind is x.VAR_KEYWORD for x in given):
            break
        handed_on = handed_on and given[0].kind is given[0].VAR_POSITIONAL
    many = inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL
    shown = [x for x in found.values() if x.kind not in many]
    return inspect.Signature(sorted(shown, key=lambda x: x.kind))


# What layers over heads are built from, and other layers may have no place for.
OF_HEADS = ("num_kv_heads", "key_dim", "value_dim", "memory_dim", "use_bias", "dropout")
OF_HEADS += ("scale", "value_norm", "rotary", "query_key_norm", "softmax")
OF_HEADS += ("output_gate",)


# What others call something, and what it is here.
ELSEWHERE = {
    **dict.fromkeys(("embed_dim", "d_model", "hidden_size"), "model_dim"),
    **dict.fromkeys(("nhead", "num_attention_heads", "num_query_heads"), "num_heads"),
    "head_dim": "key_dim",
    **dict.fromkeys(("dropout_p", "dropout_rate", "attention_dropout"), "dropout"),
    **dict.fromkeys(("num_key_value_heads",), "num_kv_heads"),
    **dict.fromkeys(("dim_feedforward", "intermediate_dim"), "ff_dim"),
    **dict.fromkeys(("kdim", "vdim"), "memory_dim"),
    "norm_first": "norm='pre'",
    **dict.fromkeys(("attn_bias", "attention_bias", "position_bias"), "bias"),
    **dict.fromkeys(("attention_mask", "attn_mask", "src_mask"), "mask"),
    **dict.fromkeys(("key_padding_mask", "src_key_padding_mask"), "mask"),
    **dict.fromkeys(("use_causal_mask", "is_causal"), "causal"),
    **dict.fromkeys(
        ("return_attention_scores", "output_attentions", "average_attn_weights"),
        "need_weights",
    ),
    **dict.fromkeys(("past_key_value", "past_key_values", "use_cache"), "cache"),
    **dict.fromkeys(("max_new_tokens", "max_length"), "max_tokens or max_length"),
    "num_beams": "beam_size",
    "bos_token_id": "begin",
    "eos_token_id": "end",
    **dict.fromkeys(("pad_token_id", "padding_idx"), "pad"),
}


def check_names(called: Any, name: str, options: dict[str, Any]) -> None:
    """Raise TypeError if what is called is given an argument by others' name for it."""
    for theirs in options:
        if theirs not in ELSEWHERE:
            continue
        known, ours = inspect.signature(called).parameters, ELSEWHERE[theirs]
        if theirs in known:
            continue
        for own in (f"source_{ours}", *ours.split(" or ")):
            if own.partition("=")[0] in known:
                more = ", True = may attend" if own.endswith("mask") else ""
                raise TypeError(f"{name} takes {own}{more}, got it as {theirs}")


def named_as_ours(function: Callable) -> Callable:
    """The function; an argument by others' name for it is told ours."""

    @functools.wraps(function)
    def call(*inputs, **options):
        check_names(function, function.__name__, options)
        return function(*inputs, **options)

    return call


def check_pad(pad: int | None, tokens: int | None) -> dict[str, int | None]:
    """The token that is padding, for a model's config; ValueError if it is none.

    tokens: how many there are, where that is known.
    """
    if pad is not None:
        check_at_least(0, pad=pad)
        if tokens is not None and pad >= tokens:
            raise ValueError(f"pad must be a token, below {tokens}, or None, got {pad}")
    return {"pad": pad}


def check_refused(kind: type, options: dict[str, Any]) -> None:
    """Raise ValueError if a class is given what is for layers over heads alone.

    TypeError if it is given what it takes by others' name for it.
    """
    check_names(kind, kind.__name__, options)
    unknown = options.keys() - inspect.signature(kind).parameters.keys()
    check_supported(kind.__name__, **{x: True for x in OF_HEADS if x in unknown})


def check_keywords(kind: type, options: dict[str, Any]) -> None:
    """Raise TypeError, as Python does, that names the class which was called.

    It is a ValueError for what layers over heads take and the class doesn't.
    """
    check_refused(kind, options)
    known = inspect.signature(kind).parameters
    for name in options:
        if name not in known and name != "own":
            takes = ", ".join(known)
            wrong = f"{kind.__name__}() got an unexpected keyword argument {name!r}"
            raise TypeError(f"{wrong}; it takes {takes}")
