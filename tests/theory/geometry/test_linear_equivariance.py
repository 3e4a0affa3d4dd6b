import itertools

import pytest
import torch

from corollary.errors import InputError
from corollary.theory.geometry.linear_equivariance import equivariant_maps, generators
from corollary.theory.networks.permutations import permutation_matrix


@pytest.mark.parametrize("M", [2, 3, 5, 8])
def test_the_space_has_dimension_two_and_holds_identity_and_sum(M):
    basis = equivariant_maps(M)
    assert len(basis) == 2
    flat = basis.reshape(2, -1)
    for W in (torch.eye(M).double(), torch.ones(M, M).double()):
        assert torch.allclose((flat @ W.flatten()) @ flat, W.flatten())


def test_two_generators_say_as_much_as_all_permutations():
    everyone = list(itertools.permutations(range(4)))
    assert len(equivariant_maps(4, everyone)) == len(equivariant_maps(4, generators(4))) == 2


def test_each_map_commutes_with_every_permutation():
    for W in equivariant_maps(4):
        for perm in itertools.permutations(range(4)):
            P = permutation_matrix(perm)
            assert torch.allclose(W @ P, P @ W, atol=1e-10)


def test_the_cycle_alone_leaves_circulant_matrices():
    assert len(equivariant_maps(6, [[1, 2, 3, 4, 5, 0]])) == 6


def test_too_many_elements_are_refused():
    with pytest.raises(InputError):
        equivariant_maps(25)
