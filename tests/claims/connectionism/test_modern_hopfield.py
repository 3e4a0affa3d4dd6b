import pytest
import torch

from corollary.claims.connectionism import (
    modern_hopfield_attention,
    modern_hopfield_descent,
    modern_hopfield_one_step,
)
from corollary.core import Verdict

Attention = modern_hopfield_attention.ModernHopfieldAttention
Descent = modern_hopfield_descent.ModernHopfieldDescent
OneStep = modern_hopfield_one_step.ModernHopfieldOneStep


def test_between_two_opposite_patterns_attention_and_memory_read_the_same():
    K = torch.tensor([[1.0], [-1.0]], dtype=torch.float64)
    q = torch.tensor([[0.5]], dtype=torch.float64)
    result = Attention().check_given(modern_hopfield_attention.Given(K, K, q, 1.0))
    assert result.verdict is Verdict.HOLDS
    assert result.measured[0].value == pytest.approx(torch.tanh(q).item())


def test_another_temperature_is_another_attention():
    given = Attention().draw(0)
    assert Attention().check_given(given._replace(beta=1.0)).verdict is Verdict.INAPPLICABLE


def test_one_pattern_is_reached_at_once_and_the_bound_is_attained():
    K = torch.tensor([[1.0, 0.0]], dtype=torch.float64)
    q = torch.tensor([[0.0, 2.0]], dtype=torch.float64)
    result = Descent(steps=1).check_given(modern_hopfield_descent.Given(K, K, 1.0, q))
    assert result.verdict is Verdict.HOLDS
    assert result.measured[0].value == pytest.approx(2.5)  # half of 1 + 4
    assert result.predicted[0] == pytest.approx(2.5)


@pytest.mark.parametrize("beta", [0.05, 1.0, 10.0])
def test_energy_falls_by_half_the_squared_step_at_any_temperature(beta):
    claim = Descent(beta=beta)
    assert claim.check_given(claim.draw(1)).verdict is Verdict.HOLDS


def test_with_values_of_its_own_attention_may_climb():
    refuted = Descent().refute(0)
    assert min(r.value for r in refuted.measured) < 0


@pytest.mark.parametrize(("N", "beta"), [(2, 1.0), (6, 4.0), (40, 3.0)])
def test_patterns_are_read_in_one_step_within_the_bound(N, beta):
    claim = OneStep(N=N, d=60, beta=beta)
    assert claim.check_given(claim.draw(2)).verdict is Verdict.HOLDS
