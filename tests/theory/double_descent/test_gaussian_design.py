import math

import pytest
import torch

from corollary.data.planted import planted
from corollary.errors import InputError
from corollary.theory.double_descent.bias_variance import decomposed, min_norm
from corollary.theory.double_descent.gaussian_design import (
    gaussian_ols_variance,
    min_norm_risk,
    ols_variance,
    weak_feature_risk,
)
from corollary.theory.double_descent.risk import excess_risk


def rng(seed=0):
    return torch.Generator().manual_seed(seed)


def test_forty_points_and_ten_features_multiply_the_noise_by_a_third():
    designs = torch.randn(4000, 40, 10, generator=rng(), dtype=torch.float64)
    mean = float(ols_variance(designs, torch.eye(10, dtype=torch.float64), 1.0).mean())
    assert gaussian_ols_variance(40, 10) == pytest.approx(0.3448, abs=1e-4)
    assert mean == pytest.approx(0.3448, rel=0.01)


def test_the_trace_is_the_variance_over_noise_for_one_design():
    data = planted(8, 3, reps=1, rng=rng())
    phi = data.phi[0]
    Sigma = torch.tensor([[2.0, 0.5, 0], [0.5, 1, 0], [0, 0, 3]], dtype=torch.float64)
    noise = torch.randn(60_000, 8, generator=rng(1), dtype=torch.float64)
    off = noise @ torch.linalg.pinv(phi).T
    zero = torch.zeros(3, dtype=torch.float64)
    measured = float(excess_risk(off, zero, Sigma).mean())
    assert measured == pytest.approx(float(ols_variance(phi, Sigma, 1.0)), rel=0.03)
    by_hand = torch.trace(Sigma @ torch.linalg.inv(phi.T @ phi))
    assert float(ols_variance(phi, Sigma, 2.0)) == pytest.approx(2 * float(by_hand))


def test_the_variance_does_not_depend_on_the_covariance_of_the_features():
    Sigma = torch.diag(torch.tensor([0.01, 1.0, 100.0], dtype=torch.float64))
    data = planted(12, 3, Sigma=Sigma, reps=20_000, rng=rng())
    mean = float(ols_variance(data.phi, Sigma, 1.0).mean())
    assert mean == pytest.approx(gaussian_ols_variance(12, 3), rel=0.03)


def test_it_grows_without_bound_as_p_comes_near_n():
    values = [gaussian_ols_variance(40, p) for p in range(1, 41)]
    assert values == sorted(values)
    assert values[37] == 38 and values[38] == values[39] == math.inf


def test_more_features_than_points_are_sent_to_the_shortest_solution():
    with pytest.raises(InputError, match="min_norm_risk"):
        gaussian_ols_variance(10, 40)
    with pytest.raises(InputError, match="min_norm_risk"):
        ols_variance(torch.ones(2, 3), torch.eye(3), 1.0)


def test_columns_that_repeat_are_refused():
    with pytest.raises(InputError, match="rank"):
        ols_variance(torch.eye(3)[:, [0, 1, 1]] * 0 + torch.tensor([1.0, 0, 0]), torch.eye(3), 1.0)


def test_ten_points_and_forty_parameters():
    """The sizes of the check: variance 10/29, and three quarters of the squared length left."""
    w = torch.randn(40, generator=rng(3), dtype=torch.float64)
    norm2 = float(w.square().sum())
    parts = min_norm_risk(10, 40, norm2, 1.0)
    data = planted(10, 40, w_star=w, sigma=1.0, reps=4000, rng=rng())
    clean = min_norm(data.phi, data.phi @ w)
    noise = min_norm(data.phi, data.y) - clean
    left = excess_risk(clean, w, data.Sigma).mean()
    assert parts.noise == pytest.approx(0.3448, abs=1e-4)
    assert float(noise.square().sum(dim=1).mean()) == pytest.approx(parts.noise, rel=0.03)
    assert float(left) == pytest.approx(parts.without_noise, rel=0.01)
    found = decomposed(clean, w, data.Sigma)
    assert found.bias == pytest.approx(parts.bias, rel=0.02)
    assert found.variance == pytest.approx(parts.design, rel=0.05)


def test_the_whole_curve_has_its_peak_at_p_equal_to_n():
    curve = [min_norm_risk(20, p, 1.0, 0.25).total for p in range(1, 100)]
    assert [p for p, v in enumerate(curve, start=1) if v == math.inf] == [19, 20, 21]
    assert curve[8] < curve[17] and curve[60] < curve[22]


def test_all_coordinates_seen_is_the_planted_case():
    w = torch.full((40,), 0.5, dtype=torch.float64)
    assert weak_feature_risk(10, 40, w, 1.0) == min_norm_risk(10, 40, 10.0, 1.0)


def test_what_is_omitted_acts_as_noise():
    w = torch.full((60,), 0.3, dtype=torch.float64)
    for p in (8, 40):
        data = planted(20, 60, w_star=w, sigma=0.5, reps=3000, rng=rng())
        fitted = min_norm(data.phi[..., :p].contiguous(), data.y)
        all_of_it = torch.cat([fitted, fitted.new_zeros(3000, 60 - p)], dim=1)
        found, exact = decomposed(all_of_it, w, data.Sigma), weak_feature_risk(20, p, w, 0.25)
        assert found.total == pytest.approx(exact.total, rel=0.05)
        assert found.variance == pytest.approx(exact.variance, rel=0.06)


def test_without_noise_there_is_no_peak():
    assert min_norm_risk(20, 20, 1.0, 0.0).total == 0.0
    assert min_norm_risk(20, 21, 1.0, 0.0).total < 0.05


def test_negative_noise_is_refused():
    with pytest.raises(InputError, match="sigma2"):
        min_norm_risk(5, 5, 1.0, -1.0)
