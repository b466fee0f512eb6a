"""The pretrained encoder against Hugging Face's AlbertModel, in ``albert.npz``: ``make_albert_goldens.py``."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from attn_course.course.labs.reactions import pytorch, tf
from attn_course.frameworks import tf as tensorflow
from attn_course.frameworks import torch
from attn_course.tasks.reactions import encode, load_reactions

GOLDENS = np.load(Path(__file__).with_name("albert.npz"))
NUMBERS = range(22)
WHOLE = 4  # of this one the file holds all
LIMIT = 1e-5
FRAMEWORKS = pytest.mark.parametrize("framework", ["pytorch", "tf"])


@cache
def model(framework):
    return pytorch.albert() if framework == "pytorch" else tf.albert()


def answers(framework, numbers, made=None):
    """Output (T, 256), weights (12, 8, T, T) and scores (T, 591) of every reaction, all in one batch."""
    made = made or model(framework)
    ids, mask = encode([load_reactions()[number].smiles for number in numbers])
    if framework == "pytorch":
        with torch.no_grad():
            output, weights = made(torch.from_numpy(ids), torch.from_numpy(mask))
            scores = made.scores(output)
    else:
        output, weights = made(tensorflow.constant(ids), tensorflow.constant(mask))
        scores = made.scores(output)
    weights = np.stack([x.numpy() for x in weights], axis=1)
    rows = zip(output.numpy(), weights, scores.numpy(), mask.sum(-1), strict=True)
    return [(x[:T], w[..., :T, :T], s[:T]) for x, w, s, T in rows]


def probes(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape) / np.sqrt(shape[-1])


def error(framework, numbers, made=None):
    """The largest difference of the outputs along the file's directions, and of the weights' sums."""
    differences = []
    for number, (output, weights, _) in zip(numbers, answers(framework, numbers, made), strict=True):
        T = len(output)
        left, right = probes(1, 2, T), probes(2, 2, T)
        sums = np.einsum("pt,lhts,ps->lhp", left, weights, right)
        ours = {"output": output @ probes(0, 6, 256).T, "weights": sums}
        differences += [np.abs(x - GOLDENS[f"{number}/{name}"]).max() for name, x in ours.items()]
    return max(differences)


@FRAMEWORKS
def test_twenty_two_reactions(framework):
    assert error(framework, NUMBERS) < LIMIT


@FRAMEWORKS
def test_one_reaction_whole(framework):
    [(output, weights, scores)] = answers(framework, [WHOLE])
    np.testing.assert_allclose(output, GOLDENS["output"], atol=LIMIT)
    np.testing.assert_allclose(weights[10], GOLDENS["weights"], atol=LIMIT)
    np.testing.assert_allclose(scores[::5], GOLDENS["scores"], atol=1e-4)  # of up to 20


def changed(framework, fault):
    made = pytorch.albert() if framework == "pytorch" else tf.albert()
    fault(made)
    return made


def tanh_gelu(made):
    """The curve of the first ALBERT, which this one's configuration does not name."""
    made.layer.feed_forward.activation = lambda x: torch.nn.functional.gelu(x, approximate="tanh")


def our_epsilon(made):
    made.layer.norm1.eps = made.layer.norm2.eps = 1e-5


def pre_norm(made):
    made.layer.config["norm"] = "pre"


def no_kind(made):
    made.kinds.weight.data.zero_()


@pytest.mark.parametrize("fault", [tanh_gelu, our_epsilon, pre_norm, no_kind])
def test_faults_are_seen(fault):
    made = changed("pytorch", fault)
    assert error("pytorch", [WHOLE], made) > 1.5 * LIMIT
