import numpy as np
import pytest
import torch
from scipy.optimize import linprog, minimize

from corollary.core import generator
from corollary.theory.robustness.balls import size
from corollary.theory.robustness.hyperplanes import to_hyperplane, water_level

NORMS = ("linf", "l2", "l1")


def planes(n=30, d=6):
    """Points of the unit cube, some on its faces, and hyperplanes, some parallel to axes."""
    rng = generator(0, "planes")
    x = torch.rand(n, d, generator=rng, dtype=torch.float64)
    w, c = (torch.randn(*s, generator=rng, dtype=torch.float64) for s in ((n, d), (n,)))
    x[: n // 3, 0], x[n // 3 : n // 2, 1], w[: n // 4, 2] = 0.0, 1.0, 0.0
    return x, w, c


def most(x, w, c):
    """How far the unit cube lets the product with w go towards c."""
    room = torch.where(w * c.sign()[:, None] > 0, 1 - x, x)
    return (room * w.abs()).sum(1)


def by_scipy(x, w, c, norm):
    """The size of the smallest step from x to the hyperplane within the unit cube."""
    d, bounds = len(x), list(zip(-x, 1 - x, strict=True))
    if norm == "l2":
        plane = {"type": "eq", "fun": lambda v: w @ v - c, "jac": lambda v: w}
        found = minimize(
            lambda v: v @ v,
            np.zeros(d),
            jac=lambda v: 2 * v,
            bounds=bounds,
            constraints=plane,
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 500},
        )
        return found.fun**0.5
    if norm == "l1":
        bounds = [(0, 1 - v) for v in x] + [(0, v) for v in x]
        return linprog(np.ones(2 * d), A_eq=[np.r_[w, -w]], b_eq=[c], bounds=bounds).fun
    eye, one = np.eye(d), np.ones((d, 1))
    below = np.vstack([np.hstack([eye, -one]), np.hstack([-eye, -one])])
    return linprog(
        np.r_[np.zeros(d), 1.0],
        A_ub=below,
        b_ub=np.zeros(2 * d),
        A_eq=[np.r_[w, 0.0]],
        b_eq=[c],
        bounds=[*bounds, (0, None)],
    ).fun


@pytest.mark.parametrize("norm", NORMS)
def test_the_projection_within_the_box_is_that_of_scipy(norm):
    x, w, c = planes()
    delta = to_hyperplane(x, w, c, norm, (0.0, 1.0))
    can = most(x, w, c) > c.abs()
    assert 0 < int(can.sum())
    torch.testing.assert_close((w * delta).sum(1)[can], c[can])
    for row in can.nonzero()[:, 0].tolist():
        best = by_scipy(x[row].numpy(), w[row].numpy(), float(c[row]), norm)
        assert size(delta[row : row + 1], norm).item() == pytest.approx(best, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("norm", NORMS)
def test_the_projection_never_leaves_the_box_and_uses_all_of_it_where_the_plane_is_beyond(norm):
    x, w, c = planes()
    for factor in (1.0, 100.0):
        z = x + to_hyperplane(x, w, factor * c, norm, (0.0, 1.0))
        assert float(z.min()) >= -1e-15 and float(z.max()) <= 1 + 1e-15
    torch.testing.assert_close((w * (z - x)).sum(1), c.sign() * most(x, w, c))


@pytest.mark.parametrize("norm", NORMS)
def test_a_wide_box_is_no_box(norm):
    x, w, c = planes()
    free = to_hyperplane(x, w, c, norm)
    torch.testing.assert_close((w * free).sum(1), c)
    torch.testing.assert_close(to_hyperplane(x, w, c, norm, (-1e3, 1e3)), free)


@pytest.mark.parametrize("box", [None, (0.0, 1.0)])
@pytest.mark.parametrize("norm", NORMS)
def test_without_a_slope_nothing_moves(norm, box):
    x, w, c = planes()
    assert torch.equal(to_hyperplane(x, 0 * w, c, norm, box), torch.zeros_like(x))
    assert torch.equal(to_hyperplane(x, w, 0 * c, norm, box), torch.zeros_like(x))


def test_the_level_is_where_the_vessels_hold_what_was_poured_in():
    rng = generator(0, "vessels")
    a, r = (torch.rand(50, 20, generator=rng, dtype=torch.float64) for _ in range(2))
    a[:, :3], r[:, 3:6] = 0.0, 0.0
    c = 0.9 * (a * r).sum(1)
    level = water_level(a, r, c)
    torch.testing.assert_close((a * torch.minimum(r, level[:, None])).sum(1), c)
    assert bool(water_level(a, r, 2 * c).isinf().all())


def test_slopes_that_are_no_numbers_come_to_an_end():
    x, w, c = planes()
    for norm in NORMS:
        found = to_hyperplane(x, w * torch.nan, c, norm, (0.0, 1.0))
        assert found.shape == x.shape
