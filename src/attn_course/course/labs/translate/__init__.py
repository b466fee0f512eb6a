"""English to Spanish by four models: same verses, same batches, same steps.

``translate.pytorch`` and ``translate.tf`` build and train one; ``translate.score`` says
how well it translates. On a processor, a GPU, or several:

python -m attn_course.course.labs.translate train transformer --steps 2000 --folder runs
torchrun --nproc-per-node 2 -m attn_course.course.labs.translate train transformer ...
python -m attn_course.course.labs.translate compare --steps 2000 --folder runs
"""

from itertools import islice
from typing import NamedTuple

import numpy as np

from attn_course.course.labs.seq2seq import encoder_decoder
from attn_course.course.training import ramped
from attn_course.tasks.text import BEGIN, END, PAD, Batch, batches
from attn_course.tasks.translation import load_translation, subwords

MODELS = ("transformer", "bahdanau", "luong", "none")
SMOOTHING, CLIP = 0.1, 1.0
RATES, SEEDS = (1e-3, 3e-3), (0, 1, 2)


class Setting(NamedTuple):
    """Sizes of the models and of the training; the defaults are those of the record.

    longest: of train, in subwords; dev and test go up to ``longest_test``. rate: the
    largest of the schedule, ``rate_of``, which is the same for all models; ``compare``
    chooses it for each from ``RATES`` by the loss on dev.
    rows: at most so many of train and dev; test_rows: at most so many of test, evenly
    taken.
    """

    model: str = "transformer"
    steps: int = 2000
    seed: int = 0
    batch_size: int = 32
    longest: int = 32
    longest_test: int = 48
    model_dim: int = 96
    num_layers: int = 2
    num_heads: int = 4
    hidden_dim: int = 144
    dropout: float = 0.1
    rate: float = 2e-3
    warm_up_steps: int = 200
    every: int = 100
    rows: int | None = None
    test_rows: int = 1000


class Data(NamedTuple):
    """Encoded train and dev; ``rows`` of the setting shortens both."""

    train: Batch
    dev: Batch


def model_of(names, setting):
    """One of the four models; names: ``attn_course.pytorch`` or ``attn_course.tf``."""
    D, H, N = setting.model_dim, setting.hidden_dim, len(subwords())
    if setting.model == "transformer":
        sizes = setting.num_layers, D, setting.num_heads, 4 * D
        return names.Transformer(N, *sizes, norm="pre", dropout=setting.dropout)

    def luong():
        return names.LuongAttention(H, H, score="general")

    kinds = {"none": None, "bahdanau": "bahdanau", "luong": luong}
    return encoder_decoder(names, (N, N), (D, H, H), kinds[setting.model])


def written(names, model, source, mask, *, max_length, beam_size=1):
    """Tokens (B, max_length) of tensors; a beam for the Transformer alone."""
    if not isinstance(model, names.Transformer):
        return model.greedy(source, mask, begin=BEGIN, max_length=max_length)[0]
    options = {"source_mask": mask[:, None, None], "begin": BEGIN, "end": END}
    options["max_length"] = max_length
    if beam_size == 1:
        return names.greedy_decode(model, source, **options)
    tokens, _ = names.beam_search(model, source, beam_size=beam_size, **options)
    return tokens[:, 0]


def load_data(setting):
    """The `Data` of a setting."""
    train = load_translation("train", longest=setting.longest)
    dev = load_translation("dev", longest=setting.longest_test)
    rows = [range(len(x))[: setting.rows] for x in (train, dev)]
    return Data(train.take(rows[0]).encode(), dev.take(rows[1]).encode())


def batches_from(data, setting, step):
    """The batches behind the first ``step``, for a run that goes on."""
    stream = batches(data.train, setting.batch_size, setting.seed)
    return islice(stream, step, None)


def rate_of(step, setting):
    """The learning rate of a step, counted from 1: warm-up, then straight down to 0."""
    warm, steps = setting.warm_up_steps, setting.steps
    return ramped(step, steps, setting.rate, warm, steps + 1 - warm)


def is_best(log):
    """Whether the last loss on dev is the lowest."""
    losses = [loss for _, loss in log["dev"]]
    return losses[-1] == min(losses)


def run_name(setting):
    """What the checkpoint of a run is called."""
    return f"{setting.model}-{setting.steps}-{setting.rate:g}-{setting.seed}"


def chunks(examples, size):
    """A whole set in pieces of up to ``size`` rows, sorted by length, cut to size."""
    order = np.argsort((examples.target_out != PAD).sum(axis=1), kind="stable")
    for start in range(0, len(order), size):
        rows = order[start : start + size]
        S = int(examples.source_mask[rows].sum(axis=1).max())
        T = int((examples.target_out[rows] != PAD).sum(axis=1).max())
        source, mask, *targets = (part[rows] for part in examples)
        yield Batch(source[:, :S], mask[:, :S], *(x[:, :T] for x in targets))


def unigram_loss(data):
    """The loss on dev of a model that knows only how often every token is in train."""
    size = len(subwords())
    counts = np.bincount(data.train.target_out.ravel(), minlength=size)
    counts[PAD] = 0
    chance = np.log((counts + 1) / (counts + 1).sum())
    dev = data.dev.target_out
    return float(-chance[dev[dev != PAD]].mean())


def part_of(batch, rank, count):
    """Every ``count``-th row, from ``rank`` on: what one of several devices gets."""
    return Batch(*(part[rank::count] for part in batch))


def real_tokens(batch):
    """How many tokens of a batch are to be predicted."""
    return int((batch.target_out != PAD).sum())
