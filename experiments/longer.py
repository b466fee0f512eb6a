"""The models of chapter 15: trained, changed and tested.

Every kind of positions with every seed; in TensorFlow three, untuned, with one.

python -m experiments.longer --seeds 0 1 2
"""

from attn_course.core import masks
from attn_course.core.frameworks import keras, tf, torch
from attn_course.course.labs import longer
from attn_course.course.labs.positions import POSITIONS, pytorch, tf as models
from attn_course.tasks.topics import load_topics
from experiments import chosen_seeds, run_plan


def build(positions, sizes=None, **options):
    """A model for the text with keys; options: of ``RotaryEncoding``, if any."""
    sizes = longer.SIZES if sizes is None else sizes
    return pytorch.TokenModel(
        **sizes, positions=positions, max_length=longer.LENGTH, causal=True, **options
    )


def changed(model, positions="rotary", sizes=None, **options):
    """A model with the same weights, and positions told in another way."""
    other = build(positions, sizes, **options)
    other.load_state_dict(model.state_dict())
    return other


class Window(torch.nn.Module):
    """A bias that hides all keys but the last few."""

    def __init__(self, window):
        super().__init__()
        self.window = window

    def forward(self, T, S):
        seen = masks.sliding_window_mask(T, S, self.window, causal=True)
        hidden = torch.from_numpy(~seen)
        return torch.zeros(T, S).masked_fill(hidden, -torch.inf)


def windowed(model):
    """The same model; every position sees as many keys as a window of training had."""
    other = changed(model)
    other.blocks.bias = Window(longer.LENGTH)
    return other


def fit(model, length, seed, *, steps=longer.STEPS, rate=longer.RATE):
    """Train on windows of one length; returns the model."""
    data = longer.batches(load_topics("train"), length=length, seed=seed)
    pytorch.train(model, data, steps=steps, rate=rate)
    return model


def tested(model, lengths=longer.LENGTHS):
    """What ``longer.evaluate`` says at every length."""
    text = load_topics("test")
    return [longer.evaluate(pytorch.score, model, text, length) for length in lengths]


def tuned(positions, seed):
    """In PyTorch: as trained, and what can be done to it, tested too."""
    torch.manual_seed(seed)
    model = fit(build(positions), longer.LENGTH, seed)
    short = longer.LENGTHS[:1]  # nothing was learned for later positions
    rows = tested(model, short if positions == "learned" else longer.LENGTHS)
    rows = [{"change": "as trained", "tuned": 0, **row} for row in rows]
    if positions == "none":
        rows += scaled(model)
    if positions == "rotary":
        rows += lengthened(model, seed)
    common = {"framework": "pytorch", "positions": positions, "seed": seed}
    return [common | row for row in rows]


def scaled(model):
    """Without positions: queries that grow with the length, only in the test."""
    for strength in longer.STRENGTHS:
        options = {"trained_length": longer.LENGTH, "strength": strength}
        other = changed(model, "scaled", **options)
        for row in tested(other):
            yield {"change": f"scale {strength}", "tuned": 0, **row}


def lengthened(model, seed):
    """A rotation by every rule, as it is and tuned; a window; trained on long texts."""
    for row in tested(windowed(model)):
        yield {"change": "window", "tuned": 0, **row}
    for rule in longer.RULES:
        other = changed(model, **longer.rotation(rule))
        if rule != "as trained":
            for row in tested(other):
                yield {"change": rule, "tuned": 0, **row}
        options = {"steps": longer.TUNED_STEPS, "rate": longer.TUNED_RATE}
        fit(other, longer.LONG, seed + 100, **options)
        for row in tested(other):
            yield {"change": rule, "tuned": longer.TUNED_STEPS, **row}
    torch.manual_seed(seed)
    whole = fit(build("rotary"), longer.LONG, seed)
    for row in tested(whole):
        yield {"change": "trained long", "tuned": longer.STEPS, **row}


def untuned(positions, seed):
    """As trained in TensorFlow, and a rotation by every rule."""
    keras.utils.set_random_seed(seed)
    kind = {"positions": positions, "max_length": longer.LENGTH, "causal": True}
    model = models.TokenModel(**longer.SIZES, **kind)
    data = longer.batches(load_topics("train"), length=longer.LENGTH, seed=seed)
    models.train(model, data, steps=longer.STEPS, rate=longer.RATE)
    rows, text, other = [], load_topics("test"), model
    for rule in longer.RULES if positions == "rotary" else ["as trained"]:
        if rule != "as trained":
            other = models.TokenModel(**longer.SIZES, **kind, **longer.rotation(rule))
            other(tf.constant(longer.questions(text, longer.LENGTH)[0]))
            other.set_weights(model.get_weights())
        row = {"framework": "tf", "positions": positions, "seed": seed}
        row |= {"change": rule, "tuned": 0}
        for length in longer.LENGTHS:
            rows.append(row | longer.evaluate(models.score, other, text, length))
    return rows


def run(framework, positions, seed):
    """One kind of positions: trained, tested, and what can be done to it tested too."""
    return {"pytorch": tuned, "tf": untuned}[framework](positions, seed)


if __name__ == "__main__":
    sizes = {"steps": longer.STEPS, "tuned_steps": longer.TUNED_STEPS}
    sizes |= {"trained_length": longer.LENGTH, "long": longer.LONG}
    order = sorted(POSITIONS, key=lambda kind: kind != "rotary")
    plan = [("pytorch", kind) for kind in order]
    beside = [("tf", kind) for kind in ("rotary", "none", "alibi")]
    run_plan("longer", plan, run, beside, whole=chosen_seeds, sizes=lambda: sizes)
