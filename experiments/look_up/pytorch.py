"""The learned look-up in PyTorch."""

import numpy as np

from attn_course.core.frameworks import torch
from attn_course.course.training import pytorch as loop
from attn_course.mechanisms.dot_product.pytorch import scaled_dot_product_attention
from attn_course.tasks.look_up import look_ups
from experiments.look_up import BATCH, RATE, start


def look(parameters, names, values, asked, *, scale):
    """The logits (B, values) of what is kept under the name that is asked for."""
    query = parameters["query"][asked][:, None]
    key, value = parameters["key"][names], parameters["value"][values]
    found, _ = scaled_dot_product_attention(query, key, value, scale=scale)
    return found[:, 0] @ parameters["output"]


def train(scale, *, width, steps, seed=0, rate=RATE, every=50):
    """Share of right answers while it learns, one number for every ``every`` steps."""
    drawn = start(width, seed)
    model = torch.nn.ParameterDict({k: torch.from_numpy(x) for k, x in drawn.items()})

    def right(model, *question):
        *question, answer = question
        logits = look(model, *question, scale=scale)
        loss = torch.nn.functional.cross_entropy(logits, answer)
        return loss, (logits.argmax(dim=-1) == answer).float().mean()

    options = {"steps": steps, "rate": rate, "every": every}
    log = loop.train(model, look_ups(BATCH, seed=seed), right, **options)
    return np.array([line.score for line in log])
