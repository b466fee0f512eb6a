"""Sums over the past, chunk by chunk, in PyTorch."""

import math

from attn_course.core.chunked.shared import GROUP, choose
from attn_course.core.frameworks import torch
from attn_course.core.layer.pytorch import is_transformed
from attn_course.core.masks.pytorch import to_mask
from attn_course.core.precision.pytorch import wide
from attn_course.core.shapes import check_unit

FEW = 8  # chunks that are prepared together


def sum_up(query, key, value, log_decay=None, causal=False, chunk_size=128):
    """The sum over keys of similarity times value, (..., T, V), and of similarity."""
    if not causal:
        sums = key.mT @ value
        total = key.sum(dim=-2)[..., None]
        return query @ sums, query @ total
    T, S = query.shape[-2], key.shape[-2]
    # Query i stands at i + S - T: rows before the first key go, missing ones are zeros.
    query = pad(query, S - T, 0)
    together = causal_sums(query, key, value, log_decay, chunk_size)
    return tuple(pad(x, T - S, 0) for x in together)


def causal_sums(query, key, value, log_decay, chunk_size):
    """``sum_up`` over the keys s <= t, for T = S: per chunk its own, and those before.

    within[t] = sum over s <= t of the chunk of (query[t] . key[s]) value[s]
    before[t] = query[t] . (sum over all earlier chunks of key[s] value[s]^T)
    """
    length, size = value.shape[-2], shorten(chunk_size, value.shape[-2])
    if log_decay is not None:
        log_decay = log_decay[..., None]
    inputs = query, key, value, log_decay
    if torch.compiler.is_compiling() or at_once(value):
        # Each position holds C scores and F V / C numbers of states, least at a C of
        # sqrt(F V). At 128, for widths of 64 and of 128, that is less than the inputs,
        # and a number that is read is used some 100 times.
        parts = in_chunk(*(None if x is None else chunks(x, size) for x in inputs))
        within, asks, (sums, total), kept = parts
        F, added = key.shape[-1], torch.cat([sums.flatten(-2), total[..., 0]], dim=-1)
        states = before(added, kept)
        states = states[..., :-F].view(sums.shape), states[..., -F:, None]
        found = (x + asks @ y for x, y in zip(within, states, strict=True))
        return tuple(x.flatten(-3, -2)[..., :length, :] for x in found)
    # One after the other: what belongs to a chunk stays in the processor's cache.
    given = (x.split(size, dim=-2) for x in inputs if x is not None)
    states, found = None, []
    for chunk in zip(*given, strict=True):
        within, asks, added, kept = in_chunk(*chunk)
        if states is not None:
            within = [x + asks @ y for x, y in zip(within, states, strict=True)]
            left = 1.0 if kept is None else kept[..., None, None].exp()
            added = [left * x + y for x, y in zip(states, added, strict=True)]
        states = added
        found.append(within)
    return tuple(torch.cat(x, dim=-2) for x in zip(*found, strict=True))


def in_chunk(query, key, value, log_decay=None):
    """Sums within a chunk (..., C, X), the queries of its state, and what it adds.

    As last the logarithm of what the chunk leaves of the state before it; or None.
    """
    score, later_key, kept = query @ key.mT, key, None
    if log_decay is None:
        score = score.tril_()
    else:
        left, from_start = decay_between(log_decay[..., 0]), log_decay.cumsum(dim=-2)
        score = score * left
        later_key = key * left[..., -1, :, None]
        query = query * from_start.exp()
        kept = from_start[..., -1, 0]
    within = score @ value, score.sum(dim=-1, keepdim=True)
    added = later_key.mT @ value, later_key.sum(dim=-2)[..., None]
    return within, query, added, kept


def before(states, log_decay=None):
    """The state before each chunk, from what each chunk adds, as rows (..., N, X)."""
    N, nothing = states.shape[-2], torch.zeros_like(states[..., :1, :])
    if log_decay is None:
        return torch.cat([nothing, states[..., :-1, :]], dim=-2).cumsum(dim=-2)
    if not isinstance(N, int) or N <= GROUP:
        return faded(states, log_decay, nothing)
    # N x N decays would grow as the square: within groups, and before each group.
    states = chunks(states, GROUP)
    log_decay = chunks(log_decay[..., None], GROUP)[..., 0]
    whole = (decay_between(log_decay)[..., -1:, :] @ states)[..., 0, :]
    first = faded(whole, log_decay.sum(dim=-1), nothing)[..., None, :]
    return faded(states, log_decay, first).flatten(-3, -2)[..., :N, :]


def faded(states, log_decay, first):
    """``before``, with first (..., 1, X) before all of them: by an N x N product."""
    # Chunk n still has of chunk m what the chunks m + 1 .. n - 1 keep.
    left = decay_between(torch.nn.functional.pad(log_decay[..., :-1], (1, 0)))
    return left @ torch.cat([first, states[..., :-1, :]], dim=-2)


def before_maps(kept, added):
    """The state before each chunk, where one makes kept @ state + added of a state.

    kept (..., N, K, K), added (..., N, K, V). In sqrt(N) groups of sqrt(N) chunks: one
    loop goes through all groups side by side, from any state, one through the groups.
    """
    (N, K), size = kept.shape[-3:-1], math.isqrt(kept.shape[-3] - 1) + 1
    # Of any state: the columns of the identity, and of zeros, both on their way.
    added = torch.nn.functional.pad(added, (K, 0))
    kept, added = (
        chunks(x.flatten(-2), size).unflatten(-1, x.shape[-2:]) for x in (kept, added)
    )
    state = torch.eye(*added.shape[-2:], dtype=added.dtype, device=added.device)
    *inside, whole = in_turn(kept, added, state)
    state = torch.zeros_like(whole[..., 0, :, K:])
    *first, _ = in_turn(whole[..., :K], whole[..., K:], state)
    inside, first = torch.stack(inside, dim=-3), torch.stack(first, dim=-3)
    found = inside[..., :K] @ first[..., None, :, :] + inside[..., K:]
    return found.flatten(-4, -3)[..., :N, :, :]


def in_turn(kept, added, state):
    """The states before each chunk and after the last, each (..., K, V)."""
    states = [state.expand_as(added[..., 0, :, :])]
    for keeps, adds in zip(kept.unbind(-3), added.unbind(-3), strict=True):
        states.append(keeps @ states[-1] + adds)
    return states


def decay_between(log_decay):
    """What is left at t of s, and 0 where s > t: (..., C) to (..., C, C).

    Sums from s on: the difference of two longer sums would lose the digits of a weak
    decay beside a strong one.
    """
    C = log_decay.shape[-1]
    after = log_decay[..., None].expand(*log_decay.shape, C).tril(-1).cumsum(dim=-2)
    future = after.new_ones(C, C, dtype=torch.bool).triu(1)
    return after.masked_fill(future, -torch.inf).exp()


def chunks(x, size):
    """Cut positions into chunks, the last filled up with zeros: (..., N, C, X)."""
    S = x.shape[-2]
    if isinstance(S, int):
        N = -(-S // size)
        x = pad(x, 0, N * size - S)
        return x.reshape(*x.shape[:-2], N, size, x.shape[-1])
    return unfolded(x, size, 0)


def unfolded(x, size, overlap):
    """Chunks of a length that is a symbol, each with so many positions before it.

    Nothing may depend on whether size divides the length, or whether there is one
    chunk: so here is one more, and a window that is moved on.
    """
    N = (x.shape[-2] + size - 1) // size + 1
    x = pad(x, overlap, N * size - x.shape[-2])
    return x.unfold(x.dim() - 2, size + overlap, size).mT


def over_chunks(prepare, step, state, inputs, length):
    """``step(state, chunk) -> state, output`` of one chunk after the other, joined.

    The inputs have their chunks third from the end, (..., N, C, X), as has what
    ``prepare`` makes of them, which a step takes; the outputs, joined, are
    (..., length, V). What is prepared of a few chunks stays in the processor's cache.
    """
    if not isinstance(inputs[0].shape[-3], int):  # a symbol: a loop of the graph
        return in_loop(step, state, prepare(*inputs), length)
    outputs = []
    for few in zip(*(x.split(FEW, dim=-3) for x in inputs), strict=True):
        for chunk in zip(*(x.unbind(-3) for x in prepare(*few)), strict=True):
            state, output = step(state, chunk)
            outputs.append(output)
    return torch.cat(outputs, dim=-2)[..., :length, :]


def in_loop(step, state, parts, length):
    """``over_chunks`` in a graph, with all leading axes as one.

    Of a symbol for one of them ONNX makes no argument of the loop. Copied before they
    are joined: which stride is smaller would depend on the length.
    """
    lead = state.shape[:-2]
    parts = [x.movedim(-3, 0).contiguous()[:, None].flatten(1, -3) for x in parts]
    _, outputs = torch._higher_order_ops.scan(step, state[None].flatten(0, -3), parts)
    positions = torch.arange(length, device=outputs.device)
    joined = outputs.movedim(0, 1).flatten(1, 2).index_select(1, positions)
    return joined.view(*lead, *joined.shape[1:])


def at_once(x):
    """Whether all chunks are computed at once: on a GPU."""
    return choose(x.device.type == "cpu")


def shorten(chunk_size, length):
    """The chunk, no longer than the input; a symbol for a length is not compared."""
    return min(chunk_size, length) if isinstance(length, int) else chunk_size


def pad(x, front, back):
    """So many zeros before and behind the positions; a negative number cuts off."""
    # PyTorch's own copies even where there is nothing to do. In an exported graph the
    # numbers are symbols, and not compared, so that it holds for every length.
    if all(isinstance(n, int) and n == 0 for n in (front, back)):
        return x
    return torch.nn.functional.pad(x, (0, 0, front, back))


def log_of(decay, key):
    """The logarithm of a decay, a number a key or a column; of 0 a very low one."""
    wide = decay.to(key.dtype).expand(key.shape[: decay.ndim])
    return wide.clamp(min=torch.finfo(key.dtype).tiny).log()


def hide(key, log_decay, mask):
    """Blocked keys have no features; what fades is as ``forget`` says."""
    numbers = to_mask(mask, key).mT
    if log_decay is None and numbers.dtype != torch.bool:
        log_decay = torch.zeros_like(key[..., 0])
    if log_decay is not None:
        lowest = math.log(torch.finfo(log_decay.dtype).tiny)
        log_decay = forget(log_decay[..., None], numbers, 0.0, lowest)[..., 0]
    return torch.where(numbers.bool(), key, 0.0), log_decay


def forget(decay, numbers, nothing, everything):
    """A blocked key lets nothing fade, and the first of a document everything.

    decay (..., S, X); numbers of documents or booleans (..., S, 1).
    """
    decay = torch.where(numbers.bool(), decay, nothing)
    return torch.where(is_first(numbers), everything, decay)


def is_first(numbers):
    """Whether another document begins, (..., S, 1); of booleans, nowhere."""
    if numbers.dtype == torch.bool:
        return torch.zeros_like(numbers)
    before = torch.cat([numbers[..., :1, :], numbers[..., :-1, :]], dim=-2)
    return (numbers != before) & (numbers != 0)


def check_gates(**gates):
    """Raise ValueError unless gates are from 0 to 1, where values can be read.

    On a CPU, and outside of graphs and of ``torch.func``: elsewhere nothing is read.
    """
    if torch.compiler.is_compiling() or is_transformed():
        return
    for name, gate in gates.items():
        if gate is not None and gate.device.type == "cpu" and gate.numel():
            low, high = gate.detach().aminmax()
            check_unit(name, float(low), float(high))


def widen(*tensors):
    """The tensors in float32, or float64 if they have it."""
    return [x.to(wide(x.dtype)) for x in tensors]
