import pytest
import torch

from corollary.core import loglog_fit
from corollary.errors import InputError
from corollary.theory.optimization.gradient_descent import gradient_descent
from corollary.theory.optimization.gradient_flow import gradient_flow
from corollary.theory.optimization.objectives import sine_valley, waves
from corollary.theory.optimization.quadratic_descent import matrix_with_spectrum


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def test_the_flow_of_a_quadratic_is_a_matrix_exponential():
    Q = matrix_with_spectrum(
        torch.tensor([0.5, 2.0, 6.0]).double(), rng=torch.Generator().manual_seed(0)
    )
    x0 = draw(3)
    flow = gradient_flow(lambda x: 0.5 * x @ Q @ x, x0, 2.0, times=9)
    exact = torch.stack([torch.linalg.matrix_exp(-t * Q) @ x0 for t in flow.t])
    assert float((flow.x - exact).abs().max()) < 1e-8


def test_f_never_increases_along_the_flow():
    o = waves(draw(4, 2), draw(4, seed=1), draw(4, seed=2).abs())
    flow = gradient_flow(o.f, draw(2, seed=3), 10.0)
    assert bool((flow.f.diff() <= 1e-9).all())
    torch.testing.assert_close(flow.f[0] - flow.f, flow.dissipated, rtol=0, atol=1e-7)


def test_descent_follows_the_flow_to_first_order():
    f, x0 = sine_valley(2).f, torch.tensor([1.3, -0.4]).double()
    end = gradient_flow(f, x0, 0.5, times=2).x[-1]
    steps = [32, 64, 128, 256]
    off = [float((gradient_descent(f, x0, 0.5 / N, N).x[-1] - end).norm()) for N in steps]
    assert loglog_fit(steps, off, level=0.95).slope == pytest.approx(-1, abs=0.05)


def test_flows_of_a_non_convex_function_end_in_several_valleys():
    def double_well(x):
        return ((x**2 - 1) ** 2).sum() / 4

    ends = [
        gradient_flow(double_well, torch.tensor([s]).double(), 20.0, times=2).x[-1].item()
        for s in (-2.0, -0.1, 0.1, 2.0)
    ]
    assert ends == pytest.approx([-1, -1, 1, 1], abs=1e-6)


def test_a_flow_that_leaves_the_finite_numbers_is_refused():
    with pytest.raises(InputError):
        gradient_flow(lambda x: -(x**4).sum(), torch.ones(1).double(), 10.0)
