import pytest
import torch

from corollary.errors import InputError
from corollary.train.capacity import capacity_curve


def rng(seed=0):
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("family", ["linear", "rf"])
def test_the_peak_is_at_n_and_the_training_risk_is_zero_beyond(family):
    sizes = [6, 15, 27, 30, 33, 60, 240]
    d = 240 if family == "linear" else 8
    curve = capacity_curve(family, sizes, n=30, d=d, draws=9, tested=100, rng=rng())
    test = curve.test.median(dim=1).values
    assert sizes[curve.peak] == 30
    assert float(test[3] / test[-1]) > 5
    assert float(curve.train[3:].max()) < 1e-12 < float(curve.train[:3].median())


def test_a_ridge_takes_the_peak_away():
    sizes = [6, 15, 30, 60, 240]
    plain, ridged = (
        capacity_curve("rf", sizes, n=30, ridge=r, draws=9, tested=100, rng=rng())
        for r in (0.0, 0.02)
    )
    highest = [float(c.test.median(dim=1).values.max()) for c in (plain, ridged)]
    assert highest[1] < highest[0] / 5


def test_a_small_network_is_counted_by_its_weights():
    curve = capacity_curve("mlp", [1, 2], n=8, d=2, draws=2, tested=10, steps=2, rng=rng())
    assert curve.parameters == (5, 9) and curve.test.shape == (2, 2)


def test_impossible_requests_are_refused():
    with pytest.raises(InputError, match="rf or mlp"):
        capacity_curve("tree", [1], rng=rng())
    with pytest.raises(InputError, match="features"):
        capacity_curve("linear", [20], d=10, rng=rng())


@pytest.mark.slow
def test_a_trained_network_fits_all_points_beyond_the_threshold_and_a_penalty_helps_it():
    sizes = [2, 8, 24]  # 11, 41 and 121 weights for 40 points
    plain, ridged = (
        capacity_curve("mlp", sizes, n=40, d=3, noise=0.4, ridge=r, draws=3, rng=rng())
        for r in (0.0, 0.01)
    )
    assert float(plain.train[-1].max()) < 1e-4 < float(plain.train[0].min())
    assert float(ridged.test[1:].median()) < float(plain.test[1:].median()) / 2
