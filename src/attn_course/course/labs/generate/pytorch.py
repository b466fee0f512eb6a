"""The language model of ``attn_course.course.labs.generate`` in PyTorch."""

import numpy as np

from attn_course.core.frameworks import torch
from attn_course.core.parity import get_parameters, set_parameters
from attn_course.pytorch import (
    Encoder,
    GroupedQueryAttention,
    KVCache,
    RotaryEncoding,
    to_grouped,
)
from attn_course.tasks import glassllm


class LanguageModel(torch.nn.Module):
    """Tokens (B, T) -> logits (B, T, symbols) of the token behind each."""

    def __init__(self, symbols, model_dim, num_heads, num_kv_heads, ff_dim, num_layers):
        super().__init__()
        self.config = {
            "symbols": symbols,
            "model_dim": model_dim,
            "num_heads": num_heads,
            "num_kv_heads": num_kv_heads,
            "ff_dim": ff_dim,
            "num_layers": num_layers,
        }
        self.key_dim = model_dim // num_heads

        def attention(_):
            rotary = RotaryEncoding(self.key_dim, layout="interleaved")
            options = {"use_bias": False, "rotary": rotary}
            return GroupedQueryAttention(
                model_dim, num_heads, num_kv_heads=num_kv_heads, **options
            )

        kind = {"norm": "pre", "normalization": "rms", "activation": "swiglu"}
        self.embedding = torch.nn.Embedding(symbols, model_dim)
        torch.nn.init.normal_(self.embedding.weight, std=0.02)
        self.encoder = Encoder(
            num_layers, model_dim, num_heads, ff_dim, attention=attention, **kind
        )

    def forward(self, tokens, caches=None):
        options = {"causal": True, "need_weights": False, "cache": caches}
        x, _ = self.encoder(self.embedding(tokens), **options)
        return x @ self.embedding.weight.T

    def new_caches(self, batch, capacity, **options):
        """A cache per layer; options: those of ``KVCache``."""
        heads, layers = self.config["num_kv_heads"], self.config["num_layers"]
        options = {"device": self.embedding.weight.device} | options
        return tuple(
            KVCache(batch, heads, capacity, self.key_dim, **options)
            for _ in range(layers)
        )


def load_glassllm():
    """The model that ships, with its weights."""
    model = LanguageModel(**glassllm.SIZES)
    set_parameters(model, glassllm.load_weights())
    return model


def convert(model, num_kv_heads, method):
    """The same model with fewer heads of key and value in every layer."""
    small = LanguageModel(**model.config | {"num_kv_heads": num_kv_heads})
    parameters = get_parameters(model)
    for number, layer in enumerate(model.encoder.layers):
        grouped = to_grouped(layer.attention, num_kv_heads, method)
        for name, array in get_parameters(grouped).items():
            parameters[f"encoder.layers.{number}.attention.{name}"] = array
    set_parameters(small, parameters)
    return small


def stepper(model, capacity, **options):
    """A function of tokens (n), NumPy, that gives the logits (N) behind the last.

    It reads every token once: caches keep what is behind it. options: of the caches.
    """
    caches = model.new_caches(1, capacity, **options)

    @torch.no_grad()
    def step(tokens):
        return model(torch.from_numpy(tokens)[None], caches=caches)[0, -1].numpy()

    return step


def loss(model, tokens, targets):
    """The cross-entropy in nats, for the training loop."""
    logits = model(tokens)
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())


@torch.no_grad()
def score(model, tokens, targets, at_once=32):
    """The cross-entropy in nats (B, T), and whether the guess is right."""
    nats, right = [], []
    for start in range(0, len(tokens), at_once):
        rows = slice(start, start + at_once)
        logits = model(torch.from_numpy(tokens[rows]))
        chosen = torch.from_numpy(targets[rows])
        found = logits.log_softmax(dim=-1).gather(-1, chosen[..., None])[..., 0]
        nats.append(-found.numpy())
        right.append((logits.argmax(dim=-1) == chosen).numpy())
    return np.concatenate(nats), np.concatenate(right)
