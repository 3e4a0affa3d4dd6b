import math

import pytest
import torch
from scipy import stats
from torch import nn

from corollary.core import generator
from corollary.errors import InputError, InputTypeError
from corollary.theory.generalization.risk import (
    empirical_risk,
    generalization_gap,
    monte_carlo_risk,
    split,
)
from corollary.train import fit
from corollary.train.callbacks import Measure


def wrong(o, y):
    return (o != y).double()


def square(o, y):
    return (o - y).square()


def noisy(n, rng):
    x = torch.randn(n, generator=rng, dtype=torch.float64)
    return x, x + torch.randn(n, generator=rng, dtype=torch.float64)


def test_the_zero_one_loss_counts_errors_not_successes():
    """With the printed indicator of f(x) = y a perfect classifier would have risk 1."""
    y = torch.tensor([1.0, -1.0, 1.0])
    assert empirical_risk(lambda x: x, (y, y), wrong).value == 0.0
    assert empirical_risk(lambda x: -x, (y, y), wrong).value == 1.0


def test_the_empirical_risk_of_a_fixed_function_is_unbiased_with_variance_over_n():
    rng, n = generator(0, "risk"), 20
    risks = [empirical_risk(lambda x: x, noisy(n, rng), square).value for _ in range(2000)]
    risks = torch.tensor(risks, dtype=torch.float64)
    error = float(risks.std()) / math.sqrt(len(risks))
    assert abs(float(risks.mean()) - 1.0) < 3 * error  # the noise has variance 1
    assert float(risks.var()) == pytest.approx(2 / n, rel=0.15)  # Var of a squared normal is 2


def test_the_monte_carlo_risk_comes_in_batches_with_its_error():
    risk = monte_carlo_risk(lambda x: x, noisy, square, 5000, batch=700, rng=generator(0, "mc"))
    assert risk.n == 5000
    assert abs(risk.value - 1) < 3.5 * risk.error
    assert risk.error == pytest.approx(math.sqrt(2 / 5000), rel=0.1)


def test_the_interval_is_that_of_scipy_with_a_longer_end_for_skewed_losses():
    rng = generator(1, "interval")
    risk = empirical_risk(lambda x: x, noisy(30, rng), square)
    low, high = stats.t.interval(0.95, 29, loc=risk.value, scale=risk.error)
    assert risk.interval()[0] == pytest.approx(low) and risk.interval()[1] > high
    assert risk.skewness > 1  # of a squared normal it is the root of 8


def test_the_mean_gap_of_a_fixed_model_is_zero_and_that_of_an_interpolating_one_is_minus_its_test_loss():  # noqa: E501
    rng = generator(0, "gap")
    test = noisy(400, rng)
    gaps = [
        generalization_gap(lambda x: x, noisy(20, rng), noisy(50, rng), square).value
        for _ in range(400)
    ]
    gaps = torch.tensor(gaps)
    assert abs(float(gaps.mean())) < 3 * float(gaps.std()) / 20
    x, y = noisy(15, rng)

    def nearest(q):
        return y[(q[:, None] - x).abs().argmin(dim=1)]

    gap = generalization_gap(nearest, (x, y), test, square)
    assert gap.train.value == 0
    assert gap.value == -gap.test.value < 0
    assert gap.low < gap.value < gap.high < 0


def test_splits_are_disjoint_repeatable_and_of_the_right_sizes():
    parts = split(101, [0.5, 0.25, 0.25], rng=generator(0, "split"))
    assert sorted(torch.cat(parts).tolist()) == list(range(101))
    assert sum(map(len, parts)) == 101
    again = split(101, [0.5, 0.25, 0.25], rng=generator(0, "split"))
    assert all(torch.equal(a, b) for a, b in zip(parts, again, strict=True))
    assert [len(p) for p in split(10, [0.2, 0.3], rng=generator(0, "split"))] == [2, 3]


def test_a_module_is_judged_in_evaluation_mode_and_given_back_as_it_came():
    net = nn.Sequential(nn.Linear(2, 3), nn.Dropout(0.9), nn.Linear(3, 1))
    net[1].eval()
    x, y = torch.randn(8, 2), torch.zeros(8)
    loss = lambda o, y: (o[:, 0] - y).square()  # noqa: E731
    assert empirical_risk(net, (x, y), loss).value == empirical_risk(net, (x, y), loss).value
    assert (net.training, net[0].training, net[1].training) == (True, True, False)


def test_risks_are_tracked_along_a_run():
    x, y = noisy(64, generator(0, "run"))
    data = (x[:, None], y[:, None])
    loss = lambda o, y: (o - y).square()[:, 0]  # noqa: E731
    follow = Measure(every=5, risk=lambda model: empirical_risk(model, data, loss).value)
    history = fit(
        nn.Linear(1, 1).double(),
        data,
        nn.functional.mse_loss,
        lambda p: torch.optim.SGD(p, lr=0.1),
        steps=20,
        callbacks=[follow],
    )
    steps, risks = history.points("risk")
    assert len(steps) == 4
    assert risks == sorted(risks, reverse=True)


def test_wrong_input_is_refused_with_a_remedy():
    x = torch.zeros(4)
    with pytest.raises(InputTypeError, match='reduction="none"'):
        empirical_risk(lambda x: x, (x, x), lambda o, y: (o - y).square().mean())
    with pytest.raises(InputError, match="one target per input"):
        empirical_risk(lambda x: x, (x, x[:2]), square)
    with pytest.raises(InputError, match="sum at most 1"):
        split(10, [0.9, 0.2], rng=generator(0, "x"))
