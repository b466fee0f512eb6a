"""The decoder of ``experiments.ailing`` in PyTorch, and its runs."""

import numpy as np
import torch
from torch.nn import functional as F

from experiments.ailing import HALF, HEADS, ROWS, STEPS, TOKENS, WIDTH, T


class Block(torch.nn.Module):
    def __init__(self, cause, last):
        super().__init__()
        self.cause = cause
        self.maps = torch.nn.Parameter(torch.randn(3, WIDTH, WIDTH) / WIDTH**0.5)
        self.output = torch.nn.Parameter(torch.randn(WIDTH, WIDTH) / WIDTH**0.5)
        alive = torch.ones(HEADS, 1, 1)
        alive[-1] = float(not (last and cause == "dead head"))
        self.register_buffer("alive", alive)

    def forward(self, x, past=None):
        """``past``: keys and values of the rows before; all so far are in ``kept``."""
        own = x if self.cause == "norm misplaced" else F.layer_norm(x, x.shape[-1:])
        query, key, value = (
            (own @ each).unflatten(-1, (HEADS, -1)).transpose(1, 2)
            for each in self.maps
        )
        if past is not None:
            key, value = torch.cat([past[0], key], 2), torch.cat([past[1], value], 2)
        self.kept = key, value
        score = query @ key.transpose(2, 3)
        if self.cause != "scale missing":
            score = score / key.shape[-1] ** 0.5
        ahead = key.shape[2] - query.shape[2] + (self.cause == "leaking mask")
        seen = torch.ones(score.shape[-2:], dtype=torch.bool).tril(ahead)
        self.weights = score.masked_fill(~seen, -torch.inf).softmax(-1)
        self.heads = self.weights @ value * self.alive
        if self.heads.requires_grad:
            self.heads.retain_grad()
        x = x + self.heads.transpose(1, 2).flatten(2) @ self.output
        return F.layer_norm(x, x.shape[-1:]) if self.cause == "norm misplaced" else x


class Model(torch.nn.Module):
    def __init__(self, cause):
        super().__init__()
        self.cause = cause
        self.tokens = torch.nn.Parameter(torch.randn(TOKENS, WIDTH))
        self.places = torch.nn.Parameter(torch.randn(T + 1, WIDTH))
        self.blocks = torch.nn.ModuleList(
            [Block(cause, last) for last in (False, True)]
        )
        self.logits = torch.nn.Parameter(torch.zeros(WIDTH, TOKENS))

    def forward(self, tokens, past=None):
        """``past``: what each block has kept of the tokens before."""
        done = 0 if past is None else past[0][0].shape[2]
        if done and self.cause == "cache off by one":
            done = done + 1
        x = self.tokens[tokens] + self.places[done : done + tokens.shape[1]]
        self.norms = [x.norm(dim=-1).mean()]
        for place, block in enumerate(self.blocks):
            x = block(x, None if past is None else past[place])
            self.norms.append(x.norm(dim=-1).mean())
        return F.layer_norm(x, x.shape[-1:]) @ self.logits


def drawn(generator):
    return torch.randint(TOKENS, (ROWS, HALF), generator=generator).repeat(1, 2)


def errors(model, generator, cache):
    """The share of tokens that it says wrong when it goes on by itself.

    cache: whether it is given the last token and what is kept of the others, or all.
    """
    right = drawn(generator)
    said = new = right[:, :HALF]
    past = None
    for _ in range(HALF):
        logits = model(new, past) if cache else model(said)
        past = [block.kept for block in model.blocks]
        new = logits[:, -1:].argmax(-1)
        said = torch.cat([said, new], dim=1)
    return (said != right)[:, HALF:].float().mean().item()


def entropy(model):
    """The mean entropy of the last rows of all maps, as a share of the largest."""
    rows = torch.cat([block.weights[:, :, -1].flatten(0, 1) for block in model.blocks])
    return (-(rows * rows.clamp_min(1e-9).log()).sum(-1).mean() / np.log(T)).item()


def readings(cause, seed):
    """Train once; what can be seen of the run.

    loss: in nats, every 20 steps; half of the tokens are drawn.
    entropy: of the maps before the
    first step, of 1. maps (blocks, heads, T, T), gradients (blocks, heads): the size of
    the gradient that reaches each head; norms: of the stream before, between and after
    the blocks. free, cached: shares of wrong tokens without and with a cache.
    """
    torch.manual_seed(seed)
    generator, model = torch.Generator().manual_seed(seed), Model(cause)
    optimizer, losses, start = torch.optim.Adam(model.parameters(), 3e-3), [], None
    for step in range(STEPS):
        tokens = drawn(generator)
        given, wanted = tokens[:, :-1], tokens[:, 1:]
        wanted = given if cause == "shift by one" else wanted
        logits = model(given)
        start = entropy(model) if start is None else start
        loss = F.cross_entropy(logits.flatten(0, 1), wanted.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses += [loss.item()] if step % 20 == 0 else []
    gradients = [
        [
            (block.alive[head] * block.heads.grad[:, head]).norm().item()
            for head in range(HEADS)
        ]
        for block in model.blocks
    ]
    with torch.no_grad():
        maps = [block.weights[0].numpy().round(3).tolist() for block in model.blocks]
        norms = [each.item() for each in model.norms]
        free = errors(model, generator, cache=False)
        cached = errors(model, generator, cache=True)
    found = {"loss": losses, "entropy": start, "maps": maps, "gradients": gradients}
    return found | {"norms": norms, "free": free, "cached": cached}
