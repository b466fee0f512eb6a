"""Runs the Triton kernel of flash attention and says where it differs: a program, for an interpreter of its own.

``TRITON_INTERPRET=1`` has to be set before Triton is imported, and TensorFlow must not be imported at all, so
``test_flash_kernel.py`` starts a process for it.
"""

from functools import partial
from itertools import product

import torch

from attn_course.mechanisms.flash import triton as kernel

B, H = 1, 2
OWN = torch.nn.functional.scaled_dot_product_attention
LENGTHS = {64: ((150, 150), (37, 101), (101, 37)), 128: ((37, 101),)}
STEP = {torch.float16: 2**-11, torch.bfloat16: 2**-8, torch.float32: 2**-20}


def cases(device):
    for dtype, width, causal in product((torch.float16, torch.bfloat16), LENGTHS, (False, True)):
        for T, S in LENGTHS[width]:
            torch.manual_seed(T)
            heads = [torch.randn(B, H, n, width, device=device).to(dtype) for n in (T, S, S)]
            yield dtype, heads, torch.randn(B, H, T, width, device=device).to(dtype), causal
    heads = [torch.randn(n, 16, device=device) for n in (19, 19, 19)]
    yield torch.float32, heads, torch.randn(19, 16, device=device), True


def with_gradients(attend, heads, weight):
    leaves = [x.detach().requires_grad_() for x in heads]
    output = attend(*leaves)
    return [output, *torch.autograd.grad((output * weight).sum(), leaves)]


def differences(device="cpu"):
    """For each case the largest error of output and gradients, in roundings of the largest number."""
    for dtype, heads, weight, causal in cases(device):
        T, S = heads[0].shape[-2], heads[1].shape[-2]
        mask = torch.ones(T, S, dtype=torch.bool, device=device).tril(S - T) if causal else None
        found = with_gradients(partial(by_kernel, causal=causal), heads, weight)
        wide = [x.double() for x in heads]
        expected = with_gradients(partial(OWN, attn_mask=mask), wide, weight.double())
        errors = [(x.double() - y).abs().max() / y.abs().max() for x, y in zip(found, expected, strict=True)]
        yield f"{dtype}, {T} x {S}, width {heads[0].shape[-1]}, causal {causal}", max(errors).item() / STEP[dtype]


def by_kernel(*heads, causal):
    return kernel.flash_attention(*heads, causal=causal)[0]


def main(device="cpu", capability=None):
    """capability: with the tiles of a GPU that is not here."""
    count = 0
    if capability is not None:
        kernel.capability_of = lambda device: capability
    for case, error in differences(device):
        assert error < 3, f"{case}: {error:.1f} roundings"
        count += 1
    for width in (8, 48, 256):
        try:
            kernel.flash_attention(*torch.zeros(3, 2, 7, width))
        except ValueError as refused:
            assert str(refused).startswith("value must have the width of the query, one of")
        else:
            raise AssertionError(width)
    print(f"{count} cases agree")
