import inspect

import pytest
import torch

from corollary.data.graphs import barbell_graph, cycle_graph, path_graph
from corollary.data.karate_club import karate_club
from corollary.errors import InputError
from corollary.theory.geometry.normalised_adjacency import gcn_norm
from corollary.theory.geometry.smoothing import (
    dirichlet_energy,
    oversmoothing_curve,
    smoothing_rate,
)


@pytest.fixture
def X():
    return torch.randn(34, 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


def test_the_distance_decays_like_the_second_eigenvalue(X):
    g, _ = karate_club()
    distance = oversmoothing_curve(g, X, 60).distance
    slope = (distance[60] / distance[40]).log() / 20
    assert float(slope.exp()) == pytest.approx(smoothing_rate(g), rel=1e-6)


def test_the_energy_is_the_quadratic_form_and_decays_at_twice_the_rate(X):
    g, _ = karate_club()
    form = (X.T @ (X - gcn_norm(g) @ X)).trace()
    assert float(dirichlet_energy(g, X)) == pytest.approx(float(form))
    energy = oversmoothing_curve(g, X, 60).energy
    assert float(energy[60] / energy[59]) == pytest.approx(smoothing_rate(g) ** 2, rel=1e-6)


def test_nodes_become_equal_up_to_the_root_of_their_degree(X):
    g, _ = karate_club()
    end = oversmoothing_curve(g, X, 300).features / (1 + g.degrees).double().sqrt()[:, None]
    assert torch.allclose(end, end[:1].expand_as(end), atol=1e-10)


def test_a_disconnected_graph_keeps_a_direction_for_each_component():
    g = cycle_graph(4).union(path_graph(3))
    X = torch.randn(7, 2, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    end = oversmoothing_curve(g, X, 400)
    assert float(end.distance[-1]) > 0.1  # not the limit of a connected graph
    assert float(end.energy[-1]) < 1e-12  # yet smooth on each component
    assert torch.linalg.matrix_rank(end.features, tol=1e-8) == 2


def test_residual_connections_slow_it_and_returning_to_the_start_ends_it(X):
    g, _ = karate_club()
    plain, previous, first = (
        oversmoothing_curve(g, X, 40, residual=how).distance
        for how in ("none", "previous", "first")
    )
    assert bool((plain[1:] < previous[1:]).all())
    assert float(first[-1]) > 0.05 * float(first[0])
    assert float(first[-1]) == pytest.approx(float(first[-2]), rel=1e-3)
    lowest = torch.linalg.eigvalsh(gcn_norm(g).to_dense())[-2]
    assert float(previous[40] / previous[39]) == pytest.approx(float(1 + lowest) / 2, rel=1e-3)


def test_a_narrow_bridge_smooths_slowly():
    assert smoothing_rate(barbell_graph(5, 3)) > 0.9 > smoothing_rate(cycle_graph(5))


def test_unknown_words_are_refused(X):
    with pytest.raises(InputError, match="none, previous or first"):
        inspect.unwrap(oversmoothing_curve)(path_graph(34), X, 3, residual="skip")
