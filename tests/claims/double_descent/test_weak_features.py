import torch

from corollary.claims.double_descent.weak_features import WeakFeatures, _parts
from corollary.core import Verdict


def test_it_holds_for_another_seed_and_size():
    assert WeakFeatures(d=96, n=32, draws=400).check(3).verdict is Verdict.HOLDS


def test_the_variance_is_largest_at_the_threshold_and_parts_add_up():
    claim = WeakFeatures()
    data = claim._data(claim.given(torch.Generator().manual_seed(0)), 60)
    sizes = [1, 8, 16, 24, 28, 30, 31, 32, 33, 34, 36, 40, 64, 128]
    parts = {p: _parts(data, p) for p in sizes}
    assert max(sizes, key=lambda p: parts[p].variance) in (31, 32, 33)
    assert all(abs(b.total - float(b.excess.mean())) < 1e-9 * b.total for b in parts.values())


def test_correlated_coordinates_are_not_noise():
    assert WeakFeatures().refute(0).fails
