"""The loop of speculative decoding, whose two models are called; no framework."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from attn_course.core.shapes import check_at_least
from attn_course.models.decoding.shared import check_generation, check_logits, in_order

Drafts = tuple[list[int], np.ndarray | None]


class Pass(NamedTuple):
    """What one pass of the model gave: tokens that stand, and of how many drafts."""

    tokens: list[int]
    drafted: int
    accepted: int


def accept_drafts(
    p: np.ndarray, q: np.ndarray, drafted: list[int], uniforms: np.ndarray
) -> list[int]:
    """The tokens that stand: the first accepted drafts, and one of the model's own.

    draft x stands      where u q(x) < p(x), so with a chance of min(1, p(x) / q(x))
    else, and no more   y ~ max(p - q, 0) / sum max(p - q, 0)
    all g stand         y ~ p behind the last draft

    x comes out as draft with q(x) min(1, p(x) / q(x)) = min(p(x), q(x)), and after a
    refusal, whose chance is 1 - sum min(p, q) = sum max(p - q, 0), with
    max(p(x) - q(x), 0). Both together are p(x), whatever q is.

    Shapes:
        p (g + 1, N): the model's chances behind the text and behind every draft.
        q (g, N): those that the drafts were sampled from; of one that was not, 1
        at its place. drafted: g tokens. uniforms (g + 1), from 0, below 1: one for
        every draft, and the last for y.
        -> 1 to g + 1 tokens.

    Edge case: p and q that are equal but for their rounding can refuse with nothing
        left of p - q; then y ~ p.

    Sources: Leviathan et al. 2023 (arXiv:2211.17192), algorithm 1 and appendix A.1;
        Chen et al. 2023 (arXiv:2302.01318), algorithm 2.
    """
    for n, token in enumerate(drafted):
        if uniforms[n] * q[n, token] >= p[n, token]:
            rest = np.maximum(p[n] - q[n], 0.0)
            rest = rest if rest.any() else p[n]
            return [*drafted[:n], draw(rest, uniforms[-1])]
    return [*drafted, draw(p[len(drafted)], uniforms[-1])]


def draw(chance, uniform):
    """The token (of N) where the sum of the chances so far goes beyond u times all."""
    so_far = chance.cumsum()
    place = int((so_far <= uniform * so_far[-1]).sum())
    return min(place, int(np.flatnonzero(chance)[-1]))


def ngram_draft(tokens: list[int], count: int, *, longest: int = 3) -> Drafts:
    """Drafts without a model: what followed the last tokens when they stood before.

    The last ``longest`` tokens are looked for in the text, else fewer, down to one;
    the newest place counts.

    Shapes:
        tokens: the text. -> at most ``count`` tokens, none where nothing is found; and
        None, for they are not sampled.

    Source: Saxena 2023, prompt lookup decoding.

    >>> ngram_draft([5, 6, 7, 8, 5, 6], 3)
    ([7, 8, 5], None)
    """
    for n in range(min(longest, len(tokens) - 1), 0, -1):
        for start in range(len(tokens) - n - 1, -1, -1):
            if tokens[start : start + n] == tokens[-n:]:
                return tokens[start + n : start + n + count], None
    return [], None


def chances_of(logits: np.ndarray, temperature: float, **choice: Any) -> np.ndarray:
    """What ``generate`` samples from: (T, N) -> (T, N), 1 at one token for greedy."""
    check_logits(logits.max(axis=-1))
    if temperature == 0:
        return certain(logits.argmax(axis=-1), logits.shape[1])
    order, chance = in_order(logits, temperature, **choice)
    found = np.zeros(chance.shape)
    np.put_along_axis(found, order, chance, axis=-1)
    return found / found.sum(axis=-1, keepdims=True)


def certain(tokens: Any, vocab_size: int) -> np.ndarray:
    """Chances (n, N) of tokens (n) that are not sampled: 1 at each one's place."""
    return (np.arange(vocab_size) == np.reshape(tokens, (-1, 1))).astype(float)


class Cached:
    """A model with its cache, which goes back."""

    def __init__(
        self, model: Any, length: int, max_tokens: int, cache: tuple | None = None
    ) -> None:
        self.model = model
        self.cache = cache or model.new_cache(1, length + max_tokens - 1)
        self.truncate(0)  # what can't go back says so now

    def truncate(self, length: int) -> None:
        """Forget what is read beyond so many tokens."""
        for one in self.cache:
            one.truncate(min(length, int(one.length)))


def model_draft(reader: Any, rng: np.random.Generator, **choice: Any) -> Callable:
    """Drafts of a model: each is sampled as the model itself would go on."""

    def draft(tokens, count):
        drafted, q = [], []
        for _ in range(count):
            q += [*chances_of(reader.read(tokens + drafted)[-1:], **choice)]
            drafted.append(draw(q[-1], rng.random()))
        return drafted, np.array(q)

    return draft


def speculate(
    readers: list[Any],
    draft: Callable[[list[int], int], Drafts],
    tokens: list[int],
    rng: np.random.Generator,
    *,
    num_draft: int,
    max_tokens: int,
    end: int | None,
    **choice: Any,
) -> Iterator[Pass]:
    """Draft, check in one pass, keep what stands, and go back behind it.

    readers: the model with its cache, and where the draft is a model that with its own.
    A reader reads what its cache does not hold yet. The last token is never in it: the
    next pass begins with it.
    """
    until, found = len(tokens) + max_tokens, []
    while len(tokens) < until and end not in found:
        count = min(num_draft, until - len(tokens) - 1)
        drafted, q = draft(tokens, count)
        check_drafted(drafted, count)
        logits = readers[0].read(tokens + drafted)[-len(drafted) - 1 :]
        p = chances_of(logits, **choice)
        q = certain(drafted, p.shape[1]) if q is None else q
        check_chances(q, len(drafted), p.shape[1])
        found = accept_drafts(p, q, drafted, rng.random(len(drafted) + 1))
        accepted = len(found) - 1
        if end in found:
            found = found[: found.index(end) + 1]
        tokens = tokens + found
        for reader in readers:
            reader.truncate(len(tokens) - 1)
        yield Pass(found, len(drafted), accepted)


def check_speculation(
    model: Any, prompt: Any, draft: Any, num_draft: int, **choice: Any
) -> None:
    """Raise ValueError unless a model can write with such drafts behind a prompt."""
    check_generation(model, prompt, None, **choice)
    if prompt.shape[0] != 1:  # rows would accept different numbers of drafts
        raise ValueError(f"prompt must have one row, got {prompt.shape[0]}")
    check_at_least(1, num_draft=num_draft)
    if not hasattr(draft, "new_cache") and not callable(draft):
        wanted = "a model with new_cache, or a function of tokens and count"
        raise ValueError(f"draft must be {wanted}, got {type(draft).__name__}")


def check_drafted(drafted: list[int], count: int) -> None:
    """Raise ValueError unless a draft gave at most so many tokens, as a list."""
    if not isinstance(drafted, list) or len(drafted) > count:
        wanted = f"a list of at most {count} tokens"
        raise ValueError(f"draft must give {wanted}, got {drafted!r}")


def check_chances(q: np.ndarray, drafts: int, vocab_size: int) -> None:
    """Raise ValueError unless drafts have chances over the model's tokens."""
    if drafts and np.shape(q) != (drafts, vocab_size):
        wanted = f"chances {(drafts, vocab_size)}, of the model's tokens"
        raise ValueError(f"draft must give {wanted}, got {np.shape(q)}")
