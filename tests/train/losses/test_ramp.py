import math

import pytest
import torch

from corollary.errors import InputError
from corollary.theory.generalization.rademacher import rademacher_deviation
from corollary.train.losses.hinge import hinge
from corollary.train.losses.ramp import clip, printed_slack, ramp, ramp_bound
from corollary.train.losses.zero_one import zero_one_of_margin


@pytest.mark.parametrize("gamma", [0.5, 1.0, 3.0])
def test_the_ramp_lies_between_the_two_zero_one_losses(gamma):
    m = torch.linspace(-5, 5, 1001, dtype=torch.float64)
    loss = ramp(m, gamma=gamma)
    assert bool((zero_one_of_margin(m) <= loss).all())
    assert bool((loss <= zero_one_of_margin(m - gamma)).all())


def test_the_ramp_is_lipschitz_and_bounded_where_the_hinge_is_not():
    m = torch.linspace(-5, 5, 1001, dtype=torch.float64)
    loss = ramp(m, gamma=2.0)
    assert float(((loss[1:] - loss[:-1]) / (m[1:] - m[:-1])).abs().max()) <= 0.5 + 1e-9
    assert (float(loss.min()), float(loss.max())) == (0.0, 1.0)
    far = torch.tensor([[5.0]])
    assert float(hinge(-far, torch.tensor([[1.0]]))) > 1
    assert float(clip(far)) == 1.0


def test_the_bound_is_that_of_contraction():
    expected = 0.2 + rademacher_deviation(0.1 / 0.5, 300, 0.05, empirical=True)
    assert ramp_bound(0.2, 0.1, 300, 0.05, gamma=0.5) == pytest.approx(expected)
    assert ramp_bound(0.2, 0.1, 300, 0.05, empirical=False) < ramp_bound(0.2, 0.1, 300, 0.05)


def test_the_printed_slack_follows_up_to_a_delta_of_0794_and_not_beyond():
    def sharp(delta):
        return rademacher_deviation(0.0, 100, delta, empirical=True)

    limit = 2 ** (-1 / 3)
    assert printed_slack(100, limit) == pytest.approx(sharp(limit))
    assert printed_slack(100, 0.05) == pytest.approx(0.734, abs=1e-3)
    assert sharp(0.05) == pytest.approx(0.407, abs=1e-3)
    assert printed_slack(100, 0.9) < sharp(0.9)
    assert math.isclose(limit, 0.794, abs_tol=1e-3)


def test_a_margin_of_zero_is_refused():
    with pytest.raises(InputError, match="positive"):
        ramp(torch.zeros(1), gamma=0.0)
    with pytest.raises(InputError, match="gamma > 0"):
        ramp_bound(2.0, 0.1, 10, 0.1)
