"""Flash attention as one Triton kernel, forward and backward: the loops of a GPU.

What ``pytorch.py`` does tile by tile from Python, a program of the kernel does for its
own block: scores and weights live in registers, and slow memory sees inputs and outputs
alone. Without a mask; for heads of 16 to 128 numbers, a power of 2.

It needs a GPU, or ``TRITON_INTERPRET=1`` in the environment before this file is
imported: then Triton runs the kernel with NumPy, slowly.
"""

import math
import os
from collections.abc import Iterator
from itertools import product as product_of

import triton
import triton.language as tl

from attn_course.core.frameworks import torch
from attn_course.core.shapes import check_attention

__all__ = ["flash_attention"]
LOG2_E = math.log2(math.e)
LOWEST = tl.constexpr(-3.0e38)  # finite: minus infinity minus itself is NaN
WIDTHS = (16, 32, 64, 128)
INTERPRETED = tl.constexpr(os.environ.get("TRITON_INTERPRET") == "1")


@triton.jit
def product(a, b, precision: tl.constexpr):
    """a @ b, summed in float32."""
    if INTERPRETED:  # which has no product of bfloat16; widening loses nothing
        a, b = a.to(tl.float32), b.to(tl.float32)
    return tl.dot(a, b, input_precision=precision)


@triton.jit
def tile(start, size, D: tl.constexpr, C: tl.constexpr):
    """Where C positions from start lie, (C, D), and whether they are there, (C, 1)."""
    positions = start + tl.arange(0, C)
    return positions[:, None] * D + tl.arange(0, D)[None], positions[:, None] < size


@triton.jit
def scores(
    query,
    key,
    t,
    s,
    T,
    S,
    masked: tl.constexpr,
    causal: tl.constexpr,
    precision: tl.constexpr,
):
    """The scores of a tile, not scaled; where it is masked, some minus infinity."""
    score = product(query, tl.trans(key), precision)
    if masked:
        allowed = (t[:, None] < T) & (s[None] < S)
        if causal:
            allowed = allowed & (s[None] <= t[:, None] + S - T)
        score = tl.where(allowed, score, float("-inf"))
    return score


@triton.jit
def over_keys(
    begin,
    end,
    sums,
    given,
    D: tl.constexpr,
    COLUMNS: tl.constexpr,
    masked: tl.constexpr,
    causal: tl.constexpr,
    precision: tl.constexpr,
):
    """The sums of a block of queries with the tiles from begin to end."""
    highest, total, context = sums
    q, t, key, value, scale, T, S = given
    for start in range(begin, end, COLUMNS):
        s = start + tl.arange(0, COLUMNS)
        at, there = tile(start, S, D, COLUMNS)
        if masked:
            k = tl.load(key + at, mask=there, other=0.0)
            v = tl.load(value + at, mask=there, other=0.0)
        else:
            k, v = tl.load(key + at), tl.load(value + at)
        score = scores(q, k, t, s, T, S, masked, causal, precision)
        new = tl.maximum(highest, scale * tl.max(score, 1))
        kept = tl.exp2(highest - new)
        part = tl.exp2(scale * score - new[:, None])
        total = kept * total + tl.sum(part, 1)
        context = kept[:, None] * context
        context += product(part.to(v.dtype), v, precision)
        highest = new
    return highest, total, context


@triton.jit
def forward_kernel(
    query,
    key,
    value,
    output,
    log_total,
    scale,
    T,
    S,
    D: tl.constexpr,
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
    causal: tl.constexpr,
    precision: tl.constexpr,
):
    """One block of queries over all its keys; scale is in base 2."""
    block, head = tl.program_id(0), tl.program_id(1).to(tl.int64)
    seen, whole = S, S
    if causal:  # the longest rows first, so that no program begins one at the end
        block = tl.num_programs(0) - 1 - block
        seen = tl.minimum(S, block * ROWS + ROWS + S - T)
        whole = tl.maximum(0, tl.minimum(S, block * ROWS + 1 + S - T))
    whole = whole // COLUMNS * COLUMNS  # what every query sees, in whole tiles
    first = block * ROWS
    t = first + tl.arange(0, ROWS)
    own, here = tile(first, T, D, ROWS)
    q = tl.load(query + head * T * D + own, mask=here, other=0.0)
    key, value = key + head * S * D, value + head * S * D
    highest = tl.full((ROWS,), LOWEST, tl.float32)
    total = tl.zeros((ROWS,), tl.float32)
    context = tl.zeros((ROWS, D), tl.float32)
    sums = highest, total, context
    given = q, t, key, value, scale, T, S
    sums = over_keys(0, whole, sums, given, D, COLUMNS, False, causal, precision)
    sums = over_keys(whole, seen, sums, given, D, COLUMNS, True, causal, precision)
    highest, total, context = sums
    blind = total == 0.0
    total = tl.where(blind, 1.0, total)
    found = context / total[:, None]
    to_output = output + head * T * D + own
    tl.store(to_output, found.to(output.dtype.element_ty), mask=here)
    logarithm = tl.where(blind, 0.0, highest + tl.log2(total))
    tl.store(log_total + head * T + t, logarithm, mask=t < T)


@triton.jit
def query_kernel(
    query,
    key,
    value,
    grad,
    log_total,
    dot,
    of_query,
    scale,
    T,
    S,
    D: tl.constexpr,
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
    causal: tl.constexpr,
    precision: tl.constexpr,
):
    """The gradient of one block of queries; scale is in base 2."""
    first, head = tl.program_id(0) * ROWS, tl.program_id(1).to(tl.int64)
    t = first + tl.arange(0, ROWS)
    own, here = tile(first, T, D, ROWS)
    q = tl.load(query + head * T * D + own, mask=here, other=0.0)
    g = tl.load(grad + head * T * D + own, mask=here, other=0.0)
    logarithm = tl.load(log_total + head * T + t, mask=t < T, other=0.0)
    own_dot = tl.load(dot + head * T + t, mask=t < T, other=0.0)
    found = tl.zeros((ROWS, D), tl.float32)
    seen = S
    if causal:
        seen = tl.minimum(S, first + ROWS + S - T)
    for start in range(0, seen, COLUMNS):
        s = start + tl.arange(0, COLUMNS)
        at, there = tile(start, S, D, COLUMNS)
        k = tl.load(key + head * S * D + at, mask=there, other=0.0)
        v = tl.load(value + head * S * D + at, mask=there, other=0.0)
        score = scores(q, k, t, s, T, S, True, causal, precision)
        weights = tl.exp2(scale * score - logarithm[:, None])
        of_weights = product(g, tl.trans(v), precision)
        of_score = weights * (of_weights - own_dot[:, None])
        found += product(of_score.to(k.dtype), k, precision)
    found = found * (scale / 1.4426950408889634)
    to_query = of_query + head * T * D + own
    tl.store(to_query, found.to(of_query.dtype.element_ty), mask=here)


@triton.jit
def key_kernel(
    query,
    key,
    value,
    grad,
    log_total,
    dot,
    of_key,
    of_value,
    scale,
    T,
    S,
    D: tl.constexpr,
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
    causal: tl.constexpr,
    precision: tl.constexpr,
):
    """The gradients of one block of keys and of its values; scale is in base 2."""
    first, head = tl.program_id(0) * COLUMNS, tl.program_id(1).to(tl.int64)
    s = first + tl.arange(0, COLUMNS)
    own, here = tile(first, S, D, COLUMNS)
    k = tl.load(key + head * S * D + own, mask=here, other=0.0)
    v = tl.load(value + head * S * D + own, mask=here, other=0.0)
    key_sum = tl.zeros((COLUMNS, D), tl.float32)
    value_sum = tl.zeros((COLUMNS, D), tl.float32)
    begin = 0
    if causal:  # the first block of queries that sees the first of these keys
        begin = tl.maximum(0, first - (S - T)) // ROWS * ROWS
    for start in range(begin, T, ROWS):
        t = start + tl.arange(0, ROWS)
        at, there = tile(start, T, D, ROWS)
        q = tl.load(query + head * T * D + at, mask=there, other=0.0)
        g = tl.load(grad + head * T * D + at, mask=there, other=0.0)
        logarithm = tl.load(log_total + head * T + t, mask=t < T, other=0.0)
        own_dot = tl.load(dot + head * T + t, mask=t < T, other=0.0)
        score = scores(q, k, t, s, T, S, True, causal, precision)
        weights = tl.exp2(scale * score - logarithm[:, None])
        turned = tl.trans(weights).to(g.dtype)
        value_sum += product(turned, g, precision)
        of_weights = product(g, tl.trans(v), precision)
        of_score = weights * (of_weights - own_dot[:, None])
        turned = tl.trans(of_score).to(q.dtype)
        key_sum += product(turned, q, precision)
    key_sum = key_sum * (scale / 1.4426950408889634)
    kind = of_key.dtype.element_ty
    tl.store(of_key + head * S * D + own, key_sum.to(kind), mask=here)
    tl.store(of_value + head * S * D + own, value_sum.to(kind), mask=here)


# Compute capability: the first GPU with tensor cores that Triton 3.9 makes use of, and
# GPUs that learners have, with the shared memory that a block may take there.
AMPERE = 80
GPUS = {"T4": 75, "A100": 80, "A10": 86, "L4": 89, "H100": 90}
SHARED_KIB = {75: 64, 80: 163, 86: 99, 89: 99, 90: 227}
ROOMY = 80, 90, 100  # others since have 99 KiB: two stages of both gradients fit there
# Before, and in float32, products are multiply-adds in registers, and 32 bits take
# twice the room: tiles for widths to 64, and to 128.
SMALL = {
    "forward_kernel": ((32, 32), (16, 32)),
    "query_kernel": ((32, 16), (16, 16)),
    "key_kernel": ((32, 32), (16, 32)),
}

# On an H100 what was fastest of those timed on one and an H200, with warps and stages
# (how many tiles of a loop are on their way at once).
FASTEST = {
    "forward_kernel": ((64, 64, 4, 3), (128, 128, 8, 3)),
    "query_kernel": ((128, 64, 8, 3), (128, 64, 8, 3)),
    "key_kernel": ((128, 64, 4, 2), (64, 64, 4, 2)),
}
SIZES = "ROWS", "COLUMNS", "num_warps", "num_stages"


def tile_sizes(
    kernel: str, capability: int, width: int, itemsize: int = 2
) -> dict[str, int]:
    """Queries and keys of a kernel's tile, warps, stages: what fits on a GPU.

    itemsize: bytes of a number.
    """
    wide = width > 64
    if capability < AMPERE or itemsize > 2:
        sizes = *SMALL[kernel][wide], 4, 3
    elif capability == GPUS["H100"]:
        sizes = FASTEST[kernel][wide]
    elif not wide:
        sizes = 64, 64, 4, 3
    else:
        much = capability in ROOMY or kernel == "forward_kernel"
        sizes = 64, 64, 8, 3 if much else 2
    return dict(zip(SIZES, sizes, strict=True))


def configurations() -> Iterator[tuple[int, str, int, int, int, int, int]]:
    """Capability, kernel, width and its ``tile_sizes`` for ``GPUS``, with 16 bits."""
    for capability, width, kernel in product_of(GPUS.values(), (64, 128), SMALL):
        yield capability, kernel, width, *tile_sizes(kernel, capability, width).values()


def capability_of(device: torch.device) -> int:
    """8.6 as 86; the interpreter, which takes any tile, has those of a T4."""
    if device.type == "cpu":
        return GPUS["T4"]
    major, minor = torch.cuda.get_device_capability(device)
    return 10 * major + minor


def launch(kernel, tensors, query, key, causal, over):
    """Run a kernel: a program for each head and each block of ``over``."""
    (Z, T, D), S = query.shape, key.shape[1]
    given = kernel.fn.__name__, capability_of(query.device), D, query.itemsize
    sizes = tile_sizes(*given)
    grid = triton.cdiv(over.shape[1], sizes["ROWS" if over is query else "COLUMNS"]), Z
    # Full precision for float32, where a GPU would take fewer bits by default.
    constants = {"causal": causal, "precision": "ieee", "D": D, **sizes}
    kernel[grid](*tensors, LOG2_E * D**-0.5, T, S, **constants)


class Kernel(torch.autograd.Function):
    @staticmethod
    def forward(ctx, query, key, value, causal):
        output = torch.empty_like(query)
        log_total = query.new_empty(query.shape[:2], dtype=torch.float32)
        tensors = query, key, value, output, log_total
        launch(forward_kernel, tensors, query, key, causal, query)
        ctx.save_for_backward(*tensors)
        ctx.causal = causal
        return output

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        query, key, value, output, log_total = ctx.saved_tensors
        grad = grad.contiguous()
        dot = (grad.float() * output.float()).sum(dim=-1)
        found = [torch.empty_like(x) for x in (query, key, value)]
        given = query, key, value, grad, log_total, dot
        launch(query_kernel, (*given, found[0]), query, key, ctx.causal, query)
        launch(key_kernel, (*given, *found[1:]), query, key, ctx.causal, key)
        return *found, None


def flash_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    *,
    causal: bool = False,
) -> tuple[torch.Tensor, None]:
    """See ``attn_course.reference.flash_attention``; without a mask.

    Shapes: query (..., T, K), key (..., S, K), value (..., S, K), K a power of 2 from
    16 to 128, in float16, bfloat16 or float32. Sums are in float32; the weights are
    rounded to the inputs' dtype before they meet the values, as fused kernels do.

    Raises:
        ValueError: a shape or dtype is not as above.
    """
    check_attention(query, key, value)
    width = query.shape[-1]
    if value.shape[-1] != width or width not in WIDTHS:
        wanted = f"the width of the query, one of {WIDTHS}"
        raise ValueError(f"value must have {wanted}, got {value.shape[-1]}")
    if query.dtype == torch.float64:
        raise ValueError("query must have at most 32 bits, got float64")
    heads = [x.reshape(-1, *x.shape[-2:]).contiguous() for x in (query, key, value)]
    return Kernel.apply(*heads, causal).view(query.shape), None
