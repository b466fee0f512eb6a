"""The training loop of every chapter in PyTorch; greedy decoding of many rows."""

import numpy as np

from attn_course.core.frameworks import torch
from attn_course.course.training import as_arrays, log_line, progress, short
from attn_course.tasks.text import BEGIN, PAD


def train(
    model,
    batches,
    loss,
    *,
    steps,
    rate,
    betas=(0.9, 0.999),
    clip=None,
    schedule=None,
    every=20,
):
    """Train with Adam on endless batches of arrays; returns the log.

    loss: of the model and a batch's tensors. It returns the loss, or the loss and a
    score to log beside it. betas: Adam's. clip: the most that the norm of all
    gradients may be.
    schedule: of the step, the number of steps and the rate; returns the step's rate.
    """
    optimizer = torch.optim.Adam(model.parameters(), lr=rate, betas=betas)
    device = next(model.parameters()).device
    steps, log, seen = short(steps), [], []
    for step, batch in zip(progress(steps, "PyTorch"), batches, strict=False):
        if schedule is not None:
            optimizer.param_groups[0]["lr"] = schedule(step, steps, rate)
        found = loss(model, *(torch.from_numpy(array).to(device) for array in batch))
        found = found if isinstance(found, tuple) else (found,)
        optimizer.zero_grad()
        found[0].backward()
        if clip is not None:
            torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        seen.append([x.item() for x in found])
        if step % every == 0 or step == steps:
            log_line(log, seen, step)
    return log


def class_loss(logits, targets, skip=None):
    """Mean cross-entropy of classes (...) under logits (..., N), but for ``skip``."""
    left_out = {} if skip is None else {"ignore_index": skip}
    logits, targets = logits.flatten(0, -2), targets.flatten()
    return torch.nn.functional.cross_entropy(logits, targets, **left_out)


def scored(logits, targets):
    """``class_loss``, and the share of classes whose logit is the largest."""
    right = logits.argmax(dim=-1) == targets
    return class_loss(logits, targets), right.float().mean()


def token_loss(model, source, mask, target_in, target_out):
    """The cross-entropy of the next target token with teacher forcing.

    A mean over the tokens that are not padding; ``attn_course.tasks.text.Batch``.
    """
    logits, _ = model(source, target_in, mask)
    return torch.nn.functional.cross_entropy(
        logits.flatten(0, 1), target_out.flatten().long(), ignore_index=PAD
    )


@torch.no_grad()
def read(model, *arrays):
    """What a model gives for some arrays: an array, or a tuple of several."""
    return as_arrays(model(*map(torch.from_numpy, arrays)))


@torch.no_grad()
def guessed(model, inputs, targets):
    """A model's first output, logits (..., N), and nats of targets (...): arrays."""
    logits, chosen = model(torch.from_numpy(inputs))[0], torch.from_numpy(targets)
    nats = -logits.log_softmax(dim=-1).gather(-1, chosen[..., None])[..., 0]
    return logits.numpy(), nats.numpy()


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
