import pytest

from corollary.claims.sequences.teacher_forcing import TeacherForcing, looks_ahead
from corollary.core import Verdict, generator


def test_the_first_logits_know_the_source_and_the_start_token_alone():
    claim = TeacherForcing(T=3, K=4)
    given = claim.given(generator(0))
    other = given._replace(target=(given.target + 1) % 4)
    gap = (claim.measure(given) - claim.measure(other)).abs()
    assert gap[:4].max() < 1e-12 and gap[4:].max() > 1e-3


def test_a_decoder_that_looks_ahead_says_otherwise_step_by_step():
    claim = TeacherForcing()
    given = looks_ahead(claim.draw(0))
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE
    gap = claim.measure(given) - claim.predict(given)
    assert float(gap.abs().max()) > 0.01
    assert float(gap[-10:].abs().max()) < 1e-10  # the last step sees the same either way


@pytest.mark.parametrize("layers", [1, 3])
def test_it_holds_for_other_depths(layers):
    assert TeacherForcing(layers=layers, T=4).check(1).verdict is Verdict.HOLDS
