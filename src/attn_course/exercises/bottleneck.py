"""Exercises of chapter 1."""

import numpy as np


def _states(rng):
    lengths = np.array([7, 4, 1])
    return rng.normal(size=(3, 7, 5)), np.arange(7) < lengths[:, None]


def _last_state(states, mask):
    last = mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)
    return states[np.arange(len(states)), last]


def _targets(rng):
    return rng.integers(4, 20, (3, 7)), np.array(1)


def _decoder_input(targets, begin):
    return np.concatenate([np.full_like(targets[:, :1], begin), targets[:, :-1]], 1)


EXERCISES = {
    "01.last_state": (
        _states,
        _last_state,
        {
            "you take the last position, which is padding in a shorter sentence": (
                lambda h, mask: h[:, -1]
            ),
            "you take the position after the last token": (
                lambda h, mask: h[np.arange(len(h)), mask.sum(1) % mask.shape[1]]
            ),
            "you take the first state": lambda h, mask: h[:, 0],
            "you average the states": (
                lambda h, mask: (h * mask[..., None]).sum(1) / mask.sum(1)[:, None]
            ),
        },
    ),
    "01.decoder_input": (
        _targets,
        _decoder_input,
        {
            "the decoder is shown the token that it has to write": (
                lambda targets, begin: targets
            ),
            "the last token comes first: the answer's end is given away": (
                lambda targets, begin: np.roll(targets, 1, axis=1)
            ),
            "it is shifted the wrong way: the decoder sees the token after": (
                lambda targets, begin: np.concatenate(
                    [targets[:, 1:], np.full_like(targets[:, :1], begin)], 1
                )
            ),
            "every position holds the first token": (
                lambda targets, begin: np.full_like(targets, begin)
            ),
        },
    ),
}
