import pytest
import torch

from corollary.claims.prerequisites.difference_quotient import DifferenceQuotient, Given
from corollary.core import Verdict


@pytest.mark.parametrize(("scheme", "order"), [("forward", 1), ("central", 2)])
@pytest.mark.parametrize("seed", range(3))
def test_each_scheme_has_its_order(scheme, order, seed):
    result = DifferenceQuotient(scheme=scheme).check(seed)
    assert result.verdict is Verdict.HOLDS
    assert result.measured[0].value == pytest.approx(order, abs=0.05)


def test_the_forward_quotient_of_a_parabola_is_off_by_the_step():
    """((x + h)² - x²)/h = 2x + h: the error is h exactly."""
    given = Given(lambda x: x.square().sum(), torch.ones(1, dtype=torch.float64))
    measured = DifferenceQuotient(scheme="forward").measure(given)
    assert measured.values == pytest.approx(measured.sizes)


@pytest.mark.parametrize("scheme", ["forward", "central"])
def test_a_corner_in_the_second_derivative_gives_order_three_halves(scheme):
    refuted = DifferenceQuotient(scheme=scheme).refute(0)
    assert refuted.fails and refuted.broken == ("f has three continuous derivatives near x",)
