import pytest
import torch

from corollary.claims.prerequisites.parallelogram_area import Given, ParallelogramArea
from corollary.core import Verdict


def test_the_two_pairs_of_the_notes_have_areas_thirteen_and_zero():
    V = torch.tensor([[[-3.0, 2.0], [2.0, 3.0]], [[1.0, 2.0], [2.0, 4.0]]], dtype=torch.float64)
    result = ParallelogramArea().check_given(Given(V))
    assert result.verdict is Verdict.HOLDS
    assert result.predicted == (13.0, 0.0, 2.0, 1.0)


def test_vectors_of_space_are_inapplicable():
    V = torch.ones(1, 3, 2, dtype=torch.float64)
    assert ParallelogramArea().check_given(Given(V)).verdict is Verdict.INAPPLICABLE


@pytest.mark.parametrize("seed", range(5))
def test_it_holds_for_drawn_pairs(seed):
    assert ParallelogramArea(n=200).check(seed).verdict is Verdict.HOLDS
