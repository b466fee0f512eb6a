"""What the norm's place does to sizes, gradients and training, in PyTorch."""

from attn_course.core.frameworks import torch
from attn_course.course.labs.norms import FF_DIM, HEADS, LAYERS, MODEL_DIM
from attn_course.course.training.pytorch import train as train
from attn_course.pytorch import Encoder, sinusoidal_encoding


def last_gradient(norm, depth, seed):
    """The size of the last layer's gradient, at the start, for random labels.

    The paper's setting: all matrices as wide as the model; the loss is a cross-entropy
    after one more linear map; the gradient is that of the network's second matrix.
    """
    torch.manual_seed(seed)
    width = 64
    encoder = Encoder(depth, width, 1, width, norm=norm)
    logits = torch.nn.Linear(width, width, bias=False)
    torch.nn.init.xavier_normal_(logits.weight)
    x, labels = torch.randn(16, 8, width), torch.randint(width, (16 * 8,))
    output, _ = encoder(x, need_weights=False)
    loss = torch.nn.functional.cross_entropy(logits(output).flatten(0, 1), labels)
    matrix = encoder.layers[-1].feed_forward.outer.weight
    return torch.autograd.grad(loss, matrix)[0].norm().item()


class ByteModel(torch.nn.Module):
    """A deep stack that predicts the next byte: tokens (B, T) -> logits (B, T, 256)."""

    def __init__(self, norm):
        super().__init__()
        self.embedding = torch.nn.Embedding(256, MODEL_DIM)
        self.encoder = Encoder(LAYERS, MODEL_DIM, HEADS, FF_DIM, norm=norm)
        self.logits = torch.nn.Linear(MODEL_DIM, 256)

    def forward(self, tokens):
        places = sinusoidal_encoding(tokens.shape[1], MODEL_DIM).to(tokens.device)
        x = self.embedding(tokens) + places.float()
        x, _ = self.encoder(x, causal=True, need_weights=False)
        return self.logits(x)


def next_byte(model, text):
    """The cross-entropy of every byte but the first: text (B, T + 1)."""
    logits = model(text[:, :-1]).flatten(0, 1)
    return torch.nn.functional.cross_entropy(logits, text[:, 1:].flatten())
