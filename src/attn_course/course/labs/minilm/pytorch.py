"""The pretrained encoder of sentences in PyTorch."""

from attn_course.core.frameworks import torch
from attn_course.core.parity import set_parameters
from attn_course.pytorch import Encoder
from attn_course.tasks.minilm import (
    FF_DIM,
    HEADS,
    LAYERS,
    MODEL_DIM,
    encode,
    load_vocabulary,
    load_weights,
)

EPSILON = 1e-12  # of every norm, where our layers have 1e-5


class MiniLM(torch.nn.Module):
    """BERT with six layers; a sentence is the mean of its tokens, at length 1.

    Shapes:
        ids (B, T), mask (B, T) -> (B, model_dim).
        layers: stop after so many; None: after all.
    """

    def __init__(self):
        super().__init__()
        self.tokens = torch.nn.Embedding(len(load_vocabulary()), MODEL_DIM)
        self.positions = torch.nn.Embedding(512, MODEL_DIM)
        self.kinds = torch.nn.Embedding(2, MODEL_DIM)  # here all are of kind 0
        self.norm = torch.nn.LayerNorm(MODEL_DIM, eps=EPSILON)
        sizes = LAYERS, MODEL_DIM, HEADS, FF_DIM
        self.encoder = Encoder(*sizes, activation="gelu")
        for layer in self.encoder.layers:
            layer.norm1.eps = layer.norm2.eps = EPSILON

    def forward(self, ids, mask, layers=None):
        places = torch.arange(ids.shape[1], device=ids.device)
        x = self.tokens(ids) + self.positions(places) + self.kinds.weight[0]
        x, padding = self.norm(x), mask[:, None, None]
        for layer in self.encoder.layers[:layers]:
            x, _ = layer(x, padding, need_weights=False)
        mean = (x * mask[..., None]).sum(dim=1) / mask.sum(dim=1, keepdim=True)
        return mean / mean.norm(dim=-1, keepdim=True)


def minilm():
    """The encoder with its trained weights, in evaluation mode.

    Raises:
        ValueError: the weights have not been fetched.
    """
    model = MiniLM()
    set_parameters(model, load_weights())
    return model.eval()


@torch.no_grad()
def embed(model, texts, layers=None):
    """Texts -> one vector of length 1 each: an array (n, model_dim)."""
    ids, mask = map(torch.from_numpy, encode(texts))
    return model(ids, mask, layers=layers).numpy()
