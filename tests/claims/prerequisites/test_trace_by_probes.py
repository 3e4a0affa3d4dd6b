import pytest
import torch

from corollary.claims.prerequisites.trace_by_probes import TraceByProbes
from corollary.core import Verdict


def test_every_probe_of_a_diagonal_gives_the_trace():
    claim = TraceByProbes(n=3)
    given = claim.given(torch.Generator())
    given = given._replace(A=torch.diag(torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)))
    assert set(claim.measure(given).values) == {6.0}


def test_correlated_probes_miss_the_trace():
    refuted = TraceByProbes().refute(0)
    assert refuted.fails and refuted.broken == ("the entries of z are uncorrelated",)


@pytest.mark.parametrize("seed", range(5))
def test_it_holds_for_drawn_matrices(seed):
    assert TraceByProbes().check(seed).verdict is Verdict.HOLDS


def test_the_variance_is_twice_the_squared_off_diagonal():
    claim = TraceByProbes(samples=20_000)
    given = claim.given(torch.Generator().manual_seed(1))
    draws = torch.tensor(claim.measure(given).values)
    off = given.A - given.A.diagonal().diag()
    assert float(draws.var()) == pytest.approx(2 * float(off.square().sum()), rel=0.1)
