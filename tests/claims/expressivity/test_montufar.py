import pytest
import torch

from corollary.claims.expressivity.montufar import Montufar
from corollary.core import Verdict, generator
from corollary.theory.expressivity.regions.plane import linear_regions


@pytest.mark.parametrize(
    ("d", "n", "l", "count"), [(1, 3, 2, 12), (1, 2, 4, 24), (2, 4, 2, 44), (2, 5, 2, 64)]
)
def test_the_construction_attains_the_bound(d, n, l, count):
    result = Montufar(d=d, n=n, l=l).check(0)
    assert result.verdict is Verdict.HOLDS
    assert result.measured[0].value == result.predicted[0] == count


def test_the_zero_network_has_one_region():
    """The theorem is about some network, not about every one."""
    refuted = Montufar(n=4, l=2).refute(0)
    assert refuted.fails
    given = Montufar(n=4, l=2).counterexample(generator(0))
    assert linear_regions(given.model).count == 1


def test_a_random_network_does_not_fold():
    claim = Montufar(n=4, l=2)
    given, rng = claim.given(generator(0)), generator(2)
    with torch.no_grad():
        for p in given.model.parameters():
            p.copy_(torch.randn(p.shape, generator=rng, dtype=p.dtype))
    result = claim.check_given(given)
    assert result.verdict is Verdict.INAPPLICABLE
    assert "the folded boxes have the same outputs" in [
        h.statement for h in result.hypotheses if not h.holds
    ]
