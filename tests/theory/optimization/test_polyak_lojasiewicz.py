import pytest
import torch

from corollary.errors import InputError
from corollary.theory.optimization.objectives import least_squares, sine_valley
from corollary.theory.optimization.polyak_lojasiewicz import least_squares_pl, pl_constant
from corollary.theory.prerequisites.hessians import hessian

LINE = torch.linspace(-30, 30, 20_001, dtype=torch.float64)[:, None]


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def test_the_sine_valley_is_pl_on_the_line_though_not_convex():
    o = sine_valley()
    found = pl_constant(o.f, LINE, 0.0)
    assert 1 / 32 <= found.mu < 0.2
    bend = hessian(o.f, torch.tensor([torch.pi / 2]).double())
    assert float(bend) == pytest.approx(-4)


def test_a_convex_quartic_is_not_pl():
    """The notes call PL weaker than convexity; x^4 is convex, with quotient 8 x^2."""
    for r in (1.0, 0.1, 0.01):
        x = torch.tensor([[r]], dtype=torch.float64)
        assert pl_constant(lambda x: (x**4).sum(), x, 0.0).mu == pytest.approx(8 * r**2)


def test_a_double_well_has_no_constant():
    f = lambda x: ((x**2 - 1) ** 2).sum()  # noqa: E731
    found = pl_constant(f, LINE, 0.0)
    assert found.mu == pytest.approx(0, abs=1e-20) and float(found.point) == pytest.approx(0)


def test_rank_deficient_least_squares_is_pl_with_its_least_nonzero_eigenvalue():
    X = draw(6, 3) @ draw(3, 5, seed=1)  # rank 3 of 5
    o = least_squares(X, draw(6, seed=2))
    eigenvalues = torch.linalg.eigvalsh(X.T @ X)
    assert o.mu == 0 and o.pl == pytest.approx(float(eigenvalues[2]))
    assert pl_constant(o.f, 3 * draw(500, 5, seed=3), o.minimum).mu >= o.pl * (1 - 1e-9)
    worst = o.minimiser + torch.linalg.eigh(X.T @ X).eigenvectors[:, 2]
    assert pl_constant(o.f, worst[None], o.minimum).mu == pytest.approx(o.pl)


def test_without_the_half_the_constant_doubles():
    X, y = draw(6, 3), draw(6, seed=2)
    full = least_squares(X, y)
    worst = full.minimiser + torch.linalg.eigh(X.T @ X).eigenvectors[:, 0]
    found = pl_constant(lambda w: (X @ w - y).square().sum(), worst[None], 2 * full.minimum)
    assert found.mu == pytest.approx(2 * least_squares_pl(X))


def test_a_minimum_that_is_none_is_refused():
    with pytest.raises(InputError, match="lower bound"):
        pl_constant(sine_valley().f, LINE, 1.0)
    with pytest.raises(InputError, match="minimal at all points"):
        pl_constant(sine_valley().f, torch.zeros(1, 1).double(), 0.0)
    with pytest.raises(InputError, match="must not be 0"):
        least_squares_pl(torch.zeros(2, 2))
