"""Keys in parts as one Triton kernel: a program per sequence, head of keys and part.

It reads a part's keys once for all queries of the group, where they lie in the cache,
and its values; of latents, whose values are the first columns of their keys, one read
serves both. Scores and weights live in registers. What comes out, of each part its
output and the logarithm of its sum of exponentials, is merged by a softmax and one
product: each kernel more is one more that Python has to start.

For 16 bits, on a GPU from Ampere on, or ``TRITON_INTERPRET=1`` in the environment
before this file is imported: then Triton runs the kernel with NumPy, slowly.
"""

import math
import os
from functools import cache

import triton
import triton.language as tl

from attn_course.core.frameworks import torch

LOG2_E = math.log2(math.e)
LOWEST = tl.constexpr(-3.0e38)  # finite: minus infinity minus itself is NaN
INTERPRETED = tl.constexpr(os.environ.get("TRITON_INTERPRET") == "1")
LARGE, LARGEST = 160, 220  # KiB of shared memory of a block: of an A100, of an H100


@triton.jit
def product(a, b):
    """a @ b, summed in float32."""
    if INTERPRETED:  # which has no product of bfloat16; widening loses nothing
        a, b = a.to(tl.float32), b.to(tl.float32)
    return tl.dot(a, b)


@triton.jit
def part_kernel(
    query,
    key,
    value,
    mask,
    log_total,
    context,
    scale,
    G,
    R,
    S,
    size,
    key_b,
    key_g,
    key_s,
    value_b,
    value_g,
    value_s,
    mask_b,
    mask_g,
    mask_r,
    mask_s,
    D: tl.constexpr,
    E: tl.constexpr,
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
    shared: tl.constexpr,
    masked: tl.constexpr,
):
    """Some rows of one head over one part; keys are D + E wide, values D."""
    part, head = tl.program_id(1), tl.program_id(2).to(tl.int64)
    b, g, parts = head // G, head % G, tl.num_programs(1)
    r, d = tl.program_id(0) * ROWS + tl.arange(0, ROWS), tl.arange(0, D)
    here = r[:, None] < R
    own = query + head * R * (D + E) + r[:, None] * (D + E)
    q = tl.load(own + d[None], mask=here, other=0.0)
    if E > 0:  # a product wants a power of 2, which 512 + 64 columns are not
        e = D + tl.arange(0, E)
        q_end = tl.load(own + e[None], mask=here, other=0.0)
    key += b * key_b + g * key_g
    value += b * value_b + g * value_g
    mask += b * mask_b + g * mask_g
    top = tl.full((ROWS,), LOWEST, tl.float32)
    summed = tl.zeros((ROWS,), tl.float32)
    found = tl.zeros((ROWS, D), tl.float32)
    end = tl.minimum(S, (part + 1) * size)
    for start in range(part * size, end, COLUMNS):
        s = (start + tl.arange(0, COLUMNS)).to(tl.int64)
        there = s[:, None] < end
        k = tl.load(key + s[:, None] * key_s + d[None], mask=there, other=0.0)
        score = product(q, tl.trans(k))
        if E > 0:
            at = key + s[:, None] * key_s + e[None]
            score += product(q_end, tl.trans(tl.load(at, mask=there, other=0.0)))
        allowed = here & (s[None] < end)
        if masked:
            at = mask + r[:, None] * mask_r + s[None] * mask_s
            allowed = allowed & (tl.load(at, mask=allowed, other=0) != 0)
        score = tl.where(allowed, score * scale, float("-inf"))
        v = k
        if not shared:
            v = tl.load(value + s[:, None] * value_s + d[None], mask=there, other=0.0)
        new = tl.maximum(top, tl.max(score, 1))
        kept = tl.exp2(top - new)
        weight = tl.exp2(score - new[:, None])
        summed = kept * summed + tl.sum(weight, 1)
        found = kept[:, None] * found + product(weight.to(v.dtype), v)
        top = new
    row = (head * R + r) * parts + part
    summed = tl.where(summed == 0.0, 1.0, summed)  # of keys that nobody sees
    logarithm = (top + tl.log2(summed)) * 0.6931471805599453
    tl.store(log_total + row, logarithm, mask=r < R)
    at = row[:, None] * D + d[None]
    tl.store(context + at, found / summed[:, None], mask=here)


def fits(query, key, value) -> bool:
    """Whether the kernel is for this GPU, and for heads of these widths."""
    V, E = value.shape[-1], key.shape[-1] - value.shape[-1]
    wide = 16 <= V <= 512 and E in (0, 16, 32, 64, 128) and V & (V - 1) == 0
    rows = key.stride(-1) == value.stride(-1) == 1  # of the cache, each in one piece
    return wide and rows and key.element_size() == 2 and capability(key.device) >= 8


def tile_sizes(rows: int, width: int, shared: bool, kib: int) -> dict[str, int]:
    """A program's tile, which fits in the registers and so many KiB of a block.

    The rows of a group together; few keys at a time where they are wide. Timed on an
    H200; what an A100 takes is chosen alike, and not timed.
    """
    tall = 32 if rows > 16 and (width < 512 or kib >= LARGE) else 16
    if width <= 128:
        columns, ahead = 64, 3
    elif width < 512:
        columns, ahead = 32, 2
    elif not shared:
        columns, ahead = 16, 2
    elif kib >= LARGEST:
        columns, ahead = 64, 2
    elif kib >= LARGE:
        columns, ahead = 32, 3
    else:
        columns, ahead = 32, 2
    sizes = {"ROWS": tall, "COLUMNS": columns}
    return sizes | {"num_warps": 4, "num_stages": ahead}  # tiles on their way


def attend_in_parts(query, key, value, mask, scale, parts):
    """As ``split_keys.pytorch.attend_in_parts``, where ``fits`` says so."""
    (B, G, R, K), S, V = query.shape, key.shape[2], value.shape[-1]
    shared = key.data_ptr() == value.data_ptr() and key.stride() == value.stride()
    sizes = tile_sizes(R, V, shared, shared_kib(key.device))
    size = triton.cdiv(triton.cdiv(S, parts), sizes["COLUMNS"]) * sizes["COLUMNS"]
    parts = triton.cdiv(S, size)
    place = {"dtype": torch.float32, "device": query.device}
    log_total = torch.empty(B, G, R, 1, parts, **place)
    context = torch.empty(B, G, R, parts, V, **place)
    masked = mask is not None
    seen = mask.expand(B, G, R, S).view(torch.uint8) if masked else log_total
    strides = *key.stride()[:3], *value.stride()[:3]
    strides += seen.stride() if masked else (0, 0, 0, 0)
    tensors = query.contiguous(), key, value, seen, log_total, context
    constants = {"D": V, "E": K - V, "shared": shared, "masked": masked, **sizes}
    grid = triton.cdiv(R, sizes["ROWS"]), parts, B * G
    numbers = scale * LOG2_E, G, R, S, size, *strides
    with torch.cuda.device_of(key):  # Triton takes the GPU that is the current one
        part_kernel[grid](*tensors, *numbers, **constants)
    # A part without a key has weight 0, or, where all have none, an output of 0.
    return (log_total.softmax(-1) @ context)[..., 0, :].to(query.dtype)


@cache
def capability(device) -> int:
    """The GPU's generation, 9 of an H100."""
    return torch.cuda.get_device_capability(device)[0]


@cache
def shared_kib(device) -> int:
    """KiB of shared memory that a block may have."""
    if device.type == "cpu":
        return LARGE
    return torch.cuda.get_device_properties(device).shared_memory_per_block_optin >> 10
