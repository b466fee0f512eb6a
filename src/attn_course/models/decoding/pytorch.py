"""Greedy decoding, beam search and sampling in PyTorch, as ``__init__.py`` says."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from attn_course.core.frameworks import torch
from attn_course.core.layer.pytorch import Tensor
from attn_course.core.layer.shared import named_as_ours
from attn_course.core.masks.pytorch import Mask, to_mask
from attn_course.core.precision.pytorch import wide
from attn_course.models.decoding.shared import (
    Sampler,
    check_beam,
    check_decoding,
    check_finite,
    check_generation,
    check_logits,
    each,
    readable,
)

__all__ = ["beam_search", "generate", "greedy_decode"]


@torch.no_grad()
@named_as_ours
def greedy_decode(
    model: torch.nn.Module,
    source: Tensor,
    *,
    source_mask: Mask = None,
    begin: int,
    end: int,
    max_length: int,
    use_cache: bool = True,
) -> Tensor:
    """Write the likeliest token at every step, until all rows have ended.

    Shapes:
        source (B, S), source_mask (B, 1, 1, S), of an ``EncoderDecoder`` (B, S)
        -> tokens (B, max_length).

    Raises:
        ValueError: the model can't decode, a size is wrong, or a logit is NaN (not
            seen inside a compiled graph, where the tokens then mean nothing).
    """
    check_decoding(model, begin=begin, end=end, max_length=max_length)
    source_mask = readable(model, source, source_mask)
    memory, _ = model.encode(source, source_mask, need_weights=False)
    cache = model.new_cache(memory, max_length) if use_cache else None
    options = {"need_weights": False, "cache": cache}
    tokens = source.new_full((len(source), 1), begin, dtype=torch.long)
    for _ in range(max_length):
        new = tokens[:, -1:] if use_cache else tokens
        logits, _ = model.decode(new, memory, source_mask, **options)
        check(logits[:, -1].amax(dim=-1))
        best = logits[:, -1].argmax(dim=-1)
        ended = (tokens[:, 1:] == end).any(dim=1)
        tokens = torch.cat([tokens, best.where(~ended, end)[:, None]], dim=1)
        if (tokens[:, 1:] == end).any(dim=1).all():
            break
    return filled(tokens[:, 1:], max_length, end)


@torch.no_grad()
@named_as_ours
def beam_search(
    model: torch.nn.Module,
    source: Tensor,
    *,
    source_mask: Mask = None,
    begin: int,
    end: int,
    max_length: int,
    beam_size: int = 4,
    length_penalty: float = 0.6,
) -> tuple[Tensor, Tensor]:
    """Keep the best ``beam_size`` hypotheses at every step, until all have ended.

    Shapes:
        source (B, S), source_mask (B, 1, 1, S), of an ``EncoderDecoder`` (B, S)
        -> tokens (B, beam_size, max_length), scores (B, beam_size), best first.

    Raises:
        ValueError: the model can't decode, a size is wrong, or a logit is NaN (not
            seen inside a compiled graph, where the tokens then mean nothing).
    """
    sizes = {"max_length": max_length, "beam_size": beam_size}
    check_decoding(model, begin=begin, end=end, **sizes)
    check_finite("length_penalty", length_penalty)
    B, K = len(source), beam_size
    source_mask = to_mask(source_mask, source)
    source_mask = readable(model, source, source_mask)
    memory, _ = model.encode(source, source_mask, need_weights=False)
    K_times = partial(torch.repeat_interleave, repeats=K, dim=0)
    memory, source_mask = each(K_times, (memory, source_mask))
    cache = model.new_cache(memory, max_length)
    options = {"need_weights": False, "cache": cache}
    tokens = source.new_full((B, K, 1), begin, dtype=torch.long)
    read = memory[0] if isinstance(memory, tuple) else memory
    chance = read.new_full((B, K), -torch.inf, dtype=wide(read.dtype))
    chance[:, 0] = 0.0  # the K hypotheses are one at first
    length = torch.zeros_like(chance)
    for _ in range(max_length):
        new = tokens[:, :, -1].reshape(B * K, 1)
        logits, _ = model.decode(new, memory, source_mask, **options)
        check(logits[:, -1].amax(dim=-1))
        ended = (tokens[:, :, 1:] == end).any(dim=-1)
        found = choices(logits[:, -1].unflatten(0, (B, K)), ended, end)
        chance, length = chance[..., None] + found, length + ~ended
        score = (chance / penalty(length, length_penalty)[..., None]).flatten(1)
        index = score.topk(K, dim=1).indices
        chance = chance.flatten(1).gather(1, index)
        row, token = index // found.shape[-1], index % found.shape[-1]
        length, kept = length.gather(1, row), take(tokens, row)
        tokens = torch.cat([kept, token[..., None]], dim=-1)
        reorder(cache, row)
        if (tokens[:, :, 1:] == end).any(dim=-1).all():
            break
    score = chance / penalty(length, length_penalty)
    return filled(tokens[:, :, 1:], max_length, end), score


@named_as_ours
def generate(
    model: torch.nn.Module,
    prompt: Tensor,
    *,
    mask: Mask = None,
    max_tokens: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    seed: int | Sequence[int] | None = None,
    end: int | None = None,
    cache: tuple | None = None,
) -> Iterator[Tensor]:
    """Write behind a prompt, and yield every token as soon as it is sampled.

    Shapes:
        prompt (B, T), integers; mask (B, T), True = token, for padding on the left;
        seed: one, or one for each row, which then draws what it draws alone; cache: of
        ``model.new_cache``, behind whose S positions the prompt stands, mask (B, S + T)
        -> yields tokens (B), up to ``max_tokens`` times.

    Raises:
        ValueError: the model can't write, or an argument is wrong; as the tokens come,
            a logit is NaN, or minus infinity for all tokens.
    """
    choice = {"temperature": temperature, "top_k": top_k, "top_p": top_p}
    how = {"max_tokens": max_tokens, "end": end, "cache": cache}
    check_generation(model, prompt, mask, **how, **choice)
    cache = cache or model.new_cache(len(prompt), prompt.shape[1] + max_tokens - 1)
    sampler = Sampler(len(prompt), *choice.values(), seed)
    return write(model, prompt, to_mask(mask, prompt), sampler, max_tokens, end, cache)


@torch.no_grad()
def write(
    model: torch.nn.Module,
    prompt: Tensor,
    mask: Tensor | None,
    sampler: Sampler,
    max_tokens: int,
    end: int | None,
    cache: tuple,
) -> Iterator[Tensor]:
    """The tokens of ``generate``, whose arguments are checked."""
    new, ended = prompt, torch.zeros_like(prompt[:, 0], dtype=torch.bool)
    options: dict[str, Any] = {"need_weights": False, "cache": cache}
    for _ in range(max_tokens):
        if mask is not None:
            options["mask"] = mask[:, None, None]
            mask = torch.cat([mask, torch.ones_like(mask[:, :1])], dim=1)
        logits, _ = model(new, **options)
        last = logits[:, -1].to(wide(logits.dtype)).cpu().numpy()
        drawn = torch.from_numpy(sampler(last))
        tokens = drawn.to(prompt)
        if end is not None:
            tokens = torch.where(ended, end, tokens)
            ended = ended | (tokens == end)
        yield tokens
        if ended.all():
            return
        new = tokens[:, None]


def check(highest: Tensor) -> None:
    """Raise ValueError where the highest logits give no token; in a graph, nothing."""
    if not torch.compiler.is_compiling():
        check_logits(highest.float().cpu().numpy())


def choices(logits: Tensor, ended: Tensor, end: int) -> Tensor:
    """Log-probabilities (B, K, N); what has ended goes on with ``end``, at no cost."""
    check_beam(logits.shape[1], logits.shape[2])
    found = torch.log_softmax(logits.to(wide(logits.dtype)), dim=-1)
    only = torch.full_like(found, -torch.inf)
    only[..., end] = 0.0
    return torch.where(ended[..., None], only, found)


def penalty(length: Tensor, length_penalty: float) -> Tensor:
    """What the log-probability is divided by: ((5 + length) / 6)^length_penalty."""
    return ((5 + length) / 6) ** length_penalty


def take(x: Tensor, row: Tensor) -> Tensor:
    """x[b, row[b, k]] for every b and k: (B, K, T), (B, K) -> (B, K, T)."""
    return x.gather(1, row[..., None].expand(-1, -1, x.shape[-1]))


def reorder(cache: tuple, row: Tensor) -> None:
    """Every hypothesis gets the cache of the one that it goes on from.

    That of the memory stays: all hypotheses of a sentence read the same.
    """
    B, K = row.shape
    whole = (torch.arange(B, device=row.device)[:, None] * K + row).flatten()
    for own, _ in cache:
        own.take(whole)


def filled(tokens: Tensor, max_length: int, end: int) -> Tensor:
    """The tokens (..., max_length), with ``end`` where nothing was written."""
    more = max_length - tokens.shape[-1]
    return torch.nn.functional.pad(tokens, (0, more), value=end)
