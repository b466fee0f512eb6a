"""Programs in PyTorch, on the device that is the default."""

from types import SimpleNamespace

import numpy as np

from attn_course import pytorch
from attn_course.core.frameworks import torch
from experiments.bench.cases import RATE, given


def recurrent(width):
    """A GRU, over vectors as wide as its state."""
    return torch.nn.GRU(width, width, batch_first=True)


def convolutional(width):
    """A convolution over three positions, which keeps the width."""
    layer = torch.nn.Conv1d(width, width, 3, padding="same")
    return lambda x: (layer(x.mT).mT, None)


FACE = SimpleNamespace(
    **vars(pytorch), recurrent=recurrent, convolutional=convolutional
)


def drawer(seed=0):
    """``draw(*shape)``: normal numbers, in both frameworks the same; zeros if whole."""
    rng = np.random.default_rng(seed)

    def draw(*shape, whole=False):
        if whole:
            return torch.zeros(shape, dtype=torch.long)
        if torch.get_default_device().type == "meta":
            return torch.empty(shape)
        return torch.tensor(rng.normal(size=shape).astype(np.float32))

    return draw


def program(make, n):
    """A function of no arguments that runs ``make`` at length n, without gradients."""
    call, inputs = make(FACE, drawer(), n)
    return arrived(torch.no_grad()(lambda: call(*inputs)))


def fused(n, heads, causal=False):
    """PyTorch's own dense attention on the same numbers."""
    own = torch.nn.functional.scaled_dot_product_attention
    return program(given(lambda *x: own(*x, is_causal=causal), heads), n)


compiled = torch.no_grad()


def seed():
    """What layers draw from here on is the same."""
    torch.manual_seed(0)


def rewind(cache, length):
    """Forget what a cache holds behind so many positions."""
    cache.length = length


def training_step(layer, attend, target, reached=lambda: None):
    """A step, in which ``attend`` calls the layer; it returns what ``reached`` says."""
    optimizer = torch.optim.SGD(layer.parameters(), RATE)

    def step():
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(attend(), target, reduction="sum").backward()
        optimizer.step()
        return reached()

    return arrived(step)


def arrived(run):
    """The same run, which waits for a GPU to be done."""
    if torch.get_default_device().type != "cuda":
        return run

    def wait():
        found = run()
        torch.cuda.synchronize()
        return found

    return wait
