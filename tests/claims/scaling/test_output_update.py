import pytest

from corollary.claims.scaling.output_update import OutputUpdate, rules
from corollary.core import Verdict, generator
from corollary.theory.scaling.abc import NTK, STANDARD


def test_under_the_standard_parametrisation_the_change_grows_like_the_width():
    claim = OutputUpdate(widths=(32, 64, 128, 256), draws=8)
    refuted = claim.refute(0)
    assert refuted.fails
    assert refuted.measured[0].value == pytest.approx(1.0, abs=0.2)


def test_under_ntk_the_output_changes_too_but_the_hypothesis_is_another():
    claim = OutputUpdate(draws=4)
    given = claim.given(generator(0))
    assert claim.check_given(given._replace(rules=rules(NTK))).verdict is Verdict.INAPPLICABLE
    assert rules(STANDARD)[0].c == 0
