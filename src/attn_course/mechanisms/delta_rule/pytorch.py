"""The delta rule in PyTorch. Formulas: ``reference.py``."""

from typing import Any

from attn_course.core.chunked.pytorch import (
    at_once,
    before_maps,
    check_gates,
    chunks,
    decay_between,
    decay_in_chunk,
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
    log_decay = torch.zeros_like(beta) if decay is None else log_of(decay, key)
    beta, log_decay = beta[..., None], by_column(log_decay, key)
    if mask is not None:
        numbers = to_mask(mask, key).mT
        beta = torch.where(numbers.bool(), beta, 0.0)
        log_decay = forget(log_decay, numbers)
    query = pad(query, S - T, 0)
    C = shorten(chunk_size, S)
    inputs = [chunks(x, C) for x in (query, key, value, beta, log_decay)]
    if isinstance(S, int) and at_once(value):
        parts = write_in_chunk(*inputs)
        output = read_at_once(*parts).flatten(-3, -2)[..., :S, :]
        return pad(output, T - S, 0).to(dtype), None

    def step(state, chunk):
        asks, weights, known, new, later_key, kept = chunk
        write = new - known @ state
        output = asks @ state + weights @ write
        return kept * state + later_key.mT @ write, output

    state = key.new_zeros(*key.shape[:-2], key.shape[-1], value.shape[-1])
    output = over_chunks(write_in_chunk, step, state, inputs, S)
    return pad(output, T - S, 0).to(dtype), None


def by_column(decay, key):
    """A decay as (..., S, K), or as (..., S, 1) where the columns share it."""
    return decay if decay.ndim == key.ndim else decay[..., None]


def write_in_chunk(query, key, value, beta, log_decay):
    """What each chunk needs to know before the state comes.

    Inside a chunk (1 + beta K K^T below the diagonal) write = beta (value - K state).
    """
    to_end, from_start = decay_by_row(log_decay)
    old_key = key * from_start.exp()
    known, weights = products((key, query), key, log_decay, to_end)
    # The solver takes the diagonal for ones, and reads nothing above it.
    system = beta * known
    wanted = torch.cat([beta * old_key, beta * value], dim=-1)
    solved = solve(system, wanted)
    known, new = solved.split([key.shape[-1], value.shape[-1]], dim=-1)
    asks, later_key = query * from_start.exp(), key * to_end.exp()
    kept = from_start[..., -1:, :].exp().mT
    return asks, weights, known, new, later_key, kept


def products(asks, key, log_decay, to_end):
    """Of each ask[t] . key[s], column by column, what is left at t; 0 where s > t."""
    if log_decay.shape[-1] == 1:
        left = decay_between(to_end[..., 0])
        return [(x @ key.mT) * left for x in asks]
    C, size = key.shape[-2], 1
    more = (1 << (C - 1).bit_length()) - C  # to a power of 2
    # The chunks stand last among the leading axes: an export of any length wants it so.
    *asks, key, log_decay = (
        pad(x, 0, more).transpose(-3, -2) for x in (*asks, key, log_decay)
    )
    # From blocks of one position to blocks of twice the size: between an earlier half
    # and a later one, what is left of the key at the end of its half, and from there.
    found = [(x * key).sum(dim=-1)[..., None, None] for x in asks]
    since = log_decay[..., None, :]  # of a block, up to t; and of what is ahead of t
    ahead = torch.zeros_like(since)
    while size < C:
        (before, since), (ahead, after) = pairs(since), pairs(ahead)
        early, later = halves(key, size)[0] * ahead.exp(), since.exp()
        for n, x in enumerate(asks):
            across = (halves(x, size)[1] * later) @ early.mT
            one, other = pairs(found[n])
            upper = torch.cat([one, torch.zeros_like(one)], dim=-1)
            found[n] = torch.cat([upper, torch.cat([across, other], dim=-1)], dim=-2)
        ahead = torch.cat([ahead + since[..., -1:, :], after], dim=-2)
        since = torch.cat([before, since + before[..., -1:, :]], dim=-2)
        size *= 2
    return [x[..., 0, :, :C, :C] for x in found]


def halves(x, size):
    """Of every block of 2 size of (..., C, N, X) both halves: (..., N, size, X)."""
    return x.unflatten(-3, (-1, 2, size)).transpose(-3, -2).unbind(-4)


def pairs(blocks):
    """Of every two blocks (..., N, size, X) the earlier ones, and the later ones."""
    return blocks.unflatten(-4, (-1, 2)).unbind(-4)


def decay_by_row(log_decay):
    """``decay_in_chunk`` of (..., C, X), for each of X columns."""
    return [x.mT for x in decay_in_chunk(log_decay.mT)]


def read_at_once(asks, weights, known, new, later_key, kept):
    """What all chunks read, from the states before them."""
    one = torch.eye(known.shape[-1], dtype=known.dtype, device=known.device)
    kept = kept * one - later_key.mT @ known
    states = before_maps(kept, later_key.mT @ new)
    return asks @ states + weights @ (new - known @ states)


def solve(system, wanted):
    """wanted (..., C, X) through a triangle (..., C, C) with ones on its diagonal."""
    if not torch.compiler.is_compiling():
        options = {"upper": False, "unitriangular": True}
        return torch.linalg.solve_triangular(system, wanted, **options)
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
    mask is padding. No bias, no dropout.

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
