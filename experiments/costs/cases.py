"""What is measured: every mechanism, dense attention, and the layers before it."""

from experiments.bench.cases import (
    FAR,
    STEPS,
    WIDTH,
    Program,
    cases,
    on_heads,
    on_words,
)

HEADS, WINDOW, RANK = 4, 64, 128
SIZES = 4  # a length and three halves of it
DENSE = "dense, no weights"
FULL = {"need_weights": False}
CASES = {
    **cases(HEADS, WINDOW, RANK, parts=True),
    DENSE: Program(on_heads("scaled_dot_product_attention", HEADS, **FULL), FAR),
    f"{DENSE}, causal": Program(
        on_heads("scaled_dot_product_attention", HEADS, **FULL, causal=True), FAR
    ),
    "recurrent": Program(on_words("recurrent", HEADS * WIDTH), **STEPS),
    "convolutional": Program(on_words("convolutional", HEADS * WIDTH), FAR),
}


def lengths_of(name):
    """What is measured, from short to long."""
    longest = CASES[name].longest
    return tuple(longest >> k for k in reversed(range(SIZES)))
