"""Teacher forcing in PyTorch: the loop of every sequence-to-sequence chapter."""

import numpy as np

from attn_course.frameworks import torch
from attn_course.tasks.text import BEGIN, PAD
from attn_course.training import log_line, progress


def train(model, batches, *, steps, learning_rate=2e-3, clip=1.0, every=20):
    """Train with Adam on endless batches (see ``attn_course.tasks.text.Batch``); returns the log.

    The loss is the cross-entropy of the next target token, averaged over the tokens that are not padding.
    """
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate)
    device = next(model.parameters()).device
    log, losses = [], []
    for step, batch in zip(progress(steps, "PyTorch"), batches, strict=False):
        source, mask, target_in, target_out = (torch.from_numpy(array).to(device) for array in batch)
        logits, _ = model(source, target_in, mask)
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), target_out.flatten().long(), ignore_index=PAD)
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
        returns: tokens (n, max_length) and weights (n, max_length, S), or None without attention.
    """
    device = next(model.parameters()).device
    parts = []
    for start in range(0, len(examples.source), batch_size):
        source, mask = (torch.from_numpy(a[start : start + batch_size]).to(device) for a in examples[:2])
        parts.append(model.greedy(source, mask, begin=BEGIN, max_length=max_length))
    tokens, weights = zip(*parts, strict=True)
    weights = None if weights[0] is None else np.concatenate([part.cpu().numpy() for part in weights])
    return np.concatenate([part.cpu().numpy() for part in tokens]), weights
