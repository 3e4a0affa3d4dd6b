import math

import pytest
import torch

from corollary.data.supported_cloud import supported_cloud
from corollary.errors import InputError
from corollary.theory.regularization.bounded_residual import (
    generic_support,
    residual_certificate,
    residual_offset,
)
from corollary.theory.regularization.hard_margin import hard_margin_svm
from corollary.theory.regularization.margin_losses import EXPONENTIAL, LOGISTIC
from corollary.theory.regularization.separable_descent import (
    implicit_bias_logistic,
    largest_step,
    log_times,
    margin_gap_constant,
    rates_report,
    separable_flow,
    support_limits,
)


def points(seed=0, d=2, n=12, theta=2.0):
    rng = torch.Generator().manual_seed(seed)
    return supported_cloud(n, d, theta=theta, rng=rng).signed, rng


def test_descent_is_torch_sgd_on_the_summed_logistic_loss():
    x, _ = points()
    w = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    sgd = torch.optim.SGD([w], lr=0.3)
    for _ in range(20):
        sgd.zero_grad()
        torch.nn.functional.softplus(-(x @ w)).sum().backward()
        sgd.step()
    run = implicit_bias_logistic(x, torch.zeros(1, 2).double(), 0.3, [20])
    torch.testing.assert_close(run.w[0, 0], w.detach())


def test_every_start_turns_to_the_direction_of_largest_margin():
    x, rng = points()
    svm, eta = hard_margin_svm(x), 0.9 * largest_step(x)
    w0 = 3 * torch.randn(5, 2, generator=rng).double()
    run = implicit_bias_logistic(x, w0, eta, [30, 300, 3000])
    angle = torch.acos((run.w @ svm.direction / run.w.norm(dim=2)).clamp(max=1.0))
    assert bool((angle[2] < angle[0]).all())
    scaled = angle[1:] * run.t[1:].double().log()[:, None]  # angle times log t stays bounded
    assert float(scaled.max()) < 2
    residual = run.w - run.t.double().log()[:, None, None] * svm.w
    assert float(residual.norm(dim=2).max()) < 10
    assert float((residual[2] - residual[1]).norm(dim=1).max()) < 1.0


def test_descent_follows_the_flow_at_time_eta_t():
    x, _ = points()
    svm, eta, t = hard_margin_svm(x), 0.02, 4000
    run = implicit_bias_logistic(x, torch.zeros(1, 2).double(), eta, [t])
    s = torch.tensor([math.log(1 + eta * t)]).double()  # the flow starts at t = 1
    flow = separable_flow(x, torch.zeros(2).double(), s)
    torch.testing.assert_close(flow.w[0], run.w[0, 0], atol=0.02, rtol=0)
    assert float(svm.direction @ flow.w[0]) > 0


@pytest.mark.parametrize("d", [2, 4])
@pytest.mark.parametrize("loss", [LOGISTIC, EXPONENTIAL], ids=lambda o: o.name)
def test_over_six_decades_and_more_loss_and_direction_have_their_rates(loss, d):
    x, _ = points(d=d)
    svm = hard_margin_svm(x)
    s = torch.linspace(math.log(1e4), math.log(1e12), 9).double()
    found = rates_report(
        x, svm, s, separable_flow(x, torch.zeros(d).double(), s, loss=loss).w, loss=loss
    )
    assert float(found.t_loss.min()) > 0.8 / svm.margin**2
    assert float(found.t_loss.max()) < 1.2 / svm.margin**2
    scaled = found.direction * s
    assert float(scaled.max() / scaled.min()) < 1.5
    gap = found.margin_gap * s
    assert float(gap[-1]) == pytest.approx(margin_gap_constant(svm), rel=0.2)


def test_margins_of_support_vectors_have_their_limits():
    x, _ = points(1, d=3)
    svm = hard_margin_svm(x)
    s = torch.tensor([40.0]).double()
    w = separable_flow(x, torch.ones(3).double(), s, loss=EXPONENTIAL).w[0]
    torch.testing.assert_close(x[svm.support] @ w - 40, support_limits(svm), atol=1e-5, rtol=0)


@pytest.mark.parametrize("seed", range(3))
def test_both_brackets_and_the_length_keep_their_bounds(seed):
    x, rng = points(seed, d=3, theta=1.3)
    svm = hard_margin_svm(x)
    assert generic_support(x, svm)
    s = torch.linspace(0, math.log(1e6), 200).double()
    w = separable_flow(x, torch.randn(3, generator=rng).double(), s, loss=EXPONENTIAL).w
    found = residual_certificate(x, svm, s, w)
    assert found.holds and found.theta > 1
    velocity = torch.exp(s[:, None] - w @ x.T) @ x - svm.w  # dr/ds, from the flow itself
    brackets = (found.first + found.second) * s.exp()
    torch.testing.assert_close((velocity * found.r).sum(dim=1), brackets, rtol=1e-9, atol=1e-9)
    length = found.r.square().sum(dim=1)
    assert float(length.max()) < float(found.norm_bound.max())


def test_the_offset_needs_step_size_one():
    """(11.15) with eta: the sum of exp(-x_i w_tilde) x_i is w_hat/eta, and w_hat only for 1."""
    x, _ = points()
    svm = hard_margin_svm(x)
    offset = residual_offset(x, svm)
    S = x[svm.support]
    torch.testing.assert_close(torch.exp(-S @ offset) @ S, svm.w)
    with_eta = torch.linalg.pinv(S) @ (-(svm.alpha[svm.support] / 0.1).log())
    torch.testing.assert_close(torch.exp(-S @ with_eta) @ S, svm.w / 0.1)


def test_a_point_that_touches_without_holding_has_no_offset():
    x = torch.tensor([[1.0, 0.0], [1.0, 1.0]]).double()  # w = (1, 0) rests on the first alone
    svm = hard_margin_svm(x)
    assert svm.support.tolist() == [True, True] and not generic_support(x, svm)
    with pytest.raises(InputError, match="positive multiplier"):
        residual_offset(x, svm)


def test_times_and_steps_that_make_no_sense_are_refused():
    x, _ = points()
    with pytest.raises(InputError, match="increasing"):
        implicit_bias_logistic(x, torch.zeros(1, 2).double(), 0.1, [5, 5])
    with pytest.raises(InputError, match="eta"):
        implicit_bias_logistic(x, torch.zeros(1, 2).double(), 0.0, [5])
    with pytest.raises(InputError, match="no such hyperplane"):
        separable_flow(torch.cat([x, -x[:1]]), torch.zeros(2).double(), torch.ones(1).double())
    assert log_times(100, 3) == [1, 10, 100]
    assert largest_step(x, EXPONENTIAL) == 0.0
