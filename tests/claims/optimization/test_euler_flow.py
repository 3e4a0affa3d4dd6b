import math

import pytest
import torch

from corollary.claims.optimization.euler_flow import EulerFlow, Given
from corollary.core import Verdict
from corollary.theory.optimization.objectives import quadratic


def bowl(L):
    return Given(quadratic(L * torch.eye(1).double()), torch.ones(1).double(), 1.0)


def test_on_a_bowl_the_error_is_that_of_euler_for_the_exponential():
    found = EulerFlow().measure(bowl(1.0))
    exact = [abs((1 - 1 / N) ** N - math.exp(-1)) for N in found.sizes]
    assert list(found.values) == pytest.approx(exact, rel=1e-6)
    assert EulerFlow().relation.compare(-1.0, found).verdict is Verdict.HOLDS


def test_steps_beyond_one_over_L_are_not_covered():
    result = EulerFlow().check_given(bowl(9.0))
    assert result.verdict is Verdict.INAPPLICABLE
    assert [h.statement for h in result.hypotheses if not h.holds] == [
        "the longest step is at most 1/L"
    ]
