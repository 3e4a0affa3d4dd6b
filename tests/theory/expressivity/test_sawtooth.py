import pytest
import torch
from scipy.integrate import quad

from corollary.core import generator
from corollary.errors import InputError
from corollary.theory.expressivity.piecewise import random_piecewise
from corollary.theory.expressivity.sawtooth import (
    alternating_error_bound,
    integral_distance,
    is_narrow,
    narrow_error_bound,
    sawtooth_curve,
    sawtooth_values,
    telgarsky_lower,
)


def at(f, t):
    return f(torch.tensor([t], dtype=torch.float64)).item()


def test_the_closed_form_is_the_iterate():
    x = torch.linspace(-0.5, 1.5, 401, dtype=torch.float64)
    y = x
    for k in range(1, 6):
        y = torch.minimum(2 * y, 2 - 2 * y).clamp(min=0)
        torch.testing.assert_close(sawtooth_values(x, k), y, rtol=0, atol=1e-13)
        torch.testing.assert_close(sawtooth_curve(k)(x), y, rtol=0, atol=1e-13)


@pytest.mark.parametrize("seed", range(5))
def test_the_distance_is_what_scipy_integrates(seed):
    f, g = (random_piecewise(5, rng=generator(seed, name)) for name in "fg")
    knots = torch.cat([f.knots, g.knots]).tolist()
    inner = sorted(t for t in knots if 0 < t < 1)
    expected, _ = quad(lambda t: abs(at(f, t) - at(g, t)), 0, 1, points=inner, limit=300)
    assert integral_distance(f, g) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("L", [2, 3, 4, 5])
def test_the_count_of_triangles_gives_one_over_32_for_L_from_2(L):
    assert (2 * 2**L / L) ** L <= 2 ** (L * L)
    assert telgarsky_lower(2 ** (L * L), L * L + 2) == 1 / 16 - 2.0 ** (-L * L - 4) >= 1 / 32


def test_the_inequality_of_the_notes_fails_for_L_1():
    assert (2 * 2**1 / 1) ** 1 == 4 > 2 ** (1 * 1)
    assert telgarsky_lower(4, 3) == 0.0  # with four pieces no triangle is left by the count


@pytest.mark.parametrize(("n", "k", "l"), [(8, 2, 2), (12, 3, 3), (10, 1, 1), (6, 5, 1)])
def test_the_bound_by_width_follows_from_the_bound_by_pieces(n, k, l):
    w = 1
    while is_narrow(n, k, l, w + 1):
        w += 1
    if not is_narrow(n, k, l, w):
        with pytest.raises(InputError, match="width below"):
            narrow_error_bound(n, k, l, w)
        return
    pieces = (2 * w) ** l
    assert pieces < 2 ** (n - k)
    assert alternating_error_bound(pieces, n) >= narrow_error_bound(n, k, l, w)
    assert narrow_error_bound(n, k, l, w) > 0.5 - 1 / (3 * 2 ** (k - 1))


def test_the_best_answers_with_few_runs_attain_the_bound():
    """Follow the first t points and be constant after: the mistakes of brute force, n = 4."""
    labels = torch.arange(16) % 2
    for t in range(1, 16):
        best = 16
        for cuts in torch.combinations(torch.arange(1, 16), t) if t <= 3 else []:
            for first in (0, 1):
                runs = first + (torch.arange(16)[:, None] >= cuts).sum(1)
                best = min(best, int((runs % 2 != labels).sum()))
        if t <= 3:
            assert best / 16 >= alternating_error_bound(t, 4)
            assert best == -(-(16 - t - 1) // 2)  # the bound, rounded up to whole points


def test_wrong_arguments_are_named():
    with pytest.raises(InputError, match="1 to 40"):
        sawtooth_values(torch.zeros(1), 0)
    with pytest.raises(InputError, match="one piece"):
        telgarsky_lower(0, 3)
    with pytest.raises(InputError, match="low must"):
        integral_distance(sawtooth_curve(1), sawtooth_curve(2), 1.0, 0.0)
    with pytest.raises(InputError, match="l >= 1"):
        is_narrow(3, 4, 1, 1)
