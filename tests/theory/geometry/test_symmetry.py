import pytest
import torch
from torch import nn

from corollary.data.graphs import erdos_renyi
from corollary.errors import InputError
from corollary.models.deep_sets import DeepSets, pooled
from corollary.models.equivariant_sets import EquivariantDeepSets, EquivariantLinear
from corollary.models.gat import GATConv
from corollary.models.gcn import GCN
from corollary.models.message_passing import MessagePassing
from corollary.models.mlp import MLP
from corollary.theory.geometry.symmetry import (
    check_equivariance,
    check_graph_equivariance,
    check_graph_invariance,
    check_invariance,
    permutations_of,
)
from corollary.theory.networks.permutations import permutation_matrix


@pytest.fixture
def rng():
    return torch.Generator().manual_seed(0)


@pytest.fixture
def X(rng):
    return torch.randn(6, 3, generator=rng, dtype=torch.float64)


@pytest.fixture
def perms(rng):
    return permutations_of(6, 10, rng=rng)


@pytest.mark.parametrize("pool", ["sum", "mean", "max"])
def test_sum_mean_and_maximum_are_invariant(X, perms, pool):
    assert check_invariance(lambda X: pooled(X, pool), X, perms)


def test_a_perceptron_on_the_joined_rows_is_not_and_the_permutation_is_returned(X, perms, rng):
    mlp = MLP([18, 8, 1], rng=rng)
    found = check_invariance(lambda X: mlp(X.flatten()), X, perms)
    assert not found and found.gap > 1e-3
    refuting = torch.tensor(found.perm)
    assert not torch.allclose(mlp(X[refuting].flatten()), mlp(X.flatten()))


def test_pointwise_maps_and_attention_are_equivariant(X, perms, rng):
    assert check_equivariance(torch.tanh, X, perms)
    attention = nn.MultiheadAttention(3, 1, batch_first=True, dtype=torch.float64)
    assert check_equivariance(lambda X: attention(X[None], X[None], X[None])[0][0], X, perms)


def test_a_map_that_sorts_is_not_equivariant(X, perms):
    assert not check_equivariance(lambda X: X.sort(dim=0).values, X, perms)


def test_the_set_models_pass(X, perms, rng):
    assert check_invariance(DeepSets.of_widths([3, 8, 4], [4, 8, 2], rng=rng), X, perms)
    assert check_equivariance(EquivariantLinear(3, 5, rng=rng), X, perms)
    model = EquivariantDeepSets(MLP([3, 8, 4], rng=rng), MLP([7, 8, 2], rng=rng))
    assert check_equivariance(model, X, perms)


def test_the_outer_matrix_must_be_the_transpose():
    """The notes' f(X) = P f(PX) is false for f = id and a 3-cycle, true for a transposition."""
    X = torch.arange(3, dtype=torch.float64)[:, None]
    cycle, swap = permutation_matrix([1, 2, 0]), permutation_matrix([1, 0, 2])
    assert not torch.equal(cycle @ (cycle @ X), X)
    assert torch.equal(cycle.T @ (cycle @ X), X)
    assert torch.equal(swap @ (swap @ X), X)


def test_on_graphs_the_outer_matrix_must_be_the_transpose_as_well(rng):
    """f(X, A) = A X, for which the notes' P f(PX, PAP^T) is P P A X."""
    g = erdos_renyi(3, 0.7, rng=rng)
    X, P = torch.randn(3, 2, dtype=torch.float64, generator=rng), permutation_matrix([1, 2, 0])
    A = g.dense()
    value, moved = A @ X, (P @ A @ P.T) @ (P @ X)
    assert torch.allclose(P.T @ moved, value)
    assert not torch.allclose(P @ moved, value)


def test_graph_networks_are_equivariant_and_their_sums_invariant(X, perms, rng):
    g = erdos_renyi(6, 0.5, rng=rng)
    gcn = GCN([3, 8, 2], rng=rng)
    mp = MessagePassing(MLP([3, 4], rng=rng), MLP([7, 5], rng=rng), "max")
    for model in (gcn, GATConv(3, 4, heads=2, rng=rng), mp):
        assert check_graph_equivariance(model, X, g, perms)
    assert check_graph_invariance(lambda X, g: gcn(X, g).sum(0), X, g, perms)


def test_a_feature_that_knows_the_number_of_its_node_is_not_equivariant(X, perms, rng):
    g = erdos_renyi(6, 0.5, rng=rng)
    index = torch.arange(6.0, dtype=torch.float64)[:, None]
    found = check_graph_equivariance(lambda X, g: g.adjacency() @ (X + index), X, g, perms)
    assert not found and found.perm is not None


def test_two_generators_come_first_and_bad_permutations_are_refused(X, rng):
    assert permutations_of(4, 0, rng=rng).tolist() == [[1, 0, 2, 3], [1, 2, 3, 0]]
    with pytest.raises(InputError, match="each of 0 to 5 once"):
        check_invariance(torch.sum, X, [[0, 0, 1, 2, 3, 4]])
    with pytest.raises(InputError, match="matrix"):
        check_invariance(torch.sum, X, [[0, 1]])
    with pytest.raises(InputError, match="one row for each"):
        check_equivariance(lambda X: X.sum(0), X, [[0, 1, 2, 3, 4, 5]])
