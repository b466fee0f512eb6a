"""Keys in parts as one Triton kernel: a program per sequence, head of keys and part.

It reads a part's keys once for all queries of the group, where they lie in the cache,
and its values; of latents, whose values are the first columns of their keys, one read
serves both. Scores and weights live in registers. What comes out is merged by
``attn_course.core.split_keys.pytorch``.

For 16 bits, on a GPU from Ampere on, or ``TRITON_INTERPRET=1`` in the environment
before this file is imported: then Triton runs the kernel with NumPy, slowly.
"""

import math
import os

import triton
import triton.language as tl

from attn_course.core.frameworks import torch

LOG2_E = math.log2(math.e)
LOWEST = tl.constexpr(-3.0e38)  # finite: minus infinity minus itself is NaN
INTERPRETED = tl.constexpr(os.environ.get("TRITON_INTERPRET") == "1")
LARGE = 160  # KiB of shared memory of a block: an A100 and an H100 have it


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
    highest,
    total,
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
    row = (head * parts + part) * R + r
    tl.store(highest + row, top * 0.6931471805599453, mask=r < R)
    tl.store(total + row, summed, mask=r < R)
    tl.store(context + row[:, None] * D + d[None], found, mask=here)


def fits(query, key, value) -> bool:
    """Whether the kernel is for this GPU, and for heads of these widths."""
    V, E = value.shape[-1], key.shape[-1] - value.shape[-1]
    wide = 16 <= V <= 512 and E in (0, 16, 32, 64, 128) and V & (V - 1) == 0
    rows = key.stride(-1) == value.stride(-1) == 1  # of the cache, each in one piece
    capable = torch.cuda.get_device_capability(key.device) >= (8, 0)
    return wide and rows and key.element_size() == 2 and capable


def tile_sizes(rows: int, width: int, shared: bool, kib: int) -> dict[str, int]:
    """A program's tile, what fits in the registers and so many KiB of a block.

    Few keys at a time where they are wide; the rows of a group together.
    """
    narrow, wide = width <= 128, width == 512
    tall = 32 if rows > 16 and (not wide or kib >= LARGE) else 16
    return {
        "ROWS": tall,
        "COLUMNS": 64 if narrow else 16 if wide and not shared else 32,
        "num_warps": 8 if tall * width > 8192 else 4,
        "num_stages": 3 if narrow else 2,  # while one tile is used others are read
    }


def of_parts(query, key, value, mask, scale, parts):
    """As ``split_keys.pytorch.of_parts``: (B, G, N, R, 1), and (B, G, N, R, V)."""
    (B, G, R, K), S, V = query.shape, key.shape[2], value.shape[-1]
    shared = key.data_ptr() == value.data_ptr() and key.stride() == value.stride()
    sizes = tile_sizes(R, V, shared, shared_kib(key.device))
    size = triton.cdiv(triton.cdiv(S, parts), sizes["COLUMNS"]) * sizes["COLUMNS"]
    parts = triton.cdiv(S, size)
    place = {"dtype": torch.float32, "device": query.device}
    highest, total = torch.empty(2, B, G, parts, R, 1, **place)
    context = torch.empty(B, G, parts, R, V, **place)
    masked = mask is not None
    seen = mask.expand(B, G, R, S).view(torch.uint8) if masked else highest
    strides = *key.stride()[:3], *value.stride()[:3]
    strides += seen.stride() if masked else (0, 0, 0, 0)
    tensors = query.contiguous(), key, value, seen, highest, total, context
    constants = {"D": V, "E": K - V, "shared": shared, "masked": masked, **sizes}
    grid = triton.cdiv(R, sizes["ROWS"]), parts, B * G
    numbers = scale * LOG2_E, G, R, S, size, *strides
    with torch.cuda.device_of(key):  # Triton takes the GPU that is the current one
        part_kernel[grid](*tensors, *numbers, **constants)
    return highest, total, context


def shared_kib(device) -> int:
    """KiB of shared memory that a block may have."""
    if device.type == "cpu":
        return LARGE
    return torch.cuda.get_device_properties(device).shared_memory_per_block_optin >> 10
