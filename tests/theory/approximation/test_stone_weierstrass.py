import pytest
import torch

from corollary.errors import InputError
from corollary.theory.approximation.grids import box_grid
from corollary.theory.approximation.stone_weierstrass import (
    CONDITIONS,
    cosines,
    counterexamples,
    exponentials,
    polynomials,
    stone_weierstrass_report,
)

LINE = torch.linspace(0, 1, 21, dtype=torch.float64)[:, None]


@pytest.mark.parametrize("family", [polynomials, cosines, exponentials])
@pytest.mark.parametrize("d", [1, 2])
def test_polynomials_cosines_and_exponentials_pass(family, d):
    assert stone_weierstrass_report(family(d), box_grid(d, 5)).broken == ()


@pytest.mark.parametrize("which", range(4))
def test_each_failing_family_is_named_with_its_one_broken_condition(which):
    obstruction = counterexamples()[which]
    assert stone_weierstrass_report(obstruction.family, LINE).broken == (CONDITIONS[which],)
    assert obstruction.broken == CONDITIONS[which]


def test_the_product_of_two_cosines_is_their_identity():
    family = cosines(2)
    s, t = family.terms[3], family.terms[-1]
    x = box_grid(2, 7)
    whole = family.value(s, x) * family.value(t, x)
    parts = sum(c * family.value(term, x) for c, term in family.product(s, t))
    assert parts == pytest.approx(whole, abs=1e-12)


def test_points_outside_the_cube_are_refused():
    with pytest.raises(InputError, match="unit cube"):
        stone_weierstrass_report(polynomials(), 2 * LINE)
