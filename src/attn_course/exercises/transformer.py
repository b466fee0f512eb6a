"""Exercises of chapter 9."""

import numpy as np

from attn_course.exercises.exercise import (
    OVERFLOW,
    Exercise,
    fixed_cases,
    softmax,
)


def _embed_cases(rng):
    def draw(T, D):
        return rng.normal(size=(T, D)), rng.normal(size=(T, D))

    return fixed_cases(rng, draw, 2)


def embed(vectors, waves):
    return vectors * np.sqrt(vectors.shape[1]) + waves


def _smoothed_cases(rng):
    def draw(T, N):
        logits = 2 * rng.normal(size=(T, N))
        right = np.eye(N)[rng.integers(N, size=T)]
        chance = np.log(softmax(logits))
        return chance, right, float(rng.uniform(0.1, 0.4))

    return fixed_cases(rng, draw, 2)


def smoothed_loss(log_chance, right, smoothing):
    share = (1 - smoothing) * right + smoothing / right.shape[1]
    return -(share * log_chance).sum(axis=1)


def _across_cases(rng):
    def draw(T, S, D, K, V):
        sizes = (T, D), (S, D), (D, K), (D, K), (D, V)
        x, memory, *weights = (rng.normal(size=size) for size in sizes)
        return x, memory, *(weight / np.sqrt(D) for weight in weights)

    def large(x, memory, *weights):
        return 60 * x, 60 * memory, *weights

    return fixed_cases(rng, draw, 5, long=(1,), large=large)


def look_across(x, memory, query_weight, key_weight, value_weight):
    query, key = x @ query_weight, memory @ key_weight
    score = query @ key.T / np.sqrt(key.shape[1])
    return softmax(score) @ (memory @ value_weight)


EXERCISES = (
    Exercise(
        name="09.embed",
        level=1,
        minutes=5,
        statement=(
            "Write `embed(vectors, waves)`: vectors (T, D), the rows of the table for "
            "T tokens; waves (T, D), the sinusoids of their positions; output (T, D), "
            "what enters the first layer."
        ),
        cases=_embed_cases,
        solution=embed,
        mistakes={
            "the vectors are not scaled": (" * np.sqrt(vectors.shape[1])", ""),
            "the scale is the root of the width, not the width": (
                "np.sqrt(vectors.shape[1])",
                "vectors.shape[1]",
            ),
            "the vectors are multiplied by the root, not divided": (
                "vectors * np",
                "vectors / np",
            ),
            "the width is the last axis; the root is of the number of tokens": (
                "shape[1]",
                "shape[0]",
            ),
            "the positions are missing": (" + waves", ""),
            "the sinusoids are not scaled": (
                "vectors * np.sqrt(vectors.shape[1]) + waves",
                "(vectors + waves) * np.sqrt(vectors.shape[1])",
            ),
        },
        hints=(
            "Section 3.4 of the paper: the vectors of the table are multiplied by a "
            "number. Section 3.5 adds the positions.",
            "The number is the square root of the model's width, D.",
            "vectors * np.sqrt(vectors.shape[1]) + waves",
        ),
        starters={
            "numpy": (
                "def embed(vectors, waves):\n    ...  # (T, D) each; return (T, D)\n"
            ),
        },
    ),
    Exercise(
        name="09.smoothed_loss",
        level=2,
        minutes=10,
        statement=(
            "Write `smoothed_loss(log_chance, right, smoothing)`: log_chance (T, N), "
            "the log-probabilities of N tokens; right (T, N), 1 at the right token and "
            "0 elsewhere; smoothing, the share that is spread over all N tokens; "
            "output (T), the loss of every position."
        ),
        cases=_smoothed_cases,
        solution=smoothed_loss,
        mistakes={
            "the sign: a loss is positive": ("-(share", "(share"),
            "the share is spread over all N tokens, the right one among them": (
                "smoothing / right.shape[1]",
                "smoothing / max(right.shape[1] - 1, 1) * (1 - right)",
            ),
            "nothing is spread": (" + smoothing / right.shape[1]", ""),
            "the right token keeps all of its share: rows should sum to 1": (
                "(1 - smoothing) * right",
                "right",
            ),
            "what is spread is divided by the number of tokens, N": (
                "smoothing / right.shape[1]",
                "smoothing",
            ),
            "N is the number of tokens, not of positions": ("shape[1]", "shape[0]"),
            "the sum runs over the positions": ("axis=1", "axis=0"),
            "the loss of a position is a sum over the tokens, not a mean": (
                ".sum(axis=1)",
                ".mean(axis=1)",
            ),
            "nothing is smoothed": (
                "share * log_chance",
                "right * log_chance",
            ),
        },
        hints=(
            "First the shares: what the model should say of each token. They sum to 1.",
            "(1 - smoothing) for the right token, and smoothing / N for every token.",
            "-(share * log_chance).sum(axis=1)",
        ),
        starters={
            "numpy": (
                "def smoothed_loss(log_chance, right, smoothing):\n"
                "    ...  # (T, N), (T, N), a number; return (T)\n"
            ),
        },
    ),
    Exercise(
        name="09.look_across",
        level=2,
        minutes=10,
        kind="bug",
        before="05.self_attention",
        statement=(
            "Find the bug. Cross-attention with one head: x (T, D), what is written; "
            "memory (S, D), the encoder's output; query_weight and key_weight (D, K), "
            "value_weight (D, V); output (T, V). `softmax(score)` is given."
        ),
        cases=_across_cases,
        solution=look_across,
        mistakes={
            **OVERFLOW,
            "the source asks and what is written answers; it is the other way around": (
                ("x @ query_weight, memory @", "memory @ query_weight, x @"),
                ("(memory @ value_weight)", "(x @ value_weight)"),
            ),
            "the keys are of what is written; they should be of the memory": (
                ("memory @ key_weight", "x @ key_weight"),
                ("(memory @ value_weight)", "(x @ value_weight)"),
            ),
            "the queries are of the memory; they should be of what is written": (
                "x @ query_weight",
                "memory @ query_weight",
            ),
            "the scale is missing": (" / np.sqrt(key.shape[1])", ""),
            "the scale is the root of the width, not the width": (
                "np.sqrt(key.shape[1])",
                "key.shape[1]",
            ),
            "the scale is the root of the keys' width, not of the model's": (
                "key.shape[1]",
                "x.shape[1]",
            ),
            "the softmax runs over the queries": (
                "softmax(score)",
                "softmax(score, axis=0)",
            ),
        },
        hints=(
            "Who asks, and who is asked? The output has a row for every written word.",
            "Queries come from x; keys and values come from the memory.",
            "query, key = x @ query_weight, memory @ key_weight; the values likewise.",
        ),
        starters={
            "numpy": (
                "def look_across(x, memory, query_weight, key_weight, value_weight):\n"
                "    query, key = memory @ query_weight, x @ key_weight\n"
                "    score = query @ key.T / np.sqrt(key.shape[1])\n"
                "    return softmax(score) @ (x @ value_weight)\n"
            ),
        },
    ),
)
