import pytest
import torch

from corollary.claims.prerequisites.cauchy_schwarz import CauchySchwarz, Given
from corollary.core import Verdict


def test_parallel_vectors_attain_the_bound():
    x = torch.tensor([[3.0, 4.0]], dtype=torch.float64)
    result = CauchySchwarz().check_given(Given(x, 2 * x, torch.eye(2, dtype=torch.float64)))
    assert result.verdict is Verdict.HOLDS
    assert result.predicted == (50.0,) and result.measured[0].value == 50.0


def test_an_indefinite_form_reverses_the_inequality():
    refuted = CauchySchwarz().refute(0)
    assert refuted.broken == ("the form is positive semi-definite",) and refuted.fails


@pytest.mark.parametrize("d", [1, 2, 10])
@pytest.mark.parametrize("seed", range(3))
def test_it_holds_for_drawn_pairs(seed, d):
    assert CauchySchwarz(d=d).check(seed).verdict is Verdict.HOLDS
