"""Exercises of chapter 1."""

import numpy as np

from attn_course.exercises.exercise import Exercise


def _states(rng):
    mask = np.arange(7) < np.array([[7], [4], [1]])
    # In a batch padded to a multiple of 8 no sentence needs to reach the end.
    short = np.arange(8) < np.array([[5], [3]])
    return [(rng.normal(size=(3, 7, 5)), mask), (rng.normal(size=(2, 8, 11)), short)]


def _last(mask):
    return mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)


def _last_state(states, mask):
    return states[np.arange(len(states)), _last(mask)]


def _targets(rng):
    return [(rng.integers(4, 20, (B, T)), np.array(1)) for B, T in ((3, 7), (5, 2))]


def _decoder_input(targets, begin):
    return np.concatenate([np.full_like(targets[:, :1], begin), targets[:, :-1]], 1)


EXERCISES = {
    "01.last_state": Exercise(
        _states,
        _last_state,
        {
            "you take the last position, which is padding in a shorter sentence": (
                lambda states, mask: states[:, -1]
            ),
            "you take the position after the last token": (
                lambda states, mask: states[
                    np.arange(len(states)), mask.sum(axis=1) % mask.shape[1]
                ]
            ),
            "you take the first state": lambda states, mask: states[:, 0],
            "you average the states": (
                lambda states, mask: (
                    (states * mask[..., None]).sum(axis=1) / mask.sum(axis=1)[:, None]
                )
            ),
            "you take every sentence's last position from every sentence": (
                lambda states, mask: states[:, _last(mask)]
            ),
        },
    ),
    "01.decoder_input": Exercise(
        _targets,
        _decoder_input,
        {
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
                lambda targets, begin: np.concatenate(
                    [np.full_like(targets[:, :1], begin), targets[:, 1:]], 1
                )
            ),
            "it is one token too long: the last one is never an input": (
                lambda targets, begin: np.concatenate(
                    [np.full_like(targets[:, :1], begin), targets], 1
                )
            ),
            "every position holds the first token": (
                lambda targets, begin: np.full_like(targets, begin)
            ),
        },
    ),
}
