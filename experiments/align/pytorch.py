"""Two translators whose attention is read as an alignment, in PyTorch."""

from attn_course.core.frameworks import torch
from attn_course.course.training import pytorch as loop
from attn_course.pytorch import (
    BahdanauDecoder,
    EncoderDecoder,
    RecurrentEncoder,
    Transformer,
)
from attn_course.tasks.text import PAD
from experiments.align import DROPOUT, FF, HEADS, LAYERS, A, D, H, pieces


class Recurrent(EncoderDecoder):
    """Bahdanau's model, with dropout on what the encoder hands over."""

    def __init__(self, num_greek, num_english):
        sizes = {"memory_dim": H, "attention_dim": A}
        super().__init__(
            RecurrentEncoder(num_greek, D, H // 2),
            BahdanauDecoder(num_english, D, H, **sizes),
        )
        self.dropout = torch.nn.Dropout(DROPOUT)

    def forward(self, source, target_in, source_mask=None):
        memory, last_state = self.encoder(source, source_mask)
        state = self.decoder.start(last_state)
        return self.decoder(target_in, self.dropout(memory), state, source_mask)


class Attending(Transformer):
    """A small Transformer, called as `Recurrent` is; the weights of all its heads."""

    def __init__(self, num_greek, num_english):
        more = {"source_vocab_size": num_greek, "norm": "pre", "dropout": DROPOUT}
        super().__init__(num_english, LAYERS, D, HEADS, FF, **more)

    def forward(self, source, target_in, source_mask):
        logits, (_, seen) = super().forward(
            source, target_in, source_mask[:, None, None]
        )
        across = [weights for _, weights in seen]
        return logits, torch.stack(across, dim=1)  # (B, layers, heads, T, S)


MODELS = {"Bahdanau": Recurrent, "Transformer": Attending}
train, loss = loop.train, loop.token_loss


@torch.no_grad()
def read(model, examples, size=200):
    """The weights of every verse, (..., T + 1, S), and the mean loss of a word.

    Row t has the weights while word t is written; the last row ends the verse.
    """
    model.eval()
    found, total, words = [], 0.0, 0
    for arrays, sizes in pieces(examples, size):
        source, mask, target_in, target_out = map(torch.from_numpy, arrays)
        logits, weights = model(source, target_in, mask)
        count = int((target_out != PAD).sum())
        total += count * loop.class_loss(logits, target_out.long(), skip=PAD).item()
        words += count
        found += [
            w[..., :t, :s].numpy() for w, (t, s) in zip(weights, sizes, strict=True)
        ]
    model.train()
    return found, total / words
