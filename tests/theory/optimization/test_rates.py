import pytest
import torch

from corollary.errors import InputError
from corollary.theory.optimization.gradient_descent import gradient_descent
from corollary.theory.optimization.objectives import (
    huber,
    least_squares,
    log_sum_exp,
    quadratic,
    ridge_logistic,
    sine_valley,
    waves,
)
from corollary.theory.optimization.quadratic_descent import matrix_with_spectrum
from corollary.theory.optimization.rates import (
    certify_strongly_convex,
    gd_convex,
    gd_iteration_bound,
    gd_nonconvex,
    gd_pl,
    gd_strongly_convex,
    pl_rate,
    run_until_critical,
)
from corollary.theory.prerequisites.hessians import hessian
from corollary.theory.prerequisites.smoothness import smoothness_constant


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def logistic(lam=0.1):
    return ridge_logistic(draw(30, 3), (draw(30, seed=1) > 0).double(), lam=lam)


def bowl():
    values = torch.tensor([0.5, 2.0, 5.0]).double()
    return quadratic(matrix_with_spectrum(values, rng=torch.Generator().manual_seed(0)), draw(3))


@pytest.mark.parametrize("objective", [logistic(), bowl()], ids=lambda o: o.name)
def test_strongly_convex_runs_stay_below_their_bound(objective):
    o, x0 = objective, 4 * draw(3, seed=2)
    for share in (0.3, 1.0):
        made = certify_strongly_convex(
            o.f, x0, o.minimiser, mu=o.mu, L=o.L, eta=share / o.L, steps=60
        )
        assert made.first_violation is None
        D0 = float((x0 - o.minimiser).norm())
        for k in range(61):
            bound = gd_strongly_convex(o.mu, o.L, share / o.L, k, D0)
            assert float(made.run.f[k]) - o.minimum <= bound.gap * (1 + 1e-9)


def test_a_wrong_strong_convexity_is_found_by_its_violation():
    o = bowl()
    slow = torch.linalg.eigh(hessian(o.f, draw(3))).eigenvectors[:, 0]
    made = certify_strongly_convex(
        o.f, o.minimiser + slow, o.minimiser, mu=4.0, L=o.L, eta=1 / o.L, steps=60
    )
    assert made.first_violation is not None


def test_steps_beyond_one_over_L_are_refused():
    with pytest.raises(InputError, match="eta <= 1/L"):
        gd_strongly_convex(1.0, 2.0, 0.6, 3, 1.0)
    with pytest.raises(InputError, match="eta <= 1/L"):
        gd_pl(1.0, 2.0, 0.6, 3)
    with pytest.raises(InputError, match="mu must lie in"):
        gd_pl(3.0, 2.0, 0.5, 1)


@pytest.mark.parametrize(
    "objective", [logistic(1e-3), huber(3), log_sum_exp(draw(8, 3))], ids=lambda o: o.name
)
def test_convex_runs_stay_below_their_bound(objective):
    o, x0 = objective, 4 * draw(3, seed=2)
    run = gradient_descent(o.f, x0, 1 / o.L, 80)
    D0 = float((x0 - o.minimiser).norm())
    for k in range(1, 81):
        assert float(run.f[k]) - o.minimum <= gd_convex(1 / o.L, k, D0)


def test_a_quartic_converges_sublinearly():
    """L = 12 on [-1, 1], where the run stays: the gap falls like a power of k, below the bound."""
    run = gradient_descent(lambda x: (x**4).sum(), torch.ones(1).double(), 1 / 12, 400)
    assert all(float(run.f[k]) <= gd_convex(1 / 12, k, 1.0) for k in range(1, 401))
    assert float(run.f[400] / run.f[200]) == pytest.approx(1 / 4, rel=0.05)  # k^-2, not geometric


def test_before_the_first_step_there_is_no_convex_bound():
    with pytest.raises(InputError, match="k >= 1"):
        gd_convex(0.1, 0, 1.0)


@pytest.mark.parametrize("seed", range(3))
def test_gradients_become_short_without_convexity(seed):
    o = waves(draw(6, 3, seed=seed), draw(6, seed=9), draw(6, seed=8).abs())
    x0 = draw(3, seed=7)
    run = gradient_descent(o.f, x0, 1 / o.L, 100)
    least = run.gradient_norm.square().cummin(dim=0).values
    assert all(float(least[k]) <= gd_nonconvex(float(o.f(x0)), 1 / o.L, k) for k in range(101))


def test_a_tanh_network_with_estimated_smoothness_obeys_the_bound():
    x, y = draw(20, 2), torch.sin(draw(20, seed=1))

    def loss(w):
        hidden = torch.tanh(x @ w[:8].reshape(2, 4))
        return 0.5 * (hidden @ w[8:] - y).square().mean()

    w0 = 0.5 * draw(12, seed=2)
    L = 2 * smoothness_constant(loss, w0 + 0.3 * draw(10, 12, seed=3)).value
    run = gradient_descent(loss, w0, 1 / L, 100)
    least = run.gradient_norm.square().cummin(dim=0).values
    delta = float(loss(w0))
    assert all(float(least[k]) <= gd_nonconvex(delta, 1 / L, k) for k in range(101))


def test_nothing_is_claimed_about_values_a_start_at_a_saddle_stays_high():
    o = waves(torch.eye(2).double(), torch.zeros(2).double(), torch.ones(2).double())
    run = gradient_descent(o.f, torch.zeros(2).double(), 1 / o.L, 50)
    assert float(run.gradient_norm[0]) == 0 and float(run.f[-1]) == 4.0


@pytest.mark.parametrize("eps", [0.3, 0.1])
def test_the_first_short_gradient_comes_before_the_bound(eps):
    o = waves(draw(6, 2), draw(6, seed=9), draw(6, seed=8).abs())
    x0 = draw(2, seed=7)
    run = run_until_critical(o.f, x0, L=o.L, eps=eps)
    assert float(run.gradient_norm[-1]) <= eps
    assert len(run.x) - 1 <= gd_iteration_bound(o.L, float(o.f(x0)), 0.0, eps)


def test_pl_runs_shrink_by_their_rate():
    wide = least_squares(draw(4, 7), draw(4, seed=1))
    assert wide.mu == 0 < wide.pl
    for o, x0 in ((sine_valley(), torch.tensor([3.0]).double()), (wide, draw(7, seed=2))):
        run = gradient_descent(o.f, x0, 1 / o.L, 60)
        gap = run.f - o.minimum
        for k in range(61):
            assert float(gap[k]) <= gd_pl(o.pl, o.L, 1 / o.L, k) * float(gap[0]) * (1 + 1e-9)


def test_the_printed_step_has_a_slower_rate():
    """On L x²/2 the step 1/(2L) leaves a quarter, where the printed rate leaves nothing."""
    o = quadratic(4 * torch.eye(1).double())
    f = gradient_descent(o.f, torch.ones(1).double(), 1 / (2 * o.L), 1).f
    assert float(f[1] / f[0]) == 0.25
    assert pl_rate(o.L, o.pl) == 0.0
    assert gd_pl(1.0, 4.0, 1 / 8, 1) == pytest.approx(1 - 3 / 16)  # 1 - 3 mu/(4L)
    assert float(f[1] / f[0]) <= gd_pl(o.pl, o.L, 1 / (2 * o.L), 1)


def test_the_worst_direction_of_a_quadratic_shrinks_by_the_square():
    o = quadratic(torch.diag(torch.tensor([1.0, 4.0]).double()))
    f = gradient_descent(o.f, torch.tensor([1.0, 0.0]).double(), 1 / o.L, 5).f
    torch.testing.assert_close(f[1:] / f[:-1], torch.full((5,), (1 - 1 / 4) ** 2).double())


def test_without_the_condition_the_rate_is_lost():
    run = gradient_descent(lambda x: (x**4).sum(), torch.ones(1).double(), 1 / 12, 200)
    assert float(run.f[-1]) > pl_rate(12.0, 1.0) ** 200
