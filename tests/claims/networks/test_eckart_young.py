import pytest
import torch

from corollary.claims.networks.eckart_young import EckartYoung, Given
from corollary.core import Verdict


def test_a_diagonal_matrix_loses_its_small_entries():
    X = torch.diag(torch.tensor([5.0, 4.0, 3.0], dtype=torch.float64))
    result = EckartYoung().check_given(Given(X, 1, 1))
    assert result.verdict is Verdict.HOLDS
    assert result.predicted[0] == pytest.approx(5)  # (4² + 3²)^½
    assert result.measured[-1].value == pytest.approx(5)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("r", [1, 10, 19])
def test_it_holds_for_drawn_matrices(seed, r):
    assert EckartYoung(r=r).check(seed).verdict is Verdict.HOLDS


def test_ties_change_nothing():
    X = torch.eye(6, dtype=torch.float64)
    result = EckartYoung().check_given(Given(X, 2, 2))
    assert result.verdict is Verdict.HOLDS
    assert all(m.value == pytest.approx(2) for m in result.measured), "every projection is best"


def test_one_more_dimension_beats_the_bound():
    refuted = EckartYoung().refute(0)
    assert refuted.fails and refuted.broken == ("every challenger has rank at most r",)
