"""The training loops: by hand, alike in both frameworks, shortened by one variable."""

import itertools
import subprocess
import sys

import both_frameworks  # noqa: F401
import numpy as np
import pytest

from attn_course.course.training import Record, pytorch as torch_loop, tf as tf_loop
from attn_course.frameworks import keras, tf as tensorflow, torch

RATE = 0.1


class InTorch(torch.nn.Module):
    """One number, from 1 on."""

    def __init__(self):
        super().__init__()
        self.x = torch.nn.Parameter(torch.ones(()))


class InTensorFlow(keras.layers.Layer):
    """The same."""

    def __init__(self):
        super().__init__()
        self.x = self.add_weight((), "ones", name="x")


CASES = [(torch_loop, InTorch), (tf_loop, InTensorFlow)]
LOOP = pytest.mark.parametrize(("loop", "make"), CASES, ids=["pytorch", "tf"])


def slope(model, factor):
    """A loss of a slope that each batch gives."""
    return model.x * factor


def value(model):
    return model.x.item() if isinstance(model, InTorch) else float(model.x)


def batches(*factors):
    """Endless batches of one number each."""
    for factor in itertools.cycle(factors):
        yield (np.array(factor, np.float32),)


@LOOP
def test_adam_by_hand(loop, make):
    """With one slope throughout, every step of Adam is the rate; clipping the slope does not change that."""
    for clip in (None, 0.1):
        model = make()
        log = loop.train(model, batches(4.0), slope, steps=3, rate=RATE, clip=clip, every=1)
        assert [line.step for line in log] == [1, 2, 3]
        np.testing.assert_allclose([line.loss for line in log], [4.0, 3.6, 3.2], rtol=1e-4)
        assert value(model) == pytest.approx(0.7, rel=1e-4)


@LOOP
def test_clipping_by_hand(loop, make):
    """Slopes 1 and 100, cut to 1 and 1: two steps of the rate. Uncut, the second is .1 * .7508."""
    for clip, expected in ((1.0, 0.8), (None, 1 - RATE - RATE * 0.75080)):
        model = make()
        loop.train(model, batches(1.0, 100.0), slope, steps=2, rate=RATE, clip=clip)
        assert value(model) == pytest.approx(expected, rel=1e-4)


@LOOP
def test_a_schedule_is_asked_at_every_step(loop, make):
    asked, model = [], make()

    def schedule(step, steps, rate):
        asked.append((step, steps, rate))
        return rate / step

    loop.train(model, batches(1.0), slope, steps=3, rate=RATE, schedule=schedule)
    assert asked == [(1, 3, RATE), (2, 3, RATE), (3, 3, RATE)]
    assert value(model) == pytest.approx(1 - RATE * (1 + 1 / 2 + 1 / 3), rel=1e-4)


@LOOP
def test_a_score_is_logged_beside_the_loss_and_the_last_step_ends_the_log(loop, make):
    model = make()

    def scored(model, factor):
        return model.x * factor, factor

    log = loop.train(model, batches(1.0, 3.0), scored, steps=5, rate=0.0, every=2)
    assert log == [Record(2, 2.0, 2.0), Record(4, 2.0, 2.0), Record(5, 1.0, 1.0)]


@LOOP
def test_one_variable_shortens_training(loop, make, monkeypatch):
    taken = []
    monkeypatch.setenv("ATTN_COURSE_STEPS", "3")
    stream = (taken.append(1) or batch for batch in batches(1.0))
    log = loop.train(make(), stream, slope, steps=50, rate=RATE)
    assert [line.step for line in log] == [3] and len(taken) == 3
    log = loop.train(make(), batches(1.0), slope, steps=2, rate=RATE)
    assert log[-1].step == 2  # it lengthens none


def test_tensorflow_builds_a_model_by_its_first_call():
    model = keras.Sequential([keras.layers.Dense(1)])
    data = itertools.repeat((np.ones((2, 3), np.float32),))
    log = tf_loop.train(model, data, lambda model, x: tensorflow.reduce_mean(model(x)), steps=3, rate=RATE, every=1)
    assert log[2].loss < log[0].loss


def test_every_vector_of_an_embedding_moves_on_in_both():
    """A token that a batch does not hold keeps the momentum of the batches before."""
    one, other = torch.nn.Embedding(3, 2), keras.layers.Embedding(3, 2)
    torch.nn.init.ones_(one.weight)
    other.build()
    other.set_weights([np.ones((3, 2), np.float32)])
    data = [(np.array(tokens),) for tokens in ([0, 1], [2, 2], [1, 2])]
    torch_loop.train(one, data, lambda model, tokens: model(tokens).square().sum(), steps=3, rate=RATE)
    tf_loop.train(other, data, lambda model, x: tensorflow.reduce_sum(model(x) ** 2), steps=3, rate=RATE)
    np.testing.assert_allclose(one.weight.detach().numpy(), other.get_weights()[0], rtol=1e-5)
    assert (other.get_weights()[0][0] < 1 - 1.5 * RATE).all()


@pytest.mark.parametrize(("steps", "lines"), [(200, 10), (3, 3)])
def test_ten_lines_where_the_output_is_a_file(tmp_path, steps, lines):
    """And none of the bar, which would be one line of a thousand states."""
    code = f"from attn_course.course.training import progress; print(sum(progress({steps}, 'PyTorch')))"
    with (tmp_path / "log").open("w") as log:
        done = subprocess.run([sys.executable, "-c", code], stderr=log, stdout=subprocess.PIPE, text=True, check=True)
    assert int(done.stdout) == steps * (steps + 1) // 2
    told = (tmp_path / "log").read_text().splitlines()
    assert len(told) == lines and told[-1] == f"PyTorch: {steps} of {steps} steps" and len(set(told)) == lines
