"""A learned dictionary look-up with attention alone: what the scale is good for.

Each name has a vector to ask with and another to be found by; each value has a vector.
All are drawn as the paper assumes, with mean 0 and variance 1, and learned; the first
parameters are the same in both frameworks.

Three scales at four widths, and at four learning rates; at the largest rate also ten
times as long, and with a fourth scale. Each run answers new questions all the time;
``exact`` is the share of right answers in the 50 steps up to ``step``.

python -m experiments.look_up --seeds 0 1 2
"""

import numpy as np

from attn_course import pytorch, tf as in_tf
from attn_course.core.frameworks import keras, tf, torch
from attn_course.course.training import pytorch as torch_loop, tf as tf_loop
from attn_course.tasks.look_up import NAMES, VALUES, look_ups
from experiments import run_plan

BATCH, RATE, VALUE_DIM = 64, 3e-3, 32
EVERY, SHOWN = 50, {400: (200, 400), 4000: (1200, 4000)}
POWERS = {"no scale": 0.0, "1/√d": -0.5, "1/d": -1.0, "1/d²": -2.0}
SETTINGS = [(width, RATE) for width in (4, 16, 64, 256)]
SETTINGS += [(256, rate) for rate in (1e-3, 1e-2, 3e-2)]
SHORT = [(*setting, name, 400) for setting in SETTINGS for name in [*POWERS][:3]]
LONG = [(256, 3e-2, name, 4000) for name in POWERS]


def start(width, seed):
    """The first parameters: queries and keys (names, width), values, output."""
    rng = np.random.default_rng(seed)
    sizes = {
        "query": (NAMES, width),
        "key": (NAMES, width),
        "value": (VALUES, VALUE_DIM),
        "output": (VALUE_DIM, VALUES),
    }
    drawn = {k: rng.normal(size=size).astype(np.float32) for k, size in sizes.items()}
    drawn["output"] /= np.sqrt(VALUE_DIM, dtype=np.float32)
    return drawn


FACES = {
    "pytorch": (pytorch, torch_loop, lambda table, rows: table[rows]),
    "tf": (in_tf, tf_loop, tf.gather),
}


def look(framework, parameters, names, values, asked, *, scale):
    """The logits (B, values) of what is kept under the name that is asked for."""
    face, _, take = FACES[framework]
    query = take(parameters["query"], asked)[:, None]
    key, value = take(parameters["key"], names), take(parameters["value"], values)
    found, _ = face.scaled_dot_product_attention(query, key, value, scale=scale)
    return found[:, 0] @ parameters["output"]


def new_model(framework, drawn):
    """The model, and its parameters by name."""
    if framework == "pytorch":
        drawn = {k: torch.from_numpy(x) for k, x in drawn.items()}
        return 2 * (torch.nn.ParameterDict(drawn),)
    model = keras.layers.Layer()
    model.learned = {k: keras.Variable(x, name=k) for k, x in drawn.items()}
    return model, model.learned


def train(framework, scale, *, width, steps, seed=0, rate=RATE, every=50):
    """Share of right answers while it learns, one number for every ``every`` steps."""
    model, parameters = new_model(framework, start(width, seed))
    loop = FACES[framework][1]

    def right(model, *question):
        *question, answer = question
        logits = look(framework, parameters, *question, scale=scale)
        return loop.scored(logits, answer)

    options = {"steps": steps, "rate": rate, "every": every}
    log = loop.train(model, look_ups(BATCH, seed=seed), right, **options)
    return np.array([line.score for line in log])


def run(framework, width, rate, name, steps, seed):
    """The rows of one training: its right answers on the way and at the end."""
    options = {"width": width, "steps": steps, "rate": rate, "seed": seed}
    scale = float(width) ** POWERS[name]
    right = train(framework, scale, **options, every=EVERY)
    row = {"framework": framework, "scale": name, "batch": BATCH, **options}
    return [
        row | {"step": step, "exact": round(float(right[step // EVERY - 1]), 4)}
        for step in SHOWN[steps]
    ]


if __name__ == "__main__":
    plan = [("pytorch", *each) for each in SHORT + LONG]
    beside = [("tf", *each) for each in SHORT if each[0] == 256]
    run_plan("look_up", plan, run, beside)
