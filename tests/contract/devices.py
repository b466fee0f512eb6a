"""A layer or function on another device: what the specification says there, and the gradients that a CPU finds."""

import numpy as np
from cases import flat, plain, specified
from support import numbers

from attn_course.frameworks import torch

# Of an output or a gradient as a whole: its error's norm by its own.
CLOSE = {"float32": 1e-5, "bfloat16": 0.05, "float16": 0.01}


def near(found, expected, tolerance):
    """A gradient may be zero but for rounding, as that of the keys' bias: the largest of all says what is small."""
    assert len(found) == len(expected)
    floor = 0.01 * max([np.linalg.norm(other) for other in expected if other is not None], default=0)
    for one, other in zip(found, expected, strict=True):
        if other is None:
            assert one is None
            continue
        error = np.linalg.norm(numbers(one) - other) / max(np.linalg.norm(other), floor, 1e-6)
        assert error < tolerance, f"relative error {error:.1e}"


def on(device, case, dtype):
    """The item of a case and the arguments of a call, on a device."""
    item = case.build("pytorch", dtype)
    if case.layer:
        item = item.to(device)
    return item, [x.to(device) for x in case.values("pytorch", mask=case.mask, dtype=dtype)]


def agrees(device, case, dtype):
    """Outputs are there, in the dtype, and as the specification says."""
    item, values = on(device, case, dtype)
    found = flat(item(*values))
    kept = [x for x in found if x is not None]
    assert {(x.device.type, x.dtype) for x in kept} == {(torch.device(device).type, getattr(torch, dtype))}
    near(found, plain(specified(case, item, case.inputs, case.mask)), CLOSE[dtype])


def outputs_and_slopes(item, values):
    """All outputs, and the gradients of the sum of their squares, to every real input and to what is learned."""
    leaves = [x.requires_grad_() for x in values if x.is_floating_point()]
    leaves += list(item.parameters()) if isinstance(item, torch.nn.Module) else []
    outputs = flat(item(*values))
    total = sum(x.square().sum() for x in outputs if x is not None and x.requires_grad)
    if not torch.is_tensor(total):
        return plain(outputs), []
    found = torch.autograd.grad(total, leaves, allow_unused=True)
    return plain(outputs), plain([torch.zeros_like(x) if g is None else g for x, g in zip(leaves, found, strict=True)])


def slopes(item, values):
    """The gradients alone."""
    return outputs_and_slopes(item, values)[1]


def compiles(device, case):
    """As one graph of machine code, in float32: what the specification says, and the gradients of the item as it is."""
    item, values = on(device, case, "float32")
    compiled = torch.compile(item, fullgraph=True, dynamic=False)
    found, learned = outputs_and_slopes(compiled, values)
    near(found, plain(specified(case, item, case.inputs, case.mask)), CLOSE["float32"])
    near(learned, slopes(item, values), 1e-4)


def has_gradients(device, case):
    """In float32, as on a CPU in float64 with the same parameters."""
    item, values = on(device, case, "float32")
    found = slopes(item, values)
    twin = item.to("cpu", torch.float64) if case.layer else item
    near(found, slopes(twin, [x.detach().cpu().double() if x.is_floating_point() else x.cpu() for x in values]), 1e-3)
