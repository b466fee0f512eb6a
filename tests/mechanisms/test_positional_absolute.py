"""Sinusoids and learned positions: by hand, in closed form, alike in three."""

import math

import numpy as np
import pytest
from support import FACE, FACES, build, close, draw, kind, numbers, tensor

from attn_course import reference
from attn_course.parity import get_parameters

B, T, S, D = 2, 5, 7, 11

# --- sinusoids ------------------------------------------------------------------------


@FACES
def test_sinusoids_by_hand(face):
    """Width 4: frequencies 1 and 1/100. Width 3: 1 and 10000^(-2/3), a sine alone."""
    found = face.sinusoidal_encoding(3, 4, **kind(face))
    sin, cos = math.sin, math.cos
    close(found, [[0, 1, 0, 1], [sin(1), cos(1), sin(0.01), cos(0.01)], [sin(2), cos(2), sin(0.02), cos(0.02)]])
    odd = face.sinusoidal_encoding(1, 3, first_position=2, **kind(face))
    close(odd, [[sin(2), cos(2), sin(2 * 10 ** (-8 / 3))]])
    close(face.sinusoidal_encoding(2, 4, base=4.0, **kind(face))[1], [sin(1), cos(1), sin(0.5), cos(0.5)])
    assert face.sinusoidal_encoding(0, 4).shape == (0, 4)


@FACES
@pytest.mark.parametrize("dim", [1, 2, 7, 8])
@pytest.mark.parametrize("first", [0, 3, -4])
def test_sinusoids_by_loops(face, dim, first):
    found = numbers(face.sinusoidal_encoding(S, dim, first_position=first, **kind(face)))
    assert found.shape == (S, dim)
    for t, column in np.ndindex(S, dim):
        wave = math.cos if column % 2 else math.sin
        angle = (first + t) / 10000 ** ((column - column % 2) / dim)
        assert found[t, column] == pytest.approx(wave(angle), abs=1e-13)


@pytest.mark.parametrize("offset", [1, 6, -3, 0.5, 1000])
def test_an_offset_is_a_linear_map(offset):
    shift = reference.sinusoidal_shift(D + 1, offset)
    here = reference.sinusoidal_encoding(S, D + 1, first_position=2)
    there = reference.sinusoidal_encoding(S, D + 1, first_position=2 + offset)
    close(here @ shift, there, 1e-12)
    close(shift @ shift.T, np.eye(D + 1), 1e-13)
    close(shift @ reference.sinusoidal_shift(D + 1, 3), reference.sinusoidal_shift(D + 1, offset + 3), 1e-12)
    with pytest.raises(ValueError, match="dim must be even and known, got 11"):
        reference.sinusoidal_shift(D, offset)


def test_wavelengths_from_two_pi_almost_to_ten_thousand_times_that():
    """Read from the map of one step: pair i turns by 2 pi / wavelength."""
    shift = reference.sinusoidal_shift(512, 1)
    sines, cosines = np.diag(shift, -1)[::2], np.diag(shift)[::2]
    wavelengths = 2 * np.pi / np.arctan2(sines, cosines)
    ratio = 10000 ** (2 / 512)
    close(wavelengths, 2 * np.pi * ratio ** np.arange(256), 1e-9)
    assert wavelengths[0] == pytest.approx(2 * np.pi)
    assert wavelengths[-1] == pytest.approx(10000 * 2 * np.pi / ratio)


@FACE
def test_sinusoidal_layer(face):
    x, layer = draw(B, T, D), build(face, "SinusoidalEncoding", D)
    close(layer(tensor(face, x)), x + reference.sinusoidal_encoding(T, D))
    cached = layer(tensor(face, x[:, 3:]), first_position=3)
    close(cached, x[:, 3:] + reference.sinusoidal_encoding(T, D)[3:])
    close(
        build(face, "SinusoidalEncoding", D, base=7.0)(tensor(face, x)),
        x + reference.sinusoidal_encoding(T, D, base=7.0),
    )
    assert not get_parameters(layer)


# --- learned --------------------------------------------------------------------------


@FACE
def test_no_vector_was_learned_for_later_positions(face):
    layer, words = (
        build(face, "LearnedEncoding", 4, D),
        "x must end at max_length = 4 positions, got {} from position {}",
    )
    for length, first in ((5, 0), (2, 3), (1, 4)):
        x = draw(1, length, D)
        with pytest.raises(ValueError, match=words.format(length, first)):
            layer(tensor(face, x), first_position=first)
        with pytest.raises(ValueError, match=words.format(length, first)):
            reference.learned_encoding(x, {"weight": draw(4, D)}, first_position=first)
    with pytest.raises(ValueError, match="first_position must be at least 0, got -1"):
        layer(tensor(face, draw(1, 2, D)), first_position=-1)
