"""A byte language model that has to remember a passkey, on texts longer than trained.

A window begins with one of 16 passkeys; where the sign ASK stands, that one is wanted,
and everywhere else the next byte. So a model can go on to predict bytes well without
seeing far, and the question tells the two apart. ``positions.pytorch`` and
``positions.tf`` have the model; each is trained on windows of 64 and tested on up to
512. Rotations are also slowed by each rule, without and with a short training on
windows of 256.

python -m experiments.longer --seeds 0 1 2
"""

import numpy as np

from attn_course.reference import rotary_frequencies

LENGTH, LONG = 64, 256
LENGTHS = (64, 128, 256, 512)
KEYS = 16  # symbols 256 to 271
ASK = 272
SIZES = {"symbols": 273, "width": 64, "heads": 4, "layers": 2}
TOKENS = 1024  # of a batch: windows times length
RATE, STEPS = 3e-3, 400
TUNED_RATE, TUNED_STEPS = 1e-3, 40
ASKED = 16  # bytes per sign in training, whatever the length
SLIDE, TESTED, QUESTIONS = 32, 1536, 96
STRENGTHS = (0.1, 0.5)  # of the scaled queries: Llama 4's, and a stronger one
LARGE_BASE = 500_000.0
RULES = {
    "as trained": {},
    "linear": {"method": "linear"},
    "ntk": {"method": "ntk"},
    "yarn": {"method": "yarn"},
    "llama3": {"method": "llama3"},
    "larger base": {"base": LARGE_BASE},
}


def rotation(rule, dim=16, *, factor=LONG / LENGTH, trained_length=LENGTH):
    """Options of ``RotaryEncoding`` for a name in ``RULES``: lists and numbers."""
    options = dict(RULES[rule])
    if "method" in options:
        options |= {"factor": factor, "trained_length": trained_length}
    frequencies, scale = rotary_frequencies(dim, **options)
    return {"frequencies": frequencies.tolist(), "scale": scale}


def batches(text, *, length, seed, tokens=TOKENS):
    """Endless windows (B, length): a passkey, bytes, and signs; and what is wanted."""
    rng, B = np.random.default_rng(seed), max(1, tokens // length)
    while True:
        asks = rng.permuted(np.tile(np.arange(1, length), (B, 1)), axis=1)[
            :, : length // ASKED
        ]
        asked = np.zeros((B, length), bool)
        np.put_along_axis(asked, asks, True, axis=1)
        yield fill(text, rng.integers(len(text) - length, size=B), asked, rng)


def fill(text, starts, asked, rng):
    """Windows with signs where ``asked`` (B, T), and the targets.

    The text runs on past a sign: the byte before it is followed by the one behind it.
    """
    keys = 256 + rng.integers(KEYS, size=len(starts))
    step = np.ones_like(asked, int) - asked
    step[:, 0] = 0
    behind = starts[:, None] + np.cumsum(step, axis=1)  # the byte that comes next
    inputs = np.where(asked, ASK, text[behind - 1])
    inputs[:, 0] = keys
    return inputs, np.where(asked, keys[:, None], text[behind])


def questions(text, length, seed=0):
    """Windows with a passkey at the start and one sign, at the end; and the targets."""
    rng = np.random.default_rng(seed)
    starts = rng.integers(len(text) - max(LENGTHS), size=QUESTIONS)
    asked = np.zeros((QUESTIONS, length), bool)
    asked[:, -1] = True
    return fill(text, starts, asked, rng)


def sliding(text, length, seed=0):
    """Windows without signs that end on the same bytes, ``SLIDE`` apart."""
    starts = max(LENGTHS) - length + np.arange(SLIDE, TESTED + 1, SLIDE)
    asked = np.zeros((len(starts), length), bool)
    return fill(text, starts, asked, np.random.default_rng(seed))


def evaluate(score, model, text, length, at_once=16):
    """Bits per byte in sliding windows of a length, and the share of passkeys found.

    score: of ``positions.pytorch`` or ``positions.tf``.
    """

    def of(inputs, targets, counted):
        found = [
            score(model, inputs[i : i + at_once], targets[i : i + at_once])
            for i in range(0, len(inputs), at_once)
        ]
        return [
            float(np.concatenate(part)[:, -counted:].mean())
            for part in zip(*found, strict=True)
        ]

    bits, _ = of(*sliding(text, length), SLIDE)
    _, found = of(*questions(text, length), 1)
    return {"length": length, "bits": round(bits, 4), "found": round(found, 4)}
