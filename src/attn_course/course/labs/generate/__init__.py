"""A language model of the course's layers that writes a text, with a cache.

``generate.pytorch`` and ``generate.tf`` have the model. It is built like the one that
ships (``attn_course.tasks.glassllm``): pre-norm layers with RMS norms and SwiGLU,
grouped queries with rotary positions, and the embedding as output matrix.

python -m attn_course.course.labs.generate --framework torch --prompt "Alice was"
"""

import numpy as np


def choose(logits, temperature, rng):
    """The next token: the likeliest at temperature 0, else drawn.

    Raises:
        ValueError: the temperature is below 0.
    """
    if temperature < 0:
        raise ValueError(f"temperature must be at least 0, got {temperature}")
    if temperature == 0:
        return int(np.argmax(logits))
    scaled = np.asarray(logits, np.float64) / temperature
    weights = np.exp(scaled - scaled.max())
    return int(rng.choice(len(weights), p=weights / weights.sum()))


def stream(step, tokens, length, *, temperature=0.0, seed=0):
    """Yield ``length`` new tokens, each as soon as it is there.

    step: a function of the next tokens (n) that gives the logits (N) behind the last of
    them, and keeps what it has read in a cache: first the whole prompt, then the one
    token that was written.
    """
    rng = np.random.default_rng(seed)
    logits = step(np.asarray(tokens, np.int64))
    for place in range(length):
        token = choose(logits, temperature, rng)
        yield token
        if place + 1 < length:
            logits = step(np.array([token], np.int64))
