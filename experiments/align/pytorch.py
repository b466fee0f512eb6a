"""Two translators whose attention is read as an alignment, in PyTorch."""

import numpy as np

from attn_course.core.frameworks import torch
from attn_course.pytorch import (
    BahdanauDecoder,
    EncoderDecoder,
    RecurrentEncoder,
    Transformer,
)
from attn_course.tasks.text import PAD

D, H, A, FF, HEADS, LAYERS, DROPOUT = 128, 192, 192, 256, 4, 2, 0.3


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


@torch.no_grad()
def read(model, examples, size=200):
    """The weights of every verse, (..., T + 1, S), and the mean loss of a word.

    Row t has the weights while word t is written; the last row ends the verse.
    """
    model.eval()
    found, total, words = [], 0.0, 0
    for start in range(0, len(examples.source), size):
        arrays = [array[start : start + size] for array in examples]
        source, mask, target_in, target_out = map(torch.from_numpy, arrays)
        logits, weights = model(source, target_in, mask)
        total += torch.nn.functional.cross_entropy(
            logits.flatten(0, 1),
            target_out.flatten().long(),
            ignore_index=PAD,
            reduction="sum",
        ).item()
        words += int((target_out != PAD).sum())
        rows, columns = (target_out != PAD).sum(dim=1), mask.sum(dim=1)
        found += [
            w[..., :t, :s].numpy()
            for w, t, s in zip(weights, rows, columns, strict=True)
        ]
    model.train()
    return found, total / words


def to_numbers(weights, late=0):
    """Per verse the Greek word of the largest weight for every English word, (..., T).

    late: 0 reads the step that writes the word, 1 the next, which is given it.
    """
    last = -1 + late
    return [np.argmax(w[..., late : last or None, :], axis=-1) for w in weights]
