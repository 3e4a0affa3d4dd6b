import numpy as np
import pytest
import torch

from corollary.errors import InputError
from corollary.theory.architectures.scalar_chain import chain_update, products_of_others


def test_the_coefficients_are_those_of_numpy():
    w = torch.tensor([0.5, -1.5, 2.0, 0.7], dtype=torch.float64)
    found = chain_update(w, 1.3, 0.1, 0.4)
    slopes = 0.4 * 1.3 * w.prod() / w
    expected = np.array([1.3])
    for a, b in zip(w.tolist(), slopes.tolist(), strict=True):
        expected = np.polynomial.polynomial.polymul(expected, [a, -b])
    np.testing.assert_allclose(found.coefficients, expected)
    assert found.y_new == pytest.approx(np.polynomial.polynomial.polyval(0.1, expected))
    assert found.first_order == pytest.approx(expected[0] + 0.1 * expected[1])


def test_slopes_are_those_of_autograd_with_a_zero_weight_too():
    w = torch.tensor([2.0, 0.0, 3.0], dtype=torch.float64, requires_grad=True)
    (slope,) = torch.autograd.grad(w.prod(), w)
    torch.testing.assert_close(products_of_others(w.detach()), slope)


def test_the_first_order_error_is_eta_squared_times_pairs_of_layers():
    for L in (10, 20, 40, 80):
        for eta in (1e-5, 2e-5):
            step = chain_update(torch.ones(L, dtype=torch.float64), 1.0, eta)
            pairs = L * (L - 1) / 2
            assert step.y_new - step.first_order == pytest.approx(pairs * eta**2, rel=1e-2)


def test_gradients_vanish_below_1_and_explode_above():
    small, large = (products_of_others(torch.full((50,), v)).max() for v in (0.8, 1.25))
    assert small == pytest.approx(0.8**49, rel=1e-4) and large == pytest.approx(1.25**49, rel=1e-4)
    assert small < 1e-4 and large > 1e4


def test_no_weights_are_refused():
    with pytest.raises(InputError, match="at least one weight"):
        chain_update(torch.ones(0), 1.0, 0.1)
