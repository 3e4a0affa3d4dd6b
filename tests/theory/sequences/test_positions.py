import pytest
import torch

from corollary.errors import InputError
from corollary.theory.sequences.positions import frequencies, shift_matrix, sinusoidal_encoding


@pytest.mark.parametrize("d", [2, 6, 64])
@pytest.mark.parametrize("s", [0, 1, 7, -3, 2.5])
def test_a_shift_is_a_rotation_that_does_not_depend_on_the_time(d, s):
    times = torch.arange(50, dtype=torch.float64)
    R = shift_matrix(s, d)
    moved = sinusoidal_encoding(times + s, d)
    assert torch.allclose(sinusoidal_encoding(times, d) @ R.T, moved, atol=1e-12)
    assert torch.allclose(R @ R.T, torch.eye(d, dtype=torch.float64), atol=1e-12)


def test_the_gram_matrix_is_toeplitz_with_d_halves_on_its_diagonal():
    P = sinusoidal_encoding(40, 16)
    G = P @ P.T
    assert torch.allclose(G[1:, 1:], G[:-1, :-1], atol=1e-12)
    assert torch.allclose(G.diagonal(), torch.full((40,), 8.0, dtype=torch.float64))


def test_the_first_row_by_the_formula_of_the_notes():
    P = sinusoidal_encoding(4, 6)
    want = [
        f(torch.tensor(3.0, dtype=torch.float64) / 10000 ** (2 * i / 6))
        for i in range(3)
        for f in (torch.sin, torch.cos)
    ]
    assert torch.allclose(P[3], torch.stack(want))


def test_frequencies_fall_where_those_printed_in_the_notes_grow():
    omega = frequencies(8)
    printed = 1e4 ** (torch.arange(8) / 8)
    assert bool((omega.diff() < 0).all()) and bool((printed.diff() > 0).all())
    t = torch.arange(30, dtype=torch.float64)[:, None]
    pairs = torch.where(torch.arange(8) % 2 == 0, (t * printed).sin(), (t * printed).cos())
    lengths = pairs.square().sum(dim=1)
    assert lengths.max() - lengths.min() > 1.0  # a rotation would keep them


@pytest.mark.parametrize("d", [0, 3, -2])
def test_an_odd_or_empty_width_is_refused(d):
    with pytest.raises(InputError, match="even and positive"):
        frequencies(d)


def test_a_base_that_is_not_positive_is_refused():
    with pytest.raises(InputError, match="base must be positive"):
        frequencies(4, 0)
