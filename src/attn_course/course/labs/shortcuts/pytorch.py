"""The encoder with full, low-rank or hashed attention in PyTorch."""

from attn_course.core.frameworks import torch
from attn_course.core.parity import get_parameters, set_parameters
from attn_course.course.labs.shortcuts import (
    BUCKETS,
    CHUNK,
    FF_DIM,
    HEADS,
    INPUTS,
    LAYERS,
    MODEL_DIM,
    OUTPUTS,
    POSITIONS,
    RATE,
    REDRAWN,
    batches,
)
from attn_course.course.training import pytorch as loop
from attn_course.pytorch import (
    Encoder,
    LearnedEncoding,
    LinformerAttention,
    LSHAttention,
    MultiHeadAttention,
)


def attention(kind, seed=0):
    """The attention of one layer: "full", "Linformer 16", "LSH 2" (rounds)."""
    name, _, number = kind.partition(" ")
    if name == "Linformer":
        sizes = {"length": POSITIONS, "rank": int(number)}
        return LinformerAttention(MODEL_DIM, HEADS, **sizes)
    if name == "LSH":
        sizes = {"num_buckets": BUCKETS, "num_rounds": int(number)}
        return LSHAttention(MODEL_DIM, HEADS, **sizes, chunk_size=CHUNK, seed=seed)
    return MultiHeadAttention(MODEL_DIM, HEADS)


class Reader(torch.nn.Module):
    """Two encoder layers over 64 positions; kind "none" leaves attention out.

    Shapes:
        inputs (B, 64, features) -> logits (B, 10) of the mean of all positions for
            digits, (B, 64, 5) for twins.
    """

    def __init__(self, task, kind, seed=0):
        super().__init__()
        self.task, self.kind = task, kind
        self.input = torch.nn.Linear(INPUTS[task], MODEL_DIM)
        self.positions = LearnedEncoding(POSITIONS, MODEL_DIM)
        sizes = LAYERS, MODEL_DIM, HEADS, FF_DIM
        options = {"attention": lambda number: attention(kind, seed + number)}
        self.encoder = Encoder(*sizes, norm="pre", **options)
        self.output = torch.nn.Linear(MODEL_DIM, OUTPUTS[task])

    def forward(self, inputs):
        x, mask = self.positions(self.input(inputs)), None
        if self.kind == "none":
            size = (POSITIONS, POSITIONS)
            mask = torch.zeros(size, dtype=torch.bool, device=x.device)
        x, _ = self.encoder(x, mask, need_weights=False)
        return self.output(x.mean(dim=1) if self.task == "digits" else x)


def train(model, *, steps, seed=0, every=50, rate=RATE):
    """Train with Adam on the cross-entropy; returns the log: loss, share right."""
    data = batches(model.task, seed=seed)
    options = {"steps": steps, "rate": rate, "every": every, "clip": 1.0}
    return loop.train(model, data, _loss, **options)


def _loss(model, inputs, right):
    logits = model(inputs)
    loss = torch.nn.functional.cross_entropy(logits.flatten(0, -2), right.flatten())
    return loss, (logits.argmax(dim=-1) == right).float().mean()


def rehashed(model, rounds, seed=REDRAWN):
    """The same weights with so many rounds, and directions never met in training."""
    other = Reader(model.task, f"LSH {rounds}", seed).eval()
    own = get_parameters(other)
    trained = get_parameters(model)
    set_parameters(other, {k: own[k] if "rotations" in k else trained[k] for k in own})
    return other


@torch.no_grad()
def guess(model, inputs):
    """The likeliest digit (B), or number of every card's twin (B, 64)."""
    return model(torch.from_numpy(inputs)).argmax(dim=-1).numpy()
