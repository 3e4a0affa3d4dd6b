import pytest
import torch

from corollary.claims.double_descent.excess_risk import ExcessRisk, Given
from corollary.core import Verdict


@pytest.mark.parametrize("seed", range(3))
def test_it_holds_for_drawn_predictors(seed):
    assert ExcessRisk(p=2, sigma=1.0).check(seed).verdict is Verdict.HOLDS


def test_the_planted_rule_itself_has_the_risk_of_the_noise():
    claim = ExcessRisk()
    given = claim.given(torch.Generator().manual_seed(0))
    assert claim.predict(given)[claim.shares.index(0.0)] == pytest.approx(claim.sigma**2)


def test_labels_with_a_square_in_them_are_not_planted():
    given = ExcessRisk().given(torch.Generator().manual_seed(0))
    bent = Given(*given[:1], given.y + given.phi[:, 0] ** 2, *given[2:])
    assert ExcessRisk().check_given(bent).verdict is Verdict.INAPPLICABLE
