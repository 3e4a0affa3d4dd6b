import math

import pytest
from scipy.optimize import minimize_scalar

from corollary.errors import InputError
from corollary.theory.generalization.barron_risk import barron_risk, barron_width


@pytest.mark.parametrize(("d", "M", "C"), [(1, 100, 1.0), (5, 1000, 3.0), (20, 10**6, 0.5)])
def test_the_width_is_the_numerical_minimiser(d, M, C):
    found = minimize_scalar(
        lambda t: barron_risk(math.exp(t), d, M, C).total, bounds=(0, 20), method="bounded"
    )
    assert math.exp(found.x) == pytest.approx(barron_width(d, M, C), rel=1e-3)


def test_the_terms_balance_at_the_best_width_and_give_the_stated_rate():
    d, M, C = 3, 5000, 2.0
    terms = barron_risk(barron_width(d, M, C), d, M, C)
    assert terms.approximation == pytest.approx(terms.estimation)
    assert terms.total == pytest.approx(2 * C * math.sqrt(d * math.log(M) / M))


def test_the_width_grows_like_the_root_of_the_samples_up_to_the_logarithm():
    ratio = barron_width(2, 4 * 10**6) / barron_width(2, 10**6)
    assert ratio == pytest.approx(2 * math.sqrt(math.log(1e6) / math.log(4e6)))


def test_one_sample_is_refused():
    with pytest.raises(InputError, match="M = 2"):
        barron_width(2, 1)
