import pytest
import torch

from corollary.errors import InputError
from corollary.theory.optimization.newton import model_step, model_value, newton
from corollary.theory.optimization.objectives import ridge_logistic
from corollary.theory.optimization.quadratic_descent import matrix_with_spectrum
from corollary.theory.prerequisites.gradients import gradient
from corollary.theory.prerequisites.hessians import hessian


def rng(seed=0):
    return torch.Generator().manual_seed(seed)


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=rng(seed), dtype=torch.float64)


def loss(d=3):
    return ridge_logistic(draw(30, d), (draw(30, seed=1) > 0).double(), lam=0.1)


def test_one_step_solves_a_quadratic():
    Q = matrix_with_spectrum(torch.tensor([1.0, 10.0, 100.0]).double(), rng=rng())
    q = draw(3)
    run = newton(lambda x: 0.5 * x @ Q @ x - q @ x, 5 * draw(3, seed=2), steps=1)
    torch.testing.assert_close(run.x[-1], torch.linalg.solve(Q, q))
    assert run.definite.tolist() == [True]


def test_the_error_squares_near_a_minimiser():
    o = loss()
    run = newton(o.f, o.minimiser + 0.5 * draw(3, seed=2), steps=5)
    error = (run.x - o.minimiser).norm(dim=1)
    for before, after in zip(error, error[1:], strict=False):
        if before > 1e-7:
            assert after <= 2 * before**2


def test_the_minimiser_of_logistic_regression_is_that_of_scipy():
    from scipy.optimize import minimize

    o = loss()
    found = minimize(lambda w: float(o.f(torch.from_numpy(w))), [0.0] * 3, tol=1e-10)
    torch.testing.assert_close(o.minimiser, torch.from_numpy(found.x), rtol=0, atol=1e-5)
    assert float(gradient(o.f, o.minimiser).norm()) < 1e-12


def test_on_a_saddle_the_full_step_goes_to_the_saddle_and_says_so():
    run = newton(lambda x: x[0] ** 2 - x[1] ** 2, torch.ones(2).double(), steps=1)
    torch.testing.assert_close(run.x[-1], torch.zeros(2).double())
    assert run.definite.tolist() == [False]
    assert float(run.f[-1]) == 0.0


def test_damping_makes_the_step_descend_on_a_saddle():
    x = torch.tensor([1.0, 0.1]).double()
    run = newton(lambda x: x[0] ** 2 - x[1] ** 2, x, steps=1, damping=4.0)
    assert run.definite.tolist() == [True]
    assert float(run.f[-1]) < float(run.f[0])


def test_diagonal_and_block_approximations_use_their_part_of_the_hessian():
    o, x = loss(4), draw(4, seed=3)
    g, H = gradient(o.f, x), hessian(o.f, x)
    run = newton(o.f, x, approximation="diagonal", steps=1)
    torch.testing.assert_close(run.x[1], x - g / H.diagonal())
    run = newton(o.f, x, approximation="block", blocks=(2, 2), steps=1)
    parts = [torch.linalg.solve(H[i : i + 2, i : i + 2], g[i : i + 2]) for i in (0, 2)]
    torch.testing.assert_close(run.x[1], x - torch.cat(parts))
    with pytest.raises(InputError, match="add up to 4"):
        newton(o.f, x, approximation="block", blocks=(3,), steps=1)


def test_an_isotropic_model_gives_gradient_descent_and_the_hessian_gives_newton():
    o, x, eta = loss(), draw(3, seed=3), 0.3
    g, H = gradient(o.f, x), hessian(o.f, x)
    torch.testing.assert_close(model_step(g, torch.eye(3).double() / eta), -eta * g)
    torch.testing.assert_close(model_step(g, (H + H.T) / 2), newton(o.f, x, steps=1).x[1] - x)


def test_the_step_of_a_definite_model_is_its_minimum():
    g, B = draw(3), matrix_with_spectrum(torch.tensor([0.1, 1.0, 5.0]).double(), rng=rng())
    best = model_value(0.0, g, B, model_step(g, B))
    others = model_value(0.0, g, B, model_step(g, B) + draw(500, 3, seed=4))
    assert bool((others >= best).all())


def test_the_step_of_a_negative_model_is_its_maximum():
    """The notes' 'minimizer' for f = -x^2: the model at it is 0, twice as far it is -1."""
    g, B = torch.tensor([-2.0]).double(), torch.tensor([[-2.0]]).double()
    step = model_step(g, B)
    values = model_value(-1.0, g, B, torch.stack([step, 2 * step]))
    assert values.tolist() == [0.0, -1.0]


def test_a_singular_model_is_refused():
    with pytest.raises(InputError, match="damping"):
        model_step(torch.ones(2), torch.zeros(2, 2))
