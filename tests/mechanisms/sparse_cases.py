"""What the tests of the sparse patterns share: every pattern with its sizes, and its inputs."""

import numpy as np

from attn_course import masks, pytorch, reference, tf
from attn_course.frameworks import tf as tensorflow
from attn_course.frameworks import torch

B, H, K, V = 2, 4, 3, 5
LENGTHS = ((1, 1), (53, 53), (7, 41), (41, 7))


def layout_of(T, S, block_size, seed=0):
    """A layout with an empty row, a full one and others between."""
    layout = np.random.default_rng(seed).random((-(-T // block_size), -(-S // block_size))) < 0.4
    layout[0], layout[-1] = False, True
    return layout


def patterns(T, S):
    """Name, arguments, and the mask, for T queries and S keys: causal and not."""
    for causal in (False, True):
        either = {"causal": causal}
        for window in (1, 17, 200):
            yield (
                "sliding_window_attention",
                {"window": window} | either,
                masks.sliding_window_mask(T, S, window, causal),
            )
        for window, dilation in ((3, 1), (3, 5), (2, 150)):
            given = {"window": window, "dilation": dilation} | either
            yield "dilated_window_attention", given, masks.dilated_window_mask(T, S, **given)
        for positions in ((), (0,), (S - 1, S // 2, 0, 0)):
            given = {"window": 4, "positions": positions} | either
            yield "longformer_attention", given, masks.longformer_mask(T, S, **given)
        for stride in (1, 5, 150):
            given = {"stride": stride} | either
            yield "strided_attention", given, masks.strided_mask(T, S, **given)
            row = masks.sliding_window_mask(T, S, stride + 1, causal)
            column = masks.dilated_window_mask(T, S, max(T, S), stride, causal)
            split = np.stack([row] * (H // 2) + [column] * (H // 2))
            yield "strided_attention", given | {"heads": "split"}, split
            for summary in {1, (stride + 1) // 2, stride}:
                given = {"stride": stride, "summary": summary} | either
                yield "fixed_attention", given, masks.fixed_mask(T, S, **given)
        for block_size in (1, 4, 150):
            given = {"layout": layout_of(T, S, block_size), "block_size": block_size} | either
            yield "block_sparse_attention", given, masks.block_mask(T, S, **given)
    for block_size, num_random in ((2, 3), (5, 0), (5, 2), (150, 1)):
        given = {"block_size": block_size, "num_random": num_random, "seed": 3}
        yield "big_bird_attention", given, masks.big_bird_mask(T, S, **given)


def draw(T, S, value_dim=V):
    """Query, key, value, and a padding with a hole, one whose row sees nothing."""
    rng = np.random.default_rng(T + 7 * S)
    inputs = [rng.normal(size=(B, H, *shape)) for shape in ((T, K), (S, K), (S, value_dim))]
    padding = np.arange(S) < np.array([[S], [0]])
    padding[0, S // 3 :: 4] = False
    return inputs, padding[:, None, None]


def dense(inputs, pattern, padding=None):
    """Attention with a mask: forms all scores."""
    mask = pattern.reshape((1,) * (4 - pattern.ndim) + pattern.shape)
    mask = mask if padding is None else mask & padding
    return reference.scaled_dot_product_attention(*inputs, mask)


def run_torch(name, given, inputs, padding=None, weight=None):
    """The output, and with a weight the gradients of its weighted sum."""
    tensors = [torch.tensor(x, requires_grad=weight is not None) for x in inputs]
    found, weights = getattr(pytorch, name)(*tensors, mask=padding, **given)
    assert weights is None
    if weight is None:
        return found.numpy(), None
    (found * torch.tensor(weight)).sum().backward()
    return found.detach().numpy(), [x.grad.numpy() for x in tensors]


def run_tf(name, given, inputs, padding=None, weight=None):
    tensors = [tensorflow.constant(x) for x in inputs]
    with tensorflow.GradientTape() as tape:
        tape.watch(tensors)
        found, weights = getattr(tf, name)(*tensors, mask=padding, **given)
        loss = found if weight is None else tensorflow.reduce_sum(found * weight)
    assert weights is None
    if weight is None:
        return found.numpy(), None
    return found.numpy(), [x.numpy() for x in tape.gradient(loss, tensors)]


RUN = {"pytorch": run_torch, "tf": run_tf}
