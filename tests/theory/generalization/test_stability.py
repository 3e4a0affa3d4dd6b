import pytest
import torch

from corollary.core import generator
from corollary.errors import InputError
from corollary.theory.generalization.stability import (
    CONCAVE,
    LOGISTIC,
    check_convex,
    coupled_sgd,
    divergence_bound,
    hardt_bound,
)


def examples(*shape, seed=0):
    z = torch.randn(*shape, generator=generator(seed, "z"), dtype=torch.float64)
    return z / z.norm(dim=-1, keepdim=True)


def test_the_formula_is_linear_in_the_steps():
    assert hardt_bound(2.0, [0.1, 0.3], 10, 1.0) == pytest.approx(2 * 4 / 10 * 0.4)
    assert hardt_bound(2.0, [0.1] * 40, 10, 1.0) == pytest.approx(
        4 * hardt_bound(2.0, [0.1] * 10, 10, 1.0)
    )


@pytest.mark.parametrize("eta", [0.3, 2.0, 8.0])
def test_coupled_runs_of_logistic_regression_stay_within_the_bound(eta):
    z, other = examples(400, 25, 6), examples(400, 6, seed=1)
    L, beta = LOGISTIC.constants(z)
    assert (L, beta) == pytest.approx((1.0, 0.25))
    etas = [eta] * 60
    runs = coupled_sgd(LOGISTIC, z, other, etas, keep=(0, 20, 60), rng=generator(0, "run"))
    mean = runs.distance.mean(dim=1)
    assert mean[0] == 0
    for t, distance in zip(runs.steps[1:], mean[1:], strict=True):
        assert 0 < float(distance) <= divergence_bound(L, etas[:t], 25, beta)


def test_runs_agree_until_the_replaced_example_is_drawn():
    z = examples(200, 50, 3)
    runs = coupled_sgd(LOGISTIC, z, -z[:, 0], [1.0] * 5, rng=generator(0, "run"))
    apart = float((runs.distance[-1] > 0).double().mean())
    assert 0 < apart < 0.25  # 1 - (1 - 1/50)^5 is 0.096


def test_the_runs_are_those_of_plain_sgd():
    z = examples(1, 4, 2)
    runs = coupled_sgd(LOGISTIC, z, z[:, 0], [0.7] * 3, rng=generator(0, "run"))
    index = torch.randint(4, (3, 1), generator=generator(0, "run"))[:, 0]
    w = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    for i in index:
        (slope,) = torch.autograd.grad(LOGISTIC.phi(w @ z[0, i]), w)
        w = (w - 0.7 * slope).detach().requires_grad_()
    assert torch.allclose(runs.w[-1, 0], w.detach())
    assert torch.equal(runs.w[-1], runs.w_other[-1])


def test_steps_beyond_two_over_beta_are_refused():
    assert hardt_bound(1.0, [8.0], 10, 0.25) > 0
    with pytest.raises(InputError, match="2/beta = 8"):
        hardt_bound(1.0, [8.1], 10, 0.25)


def test_losses_that_are_not_convex_are_refused_with_a_chord():
    z = torch.ones(2, dtype=torch.float64)
    check_convex(lambda w: LOGISTIC.phi(w @ z), 2, rng=generator(0, "probe"))
    with pytest.raises(InputError, match="above its chord"):
        check_convex(lambda w: CONCAVE.phi(w @ z), 2, rng=generator(0, "probe"))
