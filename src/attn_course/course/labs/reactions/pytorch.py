"""The pretrained encoder in PyTorch."""

from attn_course.core.frameworks import torch
from attn_course.core.parity import set_parameters
from attn_course.pytorch import EncoderLayer
from attn_course.tasks.reactions import (
    EMBEDDING_DIM,
    FF_DIM,
    HEADS,
    LAYERS,
    LONGEST,
    MODEL_DIM,
    load_vocabulary,
    load_weights,
)

EPSILON = 1e-12  # of every norm, where our layers have 1e-5


class Albert(torch.nn.Module):
    """One encoder layer, used twelve times, and narrow embeddings (Lan et al. 2020).

    Shapes:
        ids (B, T), mask (B, T), head_masks: one (H) or (B, H) per layer
        -> output (B, T, model_dim), the weights (B, H, T, T) of every layer.
        scores: output -> (B, T, tokens), for the token that was hidden.
    """

    def __init__(self):
        super().__init__()
        num_tokens = len(load_vocabulary())
        self.tokens = torch.nn.Embedding(num_tokens, EMBEDDING_DIM)
        self.positions = torch.nn.Embedding(LONGEST, EMBEDDING_DIM)
        self.kinds = torch.nn.Embedding(2, EMBEDDING_DIM)  # here all are of kind 0
        self.norm = torch.nn.LayerNorm(EMBEDDING_DIM, eps=EPSILON)
        self.widen = torch.nn.Linear(EMBEDDING_DIM, MODEL_DIM)
        self.layer = EncoderLayer(MODEL_DIM, HEADS, FF_DIM, activation="gelu")
        self.layer.norm1.eps = self.layer.norm2.eps = EPSILON
        self.narrow = torch.nn.Linear(MODEL_DIM, EMBEDDING_DIM)
        self.last_norm = torch.nn.LayerNorm(EMBEDDING_DIM, eps=EPSILON)
        self.token_bias = torch.nn.Parameter(torch.zeros(num_tokens))

    def forward(self, ids, mask=None, head_masks=(None,) * LAYERS):
        places = torch.arange(ids.shape[1], device=ids.device)
        x = self.tokens(ids) + self.positions(places) + self.kinds.weight[0]
        x, weights = self.widen(self.norm(x)), []
        mask = None if mask is None else mask[:, None, None]
        for head_mask in head_masks:
            x, found = self.layer(x, mask, head_mask=head_mask)
            weights.append(found)
        return x, tuple(weights)

    def scores(self, output):
        x = torch.nn.functional.gelu(self.narrow(output))
        # The same table reads the answer that wrote the question.
        return self.last_norm(x) @ self.tokens.weight.T + self.token_bias


def albert():
    """The encoder with its trained weights, in evaluation mode.

    Raises:
        ValueError: the file of the weights is missing or damaged.
    """
    model = Albert()
    set_parameters(model, load_weights())
    return model.eval()
