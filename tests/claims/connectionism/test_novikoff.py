import pytest
import torch

from corollary.claims.connectionism.novikoff import Given, Novikoff
from corollary.core import Verdict, generator


def orthogonal_points(n: int) -> Given:
    """Basis vectors, all labelled +1: each is one mistake, and the bound is n."""
    e = torch.eye(n, dtype=torch.float64)
    return Given(x=e, y=e.new_ones(n), u=e.new_ones(n) / n**0.5)


@pytest.mark.parametrize("n", [1, 2, 16])
def test_the_bound_is_attained_by_orthogonal_points(n):
    result = Novikoff().check_given(orthogonal_points(n))
    assert result.verdict is Verdict.HOLDS
    assert (result.measured[0].value, result.predicted[0]) == (n, pytest.approx(n))


def test_without_a_margin_the_claim_does_not_apply():
    given = orthogonal_points(2)
    flipped = given._replace(y=-given.y)
    assert Novikoff().check_given(flipped).verdict is Verdict.INAPPLICABLE


def test_a_direction_that_is_too_long_is_not_a_unit_vector():
    given = orthogonal_points(2)
    result = Novikoff().check_given(given._replace(u=2 * given.u))
    assert result.verdict is Verdict.INAPPLICABLE
    assert [h.statement for h in result.hypotheses if not h.holds] == ["u has length 1"]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("gamma", [0.02, 0.1, 0.9])
def test_it_holds_for_drawn_clouds(seed, gamma):
    assert Novikoff(n=100, d=5, gamma=gamma).check(seed).verdict is Verdict.HOLDS


def test_it_holds_for_points_of_any_length():
    x, y, u = Novikoff(gamma=0.2).given(generator(0, "long"))
    result = Novikoff().check_given(Given(1000 * x, y, u))
    assert result.verdict is Verdict.HOLDS
    assert result.predicted[0] == pytest.approx(25, rel=0.01)


def test_less_than_the_floor_is_false_for_one_point():
    """The notes' 'less than floor((R/gamma)^2)': one point needs exactly one update."""
    result = Novikoff().check_given(orthogonal_points(1))
    assert result.measured[0].value == result.predicted[0] == 1.0


def test_a_point_with_both_labels_is_never_learned():
    refuted = Novikoff().refute(3)
    assert refuted.fails
    assert refuted.broken == ("u separates the points",)
