import numpy as np
import pytest
import torch
from sklearn.linear_model import Ridge

from corollary.data.planted import planted
from corollary.errors import InputError
from corollary.theory.double_descent.bias_variance import (
    bias_variance,
    decomposed,
    min_norm,
    ridge_estimate,
)
from corollary.theory.double_descent.risk import excess_risk

W = torch.tensor([1.0, -2.0, 0.5], dtype=torch.float64)
EYE = torch.eye(3, dtype=torch.float64)


def sampler(reps, rng):
    data = planted(12, 3, w_star=W, sigma=0.5, reps=reps, rng=rng)
    return data.phi, data.y


def parts(estimator, reps=2000):
    rng = torch.Generator().manual_seed(0)
    return bias_variance(estimator, sampler, W, EYE, reps=reps, rng=rng)


def test_the_parts_add_up_to_the_mean_excess_risk():
    found = parts(min_norm, reps=50)
    assert found.total == pytest.approx(float(found.excess.mean()), rel=1e-12)


def test_least_squares_has_no_bias_and_a_ridge_has():
    assert abs(parts(min_norm).bias) < 3e-3
    assert parts(lambda phi, y: ridge_estimate(phi, y, 0.5)).bias > 0.1


def test_each_part_has_no_bias_of_its_own():
    """Many small samples: their mean bias and variance are those of the law."""
    rng = torch.Generator().manual_seed(0)
    w = 1.0 + torch.randn(500, 5, 1, generator=rng, dtype=torch.float64)
    zero, one = torch.zeros(1, dtype=torch.float64), torch.eye(1, dtype=torch.float64)
    found = [decomposed(five, zero, one) for five in w]
    assert np.mean([f.bias for f in found]) == pytest.approx(1, abs=0.15)
    assert np.mean([f.variance for f in found]) == pytest.approx(1, abs=0.12)


@pytest.mark.parametrize("shape", [(12, 3), (4, 9)])
def test_the_estimators_agree_with_numpy_and_scikit_learn(shape):
    rng = torch.Generator().manual_seed(1)
    phi = torch.randn(2, *shape, generator=rng, dtype=torch.float64)
    y = torch.randn(2, shape[0], generator=rng, dtype=torch.float64)
    for a, b, short, ridge in zip(
        phi, y, min_norm(phi, y), ridge_estimate(phi, y, 0.3), strict=True
    ):
        np.testing.assert_allclose(short, np.linalg.pinv(a.numpy()) @ b.numpy(), atol=1e-10)
        peer = Ridge(alpha=0.3 * len(b), fit_intercept=False).fit(a, b)
        np.testing.assert_allclose(ridge, peer.coef_, atol=1e-10)


def test_the_first_line_of_the_printed_proof_is_the_variance_alone():
    """Erratum: E|w - E w|² is not the excess risk of an estimator with a bias."""
    found = parts(lambda phi, y: ridge_estimate(phi, y, 0.5))
    assert float(found.excess.mean()) > found.variance + 0.1


def test_one_estimate_has_no_variance():
    with pytest.raises(InputError, match="two estimates"):
        decomposed(W[None], W, EYE)


def test_a_ridge_without_strength_is_refused():
    with pytest.raises(InputError, match="min_norm"):
        ridge_estimate(torch.ones(2, 1), torch.ones(2), 0.0)


def test_excess_risk_and_parts_speak_of_the_same_number():
    w = torch.stack([W, W + 1])
    assert decomposed(w, W, EYE).total == pytest.approx(float(excess_risk(w, W, EYE).mean()))
