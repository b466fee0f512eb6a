"""Checks of decoding that both frameworks share."""

from typing import Any

from attn_course.shapes import check_at_least


def check_decoding(model: Any, **sizes: int) -> None:
    """Raise ValueError unless the model can decode and the sizes are 1 or more.

    ``begin`` and ``end`` are tokens, 0 or more.
    """
    for name in ("encode", "decode", "new_cache"):
        if not hasattr(model, name):
            came = type(model).__name__
            raise ValueError(f"model must have {name}, as a Transformer, got {came}")
    tokens = {name: sizes.pop(name) for name in ("begin", "end")}
    check_at_least(0, **tokens)
    check_at_least(1, **sizes)


def check_penalty(length_penalty: float) -> None:
    """Raise ValueError unless the length penalty is a number of at least 0."""
    if not isinstance(length_penalty, int | float) or length_penalty < 0:
        wanted = "a number of at least 0"
        raise ValueError(f"length_penalty must be {wanted}, got {length_penalty!r}")


def check_beam(beam_size: int, vocab_size: int) -> None:
    """Raise ValueError if a beam wants more tokens than there are."""
    if beam_size > vocab_size:
        wanted = f"at most {vocab_size}, the tokens there are"
        raise ValueError(f"beam_size must be {wanted}, got {beam_size}")
