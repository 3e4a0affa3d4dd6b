import math

import pytest
import torch

from corollary.theory.regularization.margin_losses import (
    EXPONENTIAL,
    GAUSSIAN_TAIL,
    LOGISTIC,
    POLYNOMIAL_TAIL,
    tail_check,
)

ALL = (LOGISTIC, EXPONENTIAL, GAUSSIAN_TAIL, POLYNOMIAL_TAIL)


@pytest.mark.parametrize("loss", ALL, ids=lambda o: o.name)
def test_slopes_are_the_derivatives_and_losses_are_positive_and_fall(loss):
    u = torch.linspace(-4, 5, 50).double().requires_grad_()
    (slope,) = torch.autograd.grad(loss.value(u).sum(), u)
    torch.testing.assert_close(loss.slope(u.detach()), slope)
    assert bool((loss.value(u) > 0).all()) and bool((slope < 0).all())
    assert float(loss.value(torch.tensor(1e8).double())) < 1e-7


@pytest.mark.parametrize("loss", [LOGISTIC, GAUSSIAN_TAIL, POLYNOMIAL_TAIL], ids=lambda o: o.name)
def test_beta_is_the_largest_second_derivative(loss):
    u = torch.linspace(-6, 6, 4001).double().requires_grad_()
    (curvature,) = torch.autograd.grad(loss.slope(u).sum(), u)
    assert float(curvature.abs().max()) == pytest.approx(loss.beta, rel=1e-5)


def test_the_logistic_beta_is_a_quarter_and_the_exponential_has_none():
    """Assumption 3 of the notes names the exponential loss; its second derivative is e^-u."""
    assert LOGISTIC.beta == 0.25
    u = torch.tensor([-10.0, -100.0, -700.0]).double()
    assert bool((EXPONENTIAL.value(u).diff() > 1e4).all()) and math.isinf(EXPONENTIAL.beta)


def test_the_logistic_tail_is_tight_from_zero_on_with_mu_one():
    found = tail_check(LOGISTIC, start=0.0)
    assert found.tight
    assert bool((found.deviation[:100] > 0.4 * found.allowed[:100]).all())  # not by a wide margin


def test_gaussian_and_polynomial_tails_are_not_exponential():
    assert not tail_check(GAUSSIAN_TAIL).tight
    assert not tail_check(POLYNOMIAL_TAIL).tight
    assert not tail_check(GAUSSIAN_TAIL, start=5.0).tight  # and not only near 0


def test_as_printed_the_definition_admits_a_gaussian_tail():
    """Lower inequality for u < u_- = 0.1 only, a = c = mu = 1: exp(-u^2) satisfies it."""
    low = torch.linspace(-20, 0.1, 2001).double()
    high = torch.linspace(2, 30, 2001).double()

    def tail(u, sign):
        return (1 + sign * torch.exp(-u)) * torch.exp(-u)

    assert bool((torch.exp(-(low**2)) >= tail(low, -1)).all())
    assert bool((torch.exp(-(high**2)) <= tail(high, 1)).all())
    assert not bool((torch.exp(-(high**2)) >= tail(high, -1)).any())  # the intended one fails


@pytest.mark.parametrize("loss", [LOGISTIC, EXPONENTIAL, POLYNOMIAL_TAIL], ids=lambda o: o.name)
def test_inverses_invert(loss):
    for u in (-0.5, 0.3, 4.0):
        value = float(loss.value(torch.tensor(u).double()))
        assert loss.inverse(value) == pytest.approx(u, abs=1e-7)


def test_one_over_n_does_not_separate_for_the_logistic_loss():
    """Theorem 73: n = 1, y f = -0.5 has loss 0.974 < 1; the threshold is log(2)/n."""
    loss = float(LOGISTIC.value(torch.tensor(-0.5).double()))
    assert loss == pytest.approx(0.974, abs=1e-3) and loss < 1
    assert loss > LOGISTIC.separating_mean(1) == pytest.approx(math.log(2))
    assert EXPONENTIAL.separating_mean(4) == 0.25
    margins = torch.tensor([0.0, 50.0, 50.0, 50.0]).double()  # the least loss with a point wrong
    assert float(EXPONENTIAL.value(margins).mean()) == pytest.approx(0.25)


def test_slopes_are_known_where_they_underflow():
    u = torch.tensor([2000.0]).double()
    assert LOGISTIC.log_pull(u).item() == -2000.0
    assert LOGISTIC.slope(u).item() == 0.0
