import pytest
import torch

from corollary.claims.connectionism.hopfield_crosstalk import Given, HopfieldCrosstalk
from corollary.core import Verdict
from corollary.data.patterns import random_patterns
from corollary.theory.connectionism.hopfield.storage import hebbian_weights


@pytest.mark.parametrize(("n", "s"), [(100, 30), (300, 5)])
def test_drawn_networks_have_the_predicted_mean_and_variance(n, s):
    claim = HopfieldCrosstalk(n=n, s=s, networks=300)
    assert claim.check_given(claim.draw(3)).verdict is Verdict.HOLDS


def test_a_kept_diagonal_shows_as_a_mean_of_s_minus_one_over_n():
    claim = HopfieldCrosstalk()
    refuted = claim.check(0).counterexamples[1]
    assert refuted.measured[0].value == pytest.approx((claim.s - 1) / claim.n, abs=0.01)


def test_patterns_that_resemble_each_other_are_outside_the_claim():
    x = random_patterns(20, 10, 100, p=0.8, rng=torch.Generator().manual_seed(0))
    given = Given(x, hebbian_weights)
    assert HopfieldCrosstalk().check_given(given).verdict is Verdict.INAPPLICABLE
