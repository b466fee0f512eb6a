"""Exercises of chapter 1."""

import numpy as np

from attn_course.exercises.exercise import Case, Exercise, fixed_cases


def _mask(rng, B, S):
    """Lengths of at least 1; in some batches none reaches the end."""
    lengths = rng.integers(1, S + 1, B)
    return np.arange(S) < lengths[:, None]


def _length_cases(rng):
    def draw(B, S):
        return rng.integers(0, S + 1, B), S

    def empty(lengths, size):
        return np.zeros_like(lengths), size

    def full(lengths, size):
        return np.full_like(lengths, size), size

    return fixed_cases(rng, draw, 2, long=(1,), empty=empty, full=full)


def padding_mask(lengths, size):
    return np.arange(size) < lengths[:, None]


def _state_cases(rng):
    def draw(B, S, H):
        return rng.normal(size=(B, S, H)), _mask(rng, B, S)

    def full(states, mask):
        return states, np.ones_like(mask)

    cases = fixed_cases(rng, draw, 3, long=(1,), full=full)
    # In a batch padded to a multiple of 8 no sentence needs to reach the end.
    short = np.arange(8) < rng.integers(1, 7, 5)[:, None]
    return [
        *cases,
        Case("no sentence reaches the end", (rng.normal(size=(5, 8, 3)), short)),
    ]


def last_state(states, mask):
    last = mask.sum(axis=1) - 1
    return states[np.arange(len(states)), last]


def _target_cases(rng):
    def draw(B, T):
        return rng.integers(4, 200, (B, T)), int(rng.integers(200, 300))

    return fixed_cases(rng, draw, 2, long=(1,))


def decoder_input(targets, begin):
    first = np.full_like(targets[:, :1], begin)
    return np.concatenate([first, targets[:, :-1]], axis=1)


def _run_cases(rng):
    def draw(B, S, E, H):
        sizes = (B, S, E), (E, H), (H, H)
        x, first, second = (rng.normal(size=size) for size in sizes)
        return x, first / np.sqrt(E), second / np.sqrt(H), _mask(rng, B, S)

    def full(x, W, U, mask):
        return x, W, U, np.ones_like(mask)

    def empty(x, W, U, mask):
        mask[0] = False
        return x, W, U, mask

    return fixed_cases(rng, draw, 4, long=(1,), full=full, empty=empty)


def run(x, input_weight, state_weight, mask):
    state = np.zeros((x.shape[0], state_weight.shape[0]))
    for t in range(x.shape[1]):
        moved = np.tanh(x[:, t] @ input_weight + state @ state_weight)
        state = np.where(mask[:, t, None], moved, state)
    return state


def _influence_cases(rng):
    cases = [
        Case("another factor", (float(rng.uniform(0.2, 1.3)), int(rng.integers(2, 9))))
        for _ in range(4)
    ]
    cases.append(Case("length 1", (float(rng.uniform(0.2, 0.9)), 1)))
    cases.append(Case("a negative factor", (float(-rng.uniform(0.2, 0.9)), 4)))
    return [*cases, Case("length 100", (0.97, 100))]


def influence(factor, steps):
    return factor ** (steps - 1)


EXERCISES = (
    Exercise(
        name="01.padding_mask",
        level=1,
        minutes=5,
        before="comparing arrays, broadcasting",
        statement=(
            "Write `padding_mask(lengths, size)`: lengths (B), whole numbers; size, a "
            "number; the result is boolean (B, size), True where a token stands. A "
            "length of 0 gives a row of False."
        ),
        cases=_length_cases,
        solution=padding_mask,
        mistakes={
            "the mask is inverted: True should stand where a token is": (
                "np.arange(size) < lengths",
                "np.arange(size) >= lengths",
            ),
            "one position too many: positions count from 0": ("<", "<="),
            "one position too few": ("np.arange(size) <", "np.arange(size) + 1 <"),
            "the mask is transposed: a row for each sentence": (
                "np.arange(size) < lengths[:, None]",
                "np.arange(size)[:, None] < lengths",
            ),
            "the width is that of the longest sentence; it is size": (
                "np.arange(size)",
                "np.arange(lengths.max())",
            ),
            "the tokens stand at the end; here padding does": (
                "np.arange(size) <",
                "np.arange(size)[::-1] <",
            ),
            "everything is allowed": ("<", "<= size +"),
            "every sentence gets the length of the first": (
                "lengths[:, None]",
                "np.full_like(lengths, lengths[0])[:, None]",
            ),
            "the tokens come before the length, not after it": (" < ", " > "),
            "only the position after the last token is True": (" < ", " == "),
            "a length of 0 gives a row of False, not one token": (
                "< lengths",
                "< np.maximum(lengths, 1)",
            ),
            "every sentence gets the length of the longest": (
                "lengths[:, None]",
                "lengths.max() + 0 * lengths[:, None]",
            ),
            "the lengths are handed over; they don't grow by one per sentence": (
                lambda lengths, size: np.tri(len(lengths), size, dtype=bool)
            ),
        },
        hints=(
            "Position j is a token exactly when j is smaller than the length.",
            "Compare np.arange(size), one row, with the lengths as a column.",
            "np.arange(size) < lengths[:, None]",
        ),
        starters={
            "numpy": (
                "def padding_mask(lengths, size):\n"
                "    ...  # (B), a number; return (B, size), bool\n"
            ),
        },
    ),
    Exercise(
        name="01.last_state",
        level=2,
        minutes=10,
        before="01.padding_mask, indexing with arrays",
        statement=(
            "Write `last_state(states, mask)`: for each sentence the state after its "
            "last real token. states (B, S, H); mask (B, S) bool, True where a token "
            "stands, at least one per sentence, padding at the end; output (B, H)."
        ),
        cases=_state_cases,
        solution=last_state,
        mistakes={
            "you take the last position, which is padding in a shorter sentence": (
                "mask.sum(axis=1) - 1",
                "np.full(len(mask), -1)",
            ),
            "you take the position after the last token": (
                "mask.sum(axis=1) - 1",
                "mask.sum(axis=1) % mask.shape[1]",
            ),
            "you take the position before the last token": (
                "mask.sum(axis=1) - 1",
                "np.maximum(mask.sum(axis=1) - 2, 0)",
            ),
            "you take the position two before the end of the tokens": (
                "sum(axis=1) - 1",
                "sum(axis=1) - 2",
            ),
            "you take the first state": (
                "mask.sum(axis=1) - 1",
                "0 * mask.sum(axis=1)",
            ),
            "you average the states": (
                lambda states, mask: (
                    (states * mask[..., None]).sum(axis=1) / mask.sum(axis=1)[:, None]
                )
            ),
            "you add the states": (
                lambda states, mask: (states * mask[..., None]).sum(axis=1)
            ),
            "you take the largest of each component": (
                lambda states, mask: np.where(mask[..., None], states, -np.inf).max(1)
            ),
            "you take every sentence's last position from every sentence": (
                "np.arange(len(states))",
                ":",
            ),
            "the longest sentence's last position is taken from all": (
                "mask.sum(axis=1) - 1",
                "np.full(len(mask), mask.sum(axis=1).max() - 1)",
            ),
            "you average padding too": lambda states, mask: states.mean(axis=1),
            "padding is set to zero, and then the last position taken": (
                lambda states, mask: (states * mask[..., None])[:, -1]
            ),
            "every state is taken from the first sentence": (
                "np.arange(len(states))",
                "0",
            ),
            "these are the states of all tokens; one per sentence was asked for": (
                lambda states, mask: states[mask]
            ),
        },
        hints=(
            "A sentence of n tokens has its last state at position n - 1.",
            "mask.sum(axis=1) counts the tokens. Pick one position per row with two "
            "index arrays, rows and positions.",
            "states[np.arange(len(states)), mask.sum(axis=1) - 1]",
        ),
        starters={
            "numpy": (
                "def last_state(states, mask):\n"
                "    ...  # (B, S, H), (B, S) bool; return (B, H)\n"
            ),
        },
    ),
    Exercise(
        name="01.decoder_input",
        level=1,
        minutes=10,
        kind="bug",
        before="teacher forcing",
        statement=(
            "Find the bug. With teacher forcing the decoder reads the target, "
            "shifted by "
            "one: targets (B, T), whole numbers; begin, the number of the "
            "token that is "
            "fed first; output (B, T), whole numbers. This function runs, the shapes "
            "fit, and the loss falls."
        ),
        cases=_target_cases,
        solution=decoder_input,
        mistakes={
            "the decoder is shown the token that it has to write": (
                lambda targets, begin: targets
            ),
            "the last token comes first; a decoder that writes doesn't have it yet": (
                lambda targets, begin: np.roll(targets, 1, axis=1)
            ),
            "it is shifted the wrong way: the decoder sees the token after": (
                lambda targets, begin: np.concatenate(
                    [targets[:, 1:], np.full_like(targets[:, :1], begin)], 1
                )
            ),
            "the first token is overwritten, not moved: the rest is not shifted": (
                "targets[:, :-1]",
                "targets[:, 1:]",
            ),
            "it is one token too long: the last one is never an input": (
                "targets[:, :-1]",
                "targets",
            ),
            "every position holds the first token": (
                lambda targets, begin: np.full_like(targets, begin)
            ),
            "the first token is a constant; it is handed over as `begin`": (
                ":1], begin)",
                ":1], 1)",
            ),
            "the first token is 0; it is handed over as `begin`": (
                ":1], begin)",
                ":1], 0)",
            ),
            "it is one token too short: begin is missing": ("[first, ", "["),
            "the begin token stands at the end": (
                "[first, targets[:, :-1]]",
                "[targets[:, :-1], first]",
            ),
            "it is shifted over the sentences, not over the positions": (
                lambda targets, begin: np.concatenate(
                    [np.full_like(targets[:1], begin), targets[:-1]]
                )
            ),
            "it is shifted by two": (
                lambda targets, begin: np.concatenate(
                    [np.full_like(targets[:, :2], begin), targets[:, :-2]], 1
                )
            ),
            "the first token stays where it is; begin should stand there": (
                "np.full_like(targets[:, :1], begin)",
                "targets[:, :1]",
            ),
            "it is shifted the wrong way, and the first token comes last": (
                lambda targets, begin: np.roll(targets, -1, axis=1)
            ),
            "it is rolled over the sentences, not over the positions": (
                lambda targets, begin: np.roll(targets, 1, axis=0)
            ),
        },
        hints=(
            "Which token does a decoder have before it has written anything?",
            "np.roll brings the last token to the front. Nothing but `begin` "
            "belongs there.",
            "Join a column that is filled with begin and targets[:, :-1].",
        ),
        starters={
            "numpy": (
                "def decoder_input(targets, begin):  # (B, T), the token fed first\n"
                "    return np.roll(targets, 1, axis=1)\n"
            ),
        },
    ),
    Exercise(
        name="01.run",
        level=2,
        minutes=15,
        before="01.last_state",
        statement=(
            "Write `run(x, input_weight, state_weight, mask)`: the final state of a "
            "simple recurrent network, tanh(x_t @ input_weight + state @ "
            "state_weight), "
            "from a state of zeros. x (B, S, E), input_weight (E, H), state_weight "
            "(H, H), mask (B, S) bool; output (B, H). Padding leaves the state "
            "as it is; "
            "a sentence without tokens ends in zeros."
        ),
        cases=_run_cases,
        solution=run,
        mistakes={
            "padding moves the state: keep the old one where the mask is False": (
                "np.where(mask[:, t, None], moved, state)",
                "moved",
            ),
            "padding sets the state to zero; it should stay as it is": (
                ", moved, state)",
                ", moved, 0)",
            ),
            "there is no tanh": ("np.tanh", ""),
            "the previous state does not enter": (" + state @ state_weight", ""),
            "the mask is inverted; True is a token": (
                ", moved, state)",
                ", state, moved)",
            ),
            "it starts from ones; the first state is zero": ("np.zeros", "np.ones"),
            "the sentence is read backwards": (
                "range(x.shape[1])",
                "reversed(range(x.shape[1]))",
            ),
            "the last position is left out": (
                "range(x.shape[1])",
                "range(x.shape[1] - 1)",
            ),
            "the first position is left out": (
                "range(x.shape[1])",
                "range(1, x.shape[1])",
            ),
            "the state weights are transposed": (
                "@ state_weight)",
                "@ state_weight.T)",
            ),
            "each part has a tanh of its own; the sum should have one": (
                "np.tanh(x[:, t] @ input_weight + state @ state_weight)",
                "np.tanh(x[:, t] @ input_weight) + np.tanh(state @ state_weight)",
            ),
            "the old state is added to the new one": (
                ", moved, state)",
                ", state + moved, state)",
            ),
            "padding is set to zero in x, but the state still moves": (
                lambda x, W, U, mask: run(x * mask[..., None], W, U, np.ones_like(mask))
            ),
            "every sentence gets the first one's mask": (
                "mask[:, t, None]",
                "mask[:1, t, None]",
            ),
            "a ReLU stands in place of the tanh": ("np.tanh(", "np.maximum(0, "),
            "the old state is added, also where nothing moves": (
                "state = np.where",
                "state = state + np.where",
            ),
            "it stops where the shortest sentence does": (
                "range(x.shape[1])",
                "range(mask.sum(axis=1).min())",
            ),
        },
        hints=(
            "A loop over positions; one state per sentence, which each token moves.",
            "Compute the moved state for all sentences, then choose with np.where: the "
            "moved one where mask[:, t] is True, else the old one.",
            "moved = np.tanh(x[:, t] @ input_weight + state @ state_weight); "
            "state = np.where(mask[:, t, None], moved, state)",
        ),
        starters={
            "numpy": (
                "def run(x, input_weight, state_weight, mask):\n"
                "    ...  # (B, S, E), (E, H), (H, H), (B, S); return (B, H)\n"
            ),
        },
    ),
    Exercise(
        name="01.influence",
        level=2,
        minutes=10,
        kind="predict",
        before="derivatives",
        statement=(
            "Predict, then measure. A state keeps 0.9 of itself at every step: "
            "state = 0.9 * state + x. How much does the state after 30 steps "
            "change when "
            "the first x grows by 1? Enter your guess, then write "
            "`influence(factor, steps)`, which gives that number for any "
            "factor and any "
            "number of steps from 1 on."
        ),
        cases=_influence_cases,
        solution=influence,
        ask=(0.9, 30),
        mistakes={
            "one step too many: the first x enters in the first step, undamped": (
                "(steps - 1)",
                "steps",
            ),
            "one step too few": ("(steps - 1)", "(steps - 2)"),
            "the factor is multiplied with the steps; it applies once per step": (
                "factor ** (steps - 1)",
                "factor * (steps - 1)",
            ),
            "this is the sum of all inputs' influences; only the first one counts": (
                "factor ** (steps - 1)",
                "sum(factor**n for n in range(steps))",
            ),
            "steps and factor are exchanged in the power": (
                "factor ** (steps - 1)",
                "(steps - 1) ** factor",
            ),
            "this is what is lost; what is left was asked for": (
                "factor ** (steps - 1)",
                "1 - factor ** (steps - 1)",
            ),
            "the sign of the factor is lost": ("factor **", "abs(factor) **"),
            "the state forgets with exp; it is a power of the factor": (
                "factor ** (steps - 1)",
                "np.exp(-factor * (steps - 1))",
            ),
            "the influence doesn't depend on the steps here": (
                "factor ** (steps - 1)",
                "factor",
            ),
            "the factor is a constant; it is handed over": ("factor **", "0.9 **"),
            "the steps are a constant; they are handed over": ("(steps - 1)", "29"),
            "a negative factor has no logarithm: take a power": (
                "factor ** (steps - 1)",
                "np.exp((steps - 1) * np.log(factor))",
            ),
            "x enters whole; it is not multiplied by 1 - factor": (
                "factor ** (steps - 1)",
                "(1 - factor) * factor ** (steps - 1)",
            ),
            "a negative influence is cut off": (
                "factor ** (steps - 1)",
                "max(factor ** (steps - 1), 0)",
            ),
        },
        hints=(
            "After the step in which it enters, x is multiplied by the factor "
            "each time.",
            "Write the states of 1, 2 and 3 steps: x; factor * x; factor**2 * x.",
            "A loop: state = 1 at first, then steps - 1 times state = factor * state.",
        ),
        starters={
            "numpy": (
                "prediction = ...  # for a factor of 0.9 and 30 steps\n\n"
                "def influence(factor, steps):\n    ...  # two numbers; return one\n"
            ),
        },
    ),
)
