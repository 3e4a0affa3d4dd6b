from corollary.claims.geometry.gcn_block_model import GcnBlockModel
from corollary.core import Verdict, generator


def test_it_holds_for_clearer_communities():
    claim = GcnBlockModel(M=150, within=0.15, between=0.01, runs=3, gain=0.1)
    assert claim.check_given(claim.given(generator(5, "clear"))).verdict is Verdict.HOLDS


def test_without_communities_it_does_not_apply():
    claim = GcnBlockModel(within=0.02, between=0.02)
    assert claim.check(0).verdict is Verdict.INAPPLICABLE


def test_features_that_say_everything_leave_nothing_to_gain():
    claim = GcnBlockModel(M=90, signal=8.0, runs=2)
    gains = claim.measure(claim.given(generator(1, "loud")), generator(1, "nets")).values
    assert max(gains) < 0.05
