import pytest

from corollary.claims.networks.dense_connectivity import DenseConnectivity
from corollary.core import Verdict


def test_three_layers_of_growth_two_on_four_channels():
    result = DenseConnectivity(channels=4, layers=3, growth=2).check(0)
    assert result.verdict is Verdict.HOLDS
    assert [m.value for m in result.measured] == [4, 6, 8, 18 * 20]


@pytest.mark.parametrize(("k0", "L", "k"), [(1, 2, 1), (16, 12, 12)])
def test_it_holds_for_other_blocks(k0, L, k):
    claim = DenseConnectivity(channels=k0, layers=L, growth=k)
    assert claim.check(0).verdict is Verdict.HOLDS
    assert claim.refute(0).fails
