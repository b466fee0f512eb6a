"""Checks of decoding and the drawing of tokens that both frameworks share."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from attn_course.core.shapes import (
    check_at_least,
    check_mask_dtype,
    check_shapes,
    check_tokens,
)


def check_decoding(model: Any, **sizes: int) -> None:
    """Raise ValueError unless the model can decode and the sizes are 1 or more.

    ``begin`` and ``end`` are tokens that it has.
    """
    for name in ("encode", "decode", "new_cache"):
        if not hasattr(model, name):
            came = type(model).__name__
            wanted = f"{name}, as a Transformer"
            raise ValueError(f"model must have {wanted}, got {came}{part_of(model)}")
    check_chosen(model, **{name: sizes.pop(name) for name in ("begin", "end")})
    check_at_least(1, **sizes)


def vocabulary(model: Any) -> float:
    """How many tokens a model has; infinity where it doesn't say."""
    config = getattr(model, "config", None)
    return config.get("vocab_size", np.inf) if isinstance(config, dict) else np.inf


def check_chosen(model: Any, **tokens: int) -> None:
    """Raise ValueError unless these are tokens of the model."""
    check_at_least(0, **tokens)
    for name, token in tokens.items():
        if token >= vocabulary(model):
            words = f"a token from 0 to {vocabulary(model) - 1}"
            raise ValueError(f"{name} must be {words}, got {token}")


def check_finite(name: str, value: Any) -> None:
    """Raise ValueError unless an argument is a finite number of at least 0."""
    if not isinstance(value, int | float) or not 0 <= value < np.inf:
        wanted = "a finite number of at least 0"
        raise ValueError(f"{name} must be {wanted}, got {value!r}")


def part_of(model: Any) -> str:
    """How to get at the part of a model that can write, where there is one."""
    for part in getattr(model, "layers", ()):
        if hasattr(part, "new_cache"):
            return f": give its part, get_layer({part.name!r})"
    return ": give its .module" if hasattr(model, "module") else ""


def readable(model: Any, source: Any, source_mask: Any) -> Any:
    """What of a source may be read; a model that knows its padding says it."""
    says = getattr(model, "readable", None)
    return says(source, source_mask) if says else source_mask


def each(change: Callable, memory: Any) -> Any:
    """What ``change`` makes of a tensor, or of all in a tuple; None stays."""
    if isinstance(memory, tuple):
        return tuple(each(change, one) for one in memory)
    return None if memory is None else change(memory)


def check_beam(beam_size: int, vocab_size: int) -> None:
    """Raise ValueError if a beam wants more tokens than there are."""
    if beam_size > vocab_size:
        wanted = f"at most {vocab_size}, the tokens there are"
        raise ValueError(f"beam_size must be {wanted}, got {beam_size}")


def check_generation(
    model: Any,
    prompt: Any,
    mask: Any,
    *,
    max_tokens: int,
    temperature: float,
    top_k: int | None,
    top_p: float | None,
    end: int | None,
    cache: tuple | None = None,
) -> None:
    """Raise ValueError unless a model can write behind a prompt in this way."""
    if not hasattr(model, "new_cache"):
        came = type(model).__name__
        wanted = "new_cache(batch, capacity), as a LanguageModel"
        raise ValueError(f"model must have {wanted}, got {came}{part_of(model)}")
    sizes = check_shapes(prompt=(prompt, "BT"))
    check_tokens("prompt", prompt)
    least = {"max_tokens": max_tokens, "positions of prompt": sizes["T"]}
    check_at_least(1, **least | ({} if top_k is None else {"top_k": top_k}))
    check_chosen(model, **({} if end is None else {"end": end}))
    check_finite("temperature", temperature)
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p must be above 0 and at most 1, got {top_p!r}")
    check_known(prompt, model)
    past = 0 if cache is None else int(cache[0].length)
    check_room(cache, past + sizes["T"] + max_tokens - 1)
    if mask is not None:
        check_shapes({"B": sizes["B"], "S": past + sizes["T"]}, mask=(mask, "BS"))
        check_mask_dtype(mask)
        rows = np.asarray(mask)
        if not rows[:, -1].all() or (rows[:, :-1] & ~rows[:, 1:]).any():
            raise ValueError("mask must be False on the left alone: pad on the left")


def check_known(prompt: Any, model: Any) -> None:
    """Raise ValueError where a prompt has a token that the model does not have."""
    known = vocabulary(model)
    tokens = np.asarray(prompt.detach().cpu() if hasattr(prompt, "detach") else prompt)
    wrong = tokens[(tokens < 0) | (tokens >= known)]
    if known < np.inf and len(wrong):
        words = f"tokens from 0 to {known - 1}"
        raise ValueError(f"prompt must have {words}, got {wrong[0]}")


def check_room(cache: tuple | None, wanted: int) -> None:
    """Raise ValueError where a cache has a capacity of fewer positions."""
    for own in cache or ():
        capacity = getattr(own, "capacity", None)
        if capacity is not None and capacity < wanted:
            words = f"a capacity of {wanted}, all that is read"
            raise ValueError(f"cache must have {words}, got {capacity}")


def check_logits(highest: np.ndarray) -> None:
    """Raise ValueError unless the highest logit of every row is finite.

    It is NaN where any logit is, and minus infinity where all are.
    """
    if not np.isfinite(highest).all():
        row = int(np.isfinite(highest).argmin())
        wanted = "finite, or minus infinity for some tokens but not all"
        came = f"{highest.flat[row]} as the highest of row {row}"
        raise ValueError(f"logits must be {wanted}, got {came}")


class Sampler:
    """Samples the next tokens, a generator per row; temperature 0 draws nothing."""

    def __init__(
        self,
        batch: int,
        temperature: float,
        top_k: int | None,
        top_p: float | None,
        seed: int | Sequence[int] | None,
    ) -> None:
        self.temperature, self.top_k, self.top_p = temperature, top_k, top_p
        if isinstance(seed, Sequence | np.ndarray):
            if len(seed) != batch:
                wanted = f"one number, or one for each of {batch} rows"
                raise ValueError(f"seed must be {wanted}, got {len(seed)}")
            rows = [np.random.SeedSequence(own).spawn(1)[0] for own in seed]
        else:
            rows = np.random.SeedSequence(seed).spawn(batch)
        self.rows = [np.random.default_rng(row) for row in rows]

    def __call__(self, logits: np.ndarray) -> np.ndarray:
        """logits (B, N) -> tokens (B)."""
        check_logits(logits.max(axis=-1))
        if self.temperature == 0:
            return logits.argmax(axis=-1)
        choice = self.temperature, self.top_k, self.top_p
        order, chance = in_order(logits, *choice)
        below = chance.cumsum(axis=-1) / chance.sum(axis=-1, keepdims=True)
        draw = np.array([row.random() for row in self.rows])[:, None]
        index = (below <= draw).sum(axis=-1, keepdims=True)
        return np.take_along_axis(order, index, axis=-1)[:, 0]


def in_order(
    logits: np.ndarray, temperature: float, top_k: int | None, top_p: float | None
) -> tuple[np.ndarray, np.ndarray]:
    """The tokens (B, N), the likeliest first, and their chances but for a factor."""
    logits = logits.astype(np.float64)
    with np.errstate(over="ignore"):  # a temperature of nearly 0
        score = (logits - logits.max(axis=-1, keepdims=True)) / temperature
    order = np.argsort(-score, axis=-1, kind="stable")
    score = np.take_along_axis(score, order, axis=-1)
    return order, kept(np.exp(score), top_k, top_p)


def kept(chance: np.ndarray, top_k: int | None, top_p: float | None) -> np.ndarray:
    """Of chances (B, N), the largest first, those of the top_k and of the nucleus."""
    if top_k is not None:
        chance = np.where(np.arange(chance.shape[1]) < top_k, chance, 0.0)
    if top_p is not None:
        before = chance.cumsum(axis=-1) - chance
        chance = np.where(before < top_p * chance.sum(-1, keepdims=True), chance, 0.0)
    return chance
