import pytest
import torch

from corollary.errors import InputError
from corollary.theory.optimization.gradient_descent import gradient_descent, step_regime
from corollary.theory.optimization.objectives import waves
from corollary.theory.optimization.quadratic_descent import matrix_with_spectrum, quadratic_iterate
from corollary.theory.prerequisites.gradients import gradient


def rng(seed=0):
    return torch.Generator().manual_seed(seed)


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=rng(seed), dtype=torch.float64)


def bowl(top=10.0):
    Q = matrix_with_spectrum(torch.tensor([1.0, 3.0, top], dtype=torch.float64), rng=rng())
    q = draw(3)
    return Q, q, lambda x: 0.5 * x @ Q @ x - q @ x


def test_one_step_is_the_formula():
    o, x = waves(draw(4, 3), draw(4, seed=1), draw(4, seed=2).abs()), draw(3, seed=3)
    run = gradient_descent(o.f, x, 0.1, 1)
    torch.testing.assert_close(run.x[1], x - 0.1 * gradient(o.f, x))
    torch.testing.assert_close(run.f[0], o.f(x))
    torch.testing.assert_close(run.gradient_norm[0], gradient(o.f, x).norm())


def test_it_takes_the_steps_of_torch_optim():
    o, x = waves(draw(4, 3), draw(4, seed=1), draw(4, seed=2).abs()), draw(3, seed=3)
    run = gradient_descent(o.f, x, 0.05, 50)
    p = x.clone().requires_grad_()
    optimizer = torch.optim.SGD([p], lr=0.05)
    for k in range(50):
        torch.testing.assert_close(p.detach(), run.x[k], rtol=0, atol=1e-13)
        optimizer.zero_grad()
        o.f(p).backward()
        optimizer.step()


@pytest.mark.parametrize("k", [0, 1, 17])
@pytest.mark.parametrize("eta", [0.02, 0.1, 0.19])
def test_on_a_quadratic_the_iterates_are_a_power_of_one_matrix(k, eta):
    Q, q, f = bowl()
    x0, xstar = draw(3, seed=4), torch.linalg.solve(Q, q)
    run = gradient_descent(f, x0, eta, max(k, 1))
    power = torch.linalg.matrix_power(torch.eye(3).double() - eta * Q, k)
    torch.testing.assert_close(run.x[k], xstar + power @ (x0 - xstar))
    torch.testing.assert_close(quadratic_iterate(Q, q, x0, eta, k), run.x[k])


def test_it_diverges_above_two_over_L_only_and_says_so():
    Q, _, f = bowl()
    assert not gradient_descent(f, draw(3), 0.199, 2000).diverged
    run = gradient_descent(f, draw(3), 0.21, 20_000)
    assert run.diverged and bool(torch.isfinite(run.x).all()) and len(run.x) < 20_000


def test_it_stops_at_a_short_gradient_and_calls_back():
    _, _, f = bowl()
    seen = []
    run = gradient_descent(f, draw(3), 0.1, 500, tol=1e-3, callback=lambda k, x: seen.append(k))
    assert float(run.gradient_norm[-1]) <= 1e-3 < float(run.gradient_norm[-2])
    assert seen == list(range(len(run.x)))


def test_a_step_size_is_told_its_regime():
    assert [step_regime(s / 4, 4.0) for s in (0.5, 1.0, 1.5, 2.0, 2.5)] == [
        "monotone",
        "monotone",
        "oscillating",
        "marginal",
        "diverging",
    ]


@pytest.mark.parametrize("eta, steps", [(0.0, 1), (-1.0, 1), (float("nan"), 1), (0.1, 0)])
def test_a_step_that_does_not_descend_is_refused(eta, steps):
    with pytest.raises(InputError, match="must be"):
        gradient_descent(lambda x: x.sum(), torch.zeros(1), eta, steps)


def test_a_function_that_is_infinite_at_the_start_is_refused():
    with pytest.raises(InputError, match="finite"):
        gradient_descent(lambda x: (1 / x).sum(), torch.zeros(1), 0.1, 3)
