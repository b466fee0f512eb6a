"""The language model of ``attn_course.course.labs.generate`` in PyTorch."""

import numpy as np

from attn_course.core.frameworks import torch
from attn_course.core.parity import get_parameters, set_parameters
from attn_course.course.labs.generate import KIND, SIZES, weights
from attn_course.pytorch import (
    GroupedQueryAttention,
    LanguageModel,
    RotaryEncoding,
    to_grouped,
)
from attn_course.tasks import glassllm


class TableFirst(LanguageModel):
    """Draws its table before its layers, as the runs in the records did."""

    def __init__(self, *sizes, attention, **options):
        def with_table(number):
            if number == 0:
                torch.nn.init.normal_(self.embedding.weight, std=0.02)
            return attention(number)

        super().__init__(*sizes, attention=with_table, **options)

    def draw_tables(self):
        """They are drawn."""


def build(symbols, model_dim, num_heads, num_kv_heads, ff_dim, num_layers, **place):
    """A ``LanguageModel`` like the one that ships, with weights of its own."""
    rotary = RotaryEncoding(model_dim // num_heads, layout="interleaved")
    maps = {"num_kv_heads": num_kv_heads, "use_bias": False, "rotary": rotary, **place}
    sizes, options = (model_dim, num_heads), KIND | place
    options["attention"] = lambda _: GroupedQueryAttention(*sizes, **maps)
    return TableFirst(symbols, num_layers, *sizes, ff_dim, **options)


def load_glassllm(dtype="float32"):
    """The model that ships; in float64 its texts are the same in any batch."""
    model = build(**glassllm.SIZES, dtype=getattr(torch, dtype))
    set_parameters(model, weights())
    return model.eval()


def convert(model, num_kv_heads, method):
    """The same model with fewer heads of key and value in every layer."""
    symbols, width, heads, *rest = (model.config[name] for name in SIZES)
    small = build(symbols, width, heads, num_kv_heads, *rest)
    parameters = get_parameters(model)
    for number, layer in enumerate(model.stack.layers):
        grouped = to_grouped(layer.attention, num_kv_heads, method)
        for name, array in get_parameters(grouped).items():
            parameters[f"stack.layers.{number}.attention.{name}"] = array
    set_parameters(small, parameters)
    return small


def logits_of(model, tokens, cache=None):
    """Tokens (B, T) -> logits (B, T, N) of the token behind each."""
    return model(tokens, need_weights=False, cache=cache)[0]


def loss(model, tokens, targets):
    """The cross-entropy in nats, for the training loop."""
    logits = logits_of(model, tokens)
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())


@torch.no_grad()
def score(model, tokens, targets, at_once=32):
    """The cross-entropy in nats (B, T), and whether the guess is right."""
    nats, right = [], []
    for start in range(0, len(tokens), at_once):
        rows = slice(start, start + at_once)
        logits = logits_of(model, torch.from_numpy(tokens[rows]))
        chosen = torch.from_numpy(targets[rows])
        found = logits.log_softmax(dim=-1).gather(-1, chosen[..., None])[..., 0]
        nats.append(-found.numpy())
        right.append((logits.argmax(dim=-1) == chosen).numpy())
    return np.concatenate(nats), np.concatenate(right)
