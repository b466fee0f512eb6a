"""A language model of bytes at rates that are too high, with and without tamed scores.

Two widths, five learning rates, three kinds: plain, the norm of queries and keys, and
capped scores. No warm-up, no decay, no clipping: what keeps the scores small is the
part alone. The largest score of any pair is kept over the training. PyTorch.

python -m experiments.taming --seeds 0 1 2
"""

from attn_course.core.frameworks import torch
from attn_course.course.labs.uptrain import batches
from attn_course.pytorch import (
    CappedSoftmax,
    Encoder,
    MultiHeadAttention,
    QueryKeyNorm,
    RotaryEncoding,
)
from attn_course.tasks.topics import load_topics
from experiments import run_plan

STEPS, LENGTH, BATCH, EVERY = 200, 48, 8, 10
WIDTHS, RATES = (32, 96), (3e-3, 1e-2, 3e-2, 1e-1, 3e-1)
KINDS, CAP, HEAD = ("plain", "norm", "cap"), 20.0, 16


class Watched(torch.nn.Module):
    """Another softmax, and the largest score that it was given."""

    def __init__(self, kind):
        super().__init__()
        self.softmax = CappedSoftmax(CAP) if kind == "cap" else None
        self.largest = 0.0

    def forward(self, score, mask=None):
        self.largest = float(score.detach().abs().max())
        if self.softmax is not None:
            return self.softmax(score, mask)
        return torch.softmax(score.masked_fill(~mask, -torch.inf), dim=-1)


class Model(torch.nn.Module):
    """Bytes (B, T) -> logits (B, T, 256): two layers, pre-norm, with RoPE."""

    def __init__(self, width, kind):
        super().__init__()
        self.watched = torch.nn.ModuleList(Watched(kind) for _ in range(2))
        self.embedding = torch.nn.Embedding(256, width)
        self.output = torch.nn.Linear(width, 256)

        def attention(number):
            norm = QueryKeyNorm(HEAD) if kind == "norm" else None
            parts = {"rotary": RotaryEncoding(HEAD), "query_key_norm": norm}
            parts["softmax"] = self.watched[number]
            return MultiHeadAttention(width, width // HEAD, **parts)

        options = {"norm": "pre", "attention": attention}
        self.encoder = Encoder(2, width, width // HEAD, 4 * width, **options)

    def forward(self, tokens):
        return self.output(self.encoder(self.embedding(tokens), causal=True)[0])

    def largest(self):
        return max(part.largest for part in self.watched)


def run(width, rate, kind, seed):
    """One training: the loss of its last tenth, and the largest scores on its way."""
    torch.manual_seed(seed)
    model, losses, largest = Model(width, kind), [], []
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    data = batches(load_topics("train"), seed=seed, length=LENGTH, count=BATCH)
    for step, batch in zip(range(STEPS), data, strict=False):
        tokens, targets = (torch.from_numpy(x).long() for x in batch)
        logits = model(tokens).flatten(0, 1)
        loss = torch.nn.functional.cross_entropy(logits, targets.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if step % EVERY == EVERY - 1:
            largest.append(round(model.largest(), 2))
    row = {"framework": "pytorch", "width": width, "rate": rate, "kind": kind}
    last = sum(losses[-STEPS // 10 :]) / (STEPS // 10)
    return [row | {"seed": seed, "loss": round(last, 4), "largest": largest}]


if __name__ == "__main__":
    plan = [(w, rate, kind) for w in WIDTHS for rate in RATES for kind in KINDS]
    sizes = {"steps": STEPS, "length": LENGTH, "batch": BATCH, "every": EVERY}
    run_plan("taming", plan, run, sizes=lambda: sizes | {"cap": CAP})
