"""Two translators whose attention is read as an alignment, in PyTorch."""

from functools import partial

from attn_course import pytorch
from attn_course.core.frameworks import torch
from attn_course.course.training import pytorch as loop
from attn_course.tasks.text import PAD
from experiments import align
from experiments.align import DROPOUT


class Recurrent(pytorch.EncoderDecoder):
    """Bahdanau's model, with dropout on what the encoder hands over."""

    def __init__(self, *sizes):
        super().__init__(*align.recurrent(pytorch, *sizes))
        self.dropout = torch.nn.Dropout(DROPOUT)

    def forward(self, source, target_in, source_mask=None):
        memory, last_state = self.encoder(source, source_mask)
        state = self.decoder.start(last_state)
        return self.decoder(target_in, self.dropout(memory), state, source_mask)


class Attending(align.Attending, pytorch.Transformer):
    def forward(self, source, target_in, source_mask):
        logits, (_, seen) = super().forward(
            source, target_in, source_mask[:, None, None]
        )
        across = [weights for _, weights in seen]
        return logits, torch.stack(across, dim=1)  # (B, layers, heads, T, S)


MODELS = {"Bahdanau": Recurrent, "Transformer": Attending}
train, loss = loop.train, loop.token_loss


def read(model, examples, size=200):
    """See ``align.read``."""

    def loss(logits, target):
        tensors = torch.from_numpy(logits), torch.from_numpy(target).long()
        return loop.class_loss(*tensors, skip=PAD).item()

    model.eval()
    found = align.read(partial(loop.read, model), loss, examples, size)
    model.train()
    return found
