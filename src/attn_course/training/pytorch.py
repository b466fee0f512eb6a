"""Teacher forcing in PyTorch: the loop of every sequence-to-sequence chapter."""

import numpy as np

from attn_course.frameworks import torch
from attn_course.tasks.text import BEGIN, PAD
from attn_course.training import log_line, progress


def train(model, batches, *, steps, learning_rate=2e-3, clip=1.0, every=20):
    """Train with Adam on endless batches (``attn_course.tasks.text.Batch``).

    The loss is the cross-entropy of the next target token, averaged over the tokens
    that are not padding.
    """
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate)
    device = next(model.parameters()).device
    log, losses = [], []
    for step, batch in zip(progress(steps, "PyTorch"), batches, strict=False):
        tensors = (torch.from_numpy(array).to(device) for array in batch)
        source, mask, target_in, target_out = tensors
        logits, _ = model(source, target_in, mask)
        loss = torch.nn.functional.cross_entropy(
            logits.flatten(0, 1), target_out.flatten().long(), ignore_index=PAD
        )
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        losses.append(loss.item())
        log_line(log, losses, step, every)
    return log


@torch.no_grad()
def predict(model, examples, *, max_length, batch_size=500):
    """Greedy decoding of all examples.

    Shapes:
        returns: tokens (n, max_length) and weights (n, max_length, S);
            weights are None without attention.
    """
    device = next(model.parameters()).device
    parts = []
    for start in range(0, len(examples.source), batch_size):
        some = (array[start : start + batch_size] for array in examples[:2])
        source, mask = (torch.from_numpy(array).to(device) for array in some)
        parts.append(model.greedy(source, mask, begin=BEGIN, max_length=max_length))
    tokens, weights = (_join(part) for part in zip(*parts, strict=True))
    return tokens, weights


def _join(parts):
    """One array of NumPy out of the parts; None if there are none."""
    if parts[0] is None:
        return None
    return np.concatenate([part.cpu().numpy() for part in parts])
