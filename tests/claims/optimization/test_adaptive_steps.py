import pytest
import torch

from corollary.claims.optimization.adagrad_units import AdagradUnits
from corollary.claims.optimization.adam_first_step import AdamFirstStep, Given
from corollary.core import Verdict


def test_the_first_step_of_adagrad_is_the_step_size_in_each_coordinate():
    claim = AdagradUnits(d=4, eta=0.5, steps=1)
    given = claim.given(torch.Generator().manual_seed(0))._replace(x0=torch.ones(4).double())
    result = claim.check_given(given)
    assert [m.value for m in result.measured] == pytest.approx([2.0, 1.0])


def test_a_turned_valley_has_its_condition_number_back():
    refuted = AdagradUnits().refute(0)
    assert refuted.fails and "diagonal" in refuted.broken[0]


@pytest.mark.parametrize("kappa", [2.0, 1e10])
@pytest.mark.parametrize("eta", [0.01, 5.0])
def test_adagrad_sees_no_condition_number(kappa, eta):
    assert AdagradUnits(kappa=kappa, eta=eta, steps=60).check(3).verdict is Verdict.HOLDS


def test_the_uncorrected_first_step_is_three_times_as_long():
    zero = torch.zeros(1).double()
    given = Given(torch.tensor([7.0]).double(), zero, zero)
    result = AdamFirstStep(eta=1.0, delta=0.0, d=1).check_given(given)
    assert [m.value for m in result.measured] == pytest.approx([1.0, 10**0.5])


def test_averages_of_another_task_change_the_first_step():
    refuted = AdamFirstStep().refute(0)
    assert refuted.fails and refuted.broken == ("the average of gradients starts at 0",)


@pytest.mark.parametrize("beta, alpha", [(0.0, 0.0), (0.5, 0.9), (0.99, 0.99999)])
@pytest.mark.parametrize("delta", [0.0, 1e-3])
def test_the_formula_holds_for_all_parameters(beta, alpha, delta):
    claim = AdamFirstStep(beta=beta, alpha=alpha, delta=delta)
    assert claim.check(1).verdict is Verdict.HOLDS
