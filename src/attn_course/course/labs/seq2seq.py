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


def build(names, task, *, attention):
    """An encoder-decoder of the task's sizes.

    ``names`` is ``attn_course.pytorch`` or ``attn_course.tf``.
    """
    sizes = {"embedding_dim": task.embedding_dim, "hidden_dim": task.hidden_dim}
    encoder = names.RecurrentEncoder(len(task.source_vocabulary), **sizes)
    sizes["memory_dim"] = 2 * task.hidden_dim
    target_size = len(task.target_vocabulary)
    if attention:
        decoder = names.BahdanauDecoder(
            target_size, **sizes, attention_dim=task.hidden_dim
        )
    else:
        decoder = names.FixedContextDecoder(target_size, **sizes)
    return names.EncoderDecoder(encoder, decoder)


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
