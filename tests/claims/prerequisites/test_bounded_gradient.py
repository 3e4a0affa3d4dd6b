import math

import pytest
import torch

from corollary.claims.prerequisites.bounded_gradient import BoundedGradient, Given
from corollary.core import Verdict


def everywhere(x):
    return torch.ones(len(x), dtype=torch.bool)


def test_a_linear_function_attains_its_bound():
    w = torch.tensor([3.0, 4.0], dtype=torch.float64)
    given = Given(lambda x: x @ w, everywhere, w[None], -w[None], 5.0)
    result = BoundedGradient().check_given(given)
    assert result.verdict is Verdict.HOLDS and result.measured[0].value == pytest.approx(50.0)


def test_across_the_cut_the_angle_is_steep():
    _, across = BoundedGradient().check(0, draw=False).counterexamples
    assert across.measured[0].value == pytest.approx(2 * math.pi - 2 * math.atan(0.05))
    assert across.broken == ("the set is convex",) and across.predicted[0] == pytest.approx(0.2)


def test_a_bound_that_the_gradient_exceeds_is_inapplicable():
    given = BoundedGradient().given(torch.Generator())._replace(L=0.1)
    assert BoundedGradient().check_given(given).verdict is Verdict.INAPPLICABLE


@pytest.mark.parametrize("waves", [1, 4, 20])
@pytest.mark.parametrize("seed", range(3))
def test_it_holds_for_drawn_waves(seed, waves):
    assert BoundedGradient(waves=waves).check(seed).verdict is Verdict.HOLDS
