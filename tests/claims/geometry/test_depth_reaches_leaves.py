import torch

from corollary.claims.geometry.depth_reaches_leaves import DepthReachesLeaves
from corollary.core import Verdict, generator


def test_it_holds_for_trees_of_depth_two():
    claim = DepthReachesLeaves(r=2, depths=(1, 2), trees=16)
    result = claim.check(1)
    assert result.verdict is Verdict.HOLDS
    assert [m.value for m in result.measured] == [0.5, 1.0]


def test_every_tree_has_one_leaf_with_a_sign():
    claim = DepthReachesLeaves()
    graph, X, y, roots = claim.given(generator(0, "trees"))
    per_tree = X[:, 0].reshape(claim.trees, -1)
    assert torch.equal(per_tree.abs().sum(1), torch.ones(claim.trees).double())
    assert torch.equal((per_tree.sum(1) > 0).long(), y[roots])
    assert int(graph.components().max()) + 1 == claim.trees
