import pytest
import torch

from corollary.claims.prerequisites.singular_vectors import Given, SingularVectors
from corollary.core import Verdict


def test_of_a_unit_projector_one_vector_is_enough():
    A = torch.diag(torch.tensor([1.0, 0.0], dtype=torch.float64))
    result = SingularVectors().check_given(Given(A, 1))
    assert result.verdict is Verdict.HOLDS and result.predicted == (1.0, 0.0, 0.0, 0.0) * 2


def test_all_columns_of_u_are_too_many():
    refuted = SingularVectors().refute(0)
    assert refuted.fails and refuted.broken == ("as many vectors are taken as A has rank",)


@pytest.mark.parametrize("r", [1, 2, 4])
@pytest.mark.parametrize("seed", range(3))
def test_it_holds_for_every_rank(seed, r):
    assert SingularVectors(r=r).check(seed).verdict is Verdict.HOLDS


def test_the_disc_is_shown_in_four_panels():
    assert len(SingularVectors().check(0).figures) == 4
