import pytest
import torch

from corollary.claims.geometry.weisfeiler_lehman import Given, WeisfeilerLehman
from corollary.core import Verdict
from corollary.data.graphs import cycle_graph, path_graph


def test_a_path_of_three_by_hand():
    """Two ends and a middle."""
    perm = torch.tensor([1, 0, 2])
    result = WeisfeilerLehman().check_given(Given(path_graph(3), path_graph(3).relabel(perm), perm))
    assert result.verdict is Verdict.HOLDS
    assert sorted(result.predicted) == [1.0, 2.0]


def test_the_test_is_one_sided():
    """The notes: 'computes whether there exists an isomorphism'. C6 and two triangles agree."""
    ring, triangles = cycle_graph(6), cycle_graph(3).union(cycle_graph(3))
    given, claim = Given(ring, triangles, torch.arange(6)), WeisfeilerLehman()
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE  # no relabelling
    assert claim.predict(given) == claim.measure(given) == [6]  # and yet the same colours


@pytest.mark.parametrize("seed", range(4))
def test_it_holds_for_drawn_relabellings(seed):
    assert WeisfeilerLehman(rounds=2 + seed).check(seed).verdict is Verdict.HOLDS
