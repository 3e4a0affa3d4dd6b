import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.core import generator
from corollary.data.separable import separable_cloud
from corollary.data.xor import xor
from corollary.errors import InputError
from corollary.theory.connectionism.perceptron import (
    is_unit,
    margin,
    mistake_count,
    perceptron_fit,
    radius,
    signed_distance,
)

BITS = torch.tensor([[0.0, 0], [0, 1], [1, 0], [1, 1]], dtype=torch.float64)


def cloud(n=300, d=12, gamma=0.05, seed=0):
    return separable_cloud(n, d, gamma, rng=generator(seed, "cloud"))


@pytest.mark.parametrize("labels", [(-1, -1, -1, 1), (-1, 1, 1, 1)])
def test_and_and_or_are_learned(labels):
    y = torch.tensor(labels).double()
    fit = perceptron_fit(BITS, y)
    assert fit.converged
    assert margin(BITS, y, fit.w, fit.b) > 0


def test_on_xor_the_limit_is_reached_and_the_weights_cycle():
    x, y = xor()
    fit = perceptron_fit(x, y, max_updates=400)
    assert not fit.converged
    assert fit.updates == 400
    weights = {tuple(w) for w in fit.trajectory(x, y).tolist()}
    assert len(weights) < 20  # 401 states, few of them different
    by_epochs = perceptron_fit(x, y, max_epochs=7)
    assert (by_epochs.epochs, by_epochs.converged) == (7, False)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_both_backends_make_the_same_mistakes(bias, seed):
    x, y, _ = cloud(seed=seed)
    order = torch.randperm(len(x), generator=generator(seed, "order"))
    by_numba = perceptron_fit(x, y, bias=bias, order=order, backend="numba")
    by_torch = perceptron_fit(x, y, bias=bias, order=order, backend="torch")
    assert by_numba.converged and by_torch.converged
    assert torch.equal(by_numba.mistakes, by_torch.mistakes)
    assert torch.equal(by_numba.shown, by_torch.shown)
    assert by_numba.epochs == by_torch.epochs
    torch.testing.assert_close(by_numba.w, by_torch.w, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("limit", [{"max_updates": 1}, {"max_updates": 37}, {"max_epochs": 2}])
def test_both_backends_stop_at_the_same_limit(limit):
    x, y = xor()
    x, y = x.repeat(9, 1) + 0.25, y.repeat(9)
    fits = [perceptron_fit(x, y, **limit, backend=b) for b in ("numba", "torch")]
    assert fits[0].mistakes.tolist() == fits[1].mistakes.tolist()
    assert fits[0].epochs == fits[1].epochs
    assert not fits[0].converged and not fits[1].converged


@pytest.mark.parametrize("bias", [True, False])
def test_weights_equal_those_of_scikit_learn(bias):
    from sklearn.linear_model import Perceptron

    x, y, _ = cloud()
    fit = perceptron_fit(x, y, bias=bias)
    peer = Perceptron(tol=None, max_iter=fit.epochs, shuffle=False, fit_intercept=bias)
    peer.fit(x.numpy(), y.numpy())
    np.testing.assert_allclose(peer.coef_[0], fit.w.numpy(), rtol=1e-12, atol=1e-12)
    assert peer.intercept_[0] == fit.b


def test_the_trajectory_ends_at_the_weights():
    x, y, _ = cloud()
    fit = perceptron_fit(x, y)
    path = fit.trajectory(x, y)
    assert path.shape == (fit.updates + 1, x.shape[1] + 1)
    assert path[0].eq(0).all()
    torch.testing.assert_close(path[-1, :-1], fit.w)
    assert path[-1, -1] == fit.b


def test_the_mistakes_do_not_exceed_novikoffs_bound_in_any_order():
    x, y, u = cloud(gamma=0.1)
    bound = math.floor((radius(x) / margin(x, y, u)) ** 2)
    for seed in range(10):
        order = torch.randperm(len(x), generator=generator(seed, "order"))
        assert perceptron_fit(x, y, bias=False, order=order).updates <= bound


def test_mistake_count_grows_by_one_at_each_mistake():
    x, y, _ = cloud()
    count = mistake_count(x, y)
    fit = perceptron_fit(x, y, bias=False)
    assert count[-1] == fit.updates
    assert (count.diff().nonzero().flatten() + 1).tolist() == fit.shown.tolist()


def test_float32_stays_float32():
    x, y, _ = cloud()
    assert perceptron_fit(x.float(), y.float(), backend="numba").w.dtype == torch.float32
    assert perceptron_fit(x.float(), y.float(), backend="torch").w.dtype == torch.float32


@pytest.mark.parametrize("bad", [0.0, 2.0, math.nan])
def test_labels_other_than_plus_and_minus_one_are_refused(bad):
    with pytest.raises(InputError, match="expected labels -1 or"):
        perceptron_fit(BITS, torch.tensor([1.0, -1.0, 1.0, bad]).double())


def test_points_that_are_not_finite_are_refused_by_number():
    x = BITS.clone()
    x[2, 0] = math.nan
    with pytest.raises(InputError, match="point 2"):
        perceptron_fit(x, torch.ones(4))


def test_an_order_that_repeats_a_point_is_refused():
    with pytest.raises(InputError, match="order must contain each"):
        perceptron_fit(BITS, torch.ones(4), order=torch.tensor([0, 1, 1, 2]))
    with pytest.raises(InputError, match="max_updates must be at least 1"):
        perceptron_fit(BITS, torch.ones(4), max_updates=0)


# -- signed distance ------------------------------------------------------------------------------


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), d=st.integers(1, 6), c=st.floats(1e-3, 1e3))
def test_the_signed_distance_is_the_distance_to_the_projection(seed, d, c):
    rng = generator(seed, "distance")
    x = torch.randn(7, d, generator=rng, dtype=torch.float64)
    y = torch.where(torch.rand(7, generator=rng) < 0.5, -1.0, 1.0).double()
    w, b = torch.randn(d, generator=rng, dtype=torch.float64), 0.7
    foot = x - ((x @ w + b) / (w @ w))[:, None] * w
    got = signed_distance(x, y, w, b)
    torch.testing.assert_close(got.abs(), (x - foot).norm(dim=1), rtol=1e-9, atol=1e-12)
    assert torch.equal(got > 0, torch.sign(x @ w + b) == y)
    torch.testing.assert_close(signed_distance(x, y, c * w, c * b), got, rtol=1e-9, atol=1e-12)
    assert margin(x, y, w, b) == got.min()


def test_a_zero_normal_has_no_distance():
    with pytest.raises(InputError, match="nonzero normal"):
        margin(BITS, torch.ones(4), torch.zeros(2, dtype=torch.float64))
    with pytest.raises(InputError, match="expected labels"):
        signed_distance(BITS, torch.zeros(4), torch.ones(2, dtype=torch.float64))


def test_unit_vectors_are_recognised_in_both_precisions():
    u = torch.randn(1000, generator=generator(0, "unit"), dtype=torch.float64)
    assert is_unit(u / u.norm()) and is_unit((u / u.norm()).float())
    assert not is_unit(1.0001 * u / u.norm())


def test_a_small_run_that_does_not_end_soon_is_the_same_run():
    x, y, _ = cloud(n=40, d=3, gamma=0.002, seed=3)
    x, y = torch.cat([x, x[:1]]), torch.cat([y, -y[:1]])  # never ends
    fits = [perceptron_fit(x, y, max_updates=3000, backend=b) for b in ("auto", "torch")]
    assert fits[0].updates == fits[1].updates == 3000
    assert torch.equal(fits[0].mistakes, fits[1].mistakes)
