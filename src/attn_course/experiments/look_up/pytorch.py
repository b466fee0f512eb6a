"""The learned look-up in PyTorch."""

from attn_course.dot_product.pytorch import scaled_dot_product_attention
from attn_course.experiments.look_up import BATCH, RATE, grouped, start
from attn_course.frameworks import torch
from attn_course.tasks.look_up import look_ups
from attn_course.training import progress


def look(parameters, names, values, asked, *, scale):
    """The logits (B, values) of what is kept under the name that is asked for."""
    query = parameters["query"][asked][:, None]
    key, value = parameters["key"][names], parameters["value"][values]
    found, _ = scaled_dot_product_attention(query, key, value, scale=scale)
    return found[:, 0] @ parameters["output"]


def train(scale, *, width, steps, seed=0, every=50):
    """Share of right answers while it learns, one number for every ``every`` steps."""
    drawn = start(width, seed)
    parameters = {k: torch.from_numpy(x).requires_grad_() for k, x in drawn.items()}
    optimizer = torch.optim.Adam(parameters.values(), lr=RATE)
    right = []
    for _, batch in zip(progress(steps, "PyTorch"), look_ups(BATCH), strict=False):
        *question, answer = map(torch.from_numpy, batch)
        logits = look(parameters, *question, scale=scale)
        loss = torch.nn.functional.cross_entropy(logits, answer)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        right.append((logits.argmax(dim=-1) == answer).float().mean().item())
    return grouped(right, every)
