import pytest
import torch

from corollary.claims.sequences.causal_mask import CausalMask
from corollary.core import Verdict, generator


def test_derivatives_ahead_are_exactly_zero():
    claim = CausalMask(T=5)
    measured = claim.measure(claim.given(generator(0)))
    assert measured[:2] == [0.0, 0.0] and measured[-1] == 1.0


def test_without_the_mask_the_future_is_seen():
    claim = CausalMask()
    given = claim.counterexample(generator(0))
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE
    assert claim.measure(given)[0] > 0.01


def test_one_entry_above_the_diagonal_is_enough_to_break_it():
    claim = CausalMask()
    given = claim.given(generator(0))
    mask = given.mask.clone()
    mask[2, 5] = True
    open_once = given._replace(mask=mask)
    assert claim.check_given(open_once).verdict is Verdict.INAPPLICABLE
    assert claim.measure(open_once)[1] > 0


def test_an_empty_row_is_no_average():
    claim = CausalMask(T=3)
    given = claim.given(generator(0))
    nothing = given._replace(mask=torch.zeros_like(given.mask))
    assert claim.check_given(nothing).verdict is Verdict.FAILS


@pytest.mark.parametrize("seed", range(3))
def test_it_holds_for_drawn_layers(seed):
    assert CausalMask(T=4, d=3).check(seed).verdict is Verdict.HOLDS
