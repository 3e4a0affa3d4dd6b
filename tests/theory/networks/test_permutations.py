import pytest
import torch

from corollary.errors import InputError
from corollary.theory.networks.permutations import (
    checked_permutation,
    is_permutation_matrix,
    permutation_matrix,
)


def test_unit_sums_alone_do_not_make_a_permutation():
    average = torch.full((3, 3), 1 / 3, dtype=torch.float64)
    torch.testing.assert_close(average.sum(0), torch.ones(3).double())
    torch.testing.assert_close(average.sum(1), torch.ones(3).double())
    assert not is_permutation_matrix(average)


def test_the_matrix_of_a_permutation_moves_entries_and_commutes_with_entrywise_functions():
    P, v = permutation_matrix([2, 0, 3, 1]), torch.tensor([-1.0, 2.0, -3.0, 4.0]).double()
    assert is_permutation_matrix(P)
    assert (P @ v).tolist() == [-3, -1, 4, 2]
    assert torch.equal(torch.relu(P @ v), P @ torch.relu(v))
    assert torch.equal(torch.softmax(P @ v, 0), P @ torch.softmax(v, 0))
    assert not torch.equal((P @ v).cumsum(0), P @ v.cumsum(0))


@pytest.mark.parametrize("perm", [[0, 0, 1], [1, 2, 3], [0, 1], []])
def test_what_is_no_permutation_is_refused(perm):
    with pytest.raises(InputError, match="each of 0 to 2 once"):
        checked_permutation(perm, 3)
