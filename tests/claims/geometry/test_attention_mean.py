import torch

from corollary.claims.geometry.attention_mean import AttentionMean, Given
from corollary.core import Verdict
from corollary.data.graphs import path_graph
from corollary.models.gat import GATConv


def path_of_three(u: float) -> Given:
    layer = GATConv(1, 1, rng=torch.Generator().manual_seed(0))
    with torch.no_grad():
        layer.V.fill_(1.0)
        layer.u.fill_(u)
    X = torch.tensor([[1.0], [3.0], [8.0]], dtype=torch.float64)
    return Given(path_graph(3), path_graph(3), X, layer)


def test_means_over_a_path_by_hand():
    result = AttentionMean().check_given(path_of_three(0.0))
    assert result.verdict is Verdict.HOLDS
    assert [m.value for m in result.measured] == [2.0, 4.0, 5.5]


def test_with_a_preference_it_does_not_apply():
    assert AttentionMean().check_given(path_of_three(1.0)).verdict is Verdict.INAPPLICABLE


def test_over_all_nodes_the_graph_is_ignored():
    """The notes leave the index set open: over all nodes every node gets the mean 4."""
    from corollary.data.graphs import complete_graph

    given = path_of_three(0.0)._replace(over=complete_graph(3))
    assert AttentionMean().measure(given).tolist() == [4.0, 4.0, 4.0]
    assert AttentionMean().refute(3).fails
