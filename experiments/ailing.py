"""Runs of a small decoder, healthy or with one planted fault: an exercise of chapter 8.

python -m experiments.ailing --seeds 0 1 2

Two blocks with two heads each learn to say HALF drawn tokens a second time. A row is a
run: ``cause``, ``seed`` and what a reader may see of it, in TensorFlow with one seed:

    loss        in nats, every 20 steps; half of the tokens are drawn
    entropy     of the maps before the first step, as a share of the largest
    maps        (blocks, heads, T, T) after the last
    gradients   (blocks, heads), the size of the gradient that reaches each head
    norms       of the stream before, between and after the blocks
    free        share of wrong tokens when it goes on by itself, all tokens given
    cached      the same, where it gets the last token and what is kept of the others
"""

from types import SimpleNamespace

import numpy as np
from torch.nn import functional as F

from attn_course.core.frameworks import keras, tf, torch
from experiments import run_plan
from experiments.models import in_both

HEALTHY = "healthy"
CAUSES = (
    HEALTHY,
    "leaking mask",
    "dead head",
    "shift by one",
    "norm misplaced",
    "cache off by one",
    "scale missing",
)
TOKENS, HALF, WIDTH, HEADS, STEPS, ROWS = 12, 6, 32, 2, 400, 64
T = 2 * HALF


def errors(read, right, cache):
    """The share of tokens that a model says wrong when it goes on by itself.

    read: of tokens and what is kept, gives logits and what is kept then. cache: whether
    it is given the last token and what is kept of the others, or all tokens.
    """
    said = new = right[:, :HALF]
    past = None
    for _ in range(HALF):
        logits, past = read(new, past) if cache else read(said, None)
        new = logits[:, -1:].argmax(-1)
        said = np.concatenate([said, new], axis=1)
    return float((said != right)[:, HALF:].mean())


def entropy(maps):
    """The mean entropy of the last rows of all maps, as a share of the largest."""
    rows = np.concatenate([weights[:, :, -1] for weights in maps])
    return float(-(rows * np.log(np.maximum(rows, 1e-9))).sum(-1).mean() / np.log(T))


def normed(x):
    """A norm without parameters over the last axis, in TensorFlow."""
    mean, variance = tf.nn.moments(x, -1, keepdims=True)
    return (x - mean) * tf.math.rsqrt(variance + 1e-5)


# What the frameworks say in different words; ``start`` says how far numbers are drawn.
OPS = {
    "pytorch": SimpleNamespace(
        start=lambda spread: spread,
        drawn=lambda model, start, *shape: torch.nn.Parameter(
            torch.randn(*shape) / start
        ),
        zeros=lambda model, *shape: torch.nn.Parameter(torch.zeros(*shape)),
        norm=lambda x: F.layer_norm(x, x.shape[-1:]),
        score=lambda query, key: query @ key.transpose(2, 3),
        softmax=lambda score, seen: score.masked_fill(
            ~torch.from_numpy(seen), -torch.inf
        ).softmax(-1),
        take=lambda table, tokens: table[tokens],
    ),
    "tf": SimpleNamespace(
        start=lambda spread: keras.initializers.RandomNormal(stddev=1 / spread),
        drawn=lambda model, start, *shape: model.add_weight(shape, start),
        zeros=lambda model, *shape: model.add_weight(shape, "zeros"),
        norm=normed,
        score=lambda query, key: tf.matmul(query, key, transpose_b=True),
        softmax=lambda score, seen: tf.nn.softmax(
            tf.where(seen, score, score.dtype.min)
        ),
        take=tf.gather,
    ),
}


class Block:
    def __init__(self, cause, last):
        super().__init__()
        self.cause, ops = cause, OPS[self.framework]
        start = ops.start(WIDTH**0.5)
        self.maps = ops.drawn(self, start, 3, WIDTH, WIDTH)
        self.out = ops.drawn(self, start, WIDTH, WIDTH)
        alive = np.ones((HEADS, 1, 1), np.float32)
        alive[-1] = float(not (last and cause == "dead head"))
        self.alive = self.tensor(alive)

    def call(self, x, past=None):
        """``past``: keys and values of the rows before; all so far are returned."""
        ops, concat = OPS[self.framework], self.library.concat
        own = x if self.cause == "norm misplaced" else ops.norm(x)
        query, key, value = (
            self.face.split_heads(own @ self.maps[n], HEADS) for n in range(3)
        )
        if past is not None:
            key, value = (
                concat(pair, 2) for pair in zip(past, (key, value), strict=True)
            )
        score = ops.score(query, key)
        if self.cause != "scale missing":
            score = score / key.shape[-1] ** 0.5
        ahead = key.shape[2] - query.shape[2] + (self.cause == "leaking mask")
        weights = ops.softmax(score, np.tri(*score.shape[-2:], ahead, dtype=bool))
        heads = weights @ value * self.alive
        x = x + self.face.merge_heads(heads) @ self.out
        x = ops.norm(x) if self.cause == "norm misplaced" else x
        return x, weights, heads, (key, value)


BLOCKS = in_both(Block)


class Model:
    def __init__(self, cause):
        super().__init__()
        self.cause, ops = cause, OPS[self.framework]
        start = ops.start(1.0)
        self.tokens = ops.drawn(self, start, TOKENS, WIDTH)
        self.places = ops.drawn(self, start, T + 1, WIDTH)
        make = BLOCKS[self.framework]
        self.blocks = self.listed(make(cause, last) for last in (False, True))
        self.logits = ops.zeros(self, WIDTH, TOKENS)

    def call(self, tokens, past=None):
        """``past``: what each block has kept of the tokens before.

        Returns logits, the stream before, between and after the blocks, and of each
        block its weights, its heads and what it keeps.
        """
        ops, done = OPS[self.framework], 0 if past is None else past[0][0].shape[2]
        if done and self.cause == "cache off by one":
            done = done + 1
        places = self.places[done : done + tokens.shape[1]]
        x = ops.take(self.tokens, tokens) + places
        streams, found = [x], []
        for place, block in enumerate(self.blocks):
            x, *own = block(x, None if past is None else past[place])
            streams.append(x)
            found.append(own)
        return ops.norm(x) @ self.logits, streams, *zip(*found, strict=True)


MODELS = in_both(Model)


def torch_drawn(generator):
    return torch.randint(TOKENS, (ROWS, HALF), generator=generator).repeat(1, 2)


def torch_readings(cause, seed):
    """Train once; what can be seen of the run."""
    torch.manual_seed(seed)
    generator, model = torch.Generator().manual_seed(seed), MODELS["pytorch"](cause)
    optimizer, losses, start = torch.optim.Adam(model.parameters(), 3e-3), [], None
    for step in range(STEPS):
        tokens = torch_drawn(generator)
        given, wanted = tokens[:, :-1], tokens[:, 1:]
        wanted = given if cause == "shift by one" else wanted
        logits, streams, maps, heads, _ = model(given)
        if start is None:
            start = entropy([weights.detach().numpy() for weights in maps])
        for each in heads:
            each.retain_grad()
        loss = F.cross_entropy(logits.flatten(0, 1), wanted.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses += [loss.item()] if step % 20 == 0 else []
    gradients = [
        [(block.alive[n] * each.grad[:, n]).norm().item() for n in range(HEADS)]
        for block, each in zip(model.blocks, heads, strict=True)
    ]

    def read(tokens, past):
        logits, *_, past = model(torch.from_numpy(tokens), past)
        return logits.numpy(), past

    with torch.no_grad():
        maps = [weights[0].numpy().round(3).tolist() for weights in maps]
        norms = [x.norm(dim=-1).mean().item() for x in streams]
        free = errors(read, torch_drawn(generator).numpy(), cache=False)
        cached = errors(read, torch_drawn(generator).numpy(), cache=True)
    found = {"loss": losses, "entropy": start, "maps": maps, "gradients": gradients}
    return found | {"norms": norms, "free": free, "cached": cached}


def tf_drawn(rng):
    return np.tile(rng.integers(TOKENS, size=(ROWS, HALF)), 2)


def tf_readings(cause, seed):
    """The same in TensorFlow."""
    keras.utils.set_random_seed(seed)
    rng, model = np.random.default_rng(seed), MODELS["tf"](cause)
    optimizer, losses = keras.optimizers.Adam(3e-3, epsilon=1e-8), []

    @tf.function
    def step(given, wanted):
        with tf.GradientTape() as tape:
            logits, streams, maps, heads, _ = model(given)
            each = tf.nn.sparse_softmax_cross_entropy_with_logits(wanted, logits)
            loss = tf.reduce_mean(each)
        learned = model.trainable_variables
        *gradients, first, second = tape.gradient(loss, [*learned, *heads])
        gradients = map(tf.convert_to_tensor, gradients)
        optimizer.apply_gradients(zip(gradients, learned, strict=True))
        return loss, streams, maps, (first, second)

    _, _, maps, *_ = model(tf.constant(tf_drawn(rng)[:, :-1]))
    start = entropy([weights.numpy() for weights in maps])
    for number in range(STEPS):
        tokens = tf_drawn(rng)
        given, wanted = tokens[:, :-1], tokens[:, 1:]
        wanted = given if cause == "shift by one" else wanted
        loss, streams, maps, reached = step(tf.constant(given), tf.constant(wanted))
        losses += [float(loss)] if number % 20 == 0 else []

    def read(tokens, past):
        logits, *_, past = model(tf.constant(tokens), past)
        return logits.numpy(), past

    found = {"loss": losses, "entropy": start}
    found["maps"] = [weights[0].numpy().round(3).tolist() for weights in maps]
    found["gradients"] = [
        [float(tf.norm((block.alive * each)[:, head])) for head in range(HEADS)]
        for block, each in zip(model.blocks, reached, strict=True)
    ]
    found["norms"] = [float(tf.reduce_mean(tf.norm(x, axis=-1))) for x in streams]
    found["free"] = errors(read, tf_drawn(rng), cache=False)
    return found | {"cached": errors(read, tf_drawn(rng), cache=True)}


def _short(value):
    if isinstance(value, list):
        return [_short(each) for each in value]
    return round(value, 4) if value > 0.001 else float(f"{value:.1g}")


def row(framework, cause, seed):
    """One run, alone in a list."""
    readings = {"pytorch": torch_readings, "tf": tf_readings}[framework]
    read = {name: _short(value) for name, value in readings(cause, seed).items()}
    return [{"framework": framework, "cause": cause, "seed": seed, **read}]


if __name__ == "__main__":
    plan = [("pytorch", cause) for cause in CAUSES]
    run_plan("ailing", plan, row, [("tf", cause) for cause in CAUSES])
