import pytest
import torch

from corollary.data.planted import planted
from corollary.errors import InputError
from corollary.theory.double_descent.risk import excess_risk, misspecification


def rng(seed=0):
    return torch.Generator().manual_seed(seed)


def test_the_mean_squared_error_on_new_points_is_noise_plus_the_quadratic_form():
    Sigma = torch.tensor([[2.0, 0.7], [0.7, 1.0]], dtype=torch.float64)
    data = planted(400_000, 2, Sigma=Sigma, sigma=0.5, rng=rng())
    w = torch.tensor([1.0, -2.0], dtype=torch.float64)
    measured = float((data.phi @ w - data.y).square().mean())
    assert measured == pytest.approx(float(data.risk(w)), rel=0.01)


def test_planted_labels_look_planted_and_a_square_does_not():
    data = planted(2000, 3, sigma=0.5, rng=rng())
    assert misspecification(data.phi, data.y, data.w_star) > 1e-4
    bent = data.y + 0.3 * data.phi[:, 0] ** 2
    assert misspecification(data.phi, bent, data.w_star) < 1e-6


def test_p_values_of_planted_labels_are_uniform():
    values = []
    for seed in range(200):
        data = planted(60, 2, rng=rng(seed))
        values.append(misspecification(data.phi, data.y, data.w_star))
    from scipy.stats import kstest

    assert kstest(values, "uniform").pvalue > 1e-3


def test_a_matrix_that_is_not_symmetric_is_no_covariance():
    with pytest.raises(InputError, match="symmetric"):
        excess_risk(torch.zeros(2), torch.ones(2), torch.tensor([[1.0, 1.0], [0.0, 1.0]]))
