import numpy as np
import pytest
import torch
from scipy.interpolate import BarycentricInterpolator

from corollary.errors import InputError
from corollary.theory.approximation.polynomials import (
    compose,
    evaluate,
    interpolant,
    nodes,
    rescale,
    runge,
    runge_remainder,
)

X = torch.linspace(-1, 1, 1001, dtype=torch.float64)


def largest_error(kind: str, n: int) -> float:
    return float((interpolant(runge, nodes(kind, n), X) - runge(X)).abs().max())


@pytest.mark.parametrize("kind", ["chebyshev", "equispaced"])
def test_the_interpolant_is_that_of_scipy(kind):
    t = nodes(kind, 12)
    theirs = BarycentricInterpolator(t.numpy(), runge(t).numpy())(X.numpy())
    assert interpolant(runge, t, X) == pytest.approx(theirs, abs=1e-9)


def test_errors_of_the_chebyshev_fits_decrease_with_the_degree():
    errors = [largest_error("chebyshev", n) for n in (2, 3, 6, 20, 60)]
    assert errors == sorted(errors, reverse=True) or errors[1] == pytest.approx(errors[0], rel=0.5)
    assert errors[-1] < 1e-4


def test_equispaced_interpolation_of_runges_function_diverges():
    errors = [largest_error("equispaced", n) for n in (6, 10, 20)]
    assert errors[0] < errors[1] < errors[2] and errors[2] > 10


@pytest.mark.parametrize("n", [2, 3, 6, 7, 20, 61])
def test_the_remainder_is_the_product_over_the_nodes_at_the_pole(n):
    """Hermite's formula: f(x) w(x) / w(i/5) for odd n, and 5x / i times that for even n."""
    t = nodes("chebyshev", n).numpy()
    w = np.prod(X.numpy()[:, None] - t, axis=1) / np.prod(0.2j - t)
    expected = np.abs(runge(X).numpy() * w * (1 if n % 2 else 5 * X.numpy()))
    assert runge_remainder(n, X).numpy() == pytest.approx(expected, abs=1e-12)
    error = (interpolant(runge, nodes("chebyshev", n), X) - runge(X)).abs()
    assert error.numpy() == pytest.approx(expected, abs=1e-12)


def test_wrong_requests_are_refused():
    with pytest.raises(InputError, match="degree"):
        nodes("chebyshev", 0)


@pytest.mark.parametrize("seed", range(3))
def test_evaluation_and_composition_are_those_of_numpy(seed):
    c = torch.randn(6, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    p = np.polynomial.Polynomial(c.numpy())
    assert evaluate(c, X) == pytest.approx(p(X.numpy()), abs=1e-12)
    inner = np.polynomial.Polynomial([0.5, -2.0])
    assert compose(c, c.new_tensor([0.5, -2.0])) == pytest.approx(p(inner).coef, abs=1e-11)


@pytest.mark.parametrize(("a", "b"), [(-1.0, 1.0), (2.0, 5.0)])
def test_moving_to_another_interval_keeps_degree_and_error(a, b):
    t = (X + 1) / 2
    powers = t[:, None] ** torch.arange(6)
    at = a + (b - a) * t
    p = torch.linalg.lstsq(powers, torch.sin(3 * at)[:, None]).solution[:, 0]
    q = rescale(p, a, b)
    before = float((evaluate(p, t) - torch.sin(3 * at)).abs().max())
    after = float((evaluate(q, at) - torch.sin(3 * at)).abs().max())
    assert after == pytest.approx(before, abs=1e-12 * (1 + float(q.abs().max())))
    assert len(q) == len(p) and q[-1] != 0


def test_the_composition_printed_in_the_notes_leaves_the_interval():
    """Proposition 18 takes f o phi: for f(t) = t on [0, 1] it is 7 at x = 3 of [1, 3]."""
    p = torch.tensor([0.0, 1.0], dtype=torch.float64)
    x = torch.tensor([1.0, 3.0], dtype=torch.float64)
    phi = compose(p, p.new_tensor([1.0, 2.0]))
    assert evaluate(phi, x).tolist() == [3.0, 7.0]
    assert evaluate(rescale(p, 1.0, 3.0), x).tolist() == [0.0, 1.0]


def test_an_empty_interval_is_refused():
    with pytest.raises(InputError, match="a < b"):
        rescale(torch.ones(2), 1.0, 1.0)
