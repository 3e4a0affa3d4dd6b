import pytest

from corollary.claims.double_descent.ols_variance import OlsVariance
from corollary.core import Verdict


@pytest.mark.parametrize("n, p", [(12, 3), (30, 8), (20, 1)])
def test_it_holds_for_other_sizes(n, p):
    claim = OlsVariance(n=n, p=p, draws=3000)
    result = claim.check_given(claim.draw(0), draw=False)
    assert result.verdict is Verdict.HOLDS
    assert result.predicted[0] == pytest.approx(p / (n - p - 1))


def test_with_more_features_than_points_the_printed_variance_is_negative():
    """Erratum: invertibility is not supposed in the notes."""
    refuted = OlsVariance(n=10).refute(0)
    assert refuted.predicted[0] == pytest.approx(-40 / 31) and refuted.measured[0].value > 0.3
