from corollary.claims.double_descent.weak_features import WeakFeatures
from corollary.core import Verdict


def test_it_holds_for_another_seed_and_size():
    claim = WeakFeatures(d=96, n=32, draws=1600)
    assert claim.check_given(claim.draw(3), seed=3, draw=False).verdict is Verdict.HOLDS


def test_the_variance_is_largest_at_the_threshold_and_parts_add_up():
    claim = WeakFeatures(draws=100)
    parts = claim.trial(claim.draw(0)).kept.parts
    assert max(parts, key=lambda p: parts[p].variance) == claim.n
    assert all(abs(b.total - float(b.excess.mean())) < 1e-9 * b.total for b in parts.values())


def test_the_bias_is_the_squared_length_of_the_omitted_weights_below_the_threshold():
    claim = WeakFeatures()
    given = claim.draw(0)
    assert claim.predict(given)[0] == float(given.w_star[claim.n // 4 :].square().sum())
