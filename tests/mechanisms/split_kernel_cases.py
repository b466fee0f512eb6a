"""Runs and compiles the Triton kernel of keys in parts: a program, for an interpreter of its own.

``TRITON_INTERPRET=1`` has to be set before Triton is imported, and TensorFlow must not be imported at all, so
``test_split_kernel.py`` starts a process for it.
"""

import inspect

import torch

from attn_course import pytorch
from attn_course.core.split_keys import pytorch as split, triton as kernel

STEP = {torch.float16: 2**-11, torch.bfloat16: 2**-8}
B, H, S, ROOM = 2, 6, 150, 170


def attend(inputs, parts, **options):
    """By the kernel where there are parts, else the formula in float64."""
    split.parts_of = lambda *inputs: parts
    split.kernel_for = lambda *inputs: kernel if parts else None
    if not parts:
        inputs = [x.double() for x in inputs]
    return pytorch.grouped_query_attention(*inputs, need_weights=not parts, **options)[0]


def masks(T):
    some = torch.rand(B, H, T, S) < 0.5
    some[0, :, -1] = False  # a row that sees nothing
    some[1, :, :, :70] = False  # and whole parts
    return None, torch.arange(S) < torch.tensor([9, 120])[:, None, None, None], some


def caches(G, width, *place):
    """Keys and values in the order of a cache that has more room; several heads also as a projection leaves them."""
    yield [torch.randn(B, G, ROOM, width).to(*place)[:, :, :S] for _ in range(2)]
    if G > 1:
        yield [torch.randn(B, S, G, width).to(*place).transpose(1, 2) for _ in range(2)]


def differences(device="cpu"):
    """For each case the largest error, in roundings of the largest number."""
    torch.manual_seed(0)
    for dtype in STEP:
        for G, T, width in ((1, 1, 64), (3, 4, 16), (1, 7, 16)):
            for key, value in caches(G, width, device, dtype):
                inputs = (3 * torch.randn(B, H, T, width)).to(device, dtype), key, value
                for mask in masks(T):
                    mask = mask if mask is None else mask.to(device)
                    yield f"{dtype}, {G} heads, {T} queries", *compared(inputs, {"mask": mask, "causal": True})
        latents = torch.randn(B, 1, ROOM, 48, device=device).to(dtype)[:, :, :S]
        inputs = torch.randn(B, H, 2, 48, device=device).to(dtype), latents, latents[..., :32]
        yield f"{dtype}, latents", *compared(inputs, {"causal": True, "scale": 0.3})


def compared(inputs, options):
    expected = attend(inputs, None, **options)
    for parts in (1, 40):  # 40 would be too short: 3 of a tile each
        found = attend(inputs, parts, **options)
        assert found.dtype == inputs[0].dtype
        error = (found.double() - expected).abs().max() / expected.abs().max()
        yield error.item() / STEP[found.dtype]


def main(device="cpu"):
    count = 0
    for case, *errors in differences(device):
        assert max(errors) < 3, f"{case}: {max(errors):.1f} roundings"
        count += len(errors)
    print(f"{count} cases agree")


LIMITS = {80: 163, 86: 99, 89: 99, 90: 227}  # capability: KiB of shared memory of a block
WIDTHS = {  # rows, width of values, columns more of the keys, values in the keys, mask
    "multi-query": (32, 64, 0, False, False),
    "groups of 4": (4, 128, 0, False, True),
    "wide": (8, 256, 0, False, False),
    "latents": (32, 512, 64, True, False),
    "apart": (32, 512, 0, False, True),
}


def compiled():
    """What the compiler makes of the kernel: KiB of shared memory, spilled bytes, and products on tensor cores."""
    from experiments.kernels import TENSOR_CORE, ASTSource, GPUTarget, resources, triton

    others = {"mask": "*u8", "log_total": "*fp32", "context": "*fp32", "scale": "fp32"}
    others |= dict.fromkeys(("query", "key", "value"), "*fp16")
    names = inspect.signature(kernel.part_kernel.fn).parameters
    # As a launch has it: what begins at multiples of 16 bytes, row by row, is fetched ahead, into shared memory.
    even = [i for i, name in enumerate(names) if name.startswith(("query", "key", "value", "context"))]
    attributes = {(i,): [["tt.divisibility", 16]] for i in even}
    for capability, kib in LIMITS.items():
        for case, (rows, D, E, shared, masked) in WIDTHS.items():
            if capability < 90 and case not in ("multi-query", "latents"):
                continue
            sizes = kernel.tile_sizes(rows, D, shared, kib)
            options = {name: sizes.pop(name) for name in ("num_warps", "num_stages")}
            constants = {"D": D, "E": E, "shared": shared, "masked": masked, **sizes}
            signature = {name: others.get(name, "i32") for name in names} | dict.fromkeys(constants, "constexpr")
            source = ASTSource(kernel.part_kernel, signature, constants, attributes)
            found = triton.compile(source, target=GPUTarget("cuda", capability, 32), options=options)
            used, products = resources(found.asm["cubin"]), len(TENSOR_CORE.findall(found.asm["ptx"]))
            row = f"{case} for {capability}: {found.metadata.shared / 1024:.0f} KiB, {used['STACK']} spilled"
            assert found.metadata.shared <= 1024 * kib and used["STACK"] <= 256 and products, row
            print(row)
