"""The delta rule in PyTorch. Formulas: ``reference.py``."""

from functools import partial
from typing import Any

from attn_course.core.chunked.pytorch import (
    at_once,
    before_maps,
    check_gates,
    chunks,
    decay_between,
    forget,
    log_of,
    over_chunks,
    pad,
    shorten,
    widen,
)
from attn_course.core.frameworks import torch
from attn_course.core.layer.shared import check_supported
from attn_course.core.masks.pytorch import to_mask
from attn_course.core.precision.pytorch import wide
from attn_course.core.shapes import check_at_least
from attn_course.mechanisms.delta_rule.shared import DeltaDecay, DeltaSizes
from attn_course.mechanisms.linear.pytorch import DecayingAttention, open_gate
from attn_course.mechanisms.linear.shared import State, check_delta, check_step

__all__ = ["DeltaRuleAttention", "delta_rule_attention", "delta_rule_step"]


def delta_rule_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    beta: torch.Tensor,
    *,
    mask: Any = None,
    decay: torch.Tensor | None = None,
    chunk_size: int = 64,
) -> tuple[torch.Tensor, None]:
    """See ``attn_course.reference.delta_rule_attention``.

    Chunk by chunk: what a chunk writes solves one triangular system, after which only
    the state goes from chunk to chunk. A graph of any length has a loop for that.
    """
    check_delta(query, key, value, mask, beta, decay, chunk_size, numbers=True)
    check_gates(beta=beta, decay=decay)
    dtype, T, S = value.dtype, query.shape[-2], key.shape[-2]
    query, key, value, beta = widen(query, key, value, beta)
    beta = beta.expand(key.shape[:-1])
    decay = torch.ones_like(beta) if decay is None else decay.to(key.dtype)
    beta, decay = beta[..., None], by_column(decay, key)
    if mask is not None:
        numbers = to_mask(mask, key).mT
        beta = torch.where(numbers.bool(), beta, 0.0)
        decay = forget(decay, numbers, 1.0, 0.0)
    query = pad(query, S - T, 0)
    C = shorten(chunk_size, S)
    if decay.shape[-1] == 1:
        fade, decay = fade_alike, log_of(decay, beta)
    else:
        fade, decay = fade_by_column, decay.expand(key.shape)
        C = 1 << (C - 1).bit_length()  # blocks of 1, 2, 4 ... positions
    prepare = partial(write_in_chunk, fade)
    inputs = [chunks(x, C) for x in (query, key, value, beta, decay)]
    if isinstance(S, int) and at_once(value):
        parts = prepare(*inputs)
        output = read_at_once(*parts).flatten(-3, -2)[..., :S, :]
        return pad(output, T - S, 0).to(dtype), None

    def step(state, chunk):
        asks, weights, known, new, later_key, kept = chunk
        write = new - known @ state
        output = asks @ state + weights @ write
        return kept * state + later_key.mT @ write, output

    state = key.new_zeros(*key.shape[:-2], key.shape[-1], value.shape[-1])
    output = over_chunks(prepare, step, state, inputs, S)
    return pad(output, T - S, 0).to(dtype), None


def by_column(decay, key):
    """A decay as (..., S, K), or as (..., S, 1) where the columns share it."""
    return decay if decay.ndim == key.ndim else decay[..., None]


def write_in_chunk(fade, query, key, value, beta, decay):
    """What each chunk needs to know before the state comes.

    Inside a chunk (1 + beta K K^T below the diagonal) write = beta (value - K state).
    """
    (known, old_key), (weights, asks), later_key, kept = fade(query, key, decay)
    wanted = torch.cat([beta * old_key, beta * value], dim=-1)
    solved = solve(beta * known, wanted)
    known, new = solved.split([key.shape[-1], value.shape[-1]], dim=-1)
    return asks, weights, known, new, later_key, kept


def fade_alike(query, key, log_decay):
    """What a chunk asks and leaves, where the columns of its keys share a decay.

    Of keys and of queries the products with each key up to t, by what is left of it at
    t, and what they ask of the state before the chunk; then the keys as they are left
    at its end, and the share that it keeps of that state.
    """
    left = decay_between(log_decay[..., 0])
    since = log_decay.cumsum(dim=-2).exp()
    asks = (((x @ key.mT) * left, x * since) for x in (key, query))
    return *asks, key * left[..., -1, :, None], since[..., -1:, :]


def fade_by_column(query, key, decay):
    """``fade_alike`` of decays (..., C, K), not of their logarithms; C is a power of 2.

    From blocks of one position to blocks of twice the size. Of each block: its
    products, what it asks of the state before it, its keys as they are left at its end,
    and what it keeps. So a later half meets an earlier one; no factor is above 1.
    """
    size = key.shape[-2]
    query, key, kept = (x.flatten(-3, -2)[..., None, :] for x in (query, key, decay))
    asks = torch.cat([key, query], dim=-2)  # two rows of every position
    found, asks = asks @ key.mT, asks * kept
    while key.shape[-2] < size:
        (early, key), (asks, late) = pairs(key), pairs(asks)
        (first, second), (before, after) = pairs(found), pairs(kept)
        lower = torch.cat([late @ early.mT, second], dim=-1)
        upper = torch.nn.functional.pad(first, (0, first.shape[-1]))
        found = torch.cat([upper, lower], dim=-2)
        key = torch.cat([early * after, key], dim=-2)
        asks = torch.cat([asks, late * before], dim=-2)
        kept = before * after
    of_key, of_query = ((found[..., n::2, :], asks[..., n::2, :]) for n in (0, 1))
    return of_key, of_query, key, kept.mT


def pairs(blocks):
    """Of every two blocks (..., N, size, X) the earlier ones, and the later ones."""
    return blocks[..., 0::2, :, :], blocks[..., 1::2, :, :]


def read_at_once(asks, weights, known, new, later_key, kept):
    """What all chunks read, from the states before them."""
    one = torch.eye(known.shape[-1], dtype=known.dtype, device=known.device)
    kept = kept * one - later_key.mT @ known
    states = before_maps(kept, later_key.mT @ new)
    return asks @ states + weights @ (new - known @ states)


def solve(system, wanted):
    """wanted (..., C, X) through a triangle (..., C, C) with ones on its diagonal."""
    if not torch.compiler.is_compiling():
        # From the right, X^T A^T = B^T: the solver wants columns, as these rows are.
        options = {"upper": True, "left": False, "unitriangular": True}
        return torch.linalg.solve_triangular(system.mT, wanted.mT, **options).mT
    # Compilers unroll the solver row by row, and ONNX has none: blocks of twice the
    # size, ((A, 0), (B, D))^-1 = ((A^-1, 0), (-D^-1 B A^-1, D^-1)), until one is left.
    C, size = system.shape[-1], 1
    inverse = torch.eye(C, dtype=system.dtype, device=system.device).expand_as(system)
    while size < C:
        block = torch.arange(C, device=system.device) // size
        below = (block[:, None] % 2 == 1) & (block[:, None] - block == 1)
        inverse = inverse - inverse @ torch.where(below, system, 0.0) @ inverse
        size *= 2
    return inverse @ wanted


def delta_rule_step(
    state: Any,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    beta: torch.Tensor,
    *,
    decay: torch.Tensor | None = None,
) -> tuple[torch.Tensor, Any]:
    """See ``attn_course.reference.delta_rule_step``. The state is float32 or more."""
    check_step(query, key, value, columns=("decay",), beta=beta, decay=decay)
    check_gates(beta=beta, decay=decay)
    dtype = value.dtype
    query, key, value, beta = widen(query, key, value, beta)
    if state is None:
        state = torch.zeros_like(key.mT * value)
    elif decay is not None:
        state = by_column(decay.to(state.dtype), key).mT * state
    write = beta[..., None] * (value - key @ state)
    state = state + key.mT * write
    return (query @ state).to(dtype), state


class DeltaRuleAttention(DecayingAttention):
    """The delta rule over heads: ``delta_rule_attention``, with unit queries and keys.

    beta of every key and head is the sigmoid of a linear map of the key's input. decay:
    None, "fixed", "learned", or "columns", learned for each column of a key. Always
    causal, whatever it is asked for. The weights are never formed (they are None). The
    mask is padding. No bias of scores, no dropout.

    ``new_state`` and ``step`` decode: what is remembered does not grow.

    Differs: DeltaNet and its kin put a short convolution and SiLU before query, key and
        value, and a norm behind; here are the projections alone.

    Raises:
        ValueError: a size is no whole number of at least 1, or an option is unknown.
    """

    Sizes = DeltaSizes

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        decay: DeltaDecay | None = None,
        **options: Any,
    ) -> None:
        super().__init__(model_dim, num_heads, own={"decay": decay}, **options)
        self.beta = self.gate(bias=0.0)

    def gates(self, memory: torch.Tensor) -> dict[str, torch.Tensor]:
        """beta, and the decay where there is one."""
        return {"beta": open_gate(self.beta(memory)), **super().gates(memory)}

    def new_state(self, batch: int) -> State:
        """The state of ``step`` before the first position: zeros."""
        check_at_least(1, batch=batch)
        own, H = self.like(), self.num_heads
        shape = batch, H, self.sizes.key_dim, self.sizes.value_dim
        return State(own.new_zeros(shape, dtype=wide(own.dtype)), 0)

    def remembering(self, memory, query, key, value, **gates):
        return delta_rule_step(memory, unit(query), unit(key), value, **gates)

    def attend(
        self, query, key, value, mask, *, bias, causal, need_weights, dropout, **gates
    ):
        check_supported("DeltaRuleAttention", bias=bias, dropout=dropout)
        query, key = unit(query), unit(key)
        return delta_rule_attention(query, key, value, mask=mask, **gates)


def unit(x: torch.Tensor) -> torch.Tensor:
    """x at length 1; what is shorter than 1e-6 is lengthened a millionfold."""
    x_wide = x.to(wide(x.dtype))
    square = x_wide.square().sum(dim=-1, keepdim=True).clamp(min=1e-12)
    return (x_wide * square.rsqrt()).to(x.dtype)
