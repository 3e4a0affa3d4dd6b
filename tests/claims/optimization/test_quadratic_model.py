import pytest
import torch

from corollary.claims.optimization.quadratic_model import Given, QuadraticModel, hilltop
from corollary.core import Verdict


def test_the_model_of_a_parabola_is_minimal_at_its_bottom():
    one = torch.ones(1, dtype=torch.float64)
    away = torch.tensor([[0.0], [0.5], [-2.0]], dtype=torch.float64)
    result = QuadraticModel().check_given(Given(lambda x: (x**2).sum(), one, 2 * one[None], away))
    assert result.verdict is Verdict.HOLDS
    assert result.predicted[0] == 0.0
    assert [m.value for m in result.measured] == pytest.approx([0.0, 0.25, 4.0])


def test_on_top_of_a_hill_the_step_is_the_maximum():
    claim = QuadraticModel()
    given = hilltop()
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE
    assert (claim.predict(given), claim.measure(given)) == (0.0, [-1.0])


@pytest.mark.parametrize("model", ["Hessian", "isotropic", "diagonal"])
@pytest.mark.parametrize("seed", range(2))
def test_it_holds_for_each_model(model, seed):
    assert QuadraticModel(model=model).check(seed).verdict is Verdict.HOLDS
