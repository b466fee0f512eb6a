"""What the sequence-to-sequence labs share: to build, train and test a model."""

from typing import NamedTuple

from attn_course.tasks.metrics import by_length, exact_match
from attn_course.tasks.text import Vocabulary, batches

TRAINING = {"rate": 2e-3, "clip": 1.0}


class Task(NamedTuple):
    """A task with its sizes: what to train on, what to test on, and how large.

    ``groups`` names parts of the test that are counted apart: lists of booleans.
    ``shown`` are rows of the test: the record keeps what a model writes for them.
    """

    name: str
    train: object
    test: object
    source_vocabulary: Vocabulary
    target_vocabulary: Vocabulary
    edges: tuple
    embedding_dim: int
    hidden_dim: int
    batch_size: int
    groups: dict | None = None
    shown: tuple = ()


def encoder_decoder(names, sizes, dims, attention, **options):
    """A recurrent encoder, in both directions, and a decoder.

    names: ``attn_course.pytorch`` or ``attn_course.tf``. sizes: of the vocabularies.
    dims: of the embeddings, the decoder's state and the memory. attention: None,
    "bahdanau", or what makes a layer of Luong's, with options of his decoder.
    """
    (source_size, vocab_size), (embedding_dim, hidden_dim, memory_dim) = sizes, dims
    encoder = names.RecurrentEncoder(source_size, embedding_dim, memory_dim // 2)
    given = vocab_size, embedding_dim, hidden_dim
    own = {"memory_dim": memory_dim}
    if attention is None:
        decoder = names.FixedContextDecoder(*given, **own)
    elif attention == "bahdanau":
        decoder = names.BahdanauDecoder(*given, **own, attention_dim=hidden_dim)
    else:
        decoder = names.LuongDecoder(*given, **own, attention=attention(), **options)
    return names.EncoderDecoder(encoder, decoder)


def build(names, task, *, attention, halved=False, **options):
    """``encoder_decoder`` of the task's sizes; attention: True is Bahdanau's.

    halved: the encoder's states are as wide as the decoder's, not twice as wide.
    """
    sizes = len(task.source_vocabulary), len(task.target_vocabulary)
    memory_dim = task.hidden_dim if halved else 2 * task.hidden_dim
    dims = task.embedding_dim, task.hidden_dim, memory_dim
    kind = {True: "bahdanau", False: None}.get(attention, attention)
    return encoder_decoder(names, sizes, dims, kind, **options)


def run(task, framework, setting, *, seed, steps, build=build, schedule=None):
    """Train one model and test it.

    ``setting`` holds the options of ``build``; ``schedule`` is the loop's. Returns a
    row: the setting, exact match over all, and by length of the source.
    """
    names, loop = started(framework, seed)
    model = build(names, task, **setting)
    data = batches(task.train.encode(), task.batch_size, seed)
    options = {"steps": steps, "schedule": schedule, **TRAINING}
    loop.train(model, data, loop.token_loss, **options)
    examples = task.test.encode()
    tokens, _ = loop.predict(model, examples, max_length=examples.target_out.shape[1])
    predicted = task.target_vocabulary.decode(tokens)
    rows = by_length(predicted, task.test, task.edges)
    row = {
        "framework": framework,
        **setting,
        "seed": seed,
        "steps": steps,
        "exact": round(exact_match(predicted, task.test.targets), 4),
        "by_length": [
            (low, high, count, round(exact, 4)) for low, high, count, exact in rows
        ],
    }
    for name, chosen in (task.groups or {}).items():
        pairs = zip(predicted, task.test.targets, chosen, strict=True)
        right = [found == target for found, target, taken in pairs if taken]
        row[name] = round(sum(right) / len(right), 4)
    if task.shown:
        texts = task.test.sources, task.test.targets, predicted
        row["wrote"] = [[column[place] for column in texts] for place in task.shown]
    return row


def started(framework, seed):
    """A framework's face and its training loop; what it draws comes from the seed."""
    if framework == "pytorch":
        from attn_course import pytorch as names
        from attn_course.core.frameworks import torch
        from attn_course.course.training import pytorch as loop

        torch.manual_seed(seed)
    else:
        from attn_course import tf as names
        from attn_course.core.frameworks import keras
        from attn_course.course.training import tf as loop

        keras.utils.set_random_seed(seed)
    return names, loop
