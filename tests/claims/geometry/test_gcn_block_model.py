from corollary.claims.geometry.gcn_block_model import GcnBlockModel, accuracies
from corollary.core import Verdict, generator


def test_it_holds_for_clearer_communities():
    claim = GcnBlockModel(M=150, within=0.15, between=0.01, runs=1)
    assert claim.check_given(claim.given(generator(5, "clear"))).verdict is Verdict.HOLDS


def test_without_communities_it_does_not_apply():
    claim = GcnBlockModel(runs=1)
    given = claim.given(generator(0, "blind"))._replace(within=0.02, between=0.02)
    assert not next(iter(claim.hypotheses(given))).holds


def test_features_that_say_everything_leave_nothing_to_gain():
    given = GcnBlockModel(M=90, signal=8.0, runs=1).given(generator(1, "loud"))
    ((gcn, mlp),) = accuracies(given)
    assert mlp > 0.95 and gcn > 0.8
