import numpy as np
import pytest
import torch

from corollary.errors import InputError
from corollary.theory.optimization.stochastic.descent import draw_batches
from corollary.theory.optimization.stochastic.finite_sums import cosines, duplicated, squares
from corollary.theory.optimization.stochastic.noise import (
    gradient_noise,
    noise_radius,
    sgd_step_decomposition,
)


def rng(seed=0):
    return torch.Generator().manual_seed(seed)


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=rng(seed), dtype=torch.float64)


PROBLEMS = [squares(draw(12, 3), draw(12, seed=1)), cosines(draw(12, 3), draw(12, seed=1))]


@pytest.mark.parametrize("problem", PROBLEMS, ids=["squares", "cosines"])
def test_gradients_of_single_functions_are_those_of_autograd(problem):
    x = draw(3, seed=2).requires_grad_()
    values = problem.phi(problem.A @ x - problem.b)
    rows = [torch.autograd.grad(v, x, retain_graph=True)[0] for v in values]
    torch.testing.assert_close(problem.components(x.detach()), torch.stack(rows))
    (whole,) = torch.autograd.grad(problem.value(x), x)
    torch.testing.assert_close(problem.gradient(x.detach()), whole)


@pytest.mark.parametrize("problem", PROBLEMS, ids=["squares", "cosines"])
def test_each_run_gets_the_gradient_of_its_own_batch(problem):
    x, i = draw(4, 3, seed=3), draw_batches(12, 5, 4, rng=rng())
    byhand = torch.stack([problem.components(x[r])[i[r]].mean(dim=0) for r in range(4)])
    torch.testing.assert_close(problem.batch_gradient(x, i), byhand)


@pytest.mark.parametrize("problem", PROBLEMS, ids=["squares", "cosines"])
def test_the_mean_of_the_gradients_is_the_full_gradient_and_the_variance_two_sums(problem):
    x = draw(7, 3, seed=4)
    noise, g = gradient_noise(problem, x), problem.components(x)
    torch.testing.assert_close(noise.mean, problem.gradient(x))
    other = g.square().sum(dim=-1).mean(dim=-1) - problem.gradient(x).square().sum(dim=-1)
    torch.testing.assert_close(noise.variance, other)
    spread = np.cov(g[0].numpy().T, bias=True)
    assert float(noise.variance[0]) == pytest.approx(np.trace(spread))


@pytest.mark.parametrize("replacement", [True, False])
@pytest.mark.parametrize("batch", [1, 3, 10])
def test_drawn_batches_have_the_mean_and_the_variance_of_the_formulas(batch, replacement):
    problem, x, runs = PROBLEMS[0], draw(3, seed=5), 20_000
    i = draw_batches(12, batch, runs, replacement=replacement, rng=rng())
    g = problem.batch_gradient(x.expand(runs, 3).contiguous(), i)
    noise = gradient_noise(problem, x, batch, replacement=replacement)
    off = (g - noise.mean).square().sum(dim=1)
    assert abs(float(off.mean() - noise.variance)) < 3 * float(off.std()) / runs**0.5
    assert bool(((g.mean(dim=0) - noise.mean).abs() < 4 * g.std(dim=0) / runs**0.5).all())


def test_batches_without_replacement_have_no_index_twice():
    i = draw_batches(9, 6, 500, replacement=False, rng=rng())
    assert all(len(set(row)) == 6 for row in i.tolist())
    counts = torch.bincount(i.flatten(), minlength=9)
    assert bool((counts > 250).all())


def test_there_is_no_noise_at_a_point_where_all_functions_are_stationary():
    X, w = draw(12, 3), draw(3, seed=1)
    fits, misses = squares(X, X @ w), squares(X, X @ w + draw(12, seed=2))
    assert float(gradient_noise(fits, w).variance) < 1e-25
    assert float(gradient_noise(misses, misses.minimiser).variance) > 1e-2
    assert float(misses.gradient(misses.minimiser).norm()) < 1e-12


def test_copies_change_neither_the_mean_nor_the_noise():
    problem, x = PROBLEMS[1], draw(3, seed=6)
    many = duplicated(problem, 7)
    assert many.n == 84
    torch.testing.assert_close(many.gradient(x), problem.gradient(x))
    torch.testing.assert_close(
        gradient_noise(many, x).variance, gradient_noise(problem, x).variance
    )


def test_a_step_is_progress_and_noise():
    problem, x, eta = PROBLEMS[0], draw(6, 3, seed=7), 0.2
    terms = sgd_step_decomposition(problem, x, problem.minimiser, eta)
    step = x[:, None] - eta * problem.components(x) - problem.minimiser
    exact = step.square().sum(dim=-1).mean(dim=-1)
    torch.testing.assert_close(terms.after, exact, rtol=1e-10, atol=1e-10)


def test_strong_convexity_bounds_the_progress():
    problem, eta = PROBLEMS[0], 0.1
    x = problem.minimiser + draw(200, 3, seed=8)
    mu = float(torch.linalg.eigvalsh(problem.A.T @ problem.A / 12)[0])
    terms = sgd_step_decomposition(problem, x, problem.minimiser, eta)
    bound = -2 * eta * (problem.value(x) - problem.minimum + 0.5 * mu * terms.before)
    assert bool((terms.progress <= bound + 1e-12).all())


def test_the_sign_of_the_drift_changes_at_the_noise_radius():
    problem, eta, way = PROBLEMS[0], 0.05, draw(3, seed=9)
    r = noise_radius(problem, problem.minimiser, way, eta)

    def drift(r):
        x = problem.minimiser + r * way / way.norm()
        terms = sgd_step_decomposition(problem, x, problem.minimiser, eta)
        return float(terms.progress + terms.variance)

    assert 0 < r < 1 and drift(1.01 * r) < 0 < drift(0.99 * r)
    smaller = noise_radius(problem, problem.minimiser, way, eta / 4)
    assert smaller == pytest.approx(r / 2, rel=0.2)  # the radius is of the order of sqrt(eta)


def test_without_noise_the_radius_is_zero_and_with_a_long_step_infinite():
    X, w = draw(12, 3), draw(3, seed=1)
    assert noise_radius(squares(X, X @ w), w, w, 0.01) < 1e-9
    assert noise_radius(squares(X, X @ w), w, w, 10.0) == float("inf")


@pytest.mark.parametrize("batch, replacement", [(0, True), (13, False), (-1, False)])
def test_a_batch_out_of_range_is_refused(batch, replacement):
    with pytest.raises(InputError, match="batch must be"):
        gradient_noise(PROBLEMS[0], draw(3), batch, replacement=replacement)
    with pytest.raises(InputError, match="batch must be"):
        draw_batches(12, batch, 2, replacement=replacement, rng=rng())


def test_wrong_arguments_are_refused():
    with pytest.raises(InputError, match="eta"):
        sgd_step_decomposition(PROBLEMS[0], draw(3), draw(3), 0.0)
    with pytest.raises(InputError, match="copies"):
        duplicated(PROBLEMS[0], 0)
    with pytest.raises(InputError, match="finite"):
        cosines(torch.full((2, 1), 1.0).double(), torch.tensor([float("nan"), 0.0]).double())
