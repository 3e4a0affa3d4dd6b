import torch

from corollary.claims.geometry.depth_reaches_leaves import DepthReachesLeaves, forest
from corollary.core import Verdict, generator


def test_it_holds_for_trees_of_depth_two():
    claim = DepthReachesLeaves(r=2, depths=(1, 2), trees=16)
    result = claim.check(1)
    assert result.verdict is Verdict.HOLDS
    assert [m.value for m in result.measured] == [0.5, 1.0]


def test_every_tree_has_one_leaf_with_a_sign():
    given = DepthReachesLeaves().given(generator(0, "trees"))
    graph, X, y, roots = forest(given)
    per_tree = X[:, 0].reshape(given.trees, -1)
    assert torch.equal(per_tree.abs().sum(1), torch.ones(given.trees).double())
    assert torch.equal((per_tree.sum(1) > 0).long(), y[roots])
    assert int(graph.components().max()) + 1 == given.trees
