import pytest
import torch

from corollary.errors import InputError
from corollary.theory.optimization.methods.heavy_ball import HeavyBall
from corollary.theory.optimization.methods.method import trajectory
from corollary.theory.optimization.rates import gd_nonconvex
from corollary.theory.optimization.stochastic.finite_sums import cosines, duplicated
from corollary.theory.optimization.stochastic.rates import (
    complexity,
    crossover_n,
    sgd_nonconvex,
)

KNOWN = {"delta": 1.7, "L": 2.3, "sigma": 1.9, "n": 500}


def test_the_bound_falls_like_one_over_the_root_of_the_steps():
    bounds = [sgd_nonconvex(1.7, 2.3, 1.9, K).bound for K in (100, 400, 1600)]
    assert bounds[0] / bounds[1] == pytest.approx(2) == pytest.approx(bounds[1] / bounds[2])


def test_the_step_is_the_best_constant_one():
    delta, L, sigma, K = 1.7, 2.3, 1.9, 50
    rate = sgd_nonconvex(delta, L, sigma, K)

    def bound(eta):  # delta/(eta K) + eta L sigma^2/2, from the descent lemma
        return delta / (eta * K) + eta * L * sigma**2 / 2

    assert bound(rate.eta) == pytest.approx(rate.bound)
    assert min(bound(1.1 * rate.eta), bound(0.9 * rate.eta)) > rate.bound


@pytest.mark.parametrize("eps", [0.3, 0.01])
def test_the_complexities_invert_the_two_theorems(eps):
    K = complexity("SGD", eps, **KNOWN).iterations
    assert sgd_nonconvex(1.7, 2.3, 1.9, K).bound <= eps < sgd_nonconvex(1.7, 2.3, 1.9, K - 1).bound
    K = complexity("GD", eps, **KNOWN).iterations
    assert gd_nonconvex(1.7, 1 / 2.3, K - 1) <= eps < gd_nonconvex(1.7, 1 / 2.3, K - 2)


def test_the_two_methods_cost_the_same_where_n_is_the_crossover():
    n, eps = 400, 0.01
    known = {"delta": 1.0, "L": 1.0, "sigma": (n * eps) ** 0.5}
    assert crossover_n(eps, known["sigma"]) == pytest.approx(n)
    both = [complexity(m, eps, n=n, **known).gradients for m in ("SGD", "GD")]
    assert both[0] == both[1] == 80_000
    assert complexity("GD", eps, n=2 * n, **known).gradients == 2 * both[0]


def test_the_iterations_of_descent_do_not_depend_on_the_number_of_functions():
    rng = torch.Generator().manual_seed(0)
    W = torch.randn(20, 2, generator=rng, dtype=torch.float64)
    problem = cosines(W, torch.zeros(20).double())
    x0 = torch.tensor([0.3, 0.2], dtype=torch.float64)

    def iterations(o):
        path = trajectory(HeavyBall(1 / o.L, 0.0), o.gradient, x0, 500)
        short = o.gradient(path).square().sum(dim=-1) <= 1e-6
        return int(short.double().argmax())

    once, ten = iterations(problem), iterations(duplicated(problem, 10))
    assert once == ten > 0
    for n in (20, 200):
        found = complexity("GD", 0.1, delta=1.0, L=1.0, sigma=1.0, n=n)
        assert found.iterations == 20 and found.gradients == 20 * n


@pytest.mark.parametrize(
    "call",
    [
        lambda: sgd_nonconvex(0.0, 1.0, 1.0, 5),
        lambda: sgd_nonconvex(1.0, -1.0, 1.0, 5),
        lambda: sgd_nonconvex(1.0, 1.0, 1.0, 0),
        lambda: complexity("SGD", 0.0, **KNOWN),
        lambda: complexity("GD", 0.1, delta=1.0, L=1.0, sigma=1.0, n=0),
        lambda: crossover_n(0.1, -1.0),
    ],
)
def test_numbers_out_of_range_are_refused(call):
    with pytest.raises(InputError, match="must be"):
        call()
