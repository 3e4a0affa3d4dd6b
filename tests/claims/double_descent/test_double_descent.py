from math import log10

from corollary.claims.double_descent.double_descent import DoubleDescent
from corollary.core import Verdict


def test_more_and_more_coordinates_have_a_peak_at_n_too():
    claim = DoubleDescent(model="linear", n=30, draws=11, ridge=0.1)
    assert claim.check_given(claim.draw(1), seed=1, draw=False).verdict is Verdict.HOLDS


def test_the_peak_is_within_one_step_and_five_times_the_end():
    claim = DoubleDescent()
    steps, end, fitted, ridged = (r.value for r in claim.trial(claim.draw(0)).comparison.measured)
    assert steps <= 1 and max(end, ridged) < -log10(5) and fitted < 1e-12
