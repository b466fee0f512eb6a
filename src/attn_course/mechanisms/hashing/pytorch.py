"""LSH attention and reversible layers in PyTorch. Formulas: ``reference.py``."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from attn_course.core.chunked.pytorch import chunks, unfolded, widen
from attn_course.core.frameworks import torch
from attn_course.core.layer.pytorch import AttentionLayer, plain
from attn_course.core.layer.shared import check_supported
from attn_course.core.shapes import check_shapes
from attn_course.mechanisms.blocks.pytorch import few_heads, over_heads
from attn_course.mechanisms.hashing.shared import (
    CHUNK,
    HashSizes,
    check_lsh,
    draw_rotations,
)

__all__ = ["LSHAttention", "ReversibleLayers", "lsh_attention", "lsh_buckets"]

LOWEST = -1e30  # the score of a key that is not allowed: finite, below all others
NOBODY = -4  # the rank of a blocked position: not near any other


def lsh_buckets(x: torch.Tensor, rotations: torch.Tensor) -> torch.Tensor:
    """See ``attn_course.reference.lsh_buckets``."""
    check_shapes(x=(x, "...SK"), rotations=(rotations, "rKb"))
    directions = torch.as_tensor(rotations, dtype=x.dtype, device=x.device)
    product = x[..., None, :, :] @ directions
    # The largest of [product, -product], which together would take twice the memory.
    (high, bucket), (low, other) = product.max(dim=-1), product.min(dim=-1)
    return torch.where(high >= -low, bucket, other + product.shape[-1])


def lsh_attention(
    query_key: torch.Tensor,
    value: torch.Tensor,
    mask: Any = None,
    *,
    num_buckets: int,
    num_rounds: int = 1,
    chunk_size: int | None = None,
    seed: int = 0,
    rotations: torch.Tensor | None = None,
    causal: bool = False,
    scale: float | None = None,
) -> tuple[torch.Tensor, None]:
    """See ``attn_course.reference.lsh_attention``.

    Sorted by bucket and cut into chunks: the scores are S x 2 chunk_size per round.
    Computed in float32 or more. The rounds are merged by their log-sum-exp.
    """
    sizes = num_buckets, num_rounds, chunk_size
    check_lsh(query_key, value, mask, rotations, *sizes, numbers=True)
    dtype, K = value.dtype, query_key.shape[-1]
    if rotations is None:
        rotations = draw_rotations(K, num_buckets, num_rounds, seed)
    size = CHUNK if chunk_size is None else chunk_size
    sizes = num_buckets, size, causal, scale

    def some(query, key, value, seen, **_):  # softmax and scale are its own
        return attend_heads(query, value, seen, rotations, *sizes)

    def heads(*heads, **_):
        return few_heads(some, *heads)

    query, value = widen(query_key, value)
    with plain(value):
        context, _ = over_heads(heads, query, query, value, mask)
    return context.to(dtype), None


def attend_heads(query, value, seen, rotations, num_buckets, size, causal, scale):
    """All rounds of some heads (L, S, V); seen (L, S, 1), or numbers of documents."""
    S, numbers, seen = query.shape[-2], seen.mT, seen.bool()
    buckets = torch.where(seen.mT, lsh_buckets(query, rotations), num_buckets)
    packed = numbers.dtype != torch.bool
    if packed:  # a document has buckets of its own
        buckets = buckets + numbers * (num_buckets + 1)
    # Stable: the same buckets in the order of their positions. ONNX has no such sort.
    order = (buckets * S + torch.arange(S, device=query.device)).argsort(dim=-1)
    rank = order.argsort(dim=-1)  # of every position, in the order of the buckets
    # A difference of 0 or 1: the same bucket, and the same chunk or the one before.
    place = rank
    if packed:  # behind the first of its document: there its chunks begin
        place = rank - torch.searchsorted(numbers.sort().values, numbers)
    code = buckets * (2 * -(-S // size)) + place // size
    code = torch.where(seen.mT, code, NOBODY)
    code = code if packed else code.int()
    options = size, causal, scale, packed
    rounds = [
        attend_in_chunks(query, value, code[:, : r + 1], order[:, r], *options)
        for r in range(order.shape[1])
    ]
    return torch.where(seen, merge_rounds(rounds, rank, value), 0.0)


def attend_in_chunks(query, value, code, order, size, causal, scale, packed):
    """One round, still sorted and in whole chunks: output, log-sum-exp of the scores.

    code (L, rounds so far, S): a key that an earlier round allowed is left to it.
    """
    query, value = take(query, order), take(value, order)
    square = query.square().sum(dim=-1, keepdim=True).clamp(min=1e-12)
    if scale is None:
        key = query * (query.shape[-1] * square).rsqrt()
    else:
        key = query * (scale * square.rsqrt())
    query = chunks(query, size)
    key, value = (with_others(x, size, packed) for x in (key, value))
    score = query @ key.mT
    near = is_near(code, order, size, packed)
    allowed = near[..., -1, :, :]
    if near.shape[-3] > 1:  # ONNX reduces no empty axis
        allowed = allowed & ~near[..., :-1, :, :].any(dim=-3)
    position = order[..., None].int()
    behind = chunks(position, size) - with_others(position, size, packed).mT
    allowed = allowed & (behind > 0 if causal else behind != 0)
    score = score.masked_fill(~allowed, LOWEST)
    # No plain exp: where most come out as 0, it takes ten times a softmax's time.
    weight = score.softmax(dim=-1)
    highest, place = score.max(dim=-1, keepdim=True)
    found = weight @ value, highest - weight.gather(-1, place).log()
    return [x.flatten(1, 2) for x in found]


def is_near(code, order, size, packed):
    """Whether key and query share bucket and neighborhood, (L, N, rounds, C, 2 C)."""
    # Shifted so that the zeros of `chunks` and `with_others` mean NOBODY.
    sorted_code = take(code.mT, order) - NOBODY
    asked, held = chunks(sorted_code, size), with_others(sorted_code, size, packed)
    asked = asked.masked_fill(asked == 0, NOBODY)
    apart = asked.mT[..., None] - held.mT[..., None, :]
    return apart == apart.clamp(0, 1)


def take(x, order):
    """The rows of x (L, S, X) in this order (L, S)."""
    return x[torch.arange(x.shape[0], device=x.device)[:, None], order]


def with_others(x, size, packed):
    """Chunks (L, N, 2 C, X): each behind the one before it, the first behind zeros.

    packed: (L, N, 4 C, X), with two before and one after, since the documents' own
    chunks begin anywhere in these.
    """
    if not packed and not isinstance(x.shape[1], int):
        return unfolded(x, size, size)
    x = chunks(x, size)
    N, none = x.shape[1], torch.zeros_like(x[:, :1])
    before, after = (2, 1) if packed else (1, 0)
    row = torch.cat([none] * before + [x] + [none] * after, dim=1)
    return torch.cat([row[:, n : n + N] for n in range(before + after + 1)], dim=2)


def merge_rounds(rounds, rank, value):
    """The softmax over all that the rounds allowed, from theirs; alone, the own value.

    share[r] = exp(log_sum[r]) / sum over rounds of exp(log_sum[r])
    """
    found = [[take(x, rank[:, r]) for x in one] for r, one in enumerate(rounds)]
    outputs, log_sums = (torch.stack(x, dim=1) for x in zip(*found, strict=True))
    share = torch.softmax(log_sums, dim=1)
    alone = log_sums.amax(dim=1) < LOWEST / 2
    return torch.where(alone, value, (share * outputs).sum(dim=1))


class LSHAttention(AttentionLayer):
    """Attention over heads to what falls into the same bucket: ``lsh_attention``.

    Queries and keys are one projection, ``query``: it is called with one input, and a
    mask. ``rotations`` are drawn with the seed and kept, not trained; ``redraw`` draws
    others. The weights are None. No bias of scores, no dropout, no cache, no other
    softmax: the rounds are put together by sums of their own.

    chunk_size: None is 64 positions, whatever the length: padding changes nothing.

    Raises:
        ValueError: a size is not a whole number of at least 1, or num_buckets is odd.
    """

    Sizes = HashSizes
    shared_key = True
    can_drop = False
    own_scale = True
    reads_memory = False  # it has one input
    mask_rows = None

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        num_buckets: int,
        num_rounds: int = 1,
        chunk_size: int | None = None,
        seed: int = 0,
        **options: Any,
    ) -> None:
        hashing = {"num_buckets": num_buckets, "num_rounds": num_rounds}
        hashing["chunk_size"] = chunk_size
        own = {**hashing, "seed": seed}
        super().__init__(model_dim, num_heads, own=own, **options)
        self.hashing = hashing
        shape = num_rounds, self.sizes.key_dim, num_buckets // 2
        self.register_buffer("rotations", self.query.weight.new_empty(shape))
        self.redraw(seed)

    @property
    def key(self) -> torch.nn.Linear:
        """One projection serves queries and keys."""
        return self.query

    def reset_parameters(self) -> None:
        """Draw all weights anew, and the rotations with their seed."""
        super().reset_parameters()
        self.redraw(self.sizes.seed)

    def redraw(self, seed: int) -> None:
        """Hash by other directions from now on."""
        num_rounds, key_dim, half = self.rotations.shape
        drawn = draw_rotations(key_dim, 2 * half, num_rounds, seed)
        self.rotations.copy_(torch.from_numpy(drawn))

    def forward(
        self, query: torch.Tensor, mask: Any = None, **options: Any
    ) -> tuple[torch.Tensor, None]:
        """Attend within the query; the options are those of ``AttentionLayer``."""
        check_supported("LSHAttention", cache=options.get("cache"))
        return super().forward(query, None, None, mask, **options)

    def attend(
        self, query, key, value, mask, *, bias, need_weights, dropout, **options
    ):
        check_supported("LSHAttention", bias=bias, dropout=dropout)
        options |= {**self.hashing, "rotations": self.rotations}
        return lsh_attention(query, value, mask, **options)


class ReversibleLayers(torch.nn.Module):
    """Residual layers that keep only their last output, not what each was given.

    y1 = x1 + f(x2), y2 = x2 + g(y1); and back: x2 = y2 - g(y1), x1 = y1 - f(x2)

    The gradient computes each input back from the output, and f and g once more: memory
    for the activations of one layer in place of all. Random numbers, autocast and
    buffers are those of the first time: dropout drops the same, a mean of batches
    counts each once; else f and g must give the same twice. They return a tensor of
    their input's shape.

    Shapes:
        x (..., 2 X) is cut into x1 and x2 -> (..., 2 X).

    Raises:
        ValueError: x has an odd width.

    Source: Gomez et al. 2017 (arXiv:1707.04585), equations 6 and 7; Kitaev et al. 2020
        (arXiv:2001.04451), section 3.
    """

    def __init__(
        self, pairs: Iterable[tuple[torch.nn.Module, torch.nn.Module]]
    ) -> None:
        super().__init__()
        self.pairs = torch.nn.ModuleList(torch.nn.ModuleList(pair) for pair in pairs)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Through all layers, in order."""
        if x.shape[-1] % 2:
            raise ValueError(f"x must have an even width, got {x.shape[-1]}")
        return _Reversible.apply(self.pairs, x, *self.parameters())


class _Reversible(torch.autograd.Function):
    @staticmethod
    def forward(context, pairs, x, *parameters):
        (x1, x2), states = x.chunk(2, dim=-1), []
        for f, g in pairs:
            states.append(_State(x, f))
            x1 = x1 + f(x2)
            states.append(_State(x, g))
            x2 = x2 + g(x1)
        output = torch.cat([x1, x2], dim=-1)
        context.pairs, context.states = pairs, states
        context.save_for_backward(output)
        return output

    @staticmethod
    def backward(context, gradient):
        (output,) = context.saved_tensors
        (y1, y2), (d1, d2) = output.chunk(2, dim=-1), gradient.chunk(2, dim=-1)
        sums = dict.fromkeys(context.pairs.parameters())
        states = reversed(context.states)
        for f, g in reversed(context.pairs):
            y2, d1 = undo(g, next(states), y1, y2, d1, d2, sums)
            y1, d2 = undo(f, next(states), y2, y1, d2, d1, sums)
        return None, torch.cat([d1, d2], dim=-1), *sums.values()


class _State:
    """Random numbers, autocast and a part's buffers in a moment, to compute again."""

    def __init__(self, x: torch.Tensor, part: torch.nn.Module) -> None:
        self.buffers = [buffer.clone() for buffer in part.buffers()]
        self.kind = x.device.type if x.device.type != "meta" else "cpu"
        narrowed = torch.is_autocast_enabled(self.kind)
        self.narrowed = torch.get_autocast_dtype(self.kind), narrowed
        self.cpu = torch.get_rng_state()
        self.others = torch.utils.checkpoint.get_device_states(x)

    @contextmanager
    def again(self) -> Iterator[None]:
        """Compute as then; afterwards all is as it was."""
        place = {"device_type": self.kind}
        # Older versions of PyTorch keep narrowed weights without their gradient.
        narrowed = torch.autocast(self.kind, *self.narrowed, cache_enabled=False)
        with narrowed, torch.random.fork_rng(self.others[0], **place):
            torch.set_rng_state(self.cpu)
            torch.utils.checkpoint.set_device_states(*self.others, **place)
            yield


def undo(part, state, given, result, d_given, d_result, sums):
    """What ``part(given)`` was added to, and the gradient of given with its share.

    The gradients of the part's parameters are added to sums.
    """
    own = [x for x in part.parameters() if x.requires_grad]
    now = [buffer.clone() for buffer in part.buffers()]
    set_buffers(part, state.buffers)
    with torch.enable_grad(), state.again():
        given = given.detach().requires_grad_()
        added = part(given)
    found = torch.autograd.grad(added, [given, *own], d_result, allow_unused=True)
    set_buffers(part, now)  # not before: a gradient may read them
    for parameter, x in zip(own, found[1:], strict=True):
        old = sums[parameter]
        sums[parameter] = x if old is None or x is None else old + x
    passed = d_given if found[0] is None else d_given + found[0]
    return result - added.detach(), passed


def set_buffers(part, values):
    """Give every buffer of a part these values."""
    for buffer, value in zip(part.buffers(), values, strict=True):
        buffer.copy_(value)
