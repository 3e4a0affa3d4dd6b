import pytest
import torch

from corollary.claims.optimization.gd_pl import GdPl, Given, printed_step
from corollary.core import Verdict
from corollary.theory.optimization.objectives import quadratic


def test_the_flat_direction_shrinks_by_the_square_of_the_rate():
    o = quadratic(torch.diag(torch.tensor([1.0, 4.0]).double()))
    result = GdPl(k=2).check_given(Given(o, 1.0, torch.tensor([1.0, 0.0]).double(), 1 / 4))
    assert result.verdict is Verdict.HOLDS
    assert list(result.predicted) == pytest.approx([0.5 * 3 / 4, 0.5 * (3 / 4) ** 2])
    assert [m.value for m in result.measured] == pytest.approx(
        [0.5 * (9 / 16), 0.5 * (9 / 16) ** 2]
    )


def test_the_printed_step_breaks_the_printed_rate():
    claim = GdPl()
    given = printed_step()
    assert claim.predict(given)[0] == 0.0
    assert claim.measure(given)[0] == pytest.approx(2.0 / 4)
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE


@pytest.mark.parametrize("problem", ["least squares", "sine valley"])
@pytest.mark.parametrize("seed", range(2))
def test_it_holds_for_each_problem(problem, seed):
    assert GdPl(problem=problem).check(seed).verdict is Verdict.HOLDS
