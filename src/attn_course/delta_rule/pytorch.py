"""The delta rule in PyTorch. Formulas: ``reference.py``."""

from attn_course.frameworks import torch
from attn_course.linear.pytorch import (
    chunks,
    decay_between,
    decay_in_chunk,
    log_of,
    pad,
    widen,
)
from attn_course.linear.shared import check_linear, check_step

__all__ = ["delta_rule_attention", "delta_rule_step"]


def delta_rule_attention(
    query, key, value, beta, *, mask=None, decay=None, chunk_size=64
):
    """See ``attn_course.reference.delta_rule_attention``.

    Chunk by chunk: what a chunk writes solves one triangular system, after which only
    the state goes from chunk to chunk. An exported graph has the length it was made of.
    """
    check_linear(query, key, value, mask, beta=beta, decay=decay)
    dtype, T, S = value.dtype, query.shape[-2], key.shape[-2]
    query, key, value, beta = widen(query, key, value, beta)
    beta = beta.expand(key.shape[:-1])
    log_decay = torch.zeros_like(beta) if decay is None else log_of(decay, key)
    if mask is not None:
        beta = torch.where(mask[..., 0, :], beta, 0.0)
        log_decay = torch.where(mask[..., 0, :], log_decay, 0.0)
    query = pad(query, S - T, 0)
    C = min(chunk_size, max(S, 1))
    gates = (chunks(x[..., None], C)[..., 0] for x in (beta, log_decay))
    parts = write_in_chunk(*(chunks(x, C) for x in (query, key, value)), *gates)
    state = key.new_zeros(*key.shape[:-2], key.shape[-1], value.shape[-1])
    outputs = []
    for asks, weights, known, new, later_key, kept in zip(*parts, strict=True):
        write = new - known @ state
        outputs.append(asks @ state + weights @ write)
        state = kept * state + later_key.mT @ write
    output = torch.cat(outputs, dim=-2)[..., :S, :]
    return pad(output, T - S, 0).to(dtype), None


def write_in_chunk(query, key, value, beta, log_decay):
    """What each chunk needs to know before the state comes, chunks on the first axis.

    Inside a chunk (1 + beta K K^T below the diagonal) write = beta (value - K state).
    """
    to_end, from_start = decay_in_chunk(log_decay)
    left = decay_between(to_end)
    to_end, from_start = to_end[..., None], from_start[..., None]
    beta, old_key = beta[..., None], key * from_start.exp()
    # The solver takes the diagonal for ones, and reads nothing above it.
    system = beta * (key @ key.mT) * left
    wanted = torch.cat([beta * old_key, beta * value], dim=-1)
    solved = torch.linalg.solve_triangular(
        system, wanted, upper=False, unitriangular=True
    )
    known, new = solved.split([key.shape[-1], value.shape[-1]], dim=-1)
    weights = (query @ key.mT) * left
    asks, later_key = query * from_start.exp(), key * to_end.exp()
    kept = from_start[..., -1:, :].exp()
    parts = asks, weights, known, new, later_key, kept
    return [x.unbind(dim=-3) for x in parts]


def delta_rule_step(state, query, key, value, beta, *, decay=None):
    """See ``attn_course.reference.delta_rule_step``. The state is float32 or more."""
    check_step(query, key, value, beta=beta, decay=decay)
    dtype = value.dtype
    query, key, value, beta = widen(query, key, value, beta)
    if state is None:
        state = torch.zeros_like(key.mT * value)
    elif decay is not None:
        state = decay.to(state.dtype)[..., None] * state
    write = beta[..., None] * (value - key @ state)
    state = state + key.mT * write
    return (query @ state).to(dtype), state
