from corollary.claims.sequences.causal_mask import CausalMask
from corollary.core import Verdict, generator


def test_derivatives_ahead_are_exactly_zero():
    claim = CausalMask(T=5)
    measured = claim.trial(claim.draw(0)).measured
    assert measured[:3] == [0.0, 0.0, 1.0]


def test_one_entry_above_the_diagonal_is_enough_to_break_it():
    claim = CausalMask()
    given = claim.given(generator(0))
    mask = given.mask.clone()
    mask[2, 5] = True
    open_once = given._replace(mask=mask)
    assert claim.check_given(open_once).verdict is Verdict.INAPPLICABLE
    assert claim.trial(open_once).measured[1] > 0
