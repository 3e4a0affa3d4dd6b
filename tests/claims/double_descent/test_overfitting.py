import pytest

from corollary.claims.double_descent.benign_overfitting import BenignOverfitting
from corollary.claims.double_descent.catastrophic_overfitting import CatastrophicOverfitting
from corollary.claims.double_descent.tempered_overfitting import TemperedOverfitting
from corollary.core import Verdict


@pytest.mark.parametrize("sigma", [0.2, 1.0])
def test_lines_are_tempered_at_two_thirds_of_any_noise(sigma):
    claim = TemperedOverfitting(sigma=sigma, sizes=(128, 512))
    result = claim.check_given(claim.draw(1))
    assert result.verdict is Verdict.HOLDS and result.predicted[0] == pytest.approx(2 / 3)


def test_the_singular_kernel_is_benign_and_a_more_singular_one_tempered():
    claim = BenignOverfitting(sizes=(32, 128, 512, 2048, 8192))
    assert claim.check(1).verdict is Verdict.HOLDS
    assert claim.refute(1).fails


def test_the_polynomial_is_catastrophic_at_equispaced_nodes_only():
    claim = CatastrophicOverfitting()
    assert claim.check(0).verdict is Verdict.HOLDS
    refuted = claim.refute(0)
    assert refuted.fails and refuted.broken == ("the nodes are equispaced",)
